"""`votes`: whom each judge votes for, and its ranking of the models by Bradley and Terry.

A judge of whom no pair was judged in both orders votes by the one order there is. Its pairs were not balanced
over the orders, so that its liking for a place is part of its votes: `single_order` among the filters names
such judges.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.arrays.confusion import Counted, combine
from engine.arrays.pair_outcomes import PairCube, with_single_orders
from engine.arrays.pair_quality import JudgedPairs, judged_pairs, pairs_left_out, prefer_variant
from engine.arrays.references import NONE
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.measures.columns import stack_rows
from engine.measures.rows import FEW, Column, Table
from engine.slices import Slice
from engine.stats.pairs import bradley_terry
from engine.stats.self_preference import ranks, rate
from engine.stats.types import Floats, Ints

MOST_RESAMPLED = 60
"""Models of which rankings are drawn again for intervals; of more, places and strengths have none."""

SINGLE = "single_order"
"""The filter that names the judges whose pairs count by one order."""


def prepare_votes(study: StudyArrays, spec: Slice, options: Mapping[str, Any], by: str | None) -> Slice:  # noqa: ARG001
    """Return the slice with the usual variant; votes are compared with nothing, so no reference is used."""
    return replace(prefer_variant(study, spec, by, "default", "forced", "forced_tie"), reference=NONE)


def votes_table(view: SliceView, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each judge and model that it voted on."""
    both = view.cube
    assert isinstance(both, PairCube)  # noqa: S101 - the catalogue allows pairwise judgments only
    cube, single = view.study.remember((SINGLE, view.request.selection), lambda: with_single_orders(both))
    pairs = judged_pairs(view, cube.rows, cube.paired).both_ways()
    each = [_of_judge(view, place, pairs.select(pairs.row == place)) for place in range(len(view.judges))]
    columns = stack_rows(each)
    lost = pairs_left_out(
        view, cube, lambda judged: np.ones(len(judged.judge), dtype=bool), lambda _judged: []
    )
    keep = np.asarray(columns["n"].values) > 0
    names = [view.study.index.models[judge] for judge in np.intersect1d(single, pairs.judge)]
    return Table(columns, keep, len(np.unique(pairs.instance)), lost, {SINGLE: names} if names else {})


def _of_judge(view: SliceView, place: int, pairs: JudgedPairs) -> dict[str, Column]:
    index, models = view.study.index, len(view.generators)
    one, two = (np.searchsorted(view.generators, each) for each in (pairs.target, pairs.other))
    votes = (1 + pairs.value) / 2

    def counted(cell: Ints, values: Floats, shape: tuple[int, ...], *, drawn: bool = True) -> Counted:
        sums = np.bincount(cell, weights=values, minlength=int(np.prod(shape))).reshape(shape)
        return Counted.over_instances(sums, view.weights if drawn else None)

    each = one * index.n_instances + pairs.instance
    won, all_of = (counted(each, part, (models, index.n_instances)) for part in (votes, np.ones(len(one))))
    if models <= MOST_RESAMPLED:
        against = (one * models + two) * index.n_instances + pairs.instance
        wins = counted(against, votes, (models, models, index.n_instances))
    else:
        wins = counted(one * models + two, votes, (models, models, 1), drawn=False)
    strength = wins.apply(bradley_terry)
    rank = strength.apply(lambda of_models: ranks(np.round(of_models, 9)))  # equal votes tie on every machine
    n = all_of.total.astype(np.int64)
    share = combine(rate, won, all_of)
    names = [index.models[g] for g in view.generators]
    return {
        "judge": Column([index.models[view.judges[place]]] * models),
        "generator": Column(names),
        "win_rate": Column(*share, "no_pairs"),
        "strength": Column(strength.total, strength.draws, "no_pairs"),
        "rank": Column(rank.total, rank.draws, "no_pairs"),
        "n": Column(n),
        "small": Column(list(n < FEW)),
    }
