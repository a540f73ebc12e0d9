"""`vote-ranking`: the models by all judges' votes, with and without those on own and family's responses."""

from collections.abc import Iterator

import numpy as np

from engine.arrays.bits.confusion import Resampled
from engine.arrays.left_out import pairs_left_out
from engine.arrays.pairs.judged_pairs import JudgedPairs, judged_pairs
from engine.arrays.pairs.pair_outcomes import with_single_orders
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.entry import PAIRWISE, Measure
from engine.measures.pairs.votes import MOST_RESAMPLED, SINGLE, prepare_votes
from engine.measures.rankings.ranking import ALL
from engine.measures.rows import Column, Options, Table, stack_rows
from engine.stats.pairs.bradley_terry import bradley_terry
from engine.stats.scores import ranks

NO_VOTES = "no_votes_left"


def vote_ranking_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each ranking and model that a vote counts for in it."""
    stored = view.pair_cube
    cube, single = view.study.remember((SINGLE, view.request.selection), lambda: with_single_orders(stored))
    pairs = judged_pairs(view, cube.rows, cube.pairs)
    columns = stack_rows([_ranked(view, name, votes) for name, votes in _kinds_of_votes(view, pairs)])
    keep = np.asarray(columns["n"].values) > 0
    names = [view.study.index.models[judge] for judge in np.intersect1d(single, pairs.judge)]
    facts = {SINGLE: names} if names else {}
    return Table(columns, keep, len(np.unique(pairs.instance)), pairs_left_out(view, cube), facts)


def _kinds_of_votes(view: SliceView, pairs: JudgedPairs) -> Iterator[tuple[str, JudgedPairs]]:
    """Yield all votes; those on pairs without the judge's own response; and without any of its family."""
    sides = [np.searchsorted(view.generators, side) for side in (pairs.target, pairs.other)]
    relations = view.relations
    own, outside = relations.self_mask, relations.unrelated_mask
    yield ALL, pairs
    yield "all-without-self", pairs.select(~(own[pairs.row, sides[0]] | own[pairs.row, sides[1]]))
    yield "all-without-family", pairs.select(outside[pairs.row, sides[0]] & outside[pairs.row, sides[1]])


def _ranked(view: SliceView, name: str, pairs: JudgedPairs) -> dict[str, Column]:
    """Return a row for each model: its strength by these votes (Bradley and Terry), and its rank."""
    models, instances = len(view.generators), view.study.index.n_instances
    every = pairs.both_ways()
    target, other = (np.searchsorted(view.generators, side) for side in (every.target, every.other))
    votes, resampled = (1 + every.value) / 2, models <= MOST_RESAMPLED
    shape = (models, models, instances) if resampled else (models, models, 1)
    cell = target * models + other
    cell = cell * instances + every.instance if resampled else cell
    sums = np.bincount(cell, weights=votes, minlength=int(np.prod(shape))).reshape(shape)
    strength = Resampled.over_instances(sums, view.weights if resampled else None).apply(bradley_terry)
    # Rounded, equal votes tie on every machine.
    rank = strength.apply(lambda of_models: ranks.ranks(np.round(of_models, 9)))
    return {
        "by": Column([name] * models),
        "model": Column([view.study.index.models[model] for model in view.generators]),
        "rank": Column(rank.total, rank.draws, NO_VOTES),
        "strength": Column(strength.total, strength.draws, NO_VOTES),
        "n": Column(np.bincount(target, minlength=models)),
    }


VOTE_RANKING = Measure(
    name="vote-ranking",
    title="Ranking by all judges' votes",
    question="How do the judges' votes together rank the models, with and without votes on their own?",
    formula="Bradley-Terry on the votes of all judges: P(i over j) = p_i / (p_i + p_j), strength = log p",
    paper="Bradley and Terry 1952",
    left_out=(
        "judgments without a choice; of a judge with pairs in both orders, the pairs in one order only"
    ),
    function=vote_ranking_table,
    chart="ranks",
    prepare=prepare_votes,
    empty="no judgment of a pair has a choice",
    keys=("by", "model"),
    headline="strength",
    paradigms=PAIRWISE,
    fields=(
        entry.key(
            "by",
            "whose votes: all, all-without-self (votes on pairs without the judge's own answer) or "
            "all-without-family (on pairs without an answer of its family)",
        ),
        entry.key("model", "the model voted on"),
        entry.of_ranks("rank", "1 is the highest; equal strengths share their mean rank"),
        entry.estimate(
            "strength",
            "the model's log-strength by these votes, with half a vote each way against a model "
            "of log-strength 0, so that one that never lost has a strength",
        ),
        entry.count("n", "votes on pairs with the model's answer; a pair counts once for each judge"),
    ),
)
