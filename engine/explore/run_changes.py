"""Whether a judge has changed between two runs of a study, for pipelines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.errors import UsageError, unknown
from engine.explore.gate import GateResult, GateStatus
from engine.measures.catalogue import MEASURES, find
from engine.measures.entry import Measure
from engine.measures.result import Result
from engine.stats.repeated_looks import alpha_of_look

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

USUAL = ("hspp", "outside")
"""The measures tried if none is named: the latter needs no reference, and takes scores and pairs too."""

OF_OUTSIDE = ("ratio_outside", "difference_outside", "bonus_outside", "vote_outside")
"""The numbers of `outside`, of which verdicts, scores and pairs each have their own."""


@dataclass(frozen=True)
class RunChanges:
    """The change of each judge in a `number` of a measure; if there are no results, `reason` says why."""

    results: tuple[GateResult, ...]
    measure: str
    number: str
    reason: str | None


def comparable_measures() -> tuple[str, ...]:
    """Return the measures of which two runs can be compared: those of a slice, with a row for each judge."""
    return tuple(name for name, measure in MEASURES.items() if measure.sliced and "judge" in measure.keys)


def changes(
    study: "MeasuredStudy", measure: str | None, before: str, after: str, *, look: int = 1, looks: int = 1
) -> RunChanges:
    """Compare two runs of a study, judge by judge: FAIL if a judge's number has changed.

    The number is the measure's headline; of `outside`, the one that the judgments have. Without a measure it
    is the first of `USUAL` that can be tested. The change is the measure's `--against` comparison on common
    resamples; a judge has changed if its adjusted p is below the alpha that this look may spend
    (`engine.stats.power`). Without a p the result is INCONCLUSIVE. Raises UsageError for an unknown run, for
    a measure that cannot be compared, or if both runs are the same.
    """
    runs = study.inventory.runs
    for run in (before, after):
        if run not in runs:
            raise unknown("run", run, runs)
    if before == after:
        raise UsageError(f"run {before!r} is compared with itself; name an earlier and a later run")
    if measure is not None and find(measure).name not in comparable_measures():
        choices = ", ".join(comparable_measures())
        raise UsageError(f"measure {measure!r} has no row for each judge of a run; choose from: {choices}")
    alpha = alpha_of_look(look, looks)
    names = USUAL if measure is None else (measure,)
    compared = [
        study.result(declared, run=after, against={"run": before})
        for declared in (declared for name in names for declared in _numbers_of(find(name)))
    ]
    best = max(compared, key=_tested)  # the first of the best
    rule = f"p-value below {alpha:.4g} at look {look} of {looks}"
    results = tuple(_change(row, rule, alpha) for row in best.rows if row["judge"] is not None)
    reason = None if results else best.reason or "no judge has judgments of both runs"
    return RunChanges(results, best.measure.name, best.measure.headline, reason)


def _numbers_of(measure: Measure) -> Sequence[Measure]:
    if measure.name != "outside":
        return (measure,)
    return [
        replace(measure, headline=name, compared_as="ratio" if name.startswith("ratio") else "difference")
        for name in OF_OUTSIDE
    ]


def _tested(result: Result) -> tuple[int, int]:
    rows = [row for row in result.rows if row["judge"] is not None]
    return sum(row["p_adjusted"] is not None for row in rows), sum(
        row["difference"] is not None for row in rows
    )


def _change(row: dict[str, object], rule: str, alpha: float) -> GateResult:
    others = [
        str(row[key]) for key in ("generator", "opponent", "variant", "level") if row.get(key) is not None
    ]
    name = " / ".join([str(row["judge"]), *others])
    p = row["p_adjusted"]
    numbers = {"estimate": row["difference"], "low": row["low"], "high": row["high"]}
    if not isinstance(p, float):
        reasons = row.get("reasons")
        code = reasons.get("p_adjusted") or reasons.get("difference") if isinstance(reasons, dict) else None
        why = f"the change cannot be tested ({str(code or 'undefined').replace('_', ' ')})"
        return GateResult(name, "INCONCLUSIVE", rule, why, kind="change", is_checked=False, **numbers)  # type: ignore[arg-type]
    status: GateStatus = "FAIL" if p < alpha else "PASS"
    words = "it has changed" if p < alpha else "no change is shown"
    return GateResult(name, status, rule, f"{words} (adjusted p = {p:.3g})", kind="change", **numbers)  # type: ignore[arg-type]
