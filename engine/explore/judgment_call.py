"""The call behind a judgment: what the study stores of the request and the answer."""

from typing import TYPE_CHECKING, Any

from engine.arrays.slicing.resolve import ResolvedSlice
from engine.schema import JUDGMENTS, RUNS

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


Facts = tuple[tuple[str, str], ...]

CALL = ("run_id", "call_id", "stood_in_for", *(name for name in JUDGMENTS.key if name != "run_id"))
"""Columns of a judgment that identify the request."""

FACTS = tuple(
    name for name in RUNS.names if name not in ("run_id", "model", "role", "paradigm", "config", "software")
)
"""Columns of `runs` that describe the calls of a judge."""


def runs_of(study: "StudyArrays", request: "ResolvedSlice") -> dict[tuple[str, str], Facts]:
    """Return the facts stored on each run, by run and judge: pairs of a column and its value as text."""
    rows = study.files.table("runs").to_pylist()
    filters = {"role": "judge", "paradigm": request.paradigm, "variant": request.selection.variant}
    return {
        (row["run_id"], row["model"]): tuple(
            (name, str(row[name])) for name in FACTS if row[name] is not None
        )
        for row in rows
        if all(row[name] in (value, None) for name, value in filters.items())
    }


def fill_answers(study: "StudyArrays", rows: list[dict[str, Any]]) -> None:
    """Fill in `raw` from another row of the same call: if a call gave several rows, one of them has it."""
    calls = {row["call_id"] for row in rows if row["raw"] is None and row["call_id"] is not None}
    if not calls:
        return
    stored = study.files.judgments(["run_id", "call_id", "raw"], {"call_id": calls}).to_pylist()
    answers = {(row["run_id"], row["call_id"]): row["raw"] for row in stored if row["raw"] is not None}
    for row in rows:
        if row["raw"] is None:
            row["raw"] = answers.get((row["run_id"], row["call_id"]))
