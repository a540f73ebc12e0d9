"""`recognition-score`: whether a judge recognizes its own response, and prefers what it takes for its own."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine.arrays.left_out import pairs_left_out
from engine.arrays.pairs.judged_pairs import JudgedPairs, judged_pairs, prefer_variant
from engine.arrays.slicing.group_by import single_view
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.truths.references import NONE
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import STATISTICS, ByJudge, correlation, empty_column, judge_columns
from engine.measures.entry import DELETED, OF_JUDGE, SMALL, Field, Measure
from engine.measures.rows import FEW, Column, Options, Table, stack
from engine.measures.without_reference import without_reference
from engine.paradigms import AUTHOR_PARADIGMS, PAIR_PARADIGMS
from engine.stats import Floats, Ints

FEWEST = 10
"""The fewest pairs for a correlation over pairs."""


def recognition_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each judge asked which of two responses it wrote (Panickssery et al. 2024).

    A pair's score is the probability of the judge's own response over both letters, averaged over both
    orders, if both have one; else the share of its two answers that are right. `preference_rho` is Spearman's
    rho over pairs of the score with the judge's vote for its own response in the same pair: its probability
    in a forced choice, else 1, .5 or 0. NaN with fewer than 10 such pairs.
    """
    cube = view.pair_cube
    pairs = judged_pairs(view, cube.rows, cube.pairs).own()
    resolved = np.isnan(pairs.first)
    right = np.where(resolved, (1 + pairs.value) / 2, (2 + pairs.first + pairs.second) / 4)
    soft = ~np.isnan(pairs.p)
    score = np.where(soft, pairs.p, right)
    rows, all_pairs = ByJudge(view, pairs.row, pairs.instance), np.ones(len(pairs.row), dtype=bool)
    n = rows.counts(all_pairs).sum(axis=1)
    votes = _own_votes(view, pairs)
    masks = [(pairs.row == row) & ~np.isnan(votes) for row in range(len(view.judges))]
    rho = [
        rho_column(view, score[mask], votes[mask], pairs.instance[mask], "few_pairs_to_rank")
        for mask in masks
    ]
    columns = {
        **judge_columns(view),
        "recognition": rows.mean(score, all_pairs, "no_pairs", 0.5),
        "share_right": rows.share(right, all_pairs, "no_pairs"),
        "contradicted": rows.share(pairs.first != pairs.second, ~resolved, "no_pairs"),
        "n": Column(n),
        "n_soft": Column(rows.counts(soft).sum(axis=1)),
        "preference_rho": stack(rho),
        "n_preference": Column(rows.counts(~np.isnan(votes)).sum(axis=1)),
        "small": Column(list(n < FEW)),
    }
    left_out = pairs_left_out(view, cube)
    return Table(columns, n > 0, len(np.unique(pairs.instance)), left_out)


def rho_column(view: SliceView, x: Floats, y: Floats, instance: Ints, too_few: str) -> Column:
    if len(x) < FEWEST:
        return empty_column(1, view.weights, too_few)
    return correlation(STATISTICS["spearman"], x, y, instance, view.weights)


def _own_votes(view: SliceView, pairs: JudgedPairs) -> Floats:
    """Return each judge's vote for its own response in the same pair, NaN where it has none."""
    spec = replace(view.request.spec, paradigm=None, variant=None, reference=NONE)
    spec = prefer_variant(view.study, spec, None, "forced", "default", "forced_tie")
    votes = np.full(len(pairs.row), np.nan)
    try:
        pair_view = single_view(view.study, spec, None, PAIR_PARADIGMS)
    except NoDataError:
        return votes
    own_pairs = judged_pairs(pair_view, pair_view.pair_cube.rows, pair_view.pair_cube.pairs).own()
    vote = np.where(np.isnan(own_pairs.p), (1 + own_pairs.value) / 2, own_pairs.p)

    def keys(of: JudgedPairs) -> Iterator[tuple[int, int, int]]:
        return zip(of.judge.tolist(), of.instance.tolist(), of.other.tolist(), strict=True)

    vote_by_key = dict(zip(keys(own_pairs), vote.tolist(), strict=True))
    return np.array([vote_by_key.get(key, np.nan) for key in keys(pairs)], dtype=np.float64)


RECOGNITION = Measure(
    name="recognition-score",
    title="Self-recognition",
    question="Can a judge tell which of two answers it wrote, and does it prefer the one it takes for its "
    "own?",
    formula="mean over pairs of the probability given to its own answer in both orders; without "
    "probabilities, the share of right answers",
    paper="Panickssery et al. 2024 (LLM evaluators recognize and favor their own generations)",
    left_out="pairs not answered in both orders",
    function=recognition_table,
    prepare=without_reference,
    chart="recognition-score",
    headline="recognition",
    paradigms=AUTHOR_PARADIGMS,
    empty="no judge was asked about its own answer in both orders",
    intervals={DELETED: ("recognition",)},
    fields=(
        *OF_JUDGE,
        Field(
            "recognition",
            "share",
            "recognition score; 0.5 is chance, above 0.5 it recognizes its own answers",
            interval=True,
            null=0.5,
        ),
        entry.share("share_right", "share of answers that name its own answer"),
        entry.share("contradicted", "share of pairs in which its two answers contradict each other"),
        entry.count("n", "pairs with its own answer, asked in both orders"),
        entry.count("n_soft", "pairs with label probabilities"),
        entry.estimate(
            "preference_rho",
            "Spearman's rho over pairs of the recognition score and its vote for its own answer",
        ),
        entry.count("n_preference", "pairs with both a recognition score and a vote"),
        SMALL,
    ),
)
