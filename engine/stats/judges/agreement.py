"""How far two sources agree, from counts of their joint values (MEASURES section 14)."""

import numpy as np

from engine.stats import Floats
from engine.stats.ratios import rate, ratio

STEPS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0)  # score differences up to which shares are reported
FEWEST = 3  # fewest items for a correlation


def share_equal(table: Floats) -> Floats:
    """Return the share of items on which both sources agree."""
    return rate(np.trace(table, axis1=-2, axis2=-1), table.sum(axis=(-2, -1)))


def cohens_kappa(table: Floats) -> Floats:
    """Return Cohen's kappa; NaN where chance alone would make them always agree."""
    total = table.sum(axis=(-2, -1))
    expected = rate((table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1), total**2)
    expected = np.where(np.abs(1 - expected) < 1e-12, 1.0, expected)
    return ratio(share_equal(table) - expected, 1 - expected)


def balanced_f1(table: Floats) -> Floats:
    """Return the mean F1 of two classes, whichever source is taken as true; NaN if both lack a class."""
    hits = np.diagonal(table, axis1=-2, axis2=-1)
    return np.asarray(rate(2 * hits, table.sum(axis=-1) + table.sum(axis=-2)).mean(axis=-1))


def win_shares(table: Floats) -> tuple[Floats, Floats]:
    """Return the share of items in the highest class, by source; the middle one of three counts one half."""
    worth, total = np.linspace(0, 1, table.shape[-1]), table.sum(axis=(-2, -1))
    one, other = (rate((table.sum(axis=axis) * worth).sum(axis=-1), total) for axis in (-1, -2))
    return one, other


def weighted_pearson(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Return Pearson's r of two series, (items,) or (..., items), under weights of shape (..., items).

    NaN if a side is constant or the weights add up to less than three.
    """
    total = weights.sum(axis=-1)

    def moment(values: Floats) -> Floats:
        return rate((weights * values).sum(axis=-1), total)

    a, b = a - moment(a)[..., None], b - moment(b)[..., None]
    spread = moment(a * a) * moment(b * b)
    r = ratio(moment(a * b), np.where(spread > 1e-24, np.sqrt(spread), 0.0))
    return np.where(total >= FEWEST, r, np.nan)


def weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """Return the average rank of each item in each weighted sample, shape (..., items)."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=-np.inf) > 0)
    groups = np.add.reduceat(weights[..., order], starts, axis=-1)
    middle = np.cumsum(groups, axis=-1) - groups + (groups + 1) / 2
    group_of = np.searchsorted(starts, np.arange(len(values)), side="right") - 1
    ranks = np.empty(weights.shape)
    ranks[..., order] = middle[..., group_of]
    return ranks


def weighted_spearman(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Return Spearman's rho of two series, shape (items,), under weights of shape (..., items)."""
    return weighted_pearson(weighted_ranks(a, weights), weighted_ranks(b, weights), weights)
