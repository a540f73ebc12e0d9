"""A slice's ratio against the rest's, with a linearised interval: thousands of slices at once."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from engine.stats import Bools, Floats, Ints, Numbers
from engine.stats.intervals.bootstrap import ROUNDING
from engine.stats.ratios import mean_of_defined, rate, ratio


@dataclass(frozen=True, eq=False)
class SliceCells:
    """Counts of one judge in cells, each of one slice and one instance; the slices share no rubric."""

    over: Numbers  # (generators, cells), as is `failed`
    failed: Numbers
    slice_of: Ints
    instance_of: Ints
    n_slices: int
    n_instances: int
    own: Bools  # the judge, among generators
    other: Bools  # generators of other families


@dataclass(frozen=True)
class AgainstRest:
    """For each slice, shape (slices,): its ratio, the rest's, and the ratio of the two with a two-sided p.

    NaN where a part is missing or 0. `n_self` counts the judge's own unfavourable references in the slice,
    `instances` those that have any (the smaller of the slice's and the rest's).
    """

    ratio: Floats
    rest: Floats
    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    n_self: Ints
    instances: Ints


def against_rest(cells: SliceCells) -> AgainstRest:
    """Compare each slice's HSPP ratio with that of all other rubrics (MEASURES sections 2, 6 and 13).

    difference = R(slice) / R(rest), undefined where either is undefined or 0. The variance of its logarithm
    is the sum over instances, the clusters, of squared influences; Student's t has one degree of freedom less
    than there are instances with own failures on the thinner side, and needs 2 of them.
    """
    slice_counts = [_summed(counts, cells.slice_of, cells.n_slices) for counts in (cells.over, cells.failed)]
    rest_counts = [counts.sum(axis=-1, keepdims=True) - counts for counts in slice_counts]
    within, rest = (_Linear.of(over, failed, cells) for over, failed in (slice_counts, rest_counts))
    instances = _instances(cells)
    n = cells.n_instances
    with np.errstate(divide="ignore", invalid="ignore"):
        log_difference = np.log(within.value) - np.log(rest.value)
        error = np.sqrt(_squares(cells, within, rest) * n / max(n - 1, 1))
        freedom = np.maximum(instances - 1, 1)
        reach = stdtrit(freedom, 0.975) * error
        p = 2 * stdtr(freedom, -np.abs(log_difference) / error)
    testable = np.isfinite(log_difference) & (error > 0) & (instances > 1)
    low, high = np.exp(log_difference - reach), np.exp(log_difference + reach)
    low, high, p = (np.where(testable, column, np.nan) for column in (low, high, p))
    value = np.where(np.isfinite(log_difference), np.exp(log_difference), np.nan)
    n_self = slice_counts[1][cells.own].sum(axis=0).astype(np.int64)
    return AgainstRest(within.value, rest.value, value, low, high, p, n_self, instances)


@dataclass(frozen=True, eq=False)
class _Linear:
    """A ratio for each slice, and how its logarithm changes with each count: shape (generators, slices)."""

    value: Floats
    by_over: Floats
    by_failed: Floats

    @classmethod
    def of(cls, over: Floats, failed: Floats, cells: SliceCells) -> "_Linear":
        rates = rate(over, failed)
        o_self, o_other = (mean_of_defined(rates.T, who) for who in (cells.own, cells.other))
        defined = cells.other[:, None] & ~np.isnan(rates)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(defined, -1 / (defined.sum(axis=0) * o_other), 0.0)
            weight = np.where(cells.own[:, None], 1 / o_self, share)
            by_over = np.where(failed > 0, weight / failed, 0.0)
        slope = np.nan_to_num(by_over, nan=0.0, posinf=0.0, neginf=0.0)
        return cls(ratio(o_self, o_other), slope, -slope * np.nan_to_num(rates))


def _squares(cells: SliceCells, within: _Linear, rest: _Linear) -> Floats:
    """Return the sum over instances of the squared influence on log R(slice) - log R(rest).

    Outside its slice's cells an instance moves only the rest, by its totals times the rest's slopes: the sum
    of those squares is a quadratic form in the slopes. The cells then add their own part.
    """
    counts = np.concatenate([cells.over, cells.failed])
    totals = _summed(counts, cells.instance_of, cells.n_instances)
    slopes = -np.concatenate([rest.by_over, rest.by_failed])
    without = np.einsum("cs,cd,ds->s", slopes, totals @ totals.T, slopes, optimize=True)
    part, base = np.zeros(len(cells.slice_of)), np.zeros(len(cells.slice_of))
    by_over, by_failed = within.by_over + rest.by_over, within.by_failed + rest.by_failed
    for over, failed, a, b in zip(cells.over, cells.failed, by_over, by_failed, strict=True):
        part += over * a[cells.slice_of] + failed * b[cells.slice_of]
    for slope, total in zip(slopes, totals, strict=True):
        base += slope[cells.slice_of] * total[cells.instance_of]
    besides = np.bincount(cells.slice_of, (2 * base + part) * part, cells.n_slices)
    squares = without + besides
    rounding = ROUNDING * (without + np.bincount(cells.slice_of, part**2, cells.n_slices))
    return np.asarray(np.where(squares > rounding, squares, 0.0))


def _summed(counts: Numbers, place: Ints, size: int) -> Floats:
    return np.stack([np.bincount(place, row, size) for row in counts])


def _instances(cells: SliceCells) -> Ints:
    """Return how many instances have own failures, in the slice or the rest, whichever is smaller."""
    own = cells.failed[cells.own].sum(axis=0) > 0
    inside = np.bincount(cells.slice_of[own], minlength=cells.n_slices)
    where, times = np.unique(cells.instance_of[own], return_counts=True)
    single = np.isin(cells.instance_of[own], where[times == 1])
    only = np.bincount(cells.slice_of[own][single], minlength=cells.n_slices)
    return np.minimum(inside, len(where) - only)
