"""Cluster bootstrap, intervals, p, BH, small-sample and delta-method variants."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from engine.stats import Bools, Floats, Ints, Numbers, Weights
from engine.stats.pairs import position_shares
from engine.stats.self_preference import mean_of_defined, rate, ratio

# ------------------------------------------------------------------------------
# Cluster bootstrap, p-values and their adjustment (MEASURES section 13).


MOST_UNDEFINED = 0.05  # the share of undefined resamples above which there is no interval
_EXACT_IN_FLOAT32 = 2**24  # of the largest sum: the weights of a resample add up to the number of clusters
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Interval:
    """Percentile intervals, shape (values,): NaN where too many resamples are `undefined`, counted there."""

    low: Floats
    high: Floats
    undefined: Ints


def cluster_weights(n_clusters: int, resamples: int, rng: np.random.Generator) -> Weights:
    """Return how often each resample drew each cluster: shape (resamples, clusters)."""
    weights = np.empty((resamples, n_clusters), dtype=np.float32)
    for row in weights:
        row[:] = np.bincount(rng.integers(0, n_clusters, n_clusters), minlength=n_clusters)
    return weights


def resample(per_cluster: Numbers, weights: Weights) -> Floats:
    """Return the resampled sums of `per_cluster`, shape (..., clusters), as (resamples, ...).

    Whole numbers whose sums stay below 2**24 are added exactly in single precision, at half the cost, and
    empty clusters are skipped if there are many.
    """
    flat = per_cluster.reshape(-1, per_cluster.shape[-1])
    integer = np.issubdtype(flat.dtype, np.integer)
    exact = integer and float(np.abs(flat).max(initial=0)) * weights.shape[1] < _EXACT_IN_FLOAT32
    kind = np.float32 if exact else np.float64
    occupied = np.flatnonzero(flat.any(axis=0))
    if exact and 2 * len(occupied) < flat.shape[1]:
        flat, weights = flat[:, occupied], weights[:, occupied]
    sums = np.matmul(weights.astype(kind, copy=False), flat.astype(kind, copy=False).T)
    return np.asarray(sums, dtype=np.float64).reshape(len(weights), *per_cluster.shape[:-1])


def percentile_interval(draws: Floats, level: float = 0.95, tails: Floats | None = None) -> Interval:
    """Return the percentile interval of each column of `draws`, shape (resamples, values).

    Undefined (NaN) draws are dropped and counted; above 5 % of them there is no interval. Quantiles
    interpolate linearly. `tails`, shape (values,): the shares cut off at each end, else (1 - level) / 2.
    """
    resamples = len(draws)
    ordered = np.sort(np.ascontiguousarray(draws.T), axis=-1)  # NaN come last; rows sort faster than columns
    undefined = np.isnan(ordered).sum(axis=-1)
    defined = resamples - undefined
    enough = (defined > 0) & (undefined <= MOST_UNDEFINED * resamples)
    tail = np.full(len(ordered), (1 - level) / 2) if tails is None else tails
    low, high = (_quantile(ordered, defined, q) for q in (tail, 1 - tail))
    return Interval(np.where(enough, low, np.nan), np.where(enough, high, np.nan), undefined)


def _quantile(ordered: Floats, defined: Ints, q: Floats) -> Floats:
    last, row = np.maximum(defined - 1, 0), np.arange(len(ordered))
    place = last * q
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, last)
    lower, upper = ordered[row, below], ordered[row, above]
    return lower + (place - below) * (upper - lower)


def bootstrap_p(draws: Floats, null: float) -> Floats:
    """Return the two-sided p-value of each column of `draws` against `null`.

    p = min(1, 2 (min(k, l) + 1) / (B + 1)): of B defined draws k are at or below the null value and l at or
    above it, rounding aside. NaN where none is defined.
    """
    defined = (~np.isnan(draws)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        below, above = (draws <= null + _ROUNDING).sum(axis=0), (draws >= null - _ROUNDING).sum(axis=0)
    p = np.minimum(1.0, 2 * (np.minimum(below, above) + 1) / (defined + 1))
    return np.where(defined > 0, p, np.nan)


def benjamini_hochberg(p: Floats) -> Floats:
    """Return the adjusted p-values of one family of tests; NaN stay NaN and are not counted."""
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN last
    steps = p[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1])
    return adjusted


def holm(p: Floats, tests: int) -> Floats:
    """Return p-values adjusted to bound the chance of any false rejection among `tests`.

    `p` are the smallest of them: the others are taken to be no smaller. NaN stay NaN.
    """
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN last
    steps = p[order] * np.maximum(tests - np.arange(len(order)), 1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


# ------------------------------------------------------------------------------
# Percentile intervals widened for numbers based on few cases (MEASURES section 13).


_NO_SPREAD = 1e-30  # of a number that is the same in every resample, but for rounding


@dataclass(frozen=True, eq=False)
class Expansion:
    """How much to widen percentile intervals: `freedom` has one entry for each column of draws.

    The normal quantile becomes t sqrt(n / (n - 1)), t with `freedom` degrees of freedom and n the number of
    `clusters`; the factor is that by which a bootstrap of n clusters falls short.
    """

    freedom: Floats
    clusters: int

    @classmethod
    def of(cls, draws: Floats, weights: Weights) -> "Expansion":
        return cls(degrees_of_freedom(draws, weights), weights.shape[1])

    def interval(self, draws: Floats) -> Interval:
        """Return the expanded interval of each column; undefined draws count as in `percentile_interval`."""
        z = stdtrit(self.freedom, (1 - 0.95) / 2) * self._factor
        return percentile_interval(draws, tails=np.asarray(ndtr(z), dtype=np.float64))

    def p(self, draws: Floats, null: float) -> Floats:
        """Return the two-sided p-value that matches the interval, NaN where `bootstrap_p` is."""
        z = ndtri(bootstrap_p(draws, null) / 2)
        return np.asarray(2 * stdtr(self.freedom, z / self._factor), dtype=np.float64)

    @property
    def _factor(self) -> float:
        return float(np.sqrt(self.clusters / max(self.clusters - 1, 1)))


def degrees_of_freedom(draws: Floats, weights: Weights) -> Floats:
    """Return the degrees of freedom of the bootstrap variance of each column, shape (values,).

    With u the influence of a cluster on the number, the variance is a sum of u^2, whose own relative variance
    is (kurtosis of u - 1) / n; Satterthwaite's degrees of freedom are 2 over that, clipped to 1 to n - 1. The
    influences are the covariances of the draws with the weights (the infinitesimal jackknife). B draws give
    each of them a noise of variance var(draws) / B, which is subtracted from both moments.
    """
    resamples, clusters = weights.shape
    most, defined = max(clusters - 1.0, 1.0), ~np.isnan(draws)
    mean = np.where(defined, draws, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    centred = np.where(defined, draws - mean, 0.0)
    powers = np.matmul((weights - 1).T, centred) / resamples  # of the influences, squared in place twice
    noise = (centred**2).sum(axis=0) / resamples**2
    powers *= powers
    second = powers.sum(axis=0) - clusters * noise
    powers *= powers
    fourth = powers.sum(axis=0) - 6 * noise * second - 3 * clusters * noise**2
    relative = fourth - second**2 / clusters
    clear = (second > _NO_SPREAD) & (relative * most > 2 * second**2)
    freedom = np.divide(2 * second**2, relative, out=np.full(len(second), most), where=clear)
    return np.asarray(np.maximum(freedom, 1.0), dtype=np.float64)


# ------------------------------------------------------------------------------
# Resamples with a case or two added on each side, for shares and ratios of few cases (MEASURES section 13).


OF_A_SHARE, OF_A_DIFFERENCE, OF_A_RATIO, OF_A_CHANGE = 2.0, 1.0, 1.0, 0.25
"""Cases added on each side; fewer for changes: most cases do not change, and one each is too cautious."""


def padded_share(hits: Floats, trials: Floats, each: float, rng: np.random.Generator) -> Floats:
    """Return the resampled share with `each` hits and as many misses added; NaN where there is no trial.

    Resampled counts have shape (resamples, ...); values of one resample share the cases added to it.
    """
    hit, miss = _added_cases(hits, each, rng), _added_cases(hits, each, rng)
    return np.where(trials > 0, rate(hits + hit, np.maximum(trials + hit + miss, 1)), np.nan)


def padded_change(net: Floats, trials: Floats, rng: np.random.Generator) -> Floats:
    """Return the resampled change of a share on the same cases, with a few gains and losses added.

    `net` are hits afterwards less hits before (Bonett and Price, JEBS 37, 2012). NaN without a trial.
    """
    gains, losses = (_added_cases(net, OF_A_CHANGE, rng) for _ in range(2))
    return np.where(trials > 0, rate(net + gains - losses, np.maximum(trials + gains + losses, 1)), np.nan)


def padded_ratio(one: Floats, other: Floats, rng: np.random.Generator) -> Floats:
    """Return the resampled ratio of two counts with a case added to each; NaN where the other is 0."""
    added, added_other = (_added_cases(one, OF_A_RATIO, rng) for _ in range(2))
    return ratio(one + added, np.where(other > 0, other + added_other, 0.0))


def _added_cases(like: Floats, each: float, rng: np.random.Generator) -> Floats:
    """Return how many added cases each resample has, in a shape that broadcasts over its values."""
    number = rng.poisson(each, size=len(like)).astype(np.float64)
    return number.reshape(-1, *(1,) * (like.ndim - 1))


# ------------------------------------------------------------------------------
# A slice's ratio against the rest's, with a linearised interval: thousands of slices at once.


@dataclass(frozen=True, eq=False)
class Cells:
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


def against_rest(cells: Cells) -> AgainstRest:
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
    def of(cls, over: Floats, failed: Floats, cells: Cells) -> "_Linear":
        rates = rate(over, failed)
        o_self, o_other = (mean_of_defined(rates.T, who) for who in (cells.own, cells.other))
        defined = cells.other[:, None] & ~np.isnan(rates)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(defined, -1 / (defined.sum(axis=0) * o_other), 0.0)
            weight = np.where(cells.own[:, None], 1 / o_self, share)
            by_over = np.where(failed > 0, weight / failed, 0.0)
        slope = np.nan_to_num(by_over, nan=0.0, posinf=0.0, neginf=0.0)
        return cls(ratio(o_self, o_other), slope, -slope * np.nan_to_num(rates))


def _squares(cells: Cells, within: _Linear, rest: _Linear) -> Floats:
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
    rounding = _ROUNDING * (without + np.bincount(cells.slice_of, part**2, cells.n_slices))
    return np.asarray(np.where(squares > rounding, squares, 0.0))


def _summed(counts: Numbers, place: Ints, size: int) -> Floats:
    return np.stack([np.bincount(place, row, size) for row in counts])


def _instances(cells: Cells) -> Ints:
    """Return how many instances have own failures, in the slice or the rest, whichever is smaller."""
    own = cells.failed[cells.own].sum(axis=0) > 0
    inside = np.bincount(cells.slice_of[own], minlength=cells.n_slices)
    where, times = np.unique(cells.instance_of[own], return_counts=True)
    single = np.isin(cells.instance_of[own], where[times == 1])
    only = np.bincount(cells.slice_of[own][single], minlength=cells.n_slices)
    return np.minimum(inside, len(where) - only)


# ------------------------------------------------------------------------------
# Intervals for bias costs: sums of distances, which chance alone makes larger (MEASURES sections 12, 13).


_FACTORS = 40
_SPREADS = 4  # standard errors that factors reach above the observed cost; twice as many below, down to 0


def cost_draws(selections: Numbers, draws: Floats, orderings: Ints) -> Floats:
    """Return quantiles of the plausible true cost of each ordering, shape (resamples, orderings).

    `selections` has shape (scores, positions), `draws` (resamples, scores, positions). The k-th of B values
    is the true cost under which one as high as observed has chance (k - 1/2) / B; 0 where it is likelier by
    chance alone. In percent points, ascending; the order of the resamples is lost.
    """
    distances = np.nan_to_num(_distances(selections, orderings))
    chance = np.nan_to_num(_distances(draws, orderings) - distances)
    of_each = [_quantiles(distances[place], chance[:, place]) for place in range(len(orderings))]
    return np.stack(of_each, axis=1)


def _distances(selections: Numbers, orderings: Ints) -> Floats:
    """Return P(p | s) - 1/n of the score s at each position p of each ordering, NaN for one never chosen."""
    n = selections.shape[-1]
    return np.asarray((position_shares(selections) - 1 / n)[..., orderings, np.arange(n)])


def _quantiles(distance: Floats, chance: Floats) -> Floats:
    """Return the quantiles for one ordering, from distances (positions,) and (resamples, positions)."""
    cost = float(np.abs(distance).sum())
    if cost == 0:
        return np.zeros(len(chance))
    spread = float(np.abs(distance + chance).sum(axis=1).std())
    lowest, highest = (max(0.0, 1 + side * _SPREADS * spread / cost) for side in (-2, 1))
    factors = np.linspace(lowest, highest, _FACTORS)
    tail = np.array([(np.abs(f * distance + chance).sum(axis=1) >= cost).mean() for f in factors])
    tail = np.maximum.accumulate(tail)
    level = (np.arange(len(chance)) + 0.5) / len(chance)
    factor = np.interp(level, tail + 1e-12 * np.arange(_FACTORS), factors)
    return np.asarray(100 * cost * np.where(level <= tail[0], lowest, factor))
