"""The runs of a study from the oldest to the newest."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


def runs_in_order(study: "StudyArrays") -> list[str]:
    """Return the runs with judgments: those without a start in `runs` as they were added, then by start."""
    table = study.files.table("runs", ("run_id", "started_at")).to_pylist()
    starts = {row["run_id"]: str(row["started_at"]) for row in table if row["started_at"] is not None}
    return sorted(study.inventory.runs_as_added, key=lambda run: (run in starts, starts.get(run, "")))
