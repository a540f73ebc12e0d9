"""`delta`: how many points a judge lifts each model beyond its leniency (MEASURES section 8)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.measures.table import Column, Table, first_reason
from engine.metrics.delta import Deltas, Placed, average_rank, deltas, pair_order
from engine.metrics.scores import ScoreKind, system_score
from engine.views import View
from engine.views.counted import Counted, Weights, combine

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

_PER_JUDGE = ("bonus", "family_bonus", "leniency", "rank_shift", "pair_order")


def compute(view: View, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each judge and generator; what belongs to the judge stands on its own row.

    A judge without responses of its own has it on an additional row with generator null.
    """
    both = view.scored.both
    kind = cast("ScoreKind", view.request.spec.scores)
    sums = [
        Counted.over_instances(part, view.weights)
        for part in (*_common_scores(view, both), both.astype(np.int32))
    ]

    def estimate(judge: Floats, reference: Floats, number: Floats) -> Deltas:
        return deltas(system_score(judge, number, kind), system_score(reference, number, kind), view.kin)

    value, draws = combine(estimate, *sums)
    columns = _cells(view, value, draws, sums[2].total) | _judges(view, value, draws, both, kind)
    return Table(columns, _keep(view, both), int(both.any(axis=(0, 1)).sum()), view.left_out)


def _common_scores(view: View, both: Bools) -> tuple[Floats, Floats]:
    """Return the scores by judge and by reference where both exist, 0 elsewhere."""
    scored = view.scored
    return np.where(both, scored.judge.values, 0.0), np.where(both, scored.reference.values, 0.0)


def _keep(view: View, both: Bools) -> Bools:
    cells = np.asarray(both.any(axis=2))
    bare = cells.any(axis=1) & ~_has_own_row(view, both)
    return np.concatenate([cells, bare[:, None]], axis=1).ravel()


def _has_own_row(view: View, both: Bools) -> Bools:
    return np.asarray((both.any(axis=2) & view.kin.own).any(axis=1))


def _widen(values: NDArray[Any], last: Any) -> NDArray[Any]:
    """Append the additional row of each judge to values of shape (..., judges, generators)."""
    extra = np.full((*values.shape[:-1], 1), last, dtype=values.dtype)
    return np.concatenate([values, extra], axis=-1).reshape(*values.shape[:-2], -1)


def _cells(view: View, value: Deltas, draws: Deltas | None, number: NDArray[np.int64]) -> dict[str, Column]:
    models = view.study.index.models
    generators: list[str | None] = [models[g] for g in view.generators]

    def column(name: str, scale: float) -> Column:
        drawn = None if draws is None else _widen(getattr(draws, name) * scale, np.nan)
        return Column(_widen(getattr(value, name) * scale, np.nan), drawn, "no_score_by_both")

    return {
        "judge": Column([models[j] for j in view.judges for _ in range(len(generators) + 1)]),
        "generator": Column([*generators, None] * len(view.judges), reasons="row_of_the_judge"),
        "delta": column("centered", 100.0),
        "raw_delta": column("raw", 1.0),
        "n": Column(_widen(number, 0)),
    }


def _judges(
    view: View, value: Deltas, draws: Deltas | None, both: Bools, kind: ScoreKind
) -> dict[str, Column]:
    """Return the numbers of each judge, placed on its own row and null on the others."""
    own = np.asarray(view.kin.own & both.any(axis=2))
    place = np.concatenate([own, ~np.asarray(own.any(axis=1))[:, None]], axis=1).ravel()
    width = own.shape[1] + 1
    ranks = _rankings(view, both, kind)
    numbers = {
        "bonus": (value.bonus * 100, None if draws is None else draws.bonus * 100),
        "family_bonus": (value.family_bonus * 100, None if draws is None else draws.family_bonus * 100),
        "leniency": (value.leniency, None if draws is None else draws.leniency),
        "rank_shift": (ranks.shift, ranks.shift_draws),
        "pair_order": (ranks.order, ranks.order_draws),
    }
    missing = {
        "bonus": "no_own_or_other_scores",
        "family_bonus": "no_relatives_or_others",
        "leniency": "no_score_by_both",
        "rank_shift": "no_instance_with_all_scores",
        "pair_order": "no_instance_with_all_scores",
    }
    columns = {}
    for name in _PER_JUDGE:
        values, drawn = numbers[name]
        spread = np.where(place, np.repeat(values, width), np.nan)
        codes = first_reason((~place, "on_the_judges_own_row"), (place, missing[name]))
        wide = None
        if drawn is not None:
            wide = np.full((len(drawn), len(place)), np.nan)
            wide[:, np.flatnonzero(place)] = drawn
        columns[name] = Column(spread, wide, codes)
    return columns


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rank shift and pair order of each judge, shape (judges,), and their draws (resamples, judges)."""

    shift: Floats
    order: Floats
    shift_draws: Floats | None
    order_draws: Floats | None


def _rankings(view: View, both: Bools, kind: ScoreKind) -> Rankings:
    """Rank a judge's generators over the instances in which it and the reference have scored all of them."""
    drawn = view.weights is not None and len(both) > 0
    rows = 1 if view.weights is None else 1 + len(view.weights)
    shift, order = (np.full((rows, len(both)), np.nan) for _ in range(2))
    judge, reference = _common_scores(view, both)
    for judges, compared, instances in _ranked_alike(both, one_truth=len(view.scored.reference.values) == 1):
        here = np.ix_(compared, instances)
        weights = None if view.weights is None else view.weights[:, instances]
        truth = _means(reference[judges[0]][here], weights, kind)
        true_order = Placed.of(truth)
        for j in judges:  # one by one: the draws of all of them would not stay in the processor's cache
            mine = _means(judge[j][here], weights, kind)
            order[:, j] = pair_order(Placed.of(mine), true_order)
            for place in np.flatnonzero(view.kin.own[j][compared]):
                shift[:, j] = average_rank(mine, int(place)) - average_rank(truth, int(place))
    return Rankings(shift[0], order[0], shift[1:] if drawn else None, order[1:] if drawn else None)


def _ranked_alike(both: Bools, *, one_truth: bool) -> Iterator[tuple[list[int], Ints, Ints]]:
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
    number = Counted.over_instances(np.ones((1, scores.shape[1]), dtype=np.int32), weights)
    total = Counted.over_instances(scores, weights)
    value, draws = combine(lambda total, number: system_score(total, number, kind), total, number)
    return np.asarray(value[None] if draws is None else np.concatenate([value[None], draws]))
