"""Columns that several measures make in the same way."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.confusion import Resampled, combine
from engine.arrays.view import SliceView
from engine.measures.rows import Column, FewCases, Intervals, Reasons
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.intervals import few_events
from engine.stats.intervals.added_cases import OF_A_SHARE, padded_share
from engine.stats.intervals.bootstrap import ROUNDING, resample
from engine.stats.intervals.delete_one import mean_by_instance
from engine.stats.intervals.jackknife import Estimates
from engine.stats.judges.agreement import weighted_pearson, weighted_spearman
from engine.stats.ratios import rate

HANGS = "hangs_on_one_instance"
ALIKE = "all_differences_alike"


def judge_columns(view: SliceView) -> dict[str, Column]:
    index = view.study.index
    return {
        "judge": Column([index.models[j] for j in view.judges]),
        "family": Column([index.model_fields["family"][j] for j in view.judges]),
    }


def empty_column(rows: int, weights: NDArray[np.number] | None, reasons: Reasons) -> Column:
    """Return rows without a value; with `weights` they are undefined in every resample too."""
    return Column([None] * rows, None if weights is None else np.full((len(weights), rows), np.nan), reasons)


def student_t_column(
    value: Floats,
    se: Floats,
    freedom: Ints,
    draws: Floats | None,
    reasons: Reasons,
    unsure: str,
    *,
    null: float = 0.0,
) -> Column:
    """Return values with the interval of Student's t, tested against `null`; `unsure`: why there is none."""
    estimates = Estimates(value, se, freedom)
    return Column(value, draws, reasons, Intervals(*estimates.interval(), estimates.p(null=null), unsure))


def mean_column(
    total: Floats, number: Ints, weights: Weights | None, why: Reasons, null: float = 0.0
) -> Column:
    """Return means of sums and numbers, (rows, instances), with the t interval of deleting each instance."""
    value, se = mean_by_instance(total, number)
    if weights is None:
        return Column(value, reasons=why)
    draws = rate(resample(total, weights), resample(number, weights))
    return student_t_column(value, se, (number > 0).sum(axis=-1) - 1, draws, why, ALIKE, null=null)


def within_one(column: Column) -> Column:
    """Return a difference of two shares with its interval cut off at -1 and 1, which it cannot leave."""
    if (ends := column.intervals) is None:
        return column
    low, high = np.clip(ends.low, -1, 1), np.clip(ends.high, -1, 1)
    return replace(column, intervals=replace(ends, low=low, high=high))


def share_column(hits: Resampled, trials: Resampled, weights: Weights | None, why: Reasons) -> Column:
    """Return shares with their draws; where these are all 0 or all 1, with an interval of few cases."""
    value, draws = combine(rate, hits, trials)
    if draws is None or trials.draws is None or weights is None:
        return Column(value, draws, why)
    alike = np.isin(value, (0, 1)) & ~(np.abs(draws - value) > ROUNDING).any(axis=0)
    cases = few_events.cases_of_alike(value, trials.total, trials.draws, weights.shape[1])
    share, no = few_events.share(cases), np.zeros(len(value), dtype=bool)
    few = FewCases(alike, no, share.low, share.high, share.p, share.reason, always=True)
    return Column(value, draws, why, few=few)


def share_of_few(hits: Resampled, trials: Resampled, seed: int, why: Reasons) -> Column:
    """Return a share whose resamples have a case or two added (`engine.stats.intervals.bootstrap`)."""
    draws = None
    if hits.draws is not None and trials.draws is not None:
        draws = padded_share(hits.draws, trials.draws, OF_A_SHARE, np.random.default_rng(seed))
    return Column(rate(hits.total, trials.total), draws, why)


Statistic = Callable[[Floats, Floats, Floats], Floats]

STATISTICS: dict[str, Statistic] = {"pearson": weighted_pearson, "spearman": weighted_spearman}
NO_CORRELATION = "fewer_than_3_items_or_a_constant_side"


def correlation(
    statistic: Statistic, a: Floats, b: Floats, instance: Ints, weights: Weights | None
) -> Column:
    """Return one correlation of two series of shape (items,); `instance` says which cluster an item is of."""
    if not len(a):
        return empty_column(1, weights, NO_CORRELATION)
    value = float(statistic(a, b, np.ones(len(a))))
    if weights is None:
        return Column([value], reasons=NO_CORRELATION)
    # Items with the same two scores are weighted as one, which does not change a correlation.
    scores, alike = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
    size, clusters = scores.shape[1], weights.shape[1]
    cell = alike.reshape(-1) * clusters + instance
    counts = np.bincount(cell, minlength=size * clusters).reshape(size, clusters)
    draws = statistic(scores[0], scores[1], resample(counts, weights))
    return Column([value], np.asarray(draws)[:, None], NO_CORRELATION)


def difference(first: Column, second: Column) -> Column:
    """Return one number minus another, drawn together; undefined where either is, for its reason."""
    a, b = (np.array(column.values, dtype=np.float64) for column in (first, second))
    draws = None if first.draws is None or second.draws is None else first.draws - second.draws
    missing = first if np.isnan(a[0]) else second
    return Column(a - b, draws, missing.reason(0))


class ByJudge:
    """Sums of values of entries for each judge shown and instance."""

    def __init__(self, view: SliceView, judge: Ints, instance: Ints) -> None:
        """Take the places of the entries' judges among those shown, and their instances."""
        self._weights, self._shape = view.weights, (len(view.judges), view.study.index.n_instances)
        self._cell = judge * self._shape[1] + instance

    def sums(self, values: NDArray[np.number] | Bools) -> Floats:
        weights = np.asarray(values, dtype=np.float64)
        total = np.bincount(self._cell, weights=weights, minlength=self._shape[0] * self._shape[1])
        return np.asarray(total.reshape(self._shape), dtype=np.float64)

    def counts(self, marks: Bools) -> Ints:
        return self.sums(marks).astype(np.int64)

    def totals(self, values: NDArray[np.number] | Bools) -> Resampled:
        """Return the sums of each judge over instances, with those of the slice's resamples."""
        return Resampled.over_instances(self.sums(values), self._weights)

    def share(self, values: NDArray[np.number] | Bools, marks: Bools, why: Reasons) -> Column:
        """Return the shares that values of 0 to 1 are of those marked, with the slice's resamples."""
        hits, trials = self.totals(np.where(marks, values, 0)), self.totals(marks)
        return share_column(hits, trials, self._weights, why)

    def average(self, values: NDArray[np.number] | Bools, marks: Bools, why: Reasons) -> Column:
        """Return the means of the values marked, with the draws of the slice's resamples."""
        return Column(*combine(rate, self.totals(np.where(marks, values, 0)), self.totals(marks)), why)

    def mean(self, values: Floats, marks: Bools, why: Reasons, null: float = 0.0) -> Column:
        """Return the means of the values marked, with the t interval of deleting one instance at a time."""
        total = self.sums(np.where(marks, values, 0.0))
        return mean_column(total, self.counts(marks), self._weights, why, null)
