"""The runs of a study from the oldest to the newest."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.arrays.inventory import ColumnFilter
    from engine.arrays.study_arrays import StudyArrays


def runs_in_order(study: "StudyArrays", paradigm: str | None = None, judges: Sequence[str] = ()) -> list[str]:
    """Return the runs with judgments: those without a start in `runs` as they were added, then by start.

    With a paradigm or judges, the runs with judgments of that paradigm, or by one of those judges.
    """
    table = study.files.table("runs", ("run_id", "started_at")).to_pylist()
    starts = {row["run_id"]: str(row["started_at"]) for row in table if row["started_at"] is not None}
    where: dict[str, ColumnFilter] = {} if paradigm is None else {"paradigm": paradigm}
    present = study.inventory.values("run_id", **where, **({"judge": judges} if judges else {}))
    runs = [run for run in study.inventory.runs_as_added if run in present]
    return sorted(runs, key=lambda run: (run in starts, starts.get(run, "")))


def newest_comparing(study: "StudyArrays", runs: Sequence[str], paradigm: str | None = None) -> str | None:
    """Return the newest of these runs in which judges can be compared: with two of them, if any has two."""
    where: dict[str, ColumnFilter] = {} if paradigm is None else {"paradigm": paradigm}
    judges = {run: len(study.inventory.values("judge", run_id=run, **where)) for run in runs}
    enough = min(2, max(judges.values(), default=0))
    return next((run for run in reversed(runs) if judges[run] >= enough), None)
