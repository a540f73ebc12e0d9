"""What self-preference does to the ranking of models, and which corrected ranking comes closest."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.findings.claimed_number import ClaimedNumber
from engine.findings.claims import Claim, RuleResult
from engine.findings.rule import Measurement, RuleContext
from engine.findings.standing import ADJUSTED, Mark, MarkKind
from engine.measures.rankings.ranking import ALL
from engine.measures.rows import SURE
from engine.phrases import quantity
from engine.words.bonus_words import of_fewer_questions
from engine.words.written_numbers import confidence, number, p_value, with_interval

if TYPE_CHECKING:
    from engine.measures.row_types import CorrectedRow, DeltaRow, RankingDistanceRow, RankingFlipsRow

SURELY = 0.95  # the smallest share of resamples at which a flip of two models counts as sure

NAMES = {
    ALL: "all judges together",
    "all-without-self": "all judges except the model itself",
    "all-without-family": "all judges outside the model's family",
}
"""The rankings by several judges, in words."""

SHIFT = ClaimedNumber("own-places", "ranking", "delta", "rank_shift", "matrix", "n_ranked", "questions", 0.0)
LEAD = ClaimedNumber("flips", "ranking", "ranking-flips", "lead", "findings", form="share")
GAIN = ClaimedNumber(
    "corrections", "ranking", "ranking-distance", "gain", "findings", "n_models", "models", 0.0, few=0
)

PLACE = ClaimedNumber(
    "places", "ranking", "corrected", "rank", "findings", "n_labelled", "questions with a reference"
)

RANKING: Mapping[str, tuple[str, ...]] = {"part": ("ranking",)}
"""The part of the findings page that shows the ranking."""


def own_places(context: RuleContext) -> RuleResult:
    """Claim that a judge raises its own rank if it ranks itself higher than the reference does.

    The number is its rank by its own scores minus its rank by the reference's. It is claimed if the interval
    is below 0; there is no p. Leniency alone raises a weak model: contradicted if the ratio of own failures
    shows nothing, not significant if that is uncertain. Judges that gain most ranks come first.
    """
    measurement = context.measurement(SHIFT)
    result = measurement.result
    every: list[DeltaRow] = result.rows
    rows = [row for row in every if row["judge"] == row["generator"] and row["rank_shift"] is not None]
    if not rows:
        return RuleResult(reason=result.reason or "no judge ranks itself beside a reference")
    raised = [row for row in rows if row["rank_shift_high"] is not None and row["rank_shift_high"] < 0]
    raised.sort(key=lambda row: (row["rank_shift_high"], row["rank_shift"]))
    claims = []
    for row in raised:
        shift, low, high = -row["rank_shift"], -row["rank_shift_high"], -row["rank_shift_low"]
        higher = f"{with_interval(shift, None, None, 'places')} higher than the reference does"
        ci = confidence(low, high, "places")
        sentence = f"{row['judge']} ranks itself {higher} ({ci}){of_fewer_questions(row)}."
        claims.append(measurement.claim(row, sentence, rows=rows, view={"shade": ("delta",)}))
    return RuleResult(tuple(claims), f"{len(raised)} of {quantity(len(rows), 'judge')}")


def flips(context: RuleContext) -> RuleResult:
    """Claim each pair of models that all judges together rank in the opposite order to the reference.

    For each judge, also the most certain pair in which it ranks itself above a model that the reference ranks
    above it. The reversal must hold in at least 95% of the resamples, by the ranking and by the reference;
    other reversed pairs are listed below. Not significant if p, adjusted for all pairs and rankings compared,
    is 0.05 or more, since among many pairs some are reversed by chance. The number is the difference in
    score. The most certain come first.
    """
    measurement = context.measurement(LEAD)
    result = measurement.result
    if not result.rows and result.filters.get("reference") is not None:
        return RuleResult(summary="no pair of models changes places")
    if not result.rows:
        return RuleResult(reason=result.reason)
    every: list[RankingFlipsRow] = result.rows
    sure = [row for row in every if row["sure"] is not None and row["sure"] >= SURELY]
    own = [row for row in sure if row["itself"]]
    surest = [
        max((row for row in own if row["by"] == by), key=lambda row: (row["sure"], row["lead"]))
        for by in {row["by"] for row in own}
    ]
    flip_rows = [*(row for row in sure if row["by"] == ALL), *surest]
    flip_rows.sort(key=lambda row: (-row["sure"], row["by"], row["above"], row["below"]))
    summary = f"{len(sure)} of {quantity(len(result.rows), 'flip')} sure"
    return RuleResult(tuple(_flip(measurement, row) for row in flip_rows), summary)


def _flip(measurement: Measurement, row: "RankingFlipsRow") -> Claim:
    who = "All judges together put" if row["by"] == ALL else f"{row['by']} puts"
    above = "itself" if row["itself"] else row["above"]
    p, marks, sure = row["p_flip_adjusted"], [], ""
    if p is not None and p < SURE:
        sure = f" (adjusted p {p_value(p, 'below ')})"
    else:
        why = (
            "no p-value" if p is None else f"adjusted p = {p:.2g}, of the reversed order and not of the lead"
        )
        marks = [Mark(MarkKind.NOT_SIGNIFICANT, why, "" if p is None else ADJUSTED)]
    return measurement.claim(
        row,
        f"{who} {above} above {row['below']}, by {LEAD.value(row)} ({LEAD.ci(row)}); the reference ranks "
        f"{row['below']} higher{sure}.",
        of=f"{row['by']}:{row['above']}:{row['below']}",
        view=RANKING,
        marks=marks,
    )


def corrections(context: RuleContext) -> RuleResult:
    """Claim how much closer to the reference each ranking by several judges is than that of all judges.

    The number is Kendall's tau-b with the reference's ranking minus that of all judges together, from the
    same resamples. Not significant if the interval includes 0. Nothing is claimed about a committee that is
    itself the reference. The ranking closest to the reference comes first.
    """
    measurement = context.measurement(GAIN)
    result = measurement.result
    reference = result.filters.get("reference")
    every: list[RankingDistanceRow] = result.rows
    everyone = next((row for row in every if row["by"] == ALL and row["tau"] is not None), None)
    if everyone is None:
        return RuleResult(reason=result.reason or "all judges together rank no two models of the reference's")
    rows = [row for row in every if is_joint(row["by"]) and row["by"] not in (ALL, reference)]
    rows = [row for row in rows if row["gain"] is not None]
    rows.sort(key=lambda row: -row["tau"])
    claims = []
    for row in rows:
        change = "closer to" if row["gain"] > 0 else "farther from" if row["gain"] < 0 else "no closer to"
        sentence = (
            f"The ranking by {ranking_words(row['by'])} is {change} the reference's than the ranking by "
            f"{NAMES[ALL]}: tau-b {number(row['tau'])} against {number(everyone['tau'])} "
            f"(difference {GAIN.value(row)}; {GAIN.ci(row)}). "
            f"It reverses {quantity(int(row['flips']), 'pair')}, against {int(everyone['flips']):,}."
        )
        claims.append(measurement.claim(row, sentence, of=row["by"], rows=result.rows, view=RANKING))
    return RuleResult(tuple(claims), f"{quantity(len(result.rows), 'ranking')} compared with the reference's")


def places(context: RuleContext) -> RuleResult:
    """Claim that a model's rank by the judges' scores differs from that by its corrected score.

    The number is its rank by corrected scores, with its ranks in a 95% confidence set that holds for all
    models jointly. It is claimed if the rank by uncorrected scores is outside that set. The model that moves
    farthest comes first.
    """
    measurement = context.measurement(PLACE)
    result = measurement.result
    every: list[CorrectedRow] = result.rows
    rows = [row for row in every if row["rank"] is not None and row["rank_low"] is not None]
    rows = [row for row in rows if row["uncorrected"] is not None]
    if not rows:
        return RuleResult(reason=result.reason or "no score can be corrected here")
    scores = [row["uncorrected"] for row in rows]
    moves = []
    for row in rows:
        first = 1 + sum(score > row["uncorrected"] for score in scores)
        last = sum(score >= row["uncorrected"] for score in scores)
        distance = max(first - row["rank_high"], row["rank_low"] - last)
        if distance > 0:
            moves.append((distance, first, row))
    moves.sort(key=lambda each: -each[0])
    claims = [
        measurement.claim(
            row,
            f"By the judges' scores, {row['model']} ranks number {first}; corrected with the reference, it "
            f"ranks number {row['rank']:g} (95% CI {row['rank_low']:g} to {row['rank_high']:g}).",
            of=row["model"],
            rows=rows,
            view=RANKING,
        )
        for _, first, row in moves
    ]
    return RuleResult(tuple(claims), f"{len(claims)} of {quantity(len(rows), 'model')} moved")


def is_joint(by: str) -> bool:
    """Return whether a ranking is by several judges."""
    return by in NAMES or by.startswith("committee:")


def ranking_words(by: str) -> str:
    return NAMES.get(by) or (f"the {by.replace(':', ' ', 1)}" if by.startswith("committee:") else by)
