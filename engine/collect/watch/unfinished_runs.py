"""The last run of a study, where it has not made all its calls: it is said wherever missing verdicts are."""

from pathlib import Path

from engine.collect.watch.watched_runs import runs_of
from engine.store import Store
from engine.store.study_files import StudyFiles

_ENDED = ("done", "errors", "unread")
"""The states of runs that have made all their calls: what these lack, the study's statuses say."""


def unfinished_words(files: StudyFiles) -> tuple[str, ...]:
    """Return how many calls of the last run are answered, and what goes on with it; nothing if it made all.

    Nothing is known of the runs of a study that was copied out of its store.
    """
    if not files.location.is_local:
        return ()
    runs = runs_of(Store(Path(files.location.path).parent), files.name)
    if not runs or runs[-1].state in _ENDED:
        return ()
    run = runs[-1]
    planned = run.status.get("total", 0) + run.status.get("later", 0)
    sentence = (
        f"The run {run.run_id} is not finished: {run.status.get('done', 0):,} of {planned:,} calls are "
        f"answered; the others are not among these judgments (`spb run show {run.run_id}`)."
    )
    return (sentence,)
