"""`relatedness`: how alike two models' judges err, and whether judges overrate the models they are like.

Families say yes or no. This says how much, from verdicts alone: on answers of neither judge's family, so that
shared truth and liking for one's own do not count.
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from engine.arrays.bits.confusion import Resampled, combine
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.entry import Measure
from engine.measures.rows import FEW, Column, Options, Table, first_reason
from engine.paradigms import RUBRIC_PARADIGMS
from engine.stats import Bools, Floats, Ints
from engine.stats.judges.relatedness import (
    FEWEST_FOR_MANTEL,
    FEWEST_TO_CENTRE,
    Growth,
    beyond_means,
    kappa_within_truth,
    mantel,
    two_way_margins,
)
from engine.stats.ratios import rate


def relatedness_table(view: SliceView, options: Options) -> Table:
    """Return a row for each two judges shown; NoDataError without a reference or with a single judge."""
    if view.request.source is None:
        raise NoDataError("the study has no reference: what is wrong takes a truth; add one (spb reference)")
    judges = len(view.judges)
    if judges < 2:
        raise NoDataError("one judge has no other to err like; show at least two")
    first, second = (np.array(part) for part in zip(*combinations(range(judges), 2), strict=True))
    other = family_masks(view).other
    counts = Resampled.over_instances(_counts(view, first, second, other), view.weights)
    kappa, draws = combine(lambda cells: kappa_within_truth(cells), counts)
    excess = beyond_means(kappa, first, second, judges)
    excess_draws = None if draws is None else beyond_means(draws, first, second, judges)
    names = np.array(view.study.index.models, dtype=object)[view.judges]
    related = _matrix(excess, first, second, judges)
    same = ~_unrelated(view)
    growth = _growth(view, related, options["seed"])
    n = counts.total[..., 0].sum(axis=-1)
    no_cell = (n == 0, "no_common_cell")
    few = (np.full(len(n), judges < FEWEST_TO_CENTRE), "fewer_than_four_judges")
    columns = {
        "judge": Column(names[first].tolist()),
        "other_judge": Column(names[second].tolist()),
        "same_family": Column([bool(value) for value in same[first, second]]),
        "kappa": Column(kappa, draws, first_reason(no_cell, (np.isnan(kappa), "all_verdicts_alike"))),
        "relatedness": Column(
            excess, excess_draws, first_reason(no_cell, few, (np.isnan(excess), "all_verdicts_alike"))
        ),
        "n": Column(n.astype(np.int64)),
        **_growth_columns(growth, len(n)),
        "small": Column(list(n < FEW)),
    }
    return Table(columns, n > 0, view.rubric.instances, view.left_out)


def _counts(view: SliceView, first: Ints, second: Ints, other: Bools) -> Ints:
    """Count cells by pair of judges, truth and kind: shape (pairs, truths, 4, instances)."""
    planes, layout = view.rubric.planes, view.study.index.layout
    favourable = view.rubric.take(planes.favourable)
    truths = [view.rubric.take(plane) for plane in (planes.failed, planes.passed)]
    counts = []
    for a, b in zip(first, second, strict=True):
        columns = np.flatnonzero(other[a] & other[b])
        of_pair = []
        for plane in truths:
            cells = plane[a, columns] & plane[b, columns]
            kinds = [
                cells,
                cells & favourable[a, columns],
                cells & favourable[b, columns],
                cells & favourable[a, columns] & favourable[b, columns],
            ]
            of_pair.append([layout.count_by_instance(kind).sum(axis=0, dtype=np.int64) for kind in kinds])
        counts.append(of_pair)
    return np.array(counts)


def _unrelated(view: SliceView) -> Bools:
    return family_masks(view).outside


def _matrix(values: Floats, first: Ints, second: Ints, judges: int) -> Floats:
    matrix = np.full((judges, judges), np.nan)
    matrix[first, second] = matrix[second, first] = values
    return matrix


def _growth(view: SliceView, related: Floats, seed: int) -> dict[str, Growth]:
    """Return how overrating grows with relatedness, of models that answer and judge; and across families."""
    models = [m for m in view.judges if m in view.generators]
    judge = np.searchsorted(view.judges, models)
    generator = np.searchsorted(view.generators, models)
    counts = view.rubric
    rates = rate(counts.over.total, counts.failed.total)[np.ix_(judge, generator)]
    if len(models) < FEWEST_FOR_MANTEL:
        nothing = Growth(np.nan, np.nan, np.nan, np.nan, 0)
        return {"growth": nothing, "growth_across": nothing}
    margins, among = two_way_margins(rates), related[np.ix_(judge, judge)]
    across = np.where(_unrelated(view)[np.ix_(judge, judge)], among, np.nan)
    return {
        name: mantel(margins, matrix, np.random.default_rng(seed))
        for name, matrix in (("growth", among), ("growth_across", across))
    }


def _growth_columns(growth: Mapping[str, Growth], rows: int) -> dict[str, Column]:
    """Return the correlations, the same in every row."""
    return {
        name if part == "value" else f"{name}_{part}": Column(
            np.full(rows, getattr(each, part)), reasons="fewer_than_five_judges_that_answer"
        )
        for name, each in growth.items()
        for part in ("value", "low", "high", "p", "n")
    }


RELATEDNESS = Measure(
    name="relatedness",
    title="Relatedness",
    question="How alike do two judges err, and do judges overrate the models they are like?",
    formula=(
        "kappa: of two judges' verdicts within each truth, on answers of neither's family; relatedness: less "
        "what each of the two has with all judges (residual of m + u_a + u_b); growth: Pearson's r over "
        "pairs of models of a judge's overrating of the other, less both means, with their relatedness"
    ),
    paper="rubric-self-preference, footnote 2 (an open question); defined by this project",
    left_out="criteria without a verdict by both judges or without a reference; answers of their families",
    function=relatedness_table,
    chart="relatedness",
    headline="relatedness",
    level="rubric",
    keys=("judge", "other_judge"),
    paradigms=RUBRIC_PARADIGMS,
    empty="no two judges judged the same answers of other families",
    fields=(
        entry.key("judge", "a judge"),
        entry.key("other_judge", "another judge", title="Other judge"),
        entry.Field("same_family", "flag", "both are of one family", title="One family"),
        entry.estimate("kappa", "agreement beyond chance within each truth; 1 means the same errors"),
        entry.estimate("relatedness", "kappa above what the two judges have with all others on average"),
        entry.count("n", "criteria of other families' answers that both judged"),
        entry.number("growth", "Mantel's r of overrating and relatedness; the same in every row"),
        entry.number(
            "growth_low", "lower end of its interval, models deleted one at a time on the scale of atanh r"
        ),
        entry.number("growth_high", "upper end of its interval"),
        entry.number("growth_p", "its p from 999 random renamings of the models, two-sided"),
        entry.number("growth_n", "ordered pairs of models behind it"),
        entry.number("growth_across", "the same between families only"),
        entry.number("growth_across_low", "lower end of its interval"),
        entry.number("growth_across_high", "upper end of its interval"),
        entry.number("growth_across_p", "its p"),
        entry.number("growth_across_n", "ordered pairs of models behind it"),
        entry.Field("small", "flag", "fewer than 30 criteria"),
    ),
)
