"""How much likelier scores are if places of options attract a rater as they do models (`model-likeness`).

Counts have shape (..., folds, raters, scores, positions), leading axes are resamples: `selections` how often
a score was given where it stood at a position, `shown` how often it stood there. A fold is a part of the
questions; a rater's scores are held against the pull of other raters on other folds.
"""

import numpy as np
from scipy.special import logsumexp

from engine.stats import Floats, Ints, Numbers
from engine.stats.ratios import rate

FOLDS = 5
"""Parts of the questions; with fewer questions, as many as there are."""


def place_pull(selections: Numbers, shown: Numbers) -> Floats:
    """Return how many times likelier each score is where it stands than over all positions; 1 if never given.

    First the pull of a position on all scores alike, then what a score has beyond it. Both are observed over
    expected, shrunk to 1 by 1 - df / chi-square, at least 0 (James and Stein): noise alone leaves 1, so that
    few scores by a model are no evidence about others. Always above 0.
    """
    n = selections.shape[-1]
    share = np.nan_to_num(rate(selections.sum(axis=-1), shown.sum(axis=-1)))[..., None]
    expected = np.asarray(shown * share)
    at_position = selections.sum(axis=-2, keepdims=True)
    of_position = _shrunk(at_position, expected.sum(axis=-2, keepdims=True), n - 1)
    return np.multiply(of_position, _shrunk(selections, np.multiply(expected, of_position), (n - 1) ** 2))


def _shrunk(observed: Numbers, expected: Floats, df: int) -> Floats:
    """Return observed over expected, shrunk to 1 as far as chance explains it; 1 where none is expected."""
    some = expected > 0
    divisor = np.where(some, expected, 1)
    deviation = np.where(some, observed - expected, 0.0)
    chi_square = (deviation**2 / divisor).sum(axis=(-2, -1), keepdims=True)
    beyond_chance = np.clip(1 - df / np.maximum(chi_square, 1e-12), 0, 1)
    return np.asarray(1 + beyond_chance * deviation / divisor)


def place_evidence(pull: Floats, shown: Numbers) -> Floats:
    """Return what a score at a position says for this pull against none: a log likelihood ratio.

    log of w(s, p) / sum over q of a(q | s) w(s, q), where a(q | s) is how often score s stood at q for the
    rater: how often it gives each score does not count, nor which orderings it was shown. 0 for a score that
    stood at one position only.
    """
    usual = (rate(shown, shown.sum(axis=-1, keepdims=True)) * pull).sum(axis=-1, keepdims=True)
    return np.asarray(np.nan_to_num(np.log(pull / usual)))


def log_ratios(selections: Numbers, shown: Numbers, rater: int, others: Ints) -> Floats:
    """Return the log likelihood ratio of a rater's scores for the pull of each other rater: (..., others)."""
    rest = [
        counts[..., others, :, :].sum(axis=-4, keepdims=True) - counts[..., others, :, :]
        for counts in (selections, shown)
    ]
    own_shown = shown[..., rater, :, :].sum(axis=-3)[..., None, None, :, :]
    evidence = place_evidence(place_pull(*rest), own_shown)
    return np.asarray((selections[..., rater, None, :, :] * evidence).sum(axis=(-4, -2, -1)))


def mean_likelihood(ratios: Floats) -> Floats:
    """Return the log of the mean ratio over others, the last axis: each is as likely beforehand."""
    return np.asarray(logsumexp(ratios, axis=-1) - np.log(ratios.shape[-1]))
