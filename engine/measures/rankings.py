"""`ranking`, `ranking-distance`, `ranking-flips`, and `votes`: whom each judge votes for and ranks first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np
from scipy.special import stdtr

from engine.arrays.confusion import Resampled, combine
from engine.arrays.judged_pairs import JudgedPairs, judged_pairs, prefer_variant
from engine.arrays.left_out import pairs_left_out
from engine.arrays.pair_outcomes import with_single_orders
from engine.arrays.references import COMMITTEE, NONE
from engine.arrays.scores import score_responses
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures.rows import FEW, Column, Options, Table, stack_rows
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, ranks, ratios, system_scores
from engine.stats.adjusted_p import holm
from engine.stats.bradley_terry import bradley_terry

# ------------------------------------------------------------------------------
# `ranking`: the generators in the order of their scores, by each judge and by all (MEASURES section 3).

NO_SCORE = "no_complete_instance"

ALL = "all"
"""All judges together."""


@dataclass(frozen=True, eq=False)
class Source:
    """A ranking source: its scores, shape (..., generators), complete instances, and what was `dropped`."""

    name: str
    scores: Resampled
    complete: int
    dropped: int = 0


def prepare_ranking(study: StudyArrays, spec: Slice, _options: Options, _by: str | None) -> Slice:
    """Return the slice without a reference if the choice of one is ambiguous: no judge's score needs it."""
    if spec.reference is not None:
        return spec
    try:
        study.references.choose(None)
    except UsageError:
        return replace(spec, reference=NONE)
    return spec


def ranking_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each source and model that it scored in a complete instance."""
    names = [view.study.index.models[g] for g in view.generators]
    all_sources = list(sources(view))
    rows = []
    for source in all_sources:
        row = {"by": Column([source.name] * len(names)), "model": Column(names)}
        row["rank"] = Column(*combine(ranks.ranks, source.scores), NO_SCORE)
        row["score"] = Column(source.scores.total, source.scores.draws, NO_SCORE)
        rows.append(row | {"n": Column([source.complete] * len(names))})
    columns = stack_rows(rows)
    keep = ~np.isnan(np.array(columns["score"].values, dtype=np.float64))
    everyone = _of_all_judges(all_sources)
    return Table(columns, keep, everyone.complete, _left_out(view, everyone))


def _left_out(view: SliceView, everyone: Source) -> dict[str, int]:
    # A verdict without a reference counts too: the reference's ranking is one beside the judges'.
    counts = {code: n for code, n in view.left_out.items() if code not in ("no_reference", "reference_tie")}
    return counts | {"incomplete": everyone.dropped}


def sources(view: SliceView) -> Iterator[Source]:
    """Yield every judge, all of them together in three ways, the committees, and the reference last."""
    judged, complete, dropped = _system_scores(view, view.scored.judge.values)
    for place, judge in enumerate(view.judges):
        yield _source(view.study.index.models[judge], judged, complete, place)
    relations = view.relations
    for name, among in (  # the judges whose scores are averaged for each model
        (ALL, np.ones_like(relations.self_mask)),
        ("all-without-self", ~relations.self_mask),
        ("all-without-family", relations.unrelated_mask),
    ):
        mean = judged.apply(partial(_mean_over, among))
        yield Source(name, mean, int(complete.max(initial=0)), dropped)
    committees = [COMMITTEE + name for name in view.study.info.committees]
    for name, source in [*((name, name) for name in committees), ("reference", view.request.source)]:
        values = _scores_by(view, source)
        if len(values) == 1:  # else the rubrics kept differ from judge to judge
            scores, complete_there, _ = _system_scores(view, values)
            yield _source(name, scores, complete_there, 0)


def _rankings(view: SliceView) -> tuple[list[Source], Source, Source | None, int]:
    """Return all rankings but the reference's, that of all judges together, the reference's, the instances.

    A judge may have the name of either, so they are found by their places.
    """
    rankings = list(sources(view))
    instances = max(source.complete for source in rankings)
    everyone = _of_all_judges(rankings)
    truth = rankings.pop() if rankings[-1].name == "reference" else None
    return rankings, everyone, truth, instances


def _of_all_judges(rankings: Sequence[Source]) -> Source:
    """Return the ranking of all judges together; one by a judge of this name comes before it."""
    return next(source for source in reversed(rankings) if source.name == ALL)


def _source(name: str, scores: Resampled, complete: Ints, place: int) -> Source:
    return Source(name, scores.apply(lambda of_all: of_all[..., place, :]), int(complete[place]))


def _mean_over(among: Bools, scores: Floats) -> Floats:
    return ratios.mean_of_defined(np.swapaxes(np.where(among, scores, np.nan), -1, -2))


def _system_scores(view: SliceView, values: Floats) -> tuple[Resampled, Ints, int]:
    """Return mean scores (..., sources, generators), complete instances of each, and scores dropped."""
    complete = system_scores.complete_scores(values)
    kind = cast("system_scores.ScoreKind", view.request.spec.scores)
    totals = Resampled.over_instances(complete.values, view.weights)
    numbers = Resampled.over_instances(complete.complete.astype(np.int64), view.weights)

    def mean(total: Floats, number: Floats) -> Floats:
        scores = system_scores.system_score(total, np.asarray(number)[..., None], kind)
        return np.where(complete.scored, scores, np.nan)

    scores, draws = combine(mean, totals, numbers)
    dropped = (~np.isnan(values) & ~complete.complete[:, None, :]).sum()
    return Resampled(scores, draws), complete.complete.sum(axis=-1), int(dropped)


def _scores_by(view: SliceView, source: str | None) -> Floats:
    """Return a source's scores of the responses shown, NaN where it has none."""
    of_criteria = view.criterion_reference(source)
    if of_criteria is not None:
        return of_criteria
    spec = replace(view.request.spec, exclude_family=False, leave_self_out=False)
    request = replace(view.request, spec=spec, source=source)
    index, truth = view.study.index, view.study.reference_planes(view.cube, request)
    mask = index.layout.pack(np.ones((1, 1, index.n_rubrics), dtype=bool))
    if request.of_rubrics:
        mask = view.rubric.shown_mask
    met, has = (plane[:, view.columns] for plane in (truth.met, truth.has))
    values = score_responses(index, met, has, mask, cast("system_scores.ScoreKind", spec.scores)).values
    if request.of_rubrics:
        return values
    cells = view.kept_cells
    return np.where(cells if len(cells) == 1 else cells[view.columns], values, np.nan)


# ------------------------------------------------------------------------------
# `ranking-distance`: how far each ranking is from the reference's (MEASURES section 3).

TOO_FEW = "fewer_than_two_models_with_both_scores"

Distances = tuple[ranks.RankDistance, ranks.RankDistance | None]
"""The distance of two rankings, and those in the resamples if there are any."""


def ranking_distance_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each source but the reference; none if the reference has no ranking."""
    rankings, everyone, truth, instances = _rankings(view)
    left_out = _left_out(view, everyone)
    if truth is None or np.isnan(truth.scores.total).all():
        return Table.of([], instances, left_out)
    of_all = combine(ranks.rank_distance, everyone.scores, truth.scores)
    rows = [_distance_row(source, truth, of_all) for source in rankings]
    best = max((row["tau"].values[0] for row in rows if not np.isnan(row["tau"].values[0])), default=np.inf)
    for row in rows:
        row["nearest"] = Column([bool(row["tau"].values[0] >= best - 1e-9)])
    return Table.of(rows, instances, left_out)


def _distance_row(source: Source, truth: Source, of_all: Distances) -> dict[str, Column]:
    """Return the distance of a ranking from the reference's, `gain` over the one of all judges together."""
    value, draws = combine(ranks.rank_distance, source.scores, truth.scores)
    columns = {}
    for name in ("tau", "shift", "flips"):
        number_draws = None if draws is None else getattr(draws, name)[..., None]
        columns[name] = Column(getattr(value, name)[..., None], number_draws, TOO_FEW)
    value_of_all, draws_of_all = of_all
    gain_draws = None if draws is None or draws_of_all is None else (draws.tau - draws_of_all.tau)[..., None]
    columns["gain"] = Column((value.tau - value_of_all.tau)[..., None], gain_draws, TOO_FEW)
    n = int((~np.isnan(source.scores.total) & ~np.isnan(truth.scores.total)).sum())
    return columns | {"by": Column([source.name]), "n_models": Column([n])}


# ------------------------------------------------------------------------------
# `ranking-flips`: the pairs of generators that a ranking puts in the opposite order to the reference.


def ranking_flips_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each ranking and reversed pair, those scored highest first."""
    rankings, everyone, truth, instances = _rankings(view)
    left_out = _left_out(view, everyone)
    if truth is None:
        return Table.of([], instances, left_out)
    rows, n_pairs = [], 0
    for source in rankings:
        models = int((~np.isnan(source.scores.total + truth.scores.total)).sum())
        n_pairs += models * (models - 1) // 2
        reversed_pairs = _reversed_pairs(source.scores.total, truth.scores.total)
        rows += [_flip_row(view, source, truth, pair) for pair in reversed_pairs]
    adjusted = holm(np.array([row["p_flip"].values[0] for row in rows], dtype=np.float64), n_pairs)
    for row, p in zip(rows, adjusted.tolist(), strict=True):
        row["p_flip_adjusted"] = Column([p], reasons="no_resamples")
    return Table.of(rows, instances, left_out)


def _reversed_pairs(scores: Floats, truths: Floats) -> list[tuple[int, int]]:
    """Return the pairs (above, below) that `scores` rank in this order and `truths` in the opposite one."""
    with np.errstate(invalid="ignore"):
        ahead = scores[:, None] - scores[None, :] > ranks.TOLERANCE
        behind = truths[:, None] - truths[None, :] < -ranks.TOLERANCE
    above, below = np.nonzero(ahead & behind)
    order = np.lexsort((-scores[below], -scores[above]))
    return [(int(above[k]), int(below[k])) for k in order]


def _flip_row(view: SliceView, source: Source, truth: Source, pair: tuple[int, int]) -> dict[str, Column]:
    above, below = pair
    names = [view.study.index.models[g] for g in view.generators]
    lead, true_lead = (
        combine(lambda scores: scores[..., [above]] - scores[..., [below]], each.scores)
        for each in (source, truth)
    )
    sure = None  # the share of resamples in which the pair is reversed too
    if lead[1] is not None and true_lead[1] is not None:
        defined = ~(np.isnan(lead[1]) | np.isnan(true_lead[1]))
        if defined.any():
            sure = float(((lead[1] > 0) & (true_lead[1] < 0))[defined].mean())
    return {
        "by": Column([source.name]),
        "above": Column([names[above]]),
        "below": Column([names[below]]),
        "lead": Column(*lead),
        "lead_reference": Column(*true_lead),
        "sure": Column([sure], reasons="no_resamples"),
        "p_flip": Column([_p_flip(lead, true_lead, truth.complete)], reasons="no_resamples"),
        "itself": Column([source.name == names[above]]),
    }


def _p_flip(
    lead: tuple[Floats, Floats | None], true_lead: tuple[Floats, Floats | None], instances: int
) -> float:
    """Return the p-value of the reversal: the greater of the p-values of the two orders.

    One-sided, from Student's t with the spread of the resamples as its error, so that it has no floor. NaN
    without resamples.
    """
    worst = 0.0
    for (value, draws), sign in ((lead, 1), (true_lead, -1)):
        if draws is None:
            return np.nan
        error = float(np.nanstd(draws))
        if not error > 0:
            return np.nan
        worst = max(worst, float(stdtr(max(instances - 1, 1), -sign * float(value[0]) / error)))
    return worst


# ------------------------------------------------------------------------------
# `votes`: which models each judge votes for, and its ranking of them by Bradley and Terry.
#
# A judge without a pair judged in both orders votes by the one order there is. Its pairs were not balanced
# over the orders, so its position bias is part of its votes: the filter `single_order` names such judges.


MOST_RESAMPLED = 60
"""The most models whose rankings are resampled; with more, ranks and strengths have no interval."""

SINGLE = "single_order"
"""The filter that names the judges whose pairs count by one order."""


def prepare_votes(study: StudyArrays, spec: Slice, _options: Options, by: str | None) -> Slice:
    """Return the slice with the usual variant; votes are compared with nothing, so no reference is used."""
    return replace(prefer_variant(study, spec, by, "default", "forced", "forced_tie"), reference=NONE)


def votes_table(view: SliceView, _options: Options) -> Table:
    stored = view.pair_cube
    cube, single = view.study.remember((SINGLE, view.request.selection), lambda: with_single_orders(stored))
    pairs = judged_pairs(view, cube.rows, cube.pairs).both_ways()
    rows = [_vote_rows(view, place, pairs.select(pairs.row == place)) for place in range(len(view.judges))]
    columns = stack_rows(rows)
    left_out = pairs_left_out(view, cube)
    keep = np.asarray(columns["n"].values) > 0
    names = [view.study.index.models[judge] for judge in np.intersect1d(single, pairs.judge)]
    return Table(columns, keep, len(np.unique(pairs.instance)), left_out, {SINGLE: names} if names else {})


def _vote_rows(view: SliceView, place: int, pairs: JudgedPairs) -> dict[str, Column]:
    index, models = view.study.index, len(view.generators)
    target, other = (np.searchsorted(view.generators, side) for side in (pairs.target, pairs.other))
    votes = (1 + pairs.value) / 2

    def totals(cell: Ints, values: Floats, shape: tuple[int, ...], *, resampled: bool = True) -> Resampled:
        sums = np.bincount(cell, weights=values, minlength=int(np.prod(shape))).reshape(shape)
        return Resampled.over_instances(sums, view.weights if resampled else None)

    cell = target * index.n_instances + pairs.instance
    won, number = (totals(cell, part, (models, index.n_instances)) for part in (votes, np.ones(len(target))))
    if models <= MOST_RESAMPLED:
        against = (target * models + other) * index.n_instances + pairs.instance
        wins = totals(against, votes, (models, models, index.n_instances))
    else:
        wins = totals(target * models + other, votes, (models, models, 1), resampled=False)
    strength = wins.apply(bradley_terry)
    # Rounded, equal votes tie on every machine.
    rank = strength.apply(lambda of_models: ranks.ranks(np.round(of_models, 9)))
    n = number.total.astype(np.int64)
    return {
        "judge": Column([index.models[view.judges[place]]] * models),
        "generator": Column([index.models[g] for g in view.generators]),
        "win_rate": Column(*combine(ratios.rate, won, number), "no_pairs"),
        "strength": Column(strength.total, strength.draws, "no_pairs"),
        "rank": Column(rank.total, rank.draws, "no_pairs"),
        "n": Column(n),
        "small": Column(list(n < FEW)),
    }
