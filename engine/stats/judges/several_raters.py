"""How far several people who label the same items agree (MEASURES section 9, human check)."""

from itertools import combinations
from typing import Literal

import numpy as np

from engine.stats import Bools, Floats, Ints
from engine.stats.ratios import rate, ratio

Level = Literal["nominal", "ordinal", "interval"]


def label_counts(labels: Ints, classes: int) -> Ints:
    """Return how many people gave each label, from labels of shape (items, people), -1 for none."""
    return np.stack([(labels == label).sum(axis=1) for label in range(classes)], axis=1).astype(np.int64)


def fleiss_kappa(counts: Ints, weights: Floats | None = None) -> Floats:
    """Return Fleiss' kappa, (P - P_e) / (1 - P_e); NaN where all labels are of one class.

    P is the mean over items of the share of pairs of people who agree, P_e the sum of the squared shares of
    the classes (Fleiss, Psychological Bulletin 76, 1971). People may be missing: the pairs of an item are
    those of the people who labelled it, and the shares are over all labels of the items counted.
    """
    counts, weights = _of_several(counts, weights)
    people = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / np.maximum(people * (people - 1), 1)
    observed = rate(weights @ agreeing, weights.sum(axis=-1))
    shares = rate(weights @ counts, (weights @ people)[..., None])
    expected = (shares**2).sum(axis=-1)
    return ratio(observed - expected, np.where(1 - expected > 1e-12, 1 - expected, 0.0))


def krippendorff_alpha(
    counts: Ints, level: Level, values: Floats | None = None, weights: Floats | None = None
) -> Floats:
    """Return Krippendorff's alpha, 1 - D_o / D_e; NaN where all labels are alike.

    D_o is the mean disagreement of two labels of one item, D_e that of any two labels of the items counted.
    Two labels disagree by 1 where they differ (nominal), by the square of the number of labels between them,
    each of their own classes counting one half (ordinal), or by the square of their difference (interval;
    `values` are the classes' numbers). Classes come in ascending order. Labels may be missing.
    Krippendorff, Content Analysis, 2004, chapter 11.
    """
    counts, weights = _of_several(counts, weights)
    people = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1], dtype=int)
    each = (pairs / np.maximum(people - 1, 1)[:, None, None]).reshape(len(counts), -1)
    together = (weights @ each).reshape(*weights.shape[:-1], *pairs.shape[1:])
    totals = together.sum(axis=-1)
    distance = _distances(totals, level, values)
    number = totals.sum(axis=-1)
    observed = rate((together * distance).sum(axis=(-2, -1)), number)
    any_two = (totals[..., :, None] * totals[..., None, :] * distance).sum(axis=(-2, -1))
    return 1 - ratio(observed, rate(any_two, number * (number - 1)))


def _of_several(counts: Ints, weights: Floats | None) -> tuple[Ints, Floats]:
    """Return the items that at least two people labelled, and their weights."""
    several, weights = counts.sum(axis=1) > 1, np.ones(len(counts)) if weights is None else weights
    return counts[several], np.asarray(weights[..., several], dtype=np.float64)


def _distances(totals: Floats, level: Level, values: Floats | None) -> Floats:
    """Return by how much two labels disagree: shape (..., classes, classes), leading axes are resamples."""
    n = totals.shape[-1]
    if level == "nominal":
        return 1.0 - np.eye(n)
    if level == "interval":
        numbers = np.arange(n, dtype=np.float64) if values is None else values
        return np.asarray((numbers[:, None] - numbers[None, :]) ** 2)
    middle = np.cumsum(totals, axis=-1) - totals / 2
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


def pair_tables(labels: Ints, classes: int, weights: Floats | None = None) -> Floats:
    """Return the joint counts of every two people: shape (pairs of people, ..., classes, classes).

    `labels` has shape (items, people), -1 for none; items that either has not labelled are not counted.
    """
    weights = np.ones(len(labels)) if weights is None else weights
    tables = []
    for one, two in combinations(labels.T, 2):
        both = np.flatnonzero((one >= 0) & (two >= 0))
        marks = np.eye(classes**2)[one[both] * classes + two[both]]
        tables.append(weights[..., both] @ marks)
    return np.array(tables).reshape(len(tables), *weights.shape[:-1], classes, classes)


def majority_of_two(labels: Ints, label: int) -> Floats:
    """Return 1 where more than half of an item's labels are `label`, 0 where more than half are not.

    NaN where people are evenly divided or nobody has a label. `labels` is (items, people), -1 for none.
    """
    voters, ayes = (labels >= 0).sum(axis=1), (labels == label).sum(axis=1)
    return np.where((voters == 0) | (2 * ayes == voters), np.nan, (2 * ayes > voters).astype(np.float64))


def confusion(automatic: Bools, people: Bools) -> Ints:
    """Return marks of shape (items, 4): both say equal, only the automatic label, only people, neither."""
    marks = [automatic & people, automatic & ~people, ~automatic & people, ~automatic & ~people]
    return np.stack(marks, axis=1).astype(np.int64)
