"""The runs of a study from the oldest to the newest."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.arrays.inventory import ColumnFilter
    from engine.arrays.study_arrays import StudyArrays


def runs_in_order(study: "StudyArrays", paradigm: str | None = None, judges: Sequence[str] = ()) -> list[str]:
    """Return the runs with judgments as they were added; those with a start in `runs` change places by it.

    With a paradigm or judges, the runs with judgments of that paradigm, or by one of those judges.
    """
    table = study.files.table("runs", ("run_id", "started_at")).to_pylist()
    starts = {row["run_id"]: str(row["started_at"]) for row in table if row["started_at"] is not None}
    runs = study.inventory.runs_as_added
    by_start = iter(sorted((run for run in runs if run in starts), key=lambda run: starts[run]))
    where: dict[str, ColumnFilter] = {} if paradigm is None else {"paradigm": paradigm}
    present = study.inventory.values("run_id", **where, **({"judge": judges} if judges else {}))
    ordered = [next(by_start) if run in starts else run for run in runs]
    return [run for run in ordered if run in present]


def newest_comparing(study: "StudyArrays", runs: Sequence[str], paradigm: str | None = None) -> str | None:
    """Return the newest of these runs in which judges can be compared: with two of them, if any has two."""
    where: dict[str, ColumnFilter] = {} if paradigm is None else {"paradigm": paradigm}
    judges = {run: len(study.inventory.values("judge", run_id=run, **where)) for run in runs}
    enough = min(2, max(judges.values(), default=0))
    return next((run for run in reversed(runs) if judges[run] >= enough), None)
