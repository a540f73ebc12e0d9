"""`delta`: how many points a judge lifts each model beyond its leniency (MEASURES section 8)."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.confusion import Resampled, combine
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.entry import ONE_JUDGE, Field, Measure
from engine.measures.rows import Column, Options, Table, first_reason
from engine.paradigms import RESPONSE_SCORES
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.scores.ranks import RankedScores, average_rank, pair_order
from engine.stats.scores.score_deltas import Deltas, deltas
from engine.stats.scores.system_scores import ScoreKind, system_score


def delta_table(view: SliceView, _options: Options, *, rankings: bool = True) -> Table:
    """Return a row for each judge and generator; numbers of the judge are on its own row.

    A judge without responses of its own has them on an additional row with generator null. Without `rankings`
    there are neither rank shifts nor pair orders.
    """
    both = view.scored.both
    kind = cast("ScoreKind", view.request.spec.scores)
    parts = (*_common_scores(view, both), both.astype(np.int32))
    sums = [Resampled.over_instances(part, view.weights) for part in parts]

    def estimate(judge: Floats, reference: Floats, number: Floats) -> Deltas:
        judged, true = (system_score(score, number, kind) for score in (judge, reference))
        return deltas(judged, true, view.relations)

    value, draws = combine(estimate, *sums)
    ranks, n_ranked = _rankings(view, both, kind) if rankings else ({}, None)
    models = view.study.index.models
    generators = [*(models[g] for g in view.generators), None]
    columns = _own_columns(view, value, draws, both, ranks) | {
        "judge": Column([models[j] for j in view.judges for _ in generators]),
        "generator": Column(generators * len(view.judges), reasons="row_of_the_judge"),
        "n": Column(_widen(sums[2].total, 0)),
    }
    if n_ranked is not None:
        columns["n_ranked"] = Column(np.repeat(n_ranked, len(generators)))
    for name, part, scale in (("delta", "centered", 100.0), ("raw_delta", "raw", 1.0)):
        wide_draws = None if draws is None else _widen(getattr(draws, part) * scale, np.nan)
        columns[name] = Column(_widen(getattr(value, part) * scale, np.nan), wide_draws, "no_score_by_both")
    cells = np.asarray(both.any(axis=2))
    bare = np.asarray(cells.any(axis=1) & ~(cells & view.relations.self_mask).any(axis=1))
    keep = np.concatenate([cells, bare[:, None]], axis=1).ravel()
    return Table(columns, keep, int(both.any(axis=(0, 1)).sum()), view.left_out)


def _common_scores(view: SliceView, both: Bools) -> tuple[Floats, Floats]:
    """Return the scores by judge and by reference where both exist, 0 elsewhere."""
    scored = view.scored
    return np.where(both, scored.judge.values, 0.0), np.where(both, scored.reference.values, 0.0)


def _widen(values: NDArray[Any], last: Any) -> NDArray[Any]:
    """Append the additional row of each judge to values of shape (..., judges, generators)."""
    extra = np.full((*values.shape[:-1], 1), last, dtype=values.dtype)
    return np.concatenate([values, extra], axis=-1).reshape(*values.shape[:-2], -1)


def _own_columns(
    view: SliceView, value: Deltas, draws: Deltas | None, both: Bools, ranks: Mapping[str, Resampled]
) -> dict[str, Column]:
    """Return the numbers of each judge, placed on its own row and null on the others."""
    own = np.asarray(view.relations.self_mask & both.any(axis=2))
    place = np.concatenate([own, ~np.asarray(own.any(axis=1))[:, None]], axis=1).ravel()
    width = own.shape[1] + 1
    numbers = {name: (number, "no_instance_with_all_scores") for name, number in ranks.items()}
    for name, scale, missing in (
        ("bonus", 100, "no_own_or_other_scores"),
        ("family_bonus", 100, "no_relatives_or_others"),
        ("leniency", 1, "no_score_by_both"),
        ("leniency_outside", 1, "no_scores_of_other_families"),
    ):
        of_draws = None if draws is None else getattr(draws, name) * scale
        numbers[name] = Resampled(getattr(value, name) * scale, of_draws), missing
    columns = {}
    for name, (number, missing) in numbers.items():
        spread = np.where(place, np.repeat(number.total, width), np.nan)
        codes = first_reason((~place, "on_the_judges_own_row"), (place, missing))
        wide = None
        if number.draws is not None:
            wide = np.full((len(number.draws), len(place)), np.nan)
            wide[:, np.flatnonzero(place)] = number.draws
        columns[name] = Column(spread, wide, codes)
    return columns


def _rankings(view: SliceView, both: Bools, kind: ScoreKind) -> tuple[dict[str, Resampled], Ints]:
    """Return rank shift and pair order of each judge over instances that it and the reference score fully.

    Beside them, the number of these instances.
    """
    has_draws = view.weights is not None and len(both) > 0
    rows = 1 if view.weights is None else 1 + len(view.weights)
    shift, order = (np.full((rows, len(both)), np.nan) for _ in range(2))
    n_ranked = np.zeros(len(both), dtype=np.int64)
    judge, reference = _common_scores(view, both)
    for judges, compared, instances in _judge_groups(both, one_truth=len(view.scored.reference.values) == 1):
        cells = np.ix_(compared, instances)
        n_ranked[judges] = len(instances)
        weights = None if view.weights is None else view.weights[:, instances]
        truth = _means(reference[judges[0]][cells], weights, kind)
        true_order = RankedScores.of(truth)
        for j in judges:  # one by one: the draws of all of them would not fit the processor's cache
            means = _means(judge[j][cells], weights, kind)
            order[:, j] = pair_order(RankedScores.of(means), true_order)
            for place in np.flatnonzero(view.relations.self_mask[j][compared]):
                shift[:, j] = average_rank(means, int(place)) - average_rank(truth, int(place))
    numbers = {"rank_shift": shift, "pair_order": order}
    of_judges = {name: Resampled(rows[0], rows[1:] if has_draws else None) for name, rows in numbers.items()}
    return of_judges, n_ranked


def _judge_groups(both: Bools, *, one_truth: bool) -> Iterator[tuple[list[int], Ints, Ints]]:
    """Yield judges that rank the same generators by the same truth, with these and the instances as places.

    Without `one_truth` the reference is each judge's own. Judges with fewer than two generators, or without
    an instance on which all have scores, are left out.
    """
    groups: dict[tuple[Any, ...], list[int]] = {}
    places: dict[tuple[Any, ...], tuple[Ints, Ints]] = {}
    for j, scored in enumerate(both):
        compared = scored.any(axis=1)
        instances = scored[compared].all(axis=0)
        if compared.sum() >= 2 and instances.any():
            key = compared.tobytes(), instances.tobytes(), None if one_truth else j
            groups.setdefault(key, []).append(j)
            places[key] = np.flatnonzero(compared), np.flatnonzero(instances)
    for key, judges in groups.items():
        yield judges, *places[key]


def _means(scores: Floats, weights: Weights | None, kind: ScoreKind) -> Floats:
    """Return the models' mean scores over the instances, then those of each draw: (1 + resamples, models)."""
    number = Resampled.over_instances(np.ones((1, scores.shape[1]), dtype=np.int32), weights)
    total = Resampled.over_instances(scores, weights)
    value, draws = combine(lambda total, number: system_score(total, number, kind), total, number)
    return np.asarray(value[None] if draws is None else np.concatenate([value[None], draws]))


DELTA = Measure(
    name="delta",
    title="Centered score delta",
    question="By how many points does a judge raise its own score, beyond its general leniency?",
    formula="delta(J, G) = 100 (raw(J, G) - mean over G of raw(J, G)), raw = Score_J(G) - Score*(G)",
    paper="rubric-self-preference, Figure 5",
    left_out="answers without a score from judge or reference",
    function=delta_table,
    chart="matrix",
    keys=("judge", "generator"),
    headline="delta",
    level="instance",
    paradigms=RESPONSE_SCORES,
    instead=("ranking", "how high each judge scores each model, which needs no reference,"),
    fields=(
        ONE_JUDGE,
        entry.key("generator", "the model that is scored"),
        Field(
            "delta",
            "points",
            "the judge's score minus the reference's, centered over models, in points of 100",
            interval=True,
        ),
        entry.difference("raw_delta", "the judge's score minus the reference's, not centered", tested=False),
        entry.count("n", "questions scored by both judge and reference"),
        entry.difference(
            "bonus",
            "the judge's own delta minus its mean delta for models of other families",
            "points",
            title="Bonus, points",
        ),
        entry.difference(
            "family_bonus",
            "its family's mean delta minus its mean delta for models of other families",
            "points",
            title="Bonus for its family, points",
        ),
        entry.difference(
            "leniency",
            "mean of raw_delta over all models, with what it adds to its own and its family's answers",
            tested=False,
        ),
        entry.difference(
            "leniency_outside",
            "mean of raw_delta over models of other families: above 0 the judge is lenient in general, "
            "below 0 strict",
            tested=False,
            title="Leniency to other families",
        ),
        entry.of_ranks(
            "rank_shift",
            "the judge's own rank by its scores minus its rank by the reference; below 0 it moves up",
            title="Rank shift (- is up)",
        ),
        entry.of_ranks(
            "pair_order",
            "share of pairs of models that the judge's scores order as the reference's do",
            "share",
            title="Pairs ordered as by the reference",
        ),
        entry.count(
            "n_ranked",
            "questions on which judge and reference score every model compared, from which rank_shift and "
            "pair_order are taken",
            title="n, ranked",
        ),
    ),
)
