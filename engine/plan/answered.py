"""What a run has been answered already."""

from engine.store import StudyFiles

ANSWERED = ("ok", "unparsed", "refused")
"""The statuses that are an answer; a call with `error` is made again."""


def answered_keys(study: StudyFiles, run_id: str) -> set[str]:
    """Return the keys of the requests of a run that the study holds an answer to.

    A judgment's call_id is its request's key. Responses need none: a plan asks for those that are missing.
    """
    rows = study.judgments(["call_id"], {"run_id": (run_id,), "status": ANSWERED})
    return {key for key in rows["call_id"].unique().to_pylist() if key is not None}
