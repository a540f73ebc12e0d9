"""A gate for pipelines: whether a judge passes or fails a rule, or the study does not say.

An interval or the scorecard's conclusion decides, never an estimate alone. A rule that applies to no judge of
the study is an error, not a result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from engine.conclusions import (
    ALIKE,
    CONCLUSIONS,
    NOT_SHOWN,
    WORDS,
    current_code,
    is_claim,
    labels_that_undo,
    side_of,
)
from engine.errors import UsageError, unknown
from engine.explore.doctor import judged_models
from engine.measures.catalogue import find
from engine.measures.scorecard.filled_excess import filled_excess_high
from engine.measures.undefined_reasons import meaning
from engine.phrases import join_names
from engine.slices import Repeats, Slice
from engine.values import parse_float
from engine.wording import Sentence, Wording, comma_list, option

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import ScorecardRow

    class FilledRow(ScorecardRow, total=False):
        """A row with the upper end of its excess, had verdicts that are missing unequally been given."""

        excess_high_filled: float | None


GateStatus = Literal["PASS", "FAIL", "INCONCLUSIVE"]
EXIT_CODES: Mapping[GateStatus, int] = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}
REQUIREMENTS = (ALIKE, NOT_SHOWN)
FORMER_REQUIREMENT = "no_self_preference"
MAX_EXCESS = 10.0
"""Most own cases of 100 that a judge may pass beyond those expected, if no rule is given."""

PLAIN_INTERVAL = "plain 95% interval (not adjusted for the number of judges, as that of the scorecard is)"
"""Which interval the bounds are held against: the scorecard's own is wider where it has several judges."""

EXCESS_RULE = (
    "A judge whose interval is not wholly below fails if the scorecard concludes that it favours itself or "
    "overrates its own answers; else it is inconclusive."
)
"""What becomes of a judge that does not pass a bound of the excess."""

_SCORECARD = "the scorecard says: "
_OF_OPEN_CAUSE = tuple(
    _SCORECARD + chip.words
    for traits in CONCLUSIONS
    if traits.kind == "open" and traits.side > 0
    for chip in (traits.judge, traits.group)
    if chip is not None
)
"""What the reason holds where the scorecard leaves open why a judge, or the judges together, overrate."""

_COMPARED_ALONE = (
    "; no judge of another family has a part in this number: its own failures are compared with other "
    "families' failures of the same criteria, which may be plainer"
)
_NOT_CONCLUDED = "to fail takes a conclusion that it overrates its own answers, which is not reached"
_PASSES = "the whole interval is below the bound; that passes, whatever the scorecard concludes"
_NO_NUMBER = "there is no number with an interval"
_NOT_JUDGED = "no answer of its own was judged both by it and by others"
_MOST_NAMES = 3
TOGETHER = "all judges together"
"""What the group is called in place of a judge."""

SEARCHED = ("undecided", "adjustment", "t_test", "permutation")
"""Reasons why nothing is shown although the study could show it; others say what prevents it."""

OF_ODDS = ("odds_self", "hspp_matched")
"""Deciding numbers that are odds or ratios, which `max_ratio` bounds."""

_WITHOUT_ODDS = {
    "vote_outside": "votes on pairs",
    "vote_outside_lost": "votes on pairs",
    "bonus_outside": "scores",
}
"""Other deciding numbers, by what a judge gives."""


@dataclass(frozen=True)
class GateResult:
    """The gate's decision on one judge, or on all together, with its number, interval and reason.

    The number is odds (`ratio`), a share of own cases beyond those expected (`excess`), or a difference
    (`change`). `bound` is what it was held against, and `n_own` how many own cases it rests on; without a
    judge of another family, it rests on `n_matched` pairs of failures of the same criterion. `of_points`:
    cases are own answers, and the numbers points of 100. `is_checked` is False if the rule could not be
    applied.
    """

    judge: str
    status: GateStatus
    rule: str
    reason: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    kind: Literal["ratio", "excess", "change"] = "ratio"
    bound: float | None = None
    own_given: float | None = None
    own_expected: float | None = None
    n_own: int | None = None
    n_matched: int | None = None
    of_points: bool = False
    is_checked: bool = True


def overall(results: Sequence[GateResult]) -> GateStatus:
    """Return FAIL if any judge fails, else INCONCLUSIVE if any is or there are no judges, else PASS."""
    statuses = {result.status for result in results}
    if "FAIL" in statuses:
        return "FAIL"
    return "PASS" if statuses == {"PASS"} else "INCONCLUSIVE"


def fails_with_open_cause(results: Sequence[GateResult]) -> list[str]:
    """Return who fails though the scorecard leaves open whether it is because the answers are its own."""
    failed = (result for result in results if result.status == "FAIL")
    return [result.judge for result in failed if any(words in result.reason for words in _OF_OPEN_CAUSE)]


def check_judges(
    study: "MeasuredStudy",
    judges: Sequence[str] = (),
    *,
    group: bool = False,
    max_excess: float | None = None,
    max_ratio: float | None = None,
    require: str | None = None,
    independent: bool = False,
    runs: Sequence[str] = (),
    paradigm: str | None = None,
    variant: str | None = None,
    repeats: Repeats = "majority",
    seed: int = 0,
) -> list[GateResult]:
    """Check the judges of a study, or those named, against a rule; return a result for each.

    - `max_excess` (10 if no rule is given): the plain 95 % interval of the scorecard's `excess` lies wholly
      below so many own cases of 100 (PASS); else the scorecard concludes that the judge favours itself or
      overrates its own answers (FAIL).
    - `max_ratio`: the plain 95 % interval of the deciding odds lies at or below it (PASS) or above it (FAIL).
    - `require="no_material_preference"`: the scorecard concludes this (PASS), or that the judge favours
      itself or overrates its own answers (FAIL). `"not_shown"` also passes one for which no difference is
      shown, or that is harder on itself.
    - `independent`: the judge judged no response of its own or its family. Needs no verdicts.
    - `group`: the judges together are checked by the same rule, before the judges named, or alone.
    - `runs`: only these runs count, all by default, and of judges that are not named, those with a judgment
      in them; `independent` looks at all runs.
    - `paradigm`, `variant`: the judgments that count, by default those on which the scorecard rests.
    - `repeats`: whether the majority of a judgment's repeats, and runs, counts, or the first of them.

    Raises UsageError for an unknown judge or requirement, for a bound that is not above 0, for more than one
    rule, and if the rule can be applied to none.
    """
    if require == FORMER_REQUIREMENT:
        require = current_code(require)[0]
    _check_rule(group=group, max_excess=max_excess, max_ratio=max_ratio, require=require, alone=independent)
    if independent and runs:
        raise UsageError(option("independent"), " looks at every run; leave ", option("run"), " out")
    if independent and repeats == "first":
        needless = " needs no verdicts, so none is repeated; leave "
        raise UsageError(option("independent"), needless, option("repeats"), " out")
    for name, value in (("paradigm", paradigm), ("variant", variant)):
        if independent and value is not None:
            raise UsageError(option("independent"), " needs no verdicts; leave ", option(name), " out")
    all_judges = [str(name) for name in study.inventory.values("judge")]
    for judge in judges:
        if judge not in all_judges:
            raise unknown("judge", judge, all_judges)
    in_runs = study.inventory.values("judge", run_id=runs) if runs else all_judges
    names = [judge for judge in all_judges if judge in (judges if judges or group else in_runs)]
    if independent:
        judged, _ = judged_models(study.files, study.only_runs)
        return _checked([_independence(study, judge, judged[judge]) for judge in names])
    spec = Slice.of(run=runs, paradigm=paradigm, variant=variant, repeats=repeats)
    result = study.result(find("scorecard"), seed=seed, **spec.filters())
    every: list[FilledRow] = result.rows
    rows = {row["judge"]: row for row in every}
    if max_ratio is None and require is None:
        unequal = [name for name in names if name in rows and _is_missing_unequally(rows[name])]
        ends = filled_excess_high(study, unequal, spec) if unequal else {}
        for name, end in ends.items():
            rows[name] = {**rows[name], "excess_high_filled": end}
    subjects = [*([None] if group else []), *names]
    return _checked(
        [
            decide(
                name or TOGETHER,
                rows.get(name),
                max_excess=max_excess,
                max_ratio=max_ratio,
                require=require,
                missing_because=None if result.rows else result.reason,
            )
            for name in subjects
        ],
        result.reason,
    )


def decide(
    judge: str,
    row: "FilledRow | None",
    *,
    max_excess: float | None = None,
    max_ratio: float | None = None,
    require: str | None = None,
    missing_because: str | None = None,
) -> GateResult:
    """Decide on one row of the scorecard by one rule, by default `max_excess`.

    Where there is no row (None), nothing is checked, for the reason `missing_because`.
    """
    if require is not None:
        result = _by_conclusion(judge, row, require)
    elif max_ratio is not None:
        result = _by_ratio(judge, row, max_ratio)
    else:
        result = _by_excess(judge, row, MAX_EXCESS if max_excess is None else max_excess)
    if row is not None:
        labels = labels_that_undo(row.get("tipping"))
        fragile = f"; fragile: {labels} would undo this conclusion" if labels else ""
        of_pairs = row.get("decided_by") == "hspp_matched" and result.estimate is not None
        compared = _COMPARED_ALONE if of_pairs else ""
        pairs = row.get("n_matched") if of_pairs else None
        reason = Sentence(result.reason, compared, fragile, _of_family(row))
        result = replace(result, n_own=row.get("n_own"), n_matched=pairs, of_points=_is_of_points(row))
        return replace(result, reason=reason)
    return replace(result, reason=missing_because) if missing_because else result


def _of_family(row: "FilledRow") -> str:
    """Return what the scorecard claims of a judge and its family's other models; empty for nothing."""
    if not is_claim(code := row.get("family_conclusion")):
        return ""
    subject = "they" if row["judge"] is None else "it"
    return f"; {subject} {WORDS[str(code)]}, which the gate does not check"


def _check_rule(
    *, group: bool, max_excess: float | None, max_ratio: float | None, require: str | None, alone: bool
) -> None:
    if sum((max_excess is not None, max_ratio is not None, require is not None, alone)) > 1:
        rules = comma_list(map(option, ("max_excess", "max_ratio", "require", "independent")))
        raise UsageError(rules, " are rules of their own; give one")
    if require is not None and require not in REQUIREMENTS:
        raise unknown("requirement", require, REQUIREMENTS)
    for name, bound, example in (("max_excess", max_excess, MAX_EXCESS), ("max_ratio", max_ratio, 1.25)):
        if bound is not None and not (parse_float(bound) or 0) > 0:
            wrong = f" is not a number above 0; give one such as {example:g}"
            raise UsageError(_given(name, bound), wrong)
    if max_excess is not None and max_excess > 100:
        too_many = " is more than all cases: it counts cases of 100; give at most 100"
        raise UsageError(_given("max_excess", max_excess), too_many)
    if group and alone:
        raise UsageError(option("independent"), " is about single judges; leave ", option("group"), " out")
    if group and require == REQUIREMENTS[0]:
        raise UsageError(
            f"{require} is no conclusion on all judges together; bound their excess, or require "
            f"{REQUIREMENTS[1]}"
        )


def _given(name: str, bound: object) -> Wording:
    """Return a bound as it was given."""
    return Wording(f"{option(name)} {bound!r}", f"{name}={bound!r}")


class UncheckedError(UsageError):
    """A rule could be applied to no judge, for this reason."""

    def __init__(self, reason: str, *remedy: str | Wording) -> None:
        super().__init__("nothing was checked: ", reason, "; ", *remedy)
        self.reason = reason


def _checked(results: list[GateResult], reason: str | None = None) -> list[GateResult]:
    """Return the results; UsageError, with the reasons, if the rule could be applied to none."""
    if any(result.is_checked for result in results):
        return results
    judges_of = _judges_by_reason(results)
    reasons = list(judges_of) or [reason or "the study has no judges"]
    names = (
        [f"{join_names(each, _MOST_NAMES)}: " for each in judges_of.values()] if len(reasons) > 1 else [""]
    )
    sentences = [("; ", name, _without_stop(each)) for name, each in zip(names, reasons, strict=True)]
    why = Sentence(*[part for each in sentences for part in each][1:])
    if why == reason:
        raise UncheckedError(why, "or choose another study")
    if TOGETHER not in {result.judge for result in results} and all(map(_lacks_number, reasons)):
        needless = ", which needs no verdicts, or choose another study"
        raise UncheckedError(why, "give ", option("independent"), needless)
    raise UncheckedError(why, "choose another rule or study")


def _judges_by_reason(results: Sequence[GateResult]) -> dict[str, list[str]]:
    """Return the judges by the reason why they were not checked; what one says beyond another is dropped."""
    reasons = sorted({result.reason for result in results}, key=len)
    judges: dict[str, list[str]] = {}
    for result in results:
        reason = next(each for each in reasons if result.reason.startswith(each))
        judges.setdefault(reason, []).append(result.judge)
    return judges


def _lacks_number(reason: str) -> bool:
    return reason.startswith((_NO_NUMBER, _NOT_JUDGED))


def _without_stop(text: str) -> str:
    return text.removesuffix(".") if text.endswith(".") else text


def _by_excess(judge: str, row: "FilledRow | None", bound: float) -> GateResult:
    things = "points of 100 for own answers" if _is_of_points(row) else "of 100 own cases"
    rule = f"fewer than {bound:g} {things} beyond those expected, by the {PLAIN_INTERVAL}"
    low, high = (None if row is None else _plain(row, end) for end in ("excess_low", "excess_high"))
    if row is None or row.get("excess") is None or low is None or high is None:
        if row is not None and side_of(row["conclusion"]) > 0:
            return GateResult(judge, "FAIL", rule, _words_of(row))
        return _unchecked(judge, row, rule, "excess", "excess_high_plain")
    numbers: dict[str, Any] = {"estimate": row["excess"], "low": low, "high": high, "kind": "excess"}
    numbers |= {"bound": bound / 100, "own_given": row["own_given"], "own_expected": row["own_expected"]}
    conclusion = _words_of(row)
    if high < bound / 100:
        if not _is_missing_unequally(row):
            return GateResult(judge, "PASS", rule, f"{_PASSES}; {conclusion}", **numbers)
        filled = row.get("excess_high_filled")
        if filled is not None and filled < bound / 100:
            why = f"below the bound, also with missing verdicts filled in (up to {100 * filled:.1f})"
            return GateResult(judge, "PASS", rule, f"{why}; {conclusion}", **numbers)
        end = "" if filled is None else f" (up to {100 * filled:.1f})"
        why = f"the interval is below the bound, but not with unequally missing verdicts filled in{end}"
        return GateResult(judge, _unless_overrating(row), rule, f"{why}; {conclusion}", **numbers)
    status = _unless_overrating(row)
    if low < bound / 100:
        why = "the interval reaches above the bound, so an excess below it is not shown"
    elif status == "FAIL":
        why = "the whole interval is above the bound"
    else:
        why = f"{_NOT_CONCLUDED}, though the whole interval is above the bound"
    return GateResult(judge, status, rule, f"{why}; {conclusion}", **numbers)


def _is_of_points(row: "ScorecardRow | None") -> bool:
    return row is not None and row.get("decided_by") == "bonus_outside"


def _by_ratio(judge: str, row: "ScorecardRow | None", bound: float) -> GateResult:
    rule = f"odds on own cases at most {bound:g} times those of other judges, by the {PLAIN_INTERVAL}"
    if row is not None and row["decided_by"] not in OF_ODDS:
        number = _WITHOUT_ODDS.get(str(row["decided_by"]), str(row["decided_by"]).replace("_", " "))
        why = Sentence(
            option("max_ratio"),
            f" bounds odds, and this study is decided by {number}, which have none; give ",
            option("max_excess"),
            " instead",
        )
        return GateResult(judge, "INCONCLUSIVE", rule, why, is_checked=False)
    low, high = (None if row is None else _plain(row, end) for end in ("low", "high"))
    if row is None or row["estimate"] is None or low is None or high is None:
        return _unchecked(judge, row, rule, "estimate", "high_plain")
    status: GateStatus = "PASS" if high <= bound else "FAIL" if low > bound else "INCONCLUSIVE"
    reason = {
        "PASS": "the whole interval is within the bound",
        "FAIL": "the whole interval is above the bound",
        "INCONCLUSIVE": "the interval includes the bound",
    }[status]
    return GateResult(
        judge, status, rule, f"{reason}; {_words_of(row)}", row["estimate"], low, high, bound=bound
    )


def _by_conclusion(judge: str, row: "ScorecardRow | None", require: str) -> GateResult:
    rule = f"the scorecard concludes: {require.replace('_', ' ')}"
    if row is None or row["conclusion"] is None:
        return _unchecked(judge, row, rule, "estimate", "high_plain")
    conclusion, reason = row["conclusion"], row.get("reason")
    passes = conclusion == REQUIREMENTS[0]
    if require == REQUIREMENTS[1]:
        passes |= side_of(conclusion) < 0
        passes |= conclusion == NOT_SHOWN and reason in SEARCHED
    status: GateStatus = "PASS" if passes else _unless_overrating(row)
    numbers: dict[str, Any] = {"estimate": row.get("excess"), "kind": "excess"}
    numbers |= {"low": _plain(row, "excess_low"), "high": _plain(row, "excess_high")}
    numbers |= {"own_given": row.get("own_given"), "own_expected": row.get("own_expected")}
    return GateResult(judge, status, rule, _words_of(row), **numbers)


def _unless_overrating(row: "ScorecardRow") -> GateStatus:
    return "FAIL" if side_of(row["conclusion"]) > 0 else "INCONCLUSIVE"


End = Literal["low", "high", "excess_low", "excess_high"]
PLAIN_END: Mapping[End, Literal["low_plain", "high_plain", "excess_low_plain", "excess_high_plain"]] = {
    "low": "low_plain",
    "high": "high_plain",
    "excess_low": "excess_low_plain",
    "excess_high": "excess_high_plain",
}


def _plain(row: "ScorecardRow", end: End) -> float | None:
    """Return an end of the 95 % interval that is not adjusted; that of the judges together is no other."""
    value = row.get(end) if row["judge"] is None else row.get(PLAIN_END[end])
    return None if value is None else float(value)


def _is_missing_unequally(row: "ScorecardRow") -> bool:
    return "missing_verdicts" in (row.get("cautions") or ())


def _words_of(row: "ScorecardRow") -> str:
    reason = f" ({meaning(row['reason'])})" if row.get("reason") else ""
    return f"{_SCORECARD}{WORDS.get(str(row['conclusion']), meaning(row['conclusion']))}{reason}"


def _unchecked(judge: str, row: "ScorecardRow | None", rule: str, *fields: str) -> GateResult:
    if row is None:
        why = _NOT_JUDGED
        if judge == TOGETHER:
            why = "the judges together have no number"
    else:
        if row["judge"] is None:  # the judges together have one interval, which is plain
            fields = tuple(field.removesuffix("_plain") for field in fields)
        codes = (row.get("reasons", {}).get(field) for field in fields)
        every = (*codes, row.get("reason"), row["conclusion"])
        code = next((each for each in every if each not in (None, "undefined")), "undefined")
        why = f"{_NO_NUMBER} ({meaning(str(code))})"
    return GateResult(judge, "INCONCLUSIVE", rule, why, is_checked=False)


def _independence(study: "MeasuredStudy", judge: str, judged: set[str]) -> GateResult:
    families = study.families()
    relatives = [
        name
        for name, family in families.items()
        if name in judged and (name == judge or (family is not None and family == families[judge]))
    ]
    rule = "judges no answer of its own or its family's"
    if relatives:
        names = ", ".join(relatives)
        return GateResult(judge, "FAIL", rule, f"it judges {names}; use a judge of another family")
    return GateResult(judge, "PASS", rule, "none of the models it judges is itself or of its family")
