"""The runs of a study that have not made all their calls: they are named wherever missing verdicts are."""

from pathlib import Path

from engine.collect.run.continuing import judges_by_run
from engine.collect.watch.watched_runs import WatchedRun, runs_of
from engine.store import Store
from engine.store.study_files import StudyFiles

_ENDED = ("done", "errors", "unread")
"""The states of runs that have made all their calls: what these lack, the study's statuses say."""


def unfinished_words(files: StudyFiles) -> tuple[str, ...]:
    """Return how many calls are answered of the last run of any of the judges, where it has not made all.

    Nothing is known of the runs of a study that was copied out of its store.
    """
    if not files.location.is_local:
        return ()
    runs = runs_of(Store(Path(files.location.path).parent), files.name)
    unfinished = [run for run in runs if run.state not in _ENDED]
    judges = judges_by_run(files.table("runs").to_pylist()) if unfinished else {}

    def is_last_of_a_judge(run: WatchedRun) -> bool:
        later = [judges.get(each.run_id, set()) for each in runs if each.run_id > run.run_id]
        return run is runs[-1] or bool(judges.get(run.run_id, set()).difference(*later))

    return tuple(_sentence(run) for run in unfinished if is_last_of_a_judge(run))


def _sentence(run: WatchedRun) -> str:
    planned = run.status.get("total", 0) + run.status.get("later", 0)
    return (
        f"The run {run.run_id} is not finished: {run.status.get('done', 0):,} of {planned:,} calls are "
        f"answered; the others are not among these judgments (`spb run show {run.run_id}`)."
    )
