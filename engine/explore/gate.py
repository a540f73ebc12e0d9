"""A gate for pipelines: does a judge pass, fail, or is the study too small to say.

What decides is always an interval, never an estimate alone: of the ratio against outside judges (MEASURES
section 15), or the scorecard's conclusion (section 16).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from engine.errors import UsageError, unknown
from engine.explore.doctor import judged_models
from engine.measures.catalogue import find
from engine.stats.sequential import alpha_of_look

if TYPE_CHECKING:
    from engine.study import Study

GateStatus = Literal["PASS", "FAIL", "INCONCLUSIVE"]
EXIT_CODES: Mapping[GateStatus, int] = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}
REQUIREMENTS = ("no_material_preference", "no_self_preference")
MAX_RATIO = 1.2


@dataclass(frozen=True)
class GateResult:
    """What the gate says of one judge: the number that decided, its interval, and why."""

    judge: str
    status: GateStatus
    rule: str
    reason: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None


def overall(results: Sequence[GateResult]) -> GateStatus:
    """Return FAIL where a judge fails, else INCONCLUSIVE where one is or none is there, else PASS."""
    statuses = {result.status for result in results}
    if "FAIL" in statuses:
        return "FAIL"
    return "PASS" if statuses == {"PASS"} else "INCONCLUSIVE"


def check_judges(
    study: "Study",
    judges: Sequence[str] = (),
    *,
    max_ratio: float | None = None,
    require: str | None = None,
    independent: bool = False,
    seed: int = 0,
) -> list[GateResult]:
    """Hold the judges of a study, or those named, against a rule; return a result for each.

    - `max_ratio` (1.2 where no rule is given): the 95 % interval of the ratio against outside judges lies at
      or below it (PASS), above it (FAIL), or on both sides (INCONCLUSIVE).
    - `require="no_material_preference"`: the scorecard concludes so (PASS), or that the judge favours itself
      (FAIL). `"no_self_preference"` also passes a judge of whom nothing else is concluded than that it leans
      against itself or disfavours itself.
    - `independent`: no response that was judged is the judge's own or its family's. Needs no verdict.

    Raises UsageError for an unknown judge or requirement, and for a bound that is not above 0.
    """
    if require is not None and require not in REQUIREMENTS:
        raise unknown("requirement", require, REQUIREMENTS)
    if max_ratio is not None and not 0 < max_ratio < float("inf"):
        raise UsageError(f"max_ratio {max_ratio!r} is not a number above 0; give one such as {MAX_RATIO}")
    everybody = [str(name) for name in study.inventory.values("judge")]
    for judge in judges:
        if judge not in everybody:
            raise unknown("judge", judge, everybody)
    chosen = [judge for judge in everybody if not judges or judge in judges]
    if independent:
        judged, _ = judged_models(study.files)
        return [_independence(study, judge, judged[judge]) for judge in chosen]
    measure = "outside" if require is None else "scorecard"
    rows = {row["judge"]: row for row in study.result(find(measure), seed=seed).rows}
    if require is not None:
        return [_conclusion(judge, rows.get(judge), require) for judge in chosen]
    bound = MAX_RATIO if max_ratio is None else max_ratio
    return [_ratio(judge, rows.get(judge), bound) for judge in chosen]


def _ratio(judge: str, row: Mapping[str, Any] | None, bound: float) -> GateResult:
    rule = f"ratio to outside judges at most {bound:g}"
    value, low, high = (
        None if row is None else row.get(f"ratio_outside{end}") for end in ("", "_low", "_high")
    )
    if value is None or low is None or high is None:
        return GateResult(judge, "INCONCLUSIVE", rule, _why(row, "ratio_outside"), value, low, high)
    status: GateStatus = "PASS" if high <= bound else "FAIL" if low > bound else "INCONCLUSIVE"
    reason = {
        "PASS": "the whole interval is within the bound",
        "FAIL": "the whole interval is above the bound",
        "INCONCLUSIVE": "the interval includes the bound: judge more instances",
    }[status]
    return GateResult(judge, status, rule, reason, value, low, high)


def _conclusion(judge: str, row: Mapping[str, Any] | None, require: str) -> GateResult:
    rule = require.replace("_", " ").replace("self preference", "self-preference")
    if row is None:
        return GateResult(judge, "INCONCLUSIVE", rule, _why(row, "estimate"))
    conclusion = row["conclusion"]
    passing = {"no_material_preference"}
    if require == "no_self_preference":
        passing |= {"leans_against_itself", "disfavours_itself"}
    status: GateStatus = (
        "FAIL" if conclusion == "favours_itself" else "PASS" if conclusion in passing else "INCONCLUSIVE"
    )
    reason = f"the scorecard says: {conclusion.replace('_', ' ')}"
    if status == "INCONCLUSIVE" and row.get("reason"):
        reason += f" ({str(row['reason']).replace('_', ' ')})"
    return GateResult(judge, status, rule, reason, row["estimate"], row["low"], row["high"])


def _independence(study: "Study", judge: str, judged: set[str]) -> GateResult:
    index = study.index
    families = dict(zip(index.models, index.model_fields["family"], strict=True))
    related = [
        name
        for name in index.models
        if name in judged
        and (name == judge or (families[name] is not None and families[name] == families[judge]))
    ]
    rule = "judges no response of its own or its family's"
    if related:
        named = ", ".join(related)
        return GateResult(judge, "FAIL", rule, f"it judges {named}; use a judge of another family")
    return GateResult(judge, "PASS", rule, "none of the models it judges is itself or of its family")


def _why(row: Mapping[str, Any] | None, field: str) -> str:
    if row is None:
        return "no own response was judged both by it and by outside judges"
    code = row.get("reasons", {}).get(field) or row.get("reason") or "not defined"
    return f"the number is not defined ({str(code).replace('_', ' ')}); require a conclusion instead"


def changes(
    study: "Study", measure: str, before: str, after: str, *, look: int = 1, looks: int = 1
) -> list[GateResult]:
    """Compare two runs of a study, judge by judge: FAIL where a judge's headline number has changed.

    The change is the measure's `--against` comparison on common resamples; a judge has changed where its
    adjusted p lies below the alpha that this look may spend (`engine.stats.sequential`). Without a p the
    result is INCONCLUSIVE. Raises UsageError for a run or measure that is not there.
    """
    runs = [str(name) for name in study.inventory.values("run_id")]
    for run in (before, after):
        if run not in runs:
            raise unknown("run", run, runs)
    alpha = alpha_of_look(look, looks)
    rule = f"p-value below {alpha:.4g} at look {look} of {looks}"
    rows = study.result(find(measure), run=after, against={"run": before}).rows
    return [_changed(row, rule, alpha) for row in rows if row["judge"] is not None]


def _changed(row: Mapping[str, Any], rule: str, alpha: float) -> GateResult:
    numbers = row["difference"], row["low"], row["high"]
    p = row["p_adjusted"]
    if p is None:
        return GateResult(row["judge"], "INCONCLUSIVE", rule, "the change cannot be tested", *numbers)
    if p < alpha:
        return GateResult(row["judge"], "FAIL", rule, f"it has changed (adjusted p = {p:.3g})", *numbers)
    return GateResult(row["judge"], "PASS", rule, f"no change found (adjusted p = {p:.3g})", *numbers)
