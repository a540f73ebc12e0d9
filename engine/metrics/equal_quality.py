"""Self-preference on pairs of equal quality: tests, archetypes, mitigation (MEASURES section 9; EQP)."""

import numpy as np
from numpy.typing import NDArray

from engine.metrics.overestimation import rate, ratio

Floats = NDArray[np.float64]
Counts = NDArray[np.integer]
Bools = NDArray[np.bool_]

ALPHA = 0.05
BORDER_D, BORDER_SPB = 0.80, 0.05
TOLERANCE = 1e-9
_Z = 1.959963985

RANDOMIZER, OBJECTIVE = "Incompetent Randomizer", "Objective"
MACHIAVELLIAN, BLINDLY_BIASED = "Machiavellian", "Blindly Biased"


def self_preference_bias(firm: Counts, n: Counts, null_firm: Counts, m: Counts) -> Floats:
    """Return SPB = PIR - Null-PIR (EQP equation 8) from firm choices of the target; NaN without a part."""
    return rate(firm, n) - rate(null_firm, m)


def two_proportion_z(firm: Counts, n: Counts, null_firm: Counts, m: Counts) -> Floats:
    """Return z of PIR against Null-PIR, their pooled share p; NaN where p is 0 or 1, or a side is empty."""
    pooled = rate(firm + null_firm, n + m)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return ratio(self_preference_bias(firm, n, null_firm, m), spread)


def one_sided_p(z: Floats) -> Floats:
    """Return the tail of the normal distribution beyond z, in the direction of z; one half at 0."""
    from scipy.special import ndtr

    tail: Floats = ndtr(-np.abs(z))
    return tail


def binomial_p(firm: Counts, n: Counts, null_firm: Counts, m: Counts, known: bool = False) -> Floats:
    """Return the binomial tail of the firm self-choices against Null-PIR, in the direction of SPB.

    The share tested against is the near end of Null-PIR's interval, q + 1.96 sqrt(q (1 - q) / m) where SPB is
    above 0 and with a minus below, clipped to [0, 1]; or q itself where it is `known`. NaN where q is 0 or 1,
    where SPB is 0 or a side is empty.
    """
    q = rate(null_firm, m)
    direction = np.sign(firm * m - null_firm * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        near_end = q if known else q + direction * _Z * np.sqrt(q * (1 - q) / m)
    p0 = np.clip(near_end, 0.0, 1.0)
    tail = np.where(direction > 0, at_least(firm, n, p0), at_most(firm, n, p0))
    return np.where((direction == 0) | (q == 0) | (q == 1) | np.isnan(q), np.nan, tail)


def at_least(k: Counts, n: Counts, p: Floats | float) -> Floats:
    """Return P(X >= k) of a binomial of n trials; 1 at k = 0, NaN without a trial."""
    from scipy.special import betainc

    inside = (k > 0) & (k <= n)
    with np.errstate(invalid="ignore"):
        tail = betainc(np.where(inside, k, 1), np.where(inside, n - k + 1, 1), p)
    return np.where(n > 0, np.where(inside, tail, np.where(k <= 0, 1.0, 0.0)), np.nan)


def at_most(k: Counts, n: Counts, p: Floats | float) -> Floats:
    """Return P(X <= k), as the chance of at least n - k misses."""
    return at_least(n - k, n, 1 - p)


def significant(z_p: Floats, binomial: Floats, low: Floats, high: Floats) -> Bools:
    """Return where at least two of the three tests reject at 0.05; a test that is not there does not.

    The third rejects where the interval from `low` to `high` excludes 0.
    """
    with np.errstate(invalid="ignore"):
        votes = (z_p < ALPHA).astype(int) + (binomial < ALPHA) + ((low > 0) | (high < 0))
    return np.asarray(votes >= 2)


def two_stage(hits: Counts, trials: Counts, weights: NDArray[np.float32], rng: np.random.Generator) -> Floats:
    """Return resampled shares where the pairs within a resampled question are resampled too.

    `hits` and `trials` have shape (judges, instances), `weights` (resamples, instances); the result has shape
    (resamples, judges). A question drawn w times gives w n pairs, each a hit with the question's share.
    """
    drawn = np.empty((len(weights), len(hits)))
    for judge, (hit, trial) in enumerate(zip(hits, trials, strict=True)):
        there = np.flatnonzero(trial)
        asked = weights[:, there].astype(np.int64) * trial[there]
        found = rng.binomial(asked, hit[there] / trial[there])
        drawn[:, judge] = rate(found.sum(axis=1), asked.sum(axis=1))
    return drawn


def archetypes(d: Floats, spb: Floats) -> list[str | None]:
    """Return the archetype of each judge (EQP section 3.5); None where what it takes is not there."""
    return [_archetype(one, two) for one, two in zip(d, spb, strict=True)]


def _archetype(d: float, spb: float) -> str | None:
    if np.isnan(d):
        return None
    if d < BORDER_D - TOLERANCE:
        return RANDOMIZER
    if np.isnan(spb):
        return None
    if abs(spb) <= BORDER_SPB + TOLERANCE:
        return OBJECTIVE
    return MACHIAVELLIAN if spb > 0 else BLINDLY_BIASED


def crosses(low: float, high: float, border: float) -> bool:
    """Return whether an interval holds a border inside; one that is not there crosses nothing."""
    return bool(low < border - TOLERANCE and high > border + TOLERANCE)


def open_archetypes(d: tuple[float, float], spb: tuple[float, float]) -> list[str]:
    """Return the archetypes at the ends of the intervals and between, in the order of D, then of SPB."""
    between = [end for end in (spb[0], 0.0, spb[1]) if spb[0] <= end <= spb[1]]
    found = {_archetype(one, two) for one in d for two in (between or [np.nan])}
    return [kind for kind in (RANDOMIZER, BLINDLY_BIASED, OBJECTIVE, MACHIAVELLIAN) if kind in found]


def mcnemar_p(gained: Counts, lost: Counts) -> Floats:
    """Return the exact two-sided p of McNemar's test; NaN where nothing changed."""
    changed = gained + lost
    fewer = np.minimum(gained, lost)
    tail = at_most(fewer, changed, 0.5)
    return np.where(changed > 0, np.minimum(1.0, 2 * tail), np.nan)


def reduction(baseline: Floats, variant: Floats) -> Floats:
    """Return by how much |SPB| falls."""
    fallen: Floats = np.abs(baseline) - np.abs(variant)
    return fallen


def improvement(baseline: Floats, variant: Floats) -> Floats:
    """Return eta (EQP equation 9): the fall of |SPB| as a share of the baseline's; NaN where that is 0."""
    return ratio(reduction(baseline, variant), np.abs(baseline))
