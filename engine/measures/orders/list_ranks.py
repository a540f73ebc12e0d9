"""`list-ranks`: where a judge ranks its own response among several, and where outside judges rank it."""

import numpy as np

from engine.arrays.judgment_rows import group_rows
from engine.arrays.list_ranks import ListCube
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import ByJudge, judge_columns
from engine.measures.entry import DELETED, OF_JUDGE, SMALL, Measure
from engine.measures.rows import FEW, Column, Options, Table, first_reason
from engine.measures.without_reference import without_reference
from engine.paradigms import RANK_PARADIGMS
from engine.stats import Bools, Ints
from engine.stats.outside.outside import outside_means


def list_ranks_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each judge that ranks lists.

    A cell is a response within a list. rank_gap is the mean over the judge's own cells of its rank less the
    mean rank that outside judges give in the cell; pick_gap the same of the share of orders in which the
    response is ranked first.
    """
    cube = view.cube
    assert isinstance(cube, ListCube)  # noqa: S101 - the catalogue allows lists only
    ranked, index = view.ranks, view.study.index
    relatives = view.request.exclusion.relatives
    everyone = np.arange(len(index.models))
    outside = index.relations(everyone, everyone, relatives).unrelated_mask[ranked.judge, ranked.generator]
    cell = group_rows(ranked.instance, ranked.members, ranked.generator).of
    by_others = {name: outside_means(getattr(ranked, name), cell, outside) for name in ("rank", "pick")}
    is_own = (ranked.judge == ranked.generator) & np.isin(ranked.judge, view.judges)
    own = ranked.select(is_own)
    rows = ByJudge(view, np.searchsorted(view.judges, own.judge), own.instance)
    outside_mean = {name: values[is_own] for name, values in by_others.items()}
    has_outside = ~np.isnan(outside_mean["rank"])
    n = rows.counts(has_outside)
    has_own = rows.counts(np.ones(len(has_outside), dtype=bool)).sum(axis=1) > 0
    why = first_reason((~has_own, "no_own_responses"), (n.sum(axis=1) == 0, "no_outside_rank"))
    columns = judge_columns(view)
    for name in ("rank", "pick"):
        values = getattr(own, name)
        mean = rows.share if name == "pick" else rows.average
        columns[f"{name}_own"] = mean(values, has_outside, why)
        columns[f"{name}_outside"] = mean(outside_mean[name], has_outside, why)
        columns[f"{name}_gap"] = rows.mean(values - np.nan_to_num(outside_mean[name]), has_outside, why)
    columns |= {
        "n": Column(n.sum(axis=1)),
        "n_outside": Column(_outside_counts(view, cell, outside, is_own)),
        "mean_length": rows.average(own.size, has_outside, why),
        "small": Column(list(n.sum(axis=1) < FEW)),
        **_order_columns(view, cube),
    }
    keep = np.isin(view.judges, ranked.judge)
    return Table(columns, keep, len(np.unique(own.instance[has_outside])), view.left_out)


def _outside_counts(view: SliceView, cell: Ints, outside: Bools, is_own: Bools) -> Ints:
    """Return how many outside judges rank a response of each judge shown in one of its own lists."""
    ranked = view.ranks
    return np.array(
        [
            len(np.unique(ranked.judge[outside & np.isin(cell, cell[is_own & (ranked.judge == judge)])]))
            for judge in view.judges
        ],
        dtype=np.int64,
    )


def _order_columns(view: SliceView, cube: ListCube) -> dict[str, Column]:
    first = cube.first.select(view.keeps(cube.first) & np.isin(cube.first.judge, view.judges))
    rows = ByJudge(view, np.searchsorted(view.judges, first.judge), first.instance)
    all_lists = np.ones(len(first.judge), dtype=bool)
    return {
        "first_picked": rows.share(first.pick, all_lists, "no_list"),
        "first_expected": rows.average(1 / first.size, all_lists, "no_list"),
        "n_orders": Column(rows.counts(all_lists).sum(axis=1)),
    }


LIST_RANKS = Measure(
    name="list-ranks",
    title="Ranks in lists",
    question="Does a judge rank its own answer higher than judges of other families rank the same answer?",
    formula=(
        "rank_gap = mean over its own answers of (rank by the judge - mean rank by judges of "
        "other families); pick_gap: the same for the share of lists in which the answer is ranked first"
    ),
    paper="none; defined by this project",
    left_out="lists in which an answer has no rank; own answers that no judge of another family ranked in "
    "the same list",
    function=list_ranks_table,
    prepare=without_reference,
    chart="lists",
    headline="pick_gap",
    paradigms=RANK_PARADIGMS,
    empty="no list of this slice is ranked completely",
    intervals={DELETED: ("pick_gap", "rank_gap")},
    fields=(
        *OF_JUDGE,
        entry.difference(
            "pick_gap",
            "pick_own - pick_outside; above 0 the judge ranks itself first more often than others do",
        ),
        entry.share("pick_own", "share of lists in which it ranks its own answer first"),
        entry.share(
            "pick_outside", "share of the same lists in which judges of other families rank that answer first"
        ),
        entry.difference(
            "rank_gap",
            "rank_own - rank_outside; below 0 the judge ranks itself higher than others do",
            "number",
        ),
        entry.estimate("rank_own", "mean rank that it gives its own answer; 1 is the best"),
        entry.estimate("rank_outside", "mean rank that judges of other families give the judge's answer"),
        entry.count("n", "lists with its own answer, ranked by it and by a judge of another family"),
        entry.count("n_outside", "judges of other families compared with"),
        entry.number("mean_length", "mean number of answers in a list"),
        entry.share(
            "first_picked", "share of all its lists in which it ranks the answer shown first as the best"
        ),
        entry.portion("first_expected", "share expected by chance: the mean of 1 / number of answers"),
        entry.count("n_orders", "completely ranked lists, counting each order shown"),
        SMALL,
    ),
)
