"""A slice's ratio against the rest's, with a linearised interval: thousands of slices at once.

The bootstrap of section 13 would draw every slice a thousand times. Here the logarithm of the ratio is
linearised in the counts of each instance instead, so that its variance over clusters is a sum of squares.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from engine.metrics.overestimation import Bools, Floats, mean_over, rate, ratio

Ints = NDArray[np.int64]

_ROUNDING = 1e-12
"""A sum of squares below this share of what it is the difference of is 0."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts of one judge in cells, each of one slice and one instance; the slices share no rubric.

    `over` and `failed` have shape (generators, cells); `own` and `other` mark the judge itself and those
    outside its family, shape (generators,).
    """

    over: NDArray[np.number]
    failed: NDArray[np.number]
    slice_of: Ints
    instance_of: Ints
    n_slices: int
    n_instances: int
    own: Bools
    other: Bools


@dataclass(frozen=True)
class AgainstRest:
    """For each slice, shape (slices,): its ratio, the rest's, and the ratio of the two.

    NaN where undefined: a part is missing or 0. `n_self` counts the judge's own unfavourable references in
    the slice, `instances` those that have any (the smaller of the slice's and the rest's). `p` is two-sided.
    """

    ratio: Floats
    rest: Floats
    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    n_self: Ints
    instances: Ints


def against_rest(cells: Cells, level: float = 0.95) -> AgainstRest:
    """Compare each slice's HSPP ratio with that of all other rubrics (MEASURES sections 2, 6 and 13).

    difference = R(slice) / R(rest). The variance of its logarithm is the sum over instances of the squared
    influence of each, taken as clusters; the interval is that of Student's t with one degree of freedom less
    than there are instances with own failures on the thinner side. Undefined where either ratio is
    undefined or 0; interval and p also where that side has fewer than 2 instances.
    """
    inside = _by_slice(cells.over, cells), _by_slice(cells.failed, cells)
    outside = (
        inside[0].sum(axis=-1, keepdims=True) - inside[0],
        inside[1].sum(axis=-1, keepdims=True) - inside[1],
    )
    here, there = _Linear.of(*inside, cells), _Linear.of(*outside, cells)
    instances = _instances(cells)
    n = cells.n_instances
    with np.errstate(divide="ignore", invalid="ignore"):
        log_difference = np.log(here.value) - np.log(there.value)
        error = np.sqrt(_squares(cells, here, there) * n / max(n - 1, 1))
        freedom = np.maximum(instances - 1, 1)
        reach = stats.t.ppf((1 + level) / 2, freedom) * error
        p = 2 * stats.t.sf(np.abs(log_difference) / error, freedom)
    told = np.isfinite(log_difference) & (error > 0) & (instances > 1)
    low, high = np.exp(log_difference - reach), np.exp(log_difference + reach)
    low, high, p = (np.where(told, column, np.nan) for column in (low, high, p))
    value = np.where(np.isfinite(log_difference), np.exp(log_difference), np.nan)
    n_self = inside[1][cells.own].sum(axis=0).astype(np.int64)
    return AgainstRest(here.value, there.value, value, low, high, p, n_self, instances)


@dataclass(frozen=True, eq=False)
class _Linear:
    """A ratio for each slice, and how its logarithm moves with each count: shape (generators, slices)."""

    value: Floats
    by_over: Floats
    by_failed: Floats

    @classmethod
    def of(cls, over: Floats, failed: Floats, cells: Cells) -> "_Linear":
        rates = rate(over, failed)
        o_self, o_other = (mean_over(rates.T, who[None, :]) for who in (cells.own, cells.other))
        counted = cells.other[:, None] & ~np.isnan(rates)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(counted, -1 / (counted.sum(axis=0) * o_other), 0.0)
            weight = np.where(cells.own[:, None], 1 / o_self, share)
            by_over = np.where(failed > 0, weight / failed, 0.0)
        slope = np.nan_to_num(by_over, nan=0.0, posinf=0.0, neginf=0.0)
        return cls(ratio(o_self, o_other), slope, -slope * np.nan_to_num(rates))


def _squares(cells: Cells, here: _Linear, there: _Linear) -> Floats:
    """Return the sum over instances of the squared influence on log R(slice) - log R(rest).

    Outside its slice's cells an instance moves the rest alone, by its totals times the rest's slopes: the sum
    of those squares is a quadratic form in the slopes. The cells then put in what they hold besides.
    """
    totals = np.concatenate([_by_instance(counts, cells) for counts in (cells.over, cells.failed)])
    slopes = -np.concatenate([there.by_over, there.by_failed])
    without = np.einsum("cs,cd,ds->s", slopes, totals @ totals.T, slopes, optimize=True)
    part, base = np.zeros(len(cells.slice_of)), np.zeros(len(cells.slice_of))
    for over, failed, a, b, c, d in zip(
        cells.over, cells.failed, here.by_over, here.by_failed, there.by_over, there.by_failed, strict=True
    ):
        part += over * (a + c)[cells.slice_of] + failed * (b + d)[cells.slice_of]
    for slope, total in zip(slopes, totals, strict=True):
        base += slope[cells.slice_of] * total[cells.instance_of]
    besides = np.bincount(cells.slice_of, (2 * base + part) * part, cells.n_slices)
    squares = without + besides
    lost = _ROUNDING * (without + np.bincount(cells.slice_of, part**2, cells.n_slices))
    return np.asarray(np.where(squares > lost, squares, 0.0))


def _by_slice(counts: NDArray[np.number], cells: Cells) -> Floats:
    return np.stack([np.bincount(cells.slice_of, row, cells.n_slices) for row in counts])


def _by_instance(counts: NDArray[np.number], cells: Cells) -> Floats:
    return np.stack([np.bincount(cells.instance_of, row, cells.n_instances) for row in counts])


def _instances(cells: Cells) -> Ints:
    """Return, of the slice and the rest, the fewer instances that have own failures."""
    own = cells.failed[cells.own].sum(axis=0) > 0
    inside = np.bincount(cells.slice_of[own], minlength=cells.n_slices)
    where, times = np.unique(cells.instance_of[own], return_counts=True)
    single = np.isin(cells.instance_of[own], where[times == 1])
    only = np.bincount(cells.slice_of[own][single], minlength=cells.n_slices)
    return np.minimum(inside, len(where) - only)
