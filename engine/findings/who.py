"""Which judges favour themselves: one rule for each measure of self-preference."""

from collections.abc import Callable, Sequence
from math import log

from engine.findings.claims import Claim, Mark, MarkKind, Outcome, Row, Says, Verdict
from engine.findings.declared import Made
from engine.findings.making import Number, claim_of, near_end
from engine.findings.material import Material
from engine.findings.wording import counted, told

NEGLIGIBLE = 0.05
"""The SPB below which a judge is said to be objective (MEASURES section 9)."""

MATCHED = "on rubrics that both responses failed"


OWN = Number("own-failures", "who", "hspp", "hspp_self", "slice", "n_self", "own failures", 1.0)
RELATIVES = Number(
    "relatives", "who", "hspp", "hspp_family", "overview", "n_family", "failures of relatives", 1.0
)
EQUALS = Number(
    "equal-pairs", "who", "equal-quality", "spb", "equal_quality", "n_pairs", "pairs of equals", 0.0, "share"
)
BEYOND = Number(
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
GOLD = Number("beyond-gold", "who", "dbg", "dbg", "quality_baseline", "n", "pairs", 0.0, "share")
POINTS = Number("own-points", "who", "delta", "bonus", "matrix", "n", "questions", 0.0, "points")


def own_failures(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each judge whose ratio (`hspp_self`) has a 95% interval above 1 that it favours itself.

    Not significant where p, adjusted over all judges, is 0.05 or more. Contradicted where the ratio vanishes
    on rubrics that both responses failed: its interval there reaches 1 and less than half of the ratio's
    logarithm is left; where half or more is left, it is only not significant there. The judge whose interval
    stays farthest above 1 comes first. A ratio surely below 1 contradicts what others claim of the judge.
    """
    of_rubrics = material.result(OWN.measure).filters.get("level") != "instance"

    def sentence(row: Row) -> str:
        if of_rubrics:
            verb, what = "passes what its own responses failed", "what responses outside its family failed"
        else:
            verb = "turns comparisons that its own responses lost into wins or ties"
            what = "those that responses outside its family lost"
        return f"{row['judge']} {verb} {OWN.told(row)} times as often as {what}."

    return _of_judges(material, OWN, sentence, _matched)


def relatives(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each judge whose ratio for relatives (`hspp_family`) has an interval above 1.

    Not significant where p, adjusted over all judges, is 0.05 or more. The judge whose interval stays
    farthest above 1 comes first.
    """
    return _of_judges(
        material,
        RELATIVES,
        lambda row: (
            f"{row['judge']} credits failures of its relatives {RELATIVES.told(row)} times as often as those "
            "of other families."
        ),
    )


def equal_pairs(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each judge whose SPB in pairs of equal quality has an interval above 0 that it favours itself.

    Not significant where the bootstrap's p, adjusted over all judges, is 0.05 or more. The judge whose
    interval stays farthest above 0 comes first. A judge whose SPB is surely below 0.05 (where the
    equal-quality paper begins to speak of preference) contradicts what other rules claim of it.
    """
    return _of_judges(
        material,
        EQUALS,
        lambda row: (
            f"{row['judge']} firmly chooses its own of two equally good responses {EQUALS.told(row)} more "
            "often than it firmly chooses one of two others."
        ),
        denied=lambda row: row["spb_low"] <= 0 and row["spb_high"] < NEGLIGIBLE,
    )


def beyond_quality(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each judge whose T (`ilsp_updated`, all opponents pooled) has an interval above 0.

    It votes for its own worse response more than for other models' responses that lost likewise. Not
    significant where the bootstrap's p, adjusted over all judges, is 0.05 or more. The judge whose interval
    stays farthest above 0 comes first.
    """
    return _of_judges(
        material,
        BEYOND,
        lambda row: (
            f"{row['judge']} votes for its own response where it is the worse one {BEYOND.told(row)} more "
            "than for other models' responses that lost in the same way."
        ),
    )


def beyond_gold(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each judge whose DBG score (all opponents pooled) has an interval above 0.

    It lets its own responses win more often than the gold judges do, or the reference. Not significant where
    p, adjusted over all judges, is 0.05 or more. Whoever judges at random lifts a weak model in this way: the
    claim is contradicted where T (Beyond others' losses), else the ratio of own failures, shows nothing, and
    not significant where that is unsure. The judge whose interval stays farthest above 0 comes first.
    """
    return _of_judges(
        material,
        GOLD,
        lambda row: (
            f"{row['judge']} lets its own responses win {GOLD.told(row)} more often than "
            f"{'the gold judges do' if row['gold_judges'] else 'the reference does'}."
        ),
    )


def own_points(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each judge whose bonus (`delta`) has an interval above 0 that it lifts its own score.

    The bonus is in points of 100, beyond the judge's general leniency. Not significant where p, adjusted
    over all judges, is 0.05 or more. Leniency gives most to the models that failed most: the claim is
    contradicted where the ratio of own failures, which counts each failure alike, shows nothing, and not
    significant where that is unsure. The judge whose interval stays farthest above 0 comes first.
    """
    return _of_judges(
        material,
        POINTS,
        lambda row: (
            f"{row['judge']} lifts its own score by {POINTS.told(row)} beyond what it gives models outside "
            "its family."
        ),
    )


def _of_judges(
    material: Material,
    number: Number,
    sentence: Callable[[Row], str],
    marks: Callable[[Row, Number], list[Mark]] = lambda row, number: [],  # noqa: ARG005
    denied: Callable[[Row], bool] = lambda row: False,  # noqa: ARG005
) -> Made:
    """Claim of the judges whose interval lies above the number's null, and tell what it says of each."""
    result = material.result(number.measure)
    if not result.rows:
        return Made(reason=result.reason)
    rows = [row for row in result.rows if _whole(row) and row[number.field] is not None]
    tested = [row for row in rows if row[f"{number.field}_low"] is not None]
    above = [row for row in tested if _says(row, number) is Says.FOR]
    above.sort(key=lambda row: -near_end(row, number))
    claims = [
        claim_of(
            material, result, row, number, row["judge"], sentence(row), rows=rows, marks=marks(row, number)
        )
        for row in above
    ]
    if not tested:
        return Made(reason=f"no judge has this number with an interval ({result.measure.title.lower()})")
    verdicts = {
        str(row["judge"]): Verdict(
            Says.AGAINST if denied(row) else _says(row, number),
            f"{result.measure.title.lower()} {number.told(row)}",
        )
        for row in tested
    }
    shown = f"{len(above)} of {counted(len(tested), 'judge')} with an interval"
    return Made(tuple(claims), shown, None, verdicts | _of_marks(claims))


def _says(row: Row, number: Number) -> Says:
    """Return what a number says: nothing where it is within half a half-width of its interval above null."""
    value, low, high = (row[f"{number.field}{end}"] for end in ("", "_low", "_high"))
    null = number.null or 0.0
    if low > null:
        return Says.FOR
    if high < null:
        return Says.AGAINST
    return Says.NONE if value - null < (high - low) / 4 else Says.UNSURE


def _of_marks(claims: Sequence[Claim]) -> dict[str, Verdict]:
    """Return what is left of claims that matched rubrics put in doubt."""
    left = {MarkKind.CONTRADICTED: Says.NONE, MarkKind.NOT_SIGNIFICANT: Says.UNSURE}
    return {
        str(claim.at["judge"]): Verdict(left[mark.kind], mark.why)
        for claim in claims
        for mark in claim.marks
        if mark.kind in left and mark.why.startswith(MATCHED)
    }


def _whole(row: Row) -> bool:
    """Return whether a row is a judge's own, over all opponents."""
    judge = row["judge"]
    return judge is not None and row.get("opponent") is None and row.get("generator", judge) == judge


def _matched(row: Row, number: Number) -> list[Mark]:
    """Return what the matched ratio says against a ratio above 1."""
    value, low, high = (row.get(f"hspp_matched{end}") for end in ("", "_low", "_high"))
    if value is None or low is None or low > 1:
        return []
    n = f"n {row['n_matched']:,}"
    said = f"{MATCHED} the ratio is {told(value, low, high)} ({n})"
    left = log(value) / log(row[number.field]) if value > 0 else float("-inf")
    if left < 0.5:
        return [Mark(MarkKind.CONTRADICTED, f"{said}: the preference vanishes there")]
    return [Mark(MarkKind.NOT_SIGNIFICANT, f"{said}: it may be chance there")]
