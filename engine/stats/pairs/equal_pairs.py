"""Self-preference on pairs of equal quality: its tests, and its mitigation (MEASURES section 9; EQP)."""

import numpy as np
from scipy.special import betainc, ndtr

from engine.stats import Bools, Counts, Floats, Weights
from engine.stats.ratios import rate, ratio

ALPHA = 0.05
_Z = 1.959963985


def self_preference_bias(firm: Counts, n: Counts, null_firm: Counts, m: Counts) -> Floats:
    """Return SPB = PIR - Null-PIR (EQP equation 8) from firm choices of the target; NaN if one is missing."""
    return rate(firm, n) - rate(null_firm, m)


def two_proportion_z(firm: Counts, n: Counts, null_firm: Counts, m: Counts) -> Floats:
    """Return z of PIR against Null-PIR, their pooled share p; NaN where p is 0 or 1, or a side is empty."""
    pooled = rate(firm + null_firm, n + m)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return ratio(self_preference_bias(firm, n, null_firm, m), spread)


def one_sided_p(z: Floats) -> Floats:
    """Return the tail of the normal distribution beyond z, in the direction of z; one half at 0."""
    return np.asarray(ndtr(-np.abs(z)))


def binomial_p(firm: Counts, n: Counts, null_firm: Counts, m: Counts, exact: bool = False) -> Floats:
    """Return the binomial tail of the firm self-choices against Null-PIR, in the direction of SPB.

    The share tested is q where `exact`, else the near end of its interval: q + 1.96 sqrt(q (1 - q) / m), or
    minus for an SPB below 0, clipped to [0, 1]. NaN where q is 0 or 1, SPB is 0 or a side is empty.
    """
    q, direction = rate(null_firm, m), np.sign(firm * m - null_firm * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        near_end = q if exact else q + direction * _Z * np.sqrt(q * (1 - q) / m)
    p0 = np.clip(near_end, 0.0, 1.0)
    tail = np.where(direction > 0, at_least(firm, n, p0), at_most(firm, n, p0))
    return np.where((direction == 0) | (q == 0) | (q == 1) | np.isnan(q), np.nan, tail)


def at_least(k: Counts, n: Counts, p: Floats | float) -> Floats:
    """Return P(X >= k) of a binomial of n trials; 1 at k = 0, NaN without a trial."""
    inside = (k > 0) & (k <= n)
    with np.errstate(invalid="ignore"):
        tail = betainc(np.where(inside, k, 1), np.where(inside, n - k + 1, 1), p)
    return np.where(n > 0, np.where(inside, tail, np.where(k <= 0, 1.0, 0.0)), np.nan)


def at_most(k: Counts, n: Counts, p: Floats | float) -> Floats:
    """Return P(X <= k), as the chance of at least n - k misses."""
    return at_least(n - k, n, 1 - p)


def significant(z_p: Floats, binomial: Floats, low: Floats, high: Floats) -> Bools:
    """Return where two or all tests reject at 0.05, the third if the interval excludes 0; NaN never does."""
    with np.errstate(invalid="ignore"):
        votes = (z_p < ALPHA).astype(int) + (binomial < ALPHA) + ((low > 0) | (high < 0))
    return np.asarray(votes >= 2)


def two_stage(hits: Counts, trials: Counts, weights: Weights, rng: np.random.Generator) -> Floats:
    """Return resampled shares where the pairs within a resampled question are resampled too.

    `hits` and `trials` have shape (judges, instances), `weights` (resamples, instances); the result has shape
    (resamples, judges). A question drawn w times gives w n pairs, each a hit with the question's share.
    """
    shares = np.empty((len(weights), len(hits)))
    for judge, (hit, trial) in enumerate(zip(hits, trials, strict=True)):
        questions = np.flatnonzero(trial)
        drawn_trials = weights[:, questions].astype(np.int64) * trial[questions]
        drawn_hits = rng.binomial(drawn_trials, hit[questions] / trial[questions])
        shares[:, judge] = rate(drawn_hits.sum(axis=1), drawn_trials.sum(axis=1))
    return shares


def mcnemar_p(gains: Counts, losses: Counts) -> Floats:
    """Return the exact two-sided p of McNemar's test; NaN where nothing changed."""
    changed = gains + losses
    tail = at_most(np.minimum(gains, losses), changed, 0.5)
    return np.where(changed > 0, np.minimum(1.0, 2 * tail), np.nan)


def reduction(baseline: Floats, variant: Floats) -> Floats:
    """Return by how much |SPB| falls."""
    return np.asarray(np.abs(baseline) - np.abs(variant))


def improvement(baseline: Floats, variant: Floats) -> Floats:
    """Return eta (EQP equation 9): the fall of |SPB| as a share of the baseline's; NaN where that is 0."""
    return ratio(reduction(baseline, variant), np.abs(baseline))
