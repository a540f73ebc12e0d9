"""`votes`: which models each judge votes for, and its ranking of them by Bradley and Terry.

A judge without a pair judged in both orders votes by the one order there is. Its pairs were not balanced
over the orders, so its position bias is part of its votes: the filter `single_order` names such judges.
"""

from dataclasses import replace

import numpy as np

from engine.arrays.bits.confusion import Resampled
from engine.arrays.left_out import pairs_left_out
from engine.arrays.pairs.judged_pairs import JudgedPairs, judged_pairs, prefer_variant
from engine.arrays.pairs.pair_outcomes import with_single_orders
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.references import NONE
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import share_column
from engine.measures.entry import PAIRWISE, SMALL, Measure
from engine.measures.rows import FEW, Column, Options, Table, stack_rows
from engine.slices import Slice
from engine.stats import Floats, Ints
from engine.stats.pairs.bradley_terry import bradley_terry
from engine.stats.scores import ranks

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
        "win_rate": share_column(won, number, view.weights, "no_pairs"),
        "strength": Column(strength.total, strength.draws, "no_pairs"),
        "rank": Column(rank.total, rank.draws, "no_pairs"),
        "n": Column(n),
        "small": Column(list(n < FEW)),
    }


VOTES = Measure(
    name="votes",
    title="Who votes for whom",
    question="Whose answers does each judge choose, and how does it rank the models?",
    formula="share of votes won; Bradley-Terry: P(i over j) = p_i / (p_i + p_j), strength = log p",
    paper="Bradley and Terry 1952",
    left_out=(
        "judgments without a choice; of a judge with pairs in both orders, the pairs in one order only"
    ),
    function=votes_table,
    chart="matrix",
    prepare=prepare_votes,
    empty="no judgment of a pair has a choice",
    keys=("judge", "generator"),
    headline="win_rate",
    paradigms=PAIRWISE,
    fields=(
        entry.key("judge", "the judge"),
        entry.key("generator", "the model voted on"),
        entry.share(
            "win_rate",
            "share of this judge's votes that the model won; both orders of a pair are one vote: a winner in "
            "one and a tie in the other wins, and a tie in both, or another winner in each, is half a vote",
        ),
        entry.estimate(
            "strength",
            "the model's log-strength by this judge's votes, with half a vote each way against a model "
            "of log-strength 0, so that one that never lost has a strength",
        ),
        entry.of_ranks("rank", "the model's rank by strength; 1 is the highest"),
        entry.count("n", "pairs with the model's answer that the judge voted on"),
        SMALL,
    ),
)
