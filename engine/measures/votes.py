"""`votes`: whom each judge votes for, and its ranking of the models by Bradley and Terry."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays.confusion import Counted, combine
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.pair_quality import JudgedPairs, judged_pairs, pairs_left_out, prefer_variant
from engine.arrays.references import NONE
from engine.arrays.view import SliceView
from engine.measures.rows import FEW, Column, Table, stack
from engine.slices import Slice
from engine.stats.pairs import bradley_terry
from engine.stats.self_preference import ranks, rate

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

MOST_RESAMPLED = 60
"""Models of which rankings are drawn again for intervals; of more, only the numbers themselves are given."""


def prepare_votes(study: "StudyArrays", spec: Slice, options: Mapping[str, Any], by: str | None) -> Slice:  # noqa: ARG001
    """Return the slice with the usual variant; votes are compared with nothing, so no reference is used."""
    return replace(prefer_variant(study, spec, by, "default", "forced", "forced_tie"), reference=NONE)


def votes_table(view: SliceView, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each judge and model that it voted on."""
    cube = view.cube
    assert isinstance(cube, PairCube)  # noqa: S101 - the catalogue allows pairwise judgments only
    pairs = judged_pairs(view, cube.rows, cube.paired).both_ways()
    each = [_of_judge(view, place, pairs.select(pairs.row == place)) for place in range(len(view.judges))]
    columns = {name: stack([part[name] for part in each]) for name in each[0]}
    lost = pairs_left_out(
        view, cube, lambda judged: np.ones(len(judged.judge), dtype=bool), lambda _judged: []
    )
    keep = np.asarray(columns["n"].values) > 0
    return Table(columns, keep, len(np.unique(pairs.instance)), lost)


def _of_judge(view: SliceView, place: int, pairs: JudgedPairs) -> dict[str, Column]:
    """Return a judge's rows: one for each model."""
    index, models = view.study.index, len(view.generators)
    one, two = (np.searchsorted(view.generators, each) for each in (pairs.target, pairs.other))
    shape = (models, models, index.n_instances)
    cell = (one * models + two) * index.n_instances + pairs.instance

    def counted(values: Any) -> Counted:
        sums = np.bincount(cell, weights=values, minlength=int(np.prod(shape))).reshape(shape)
        return Counted.over_instances(sums, view.weights if models <= MOST_RESAMPLED else None)

    wins, games = counted((1 + pairs.value) / 2), counted(np.ones(len(cell)))
    strength = wins.apply(bradley_terry)
    rank = strength.apply(lambda of_models: ranks(np.round(of_models, 9)))  # equal votes tie on every machine
    n = games.total.sum(axis=-1).astype(np.int64)
    share = combine(lambda won, all_of: rate(won.sum(axis=-1), all_of.sum(axis=-1)), wins, games)
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
