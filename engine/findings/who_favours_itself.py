"""Which judges favour themselves: one rule for each measure of self-preference.

Whether a judge favours itself is decided in `engine.stats.conclusions.conclusion_rules`; `conclusion` here
repeats it.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

from engine.conclusions import is_claim, is_firm, is_open, side_of
from engine.findings.claimed_number import ClaimedNumber, Row, distance_from_null
from engine.findings.claims import Claim, JudgeClaim, RuleResult, Stance
from engine.findings.rule import RuleContext
from engine.findings.standing import Mark, MarkKind
from engine.measures.rows import FEW
from engine.measures.scorecard.deciding_source import other_sources
from engine.phrases import quantity
from engine.words import board_facts, caveats, conclusions, group_conclusions
from engine.words.other_judgments import unused_variants
from engine.words.plain_names import paradigm_name
from engine.words.written_numbers import confidence
from engine.words.written_numbers import number as in_words

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

NEGLIGIBLE = 0.05  # the SPB below which a judge counts as objective (MEASURES section 9)

MATCHED = "on criteria that both answers failed"


CONCLUSION = ClaimedNumber("conclusion", "who", "scorecard", "estimate", "judges", "n_own", "own cases")
OWN = ClaimedNumber("own-failures", "who", "hspp", "hspp_self", "slice", "n_self", "own failures", 1.0)
GROUP = replace(CONCLUSION, rule="group")
GROUP_FAMILIES = replace(GROUP, field="family_estimate", n="n_family", cases="family cases")
RELATIVES = ClaimedNumber(
    "relatives", "who", "scorecard", "odds_family", "judges", "n_family", "family cases"
)
EQUALS = ClaimedNumber(
    "equal-pairs", "who", "equal-quality", "spb", "equal_quality", "n_pairs", "pairs of equals", 0.0, "share"
)
BEYOND = ClaimedNumber(
    "beyond-quality",
    "who",
    "quality-baseline",
    "ilsp_updated",
    "quality_baseline",
    "n",
    "lost examples",
    0.0,
    "share",
)
GOLD = ClaimedNumber("beyond-gold", "who", "dbg", "dbg", "quality_baseline", "n", "pairs", 0.0, "share")
POINTS = ClaimedNumber("own-points", "who", "delta", "bonus", "matrix", "n", "questions", 0.0, "points")


def conclusion(context: RuleContext) -> RuleResult:
    """Claim what the scorecard concludes on a judge, if that is a claim.

    A judge favours itself or is harder on itself; or it overrates or underrates its own answers, and the
    cause is marked as open. Nothing is claimed about the others. No other rule's claim that a judge favours
    itself stands without this one. The p of a judge that favours itself is the largest that must be below
    0.05 for that: that the difference is more than judges' tastes explain, and than one that they share.
    Where a few wrong labels would undo it, that is marked. Ordered as on the board: those of which the cause
    is open last, the largest excess first.
    """
    measurement = context.measurement(CONCLUSION)
    every: list[ScorecardRow] = measurement.result.rows
    rows = board_facts.by_excess(every)
    if not rows:
        return RuleResult(reason=measurement.result.reason or "no judge can be tested for self-preference")
    claimed_rows = [row for row in rows if is_claim(row["conclusion"])]
    claimed_rows.sort(key=lambda row: not is_firm(row["conclusion"]))  # stable
    claims = [
        _by_deciding_p(
            measurement.claim(
                row,
                conclusions.conclusion_sentence(row),
                rows=rows,
                marks=[*_open(is_open=is_open(row["conclusion"])), *_fragile(row)],
            ),
            (row.get("p_tastes_adjusted"), row.get("shared_taste_p")) if is_firm(row["conclusion"]) else (),
        )
        for row in claimed_rows
    ]
    kind = kind_concluded_from(context)
    verdicts = {
        str(row["judge"]): JudgeClaim(
            _stance_of_conclusion(row["conclusion"]),
            conclusions.conclusion_and_reason(row) + (f", from {kind}" if kind else ""),
        )
        for row in rows
    }
    return RuleResult(tuple(claims), conclusions.study_sentence(every), None, verdicts)


def kind_concluded_from(context: RuleContext) -> str:
    """Return the kind of judgments that the scorecard rests on where others could decide; else nothing."""
    decided = context.result(CONCLUSION.measure).filters.get("paradigm")
    has_others = decided is not None and bool(other_sources(context.study, decided))
    return f"{paradigm_name(decided)} judgments" if has_others else ""


def claimed_elsewhere(context: RuleContext) -> set[str]:
    """Return the judges on which the study's other kinds of judgments, or other variants, claim something."""
    result = context.result(CONCLUSION.measure)
    decided = result.filters.get("paradigm")
    if decided is None:
        return set()
    flags = [{"paradigm": name} for name in other_sources(context.study, decided)]
    flags += [{"paradigm": decided, "variant": name} for name in unused_variants(context.study, result)]
    rows = [row for each in flags for row in context.result(CONCLUSION.measure, **each).rows]
    return {str(row["judge"]) for row in rows if is_claim(row["conclusion"])}


def _by_deciding_p(claim: Claim, beyond_tastes: Iterable[float | None]) -> Claim:
    """Return a claim of self-preference with the largest p that it needs, not that of the difference."""
    needed = [p for p in beyond_tastes if p is not None]
    if not needed:
        return claim
    return replace(claim, p_adjusted=max(needed), p_means=" (more than judges' tastes explain)")


def _fragile(row: "ScorecardRow") -> list[Mark]:
    return [Mark(MarkKind.FRAGILE, why)] if (why := caveats.fragility(row)) is not None else []


def _stance_of_conclusion(code: str | None) -> Stance:
    if is_firm(code):
        return Stance.FOR if side_of(code) > 0 else Stance.AGAINST
    return Stance.OPEN if is_open(code) and side_of(code) > 0 else Stance.UNSURE


def group(context: RuleContext) -> RuleResult:
    """Claim what the scorecard concludes on the judges together, if that is a claim.

    As a group they favour or overrate themselves, or the opposite; the same for their families. What all
    judges do shows in no single row. Where the cause is open, it is marked so.
    """
    measurement = context.measurement(GROUP)
    row = group_conclusions.group_row(measurement.result.rows)
    if row is None or row["conclusion"] is None:
        return RuleResult(reason=measurement.result.reason or "the judges cannot be tested together")
    claims = []
    if is_claim(row["conclusion"]):
        claims.append(
            measurement.claim(
                row,
                group_conclusions.group_sentence([row]),
                of="all",
                marks=_open(is_open=is_open(row["conclusion"])),
            )
        )
    if sentence := group_conclusions.group_family_sentence(row):
        of_families = context.measurement(GROUP_FAMILIES)
        marks = _open(is_open=is_open(row["family_conclusion"]))
        claims.append(of_families.claim(row, sentence, of="families", marks=marks))
    return RuleResult(tuple(claims), group_conclusions.group_sentence(measurement.result.rows))


def own_failures(context: RuleContext) -> RuleResult:
    """Claim that a judge favours itself if its ratio of own failures has a 95% interval above 1.

    Not significant if p, adjusted over all judges, is 0.05 or more. Contradicted if the ratio vanishes on
    criteria that both answers failed: its interval there includes 1 and less than half of the ratio's
    logarithm is left; if half or more is left, the claim is not significant. Ordered by the interval's lower
    end, highest first. A ratio whose whole interval is below 1 contradicts other claims about the judge.
    """
    of_pairs = context.result(OWN.measure).filters.get("level") == "instance"
    act = "turns its own lost comparisons into wins or ties" if of_pairs else "passes its own failed answers"
    return _judge_claims(
        context,
        OWN,
        lambda row: (
            f"{row['judge']} {act} {OWN.value(row)} times as often as other families' ({OWN.ci(row)})."
        ),
        _matched_marks,
    )


def relatives(context: RuleContext) -> RuleResult:
    """Claim what the scorecard concludes on a judge and the other models of its family, if that is a claim.

    The number is the odds of passing its family's answers, against judges of other families; p is adjusted
    over all judges and all families together. Where the cause is open, it is marked so. The most certain
    come first.
    """
    measurement = context.measurement(RELATIVES)
    result = measurement.result
    judges = conclusions.judges_of(result.rows)
    rows = [row for row in judges if row["family_conclusion"] is not None]
    if not rows:
        otherwise = "no judge can be compared with judges of other families on its family's answers"
        return RuleResult(reason=result.reason or otherwise)
    sentences = [(row, text) for row in rows if (text := conclusions.family_sentence(row)) is not None]
    sentences.sort(key=lambda each: (_is_open(each[0]), _p_or_1(each[0]["odds_family_p_adjusted"])))
    claims = tuple(
        _by_deciding_p(
            measurement.claim(row, text, rows=rows, marks=_open(is_open=_is_open(row))),
            ()
            if _is_open(row)
            else (row.get("odds_family_p_tastes_adjusted"), row.get("family_shared_taste_p")),
        )
        for row, text in sentences
    )
    share = f"{sum(claim.stands for claim in claims)} of {quantity(len(rows), 'judge')}"
    return RuleResult(claims, f"{share} with others of their family")


def _open(*, is_open: bool) -> list[Mark]:
    """Return the mark of a claim of which the cause is open: it is none of self-preference proper."""
    return [Mark(MarkKind.CAUSE_OPEN, "it may have another cause")] if is_open else []


def _p_or_1(p: float | None) -> float:
    return 1.0 if p is None else p  # `p or 1.0` would take a p of 0 for none


def _is_open(row: "ScorecardRow") -> bool:
    return not is_firm(row["family_conclusion"])


def equal_pairs(context: RuleContext) -> RuleResult:
    """Claim that a judge favours itself if its SPB in pairs of equal quality has an interval above 0.

    Not significant if the bootstrap's p, adjusted over all judges, is 0.05 or more. Ordered by the interval's
    lower end, highest first. An SPB whose whole interval is below 0.05 (where the equal-quality paper begins
    to speak of preference) contradicts other claims about the judge.
    """
    return _judge_claims(
        context,
        EQUALS,
        lambda row: (
            f"Of two equally good answers, {row['judge']} firmly chooses its own {EQUALS.value(row)} more "
            f"often than one of two others ({EQUALS.ci(row)})."
        ),
        contradicts=lambda row: row["spb_low"] <= 0 and row["spb_high"] < NEGLIGIBLE,
    )


def beyond_quality(context: RuleContext) -> RuleResult:
    """Claim that a judge favours itself if its T (all opponents pooled) has an interval above 0.

    It then votes for its own worse answers more than for equally bad answers of other models. Not
    significant if the bootstrap's p, adjusted over all judges, is 0.05 or more. Ordered by the interval's
    lower end, highest first.
    """
    return _judge_claims(
        context,
        BEYOND,
        lambda row: (
            f"{row['judge']} votes for its own worse answers {BEYOND.value(row)} more often than for other "
            f"models' that lost in the same way ({BEYOND.ci(row)})."
        ),
    )


def beyond_gold(context: RuleContext) -> RuleResult:
    """Claim that a judge favours itself if its DBG score (all opponents pooled) has an interval above 0.

    It then lets its own answers win more often than the gold judges, or the reference, do. Not significant
    if p, adjusted over all judges, is 0.05 or more. Random judging also raises a weak model in this way: the
    claim is contradicted if T (Votes for own worse answers), or else the ratio of own failures, shows
    nothing, and not significant if that is uncertain. Ordered by the interval's lower end, highest first.
    """
    return _judge_claims(
        context,
        GOLD,
        lambda row: (
            f"{row['judge']} lets its own answers win {GOLD.value(row)} more often than "
            f"{'the gold judges do' if row['gold_judges'] else 'the reference does'} ({GOLD.ci(row)})."
        ),
    )


def own_points(context: RuleContext) -> RuleResult:
    """Claim that a judge raises its own score if its bonus has an interval above 0.

    The bonus is in points of 100, beyond the judge's general leniency; from verdicts on criteria, a score is
    the share passed, each counted once. Not significant if p, adjusted over all judges, is 0.05 or more.
    Leniency gives most to the models that failed most: the claim is contradicted if the ratio of own
    failures, which counts each failure alike, shows nothing, and not significant if that is uncertain.
    Ordered by the interval's lower end, highest first.
    """
    return _judge_claims(
        context,
        POINTS,
        lambda row: (
            f"{row['judge']} raises its own score by {POINTS.value(row)} more than those of models outside "
            f"its family ({POINTS.ci(row)})."
        ),
    )


def _judge_claims(
    context: RuleContext,
    number: ClaimedNumber,
    sentence: Callable[[Row], str],
    marks: Callable[[Row, ClaimedNumber], list[Mark]] = lambda row, number: [],  # noqa: ARG005
    contradicts: Callable[[Row], bool] = lambda row: False,  # noqa: ARG005
) -> RuleResult:
    """Claim every judge whose interval is above the null; `verdicts` says what the number says of each."""
    measurement = context.measurement(number)
    result = measurement.result
    if not result.rows:
        return RuleResult(reason=result.reason)
    pooled = [row for row in result.rows if row["judge"] is not None and row.get("opponent") is None]
    own = [row for row in pooled if row.get("generator", row["judge"]) == row["judge"]]
    rows = [row for row in own if row[number.field] is not None]
    tested = [row for row in rows if row[f"{number.field}_low"] is not None]
    above = [row for row in tested if _stance_of(row, number) is Stance.FOR]
    above.sort(key=lambda row: -distance_from_null(row, number))
    claims = [measurement.claim(row, sentence(row), rows=rows, marks=marks(row, number)) for row in above]
    title = result.measure.title.lower()
    if not tested:
        return RuleResult(reason=f"no judge has this number with an interval ({title})")
    verdicts = {}
    for row in tested:
        stance = Stance.AGAINST if contradicts(row) else _stance_of(row, number)
        verdicts[str(row["judge"])] = JudgeClaim(stance, f"{title} {number.with_ci(row)}")
    in_doubt = {MarkKind.CONTRADICTED: Stance.NONE, MarkKind.NOT_SIGNIFICANT: Stance.UNSURE}
    for claim in claims:
        for mark in claim.marks:
            if mark.kind in in_doubt and mark.why.startswith(MATCHED):  # what matched rubrics put in doubt
                verdicts[str(claim.at["judge"])] = JudgeClaim(in_doubt[mark.kind], mark.why)
    summary = f"{len(above)} of {quantity(len(tested), 'judge')} with an interval"
    return RuleResult(tuple(claims), summary, None, verdicts)


def _stance_of(row: Row, number: ClaimedNumber) -> Stance:
    """Return what a number says; NONE if it exceeds the null by under a quarter of its interval's width."""
    value, low, high = (row[f"{number.field}{end}"] for end in ("", "_low", "_high"))
    null = number.null or 0.0
    if low > null:
        return Stance.FOR
    if high < null:
        return Stance.AGAINST
    return Stance.NONE if value - null < (high - low) / 4 else Stance.UNSURE


def _matched_marks(row: Row, number: ClaimedNumber) -> list[Mark]:
    """Return the mark of a ratio above 1 whose matched ratio is not clearly above 1."""
    value, low, high = (row.get(f"hspp_matched{end}") for end in ("", "_low", "_high"))
    if value is None or low is None or low > 1:
        return []
    few = ", few cases" if row["n_matched"] < FEW else ""
    interval = f"{confidence(low, high)}; {row['n_matched']:,} criteria{few}"
    words = f"{MATCHED} the ratio is {in_words(value)} ({interval})"
    share_left = log(value) / log(row[number.field]) if value > 0 else float("-inf")
    if share_left < 0.5:
        return [Mark(MarkKind.CONTRADICTED, f"{words}, so the preference vanishes there")]
    return [Mark(MarkKind.NOT_SIGNIFICANT, f"{words}, which may be chance")]
