"""The call behind a judgment: what the study holds of how it was asked and what came back."""

from typing import TYPE_CHECKING, Any

from engine.schema import JUDGMENTS, RUNS

if TYPE_CHECKING:
    from engine.arrays import StudyArrays
    from engine.request import Request

Facts = tuple[tuple[str, str], ...]

CALL = ("run_id", "call_id", *(name for name in JUDGMENTS.key if name != "run_id"))
"""Columns of a judgment that say what was asked."""

FACTS = tuple(
    name for name in RUNS.names if name not in ("run_id", "model", "role", "paradigm", "config", "software")
)
"""Columns of `runs` that say how a judge was asked."""


def runs_of(study: "StudyArrays", request: "Request") -> dict[tuple[str, str], Facts]:
    """Return what is stored of each run, by run and judge: pairs of a column and its value as text."""
    rows = study.files.table("runs").to_pylist()
    asked = {"role": "judge", "paradigm": request.paradigm, "variant": request.selection.variant}
    return {
        (row["run_id"], row["model"]): tuple(
            (name, str(row[name])) for name in FACTS if row[name] is not None
        )
        for row in rows
        if all(row[name] in (value, None) for name, value in asked.items())
    }


def whole_answers(study: "StudyArrays", rows: list[dict[str, Any]]) -> None:
    """Fill in `raw` where it stands on another row of the same call, as it does when a call gave several."""
    lacking = {row["call_id"] for row in rows if row["raw"] is None and row["call_id"] is not None}
    if not lacking:
        return
    found = study.files.judgments(["run_id", "call_id", "raw"], {"call_id": lacking}).to_pylist()
    said = {(row["run_id"], row["call_id"]): row["raw"] for row in found if row["raw"] is not None}
    for row in rows:
        if row["raw"] is None:
            row["raw"] = said.get((row["run_id"], row["call_id"]))
