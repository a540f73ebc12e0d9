"""What stands behind a preference, or shows it another way: ranks in lists, and recognition."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from engine.arrays.group_by import whole
from engine.arrays.index import Relatives
from engine.arrays.lists import ListCube
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.pair_quality import JudgedPairs, judged_pairs, pairs_left_out, prefer_variant
from engine.arrays.references import NONE
from engine.arrays.resolve import NoDataError
from engine.arrays.rows import group_rows
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.measures.columns import ByJudge, undefined
from engine.measures.reference_agreement import STATISTICS, correlation
from engine.measures.rows import FEW, Column, Table, first_reason, stack
from engine.measures.self_preference import relatives_of
from engine.schema import PAIR_PARADIGMS
from engine.slices import Slice
from engine.stats.outside import outside_means
from engine.stats.types import Bools, Floats, Ints


def without_reference(study: StudyArrays, spec: Slice, options: Mapping[str, Any], by: str | None) -> Slice:  # noqa: ARG001
    """Return the slice with no reference: none is needed, so that a choice of several is not asked for."""
    return replace(spec, reference=NONE) if spec.reference is None else spec


# ------------------------------------------------------------------------------
# `list-ranks`: where a judge puts its own response among several, and where outside judges put it.


def list_ranks_table(view: SliceView, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - it has none
    """Return a row for each judge that ranks lists.

    A cell is a response within a list. rank_gap is the mean over the judge's own cells of its rank less the
    mean rank that outside judges give in the cell; pick_gap the same of the share of orders in which the
    response is ranked first.
    """
    cube = view.cube
    assert isinstance(cube, ListCube)  # noqa: S101 - the catalogue allows lists only
    ranked, index = view.ranked, view.study.index
    relatives = cast("Relatives", view.request.spec.relatives)
    everyone = np.arange(len(index.models))
    outside = index.relations(everyone, everyone, relatives).unrelated_mask[ranked.judge, ranked.generator]
    cell = group_rows(ranked.instance, ranked.members, ranked.generator).of
    by_others = {name: outside_means(getattr(ranked, name), cell, outside) for name in ("rank", "pick")}
    mine = (ranked.judge == ranked.generator) & np.isin(ranked.judge, view.judges)
    own = ranked.select(mine)
    rows = ByJudge(view, np.searchsorted(view.judges, own.judge), own.instance)
    held = {name: values[mine] for name, values in by_others.items()}
    there = ~np.isnan(held["rank"])
    n = rows.counts(there)
    has_own = rows.counts(np.ones(len(there), dtype=bool)).sum(axis=1) > 0
    why = first_reason((~has_own, "no_own_responses"), (n.sum(axis=1) == 0, "no_outside_rank"))
    columns = relatives_of(view)
    for name in ("rank", "pick"):
        values = getattr(own, name)
        columns[f"{name}_own"] = rows.share(values, there, why)
        columns[f"{name}_outside"] = rows.share(held[name], there, why)
        columns[f"{name}_gap"] = rows.tested(values - np.nan_to_num(held[name]), there, why)
    columns |= {
        "n": Column(n.sum(axis=1)),
        "n_outside": Column(_judges_beside(view, cell, outside, mine)),
        "mean_length": rows.share(own.size, there, why),
        "small": Column(list(n.sum(axis=1) < FEW)),
        **_first_shown(view, cube),
    }
    keep = np.isin(view.judges, ranked.judge)
    return Table(columns, keep, len(np.unique(own.instance[there])), view.left_out)


def _judges_beside(view: SliceView, cell: Ints, outside: Bools, mine: Bools) -> Ints:
    """Return how many outside judges rank a response of each judge shown in one of its own lists."""
    ranked = view.ranked
    return np.array(
        [
            len(np.unique(ranked.judge[outside & np.isin(cell, cell[mine & (ranked.judge == judge)])]))
            for judge in view.judges
        ],
        dtype=np.int64,
    )


def _first_shown(view: SliceView, cube: ListCube) -> dict[str, Column]:
    """Return how often a judge ranks first what it was shown first, and how often chance would."""
    first = cube.first.select(view.keeps(cube.first) & np.isin(cube.first.judge, view.judges))
    rows = ByJudge(view, np.searchsorted(view.judges, first.judge), first.instance)
    every = np.ones(len(first.judge), dtype=bool)
    return {
        "first_picked": rows.share(first.pick, every, "no_list"),
        "first_expected": rows.share(1 / first.size, every, "no_list"),
        "n_orders": Column(rows.counts(every).sum(axis=1)),
    }


# ------------------------------------------------------------------------------
# `recognition`: does a judge know its own response, and does it prefer what it takes for its own?

FEWEST = 10
"""Pairs below which no correlation over pairs is given."""


def recognition_table(view: SliceView, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - it has none
    """Return a row for each judge asked which of two responses it wrote (Panickssery et al. 2024).

    A pair's score is the probability of the judge's own response over both letters, averaged over both
    orders, where both have one; else the share of its two answers that are right. `preference_rho` is
    Spearman's rho over pairs of the score with the judge's vote for its own response in the same pair: its
    probability in a forced choice, else 1, .5 or 0. NaN with fewer than 10 such pairs.
    """
    cube = view.cube
    assert isinstance(cube, PairCube)  # noqa: S101 - the catalogue allows pairs only
    pairs = judged_pairs(view, cube.rows, cube.paired).own()
    resolved = np.isnan(pairs.first)
    right = np.where(resolved, (1 + pairs.value) / 2, (2 + pairs.first + pairs.second) / 4)
    soft = ~np.isnan(pairs.p)
    score = np.where(soft, pairs.p, right)
    rows, every = ByJudge(view, pairs.row, pairs.instance), np.ones(len(pairs.row), dtype=bool)
    n = rows.counts(every).sum(axis=1)
    votes = _own_votes(view, pairs)
    rho = [
        _rho(view, score[here], votes[here], pairs.instance[here])
        for here in ((pairs.row == row) & ~np.isnan(votes) for row in range(len(view.judges)))
    ]
    columns = {
        **relatives_of(view),
        "recognition": rows.tested(score, every, "no_pairs", 0.5),
        "share_right": rows.share(right, every, "no_pairs"),
        "contradicted": rows.share(pairs.first != pairs.second, ~resolved, "no_pairs"),
        "n": Column(n),
        "n_soft": Column(rows.counts(soft).sum(axis=1)),
        "preference_rho": stack(rho),
        "n_preference": Column(rows.counts(~np.isnan(votes)).sum(axis=1)),
        "small": Column(list(n < FEW)),
    }
    left = pairs_left_out(view, cube, lambda each: np.ones(len(each.judge), dtype=bool), lambda _: [])
    return Table(columns, n > 0, len(np.unique(pairs.instance)), left)


def _rho(view: SliceView, score: Floats, votes: Floats, instance: Ints) -> Column:
    if len(score) < FEWEST:
        return undefined(1, view.weights, "few_pairs_to_rank")
    return correlation(STATISTICS["spearman"], score, votes, instance, view.weights)


def _own_votes(view: SliceView, pairs: JudgedPairs) -> Floats:
    """Return each judge's vote for its own response in the same pair, NaN where it has none."""
    spec = replace(view.request.spec, paradigm=None, variant=None, reference=NONE)
    spec = prefer_variant(view.study, spec, None, "forced", "default", "forced_tie")
    votes = np.full(len(pairs.row), np.nan)
    try:
        other = whole(view.study, spec, None, PAIR_PARADIGMS)
    except NoDataError:
        return votes
    assert isinstance(other.cube, PairCube)  # noqa: S101 - as above
    judged = judged_pairs(other, other.cube.rows, other.cube.paired).own()
    vote = np.where(np.isnan(judged.p), (1 + judged.value) / 2, judged.p)
    keys = zip(judged.judge.tolist(), judged.instance.tolist(), judged.other.tolist(), strict=True)
    known = dict(zip(keys, vote.tolist(), strict=True))
    wanted = zip(pairs.judge.tolist(), pairs.instance.tolist(), pairs.other.tolist(), strict=True)
    return np.array([known.get(key, np.nan) for key in wanted], dtype=np.float64)
