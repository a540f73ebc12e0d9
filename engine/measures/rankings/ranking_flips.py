"""`ranking`, rows `flips`: the pairs of generators in the opposite order to the reference."""

import numpy as np
from scipy.special import stdtr

from engine.arrays.bits.confusion import combine
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.entry import Field, Measure
from engine.measures.rankings.ranking import (
    BY,
    Compared,
    prepare_ranking,
    rankings_of,
)
from engine.measures.rows import Column, Options, Table
from engine.paradigms import RESPONSE_SCORES
from engine.stats import Floats
from engine.stats.intervals.adjusted_p import holm
from engine.stats.intervals.bootstrap import ROUNDING
from engine.stats.scores import ranks


def ranking_flips_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each ranking and reversed pair, those scored highest first."""
    rankings, _, left_out, instances = rankings_of(view)
    rows, n_pairs = [], 0
    for pair in rankings:
        scores, truths = (each.scores.total for each in pair)
        models = int((~np.isnan(scores + truths)).sum())
        n_pairs += models * (models - 1) // 2
        rows += [_flip_row(view, pair, places) for places in _reversed_pairs(scores, truths)]
    adjusted = holm(np.array([row["p_flip"].values[0] for row in rows], dtype=np.float64), n_pairs)
    for row, p in zip(rows, adjusted.tolist(), strict=True):
        row["p_flip_adjusted"] = Column([p], reasons=row["p_flip"].reason(0))
    return Table.of(rows, instances, left_out)


def _reversed_pairs(scores: Floats, truths: Floats) -> list[tuple[int, int]]:
    """Return the pairs (above, below) that `scores` rank in this order and `truths` in the opposite one."""
    with np.errstate(invalid="ignore"):
        ahead = scores[:, None] - scores[None, :] > ranks.TOLERANCE
        behind = truths[:, None] - truths[None, :] < -ranks.TOLERANCE
    above, below = np.nonzero(ahead & behind)
    order = np.lexsort((-scores[below], -scores[above]))
    return [(int(above[k]), int(below[k])) for k in order]


def _flip_row(view: SliceView, pair: Compared, places: tuple[int, int]) -> dict[str, Column]:
    (above, below), source = places, pair[0]
    names = [view.study.index.models[g] for g in view.generators]
    lead, true_lead = (
        combine(lambda scores: scores[..., [above]] - scores[..., [below]], each.scores) for each in pair
    )
    sure = None  # the share of resamples in which the pair is reversed too
    if lead[1] is not None and true_lead[1] is not None and source.complete > 1:
        defined = ~(np.isnan(lead[1]) | np.isnan(true_lead[1]))
        if defined.any():
            sure = float(((lead[1] > 0) & (true_lead[1] < 0))[defined].mean())
    why = _why_untested(lead[1], source.complete)
    return {
        "by": Column([source.name]),
        "above": Column([names[above]]),
        "below": Column([names[below]]),
        "lead": Column(*lead),
        "lead_reference": Column(*true_lead),
        "sure": Column([sure], reasons=why),
        "p_flip": Column([_p_flip(lead, true_lead, source.complete)], reasons=why),
        "itself": Column([source.name == names[above]]),
    }


def _why_untested(draws: Floats | None, instances: int) -> str:
    return "no_resamples" if draws is None else "one_instance" if instances == 1 else "resamples_alike"


def _p_flip(
    lead: tuple[Floats, Floats | None], true_lead: tuple[Floats, Floats | None], instances: int
) -> float:
    """Return the p-value of the reversal: the greater of the p-values of the two orders.

    One-sided, from Student's t with the spread of the resamples as its error, so that it has no floor. NaN
    without resamples, and where they do not differ.
    """
    worst = 0.0
    for (value, draws), sign in ((lead, 1), (true_lead, -1)):
        if draws is None:
            return np.nan
        error = float(np.nanstd(draws))
        if not error > ROUNDING:
            return np.nan
        worst = max(worst, float(stdtr(max(instances - 1, 1), -sign * float(value[0]) / error)))
    return worst


RANKING_FLIPS = Measure(
    name="ranking-flips",
    part_of=("ranking", "flips"),
    title="Reversed places",
    question="Which pairs of models does a ranking put in the opposite order to the reference?",
    formula=(
        "lead = score above - score below: > 0 by the ranking, < 0 by the reference; over the questions on "
        "which both score every model"
    ),
    paper="rubric-self-preference, section 2.4",
    left_out=(
        "models that either ranking has no score for; questions on which either does not score every answer "
        "(incomplete)"
    ),
    function=ranking_flips_table,
    prepare=prepare_ranking,
    keys=("by", "above", "below"),
    headline="lead",
    chart="reversed-pairs",
    level="instance",
    paradigms=RESPONSE_SCORES,
    fields=(
        BY,
        entry.key("above", "the model that this ranking puts higher"),
        entry.key("below", "the model that the reference puts higher"),
        entry.difference("lead", "score of the model above minus score of the model below", tested=False),
        entry.difference("lead_reference", "the same difference by the reference; below 0", tested=False),
        entry.portion("sure", "share of resamples in which the pair is reversed too"),
        entry.number("p_flip", "p-value of the reversal: the larger of the two orders' p-values"),
        entry.number(
            "p_flip_adjusted", "p_flip adjusted by Holm's method over all pairs and rankings compared"
        ),
        Field("itself", "flag", "the judge puts itself higher"),
    ),
    empty="no ranking reverses a pair of models",
)
