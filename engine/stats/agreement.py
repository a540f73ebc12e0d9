"""Agreement between raters: kappa, alpha, correlations, Wilson's interval; committees of raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from engine.stats import Bools, Counts, Floats, Ints
from engine.stats.self_preference import rate, ratio

# ------------------------------------------------------------------------------
# How far two sources agree, from counts of their joint values (MEASURES section 14).

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


# ------------------------------------------------------------------------------
# How far several people who label the same items agree (MEASURES section 9, human check).

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


# ------------------------------------------------------------------------------
# A share with its interval, for cases counted one by one without resampling.


@dataclass(frozen=True, eq=False)
class Share:
    """Shares between 0 and 1 with the ends of their intervals; NaN where there is no case."""

    value: Floats
    low: Floats
    high: Floats


def wilson(hits: ArrayLike, trials: ArrayLike) -> Share:
    """Return hits / trials with Wilson's 95 % interval, elementwise.

    The ends are the shares p for which (hits / trials - p)^2 = z^2 p (1 - p) / trials (Wilson, Journal of the
    American Statistical Association 22, 1927). Too narrow for clustered cases, such as those of one instance.
    """
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    z = ndtri(0.975)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = k / n
        middle = (k + z**2 / 2) / (n + z**2)
        half = z / (n + z**2) * np.sqrt(k * (n - k) / n + z**2 / 4)
    defined = n > 0
    low, high = (np.where(defined, end, np.nan).clip(0, 1) for end in (middle - half, middle + half))
    return Share(np.where(defined, share, np.nan), low, high)


# ------------------------------------------------------------------------------
# Combining several verdicts or scores on one item.

Words = NDArray[np.uint64]


def majority(ayes: Counts, voters: Counts, at_least: int = 1) -> tuple[Bools, Bools]:
    """Return (verdict, decided): decided where enough voted, over half on one side; elsewhere both False."""
    decided = (voters >= at_least) & (2 * ayes != voters)
    return decided & (2 * ayes > voters), decided


def packed_majority(ayes: Words, noes: Words, at_least: int = 1) -> tuple[Words, Words, Words]:
    """Return (verdict, decided, divided) as packed bits; voters are along the first axis.

    Decided where at least `at_least` (1 or more) voted and one side has more than half of them, divided where
    enough voted and the sides are even. Undecided verdicts are unset. No bit may be set in both arguments.
    """
    yes, no, voted = _digits(ayes), _digits(noes), _digits(ayes | noes)
    yes_leads, no_leads = _greater(yes, no), _greater(no, yes)
    every = np.full_like(yes_leads, ~np.uint64(0))
    short = at_least - 1
    enough = _greater(voted, [every if short >> place & 1 else ~every for place in range(short.bit_length())])
    return yes_leads & enough, (yes_leads | no_leads) & enough, enough & ~(yes_leads | no_leads)


def _digits(planes: Words) -> list[Words]:
    """Count the set bits of every place over the first axis: the nth plane holds the nth binary digit."""
    digits = [np.zeros(planes.shape[1:], dtype=np.uint64)]
    for plane in planes:
        carry = plane
        for place, digit in enumerate(digits):
            digits[place], carry = digit ^ carry, digit & carry
        if carry.any():
            digits.append(carry)
    return digits


def _greater(one: Sequence[Words], two: Sequence[Words]) -> Words:
    """Return where the first of two binary numbers is greater; the least significant digit comes first."""
    greater = zero = np.zeros_like(one[0])
    for first, second in zip_longest(one, two, fillvalue=zero):
        greater = (first & ~second) | (~(first ^ second) & greater)
    return greater


def combined_scores(scores: Floats, how: Literal["mean", "median"], at_least: int = 1) -> Floats:
    """Return the mean or median of scores over the first axis; NaN with fewer than `at_least`, or none."""
    number = (~np.isnan(scores)).sum(axis=0)
    enough = number >= max(at_least, 1)
    if how == "mean":
        return np.where(enough, rate(np.nansum(scores, axis=0), number), np.nan)
    ordered = np.sort(scores, axis=0)  # NaN last
    middle = [np.maximum(number - 1, 0) // 2, np.minimum(number // 2, len(scores) - 1)]
    both = [np.take_along_axis(ordered, place[None], axis=0)[0] for place in middle]
    return np.where(enough, (both[0] + both[1]) / 2, np.nan)


def plurality(group: Ints, values: Floats, size: int) -> Floats:
    """Return the most frequent of -1, 0, +1 in each group; NaN on a tie, or without values."""
    defined = ~np.isnan(values)
    cell = group[defined] * 3 + values[defined].astype(np.int64) + 1
    votes = np.bincount(cell, minlength=size * 3).reshape(size, 3)
    lead = votes.max(axis=1)
    alone = (votes == lead[:, None]).sum(axis=1) == 1
    return np.where(alone, votes.argmax(axis=1) - 1.0, np.nan)


def outcome_majority(
    outcomes: Floats, votes: Bools, at_least: Counts
) -> tuple[NDArray[np.int8], Bools, Bools]:
    """Return (outcome, decided, divided) of committees on pairs judged by their members.

    `outcomes` has shape (members, pairs): +1, 0 (a tie) or -1, NaN where a member has none; `votes`
    (committees, members) marks who votes, `at_least` how many of them must have an outcome. With enough
    outcomes, a pair is decided if more than half agree, else divided. Undecided outcomes are 0.
    """
    voting = votes.astype(np.float32)  # small whole numbers: a product of floats is exact and fast
    counts = np.stack([voting @ (outcomes == value).astype(np.float32) for value in (-1, 0, 1)])
    voted = counts.sum(axis=0)
    enough = voted >= np.maximum(at_least, 1)[:, None]
    decided = enough & (2 * counts.max(axis=0) > voted)
    outcome = np.where(decided, counts.argmax(axis=0) - 1, 0).astype(np.int8)
    return outcome, decided, enough & ~decided


def pair_agreement(ayes: Counts, voters: Counts) -> Floats:
    """Return the share of pairs of voters that agree; NaN with fewer than two (MEASURES section 6)."""
    noes = voters - ayes
    return rate(ayes * (ayes - 1) + noes * (noes - 1), voters * (voters - 1))


# ------------------------------------------------------------------------------
# Subsets of judges, all of one size or a sample of them, and a number's values over them.


def subsets(members: int, size: int, most: int, rng: np.random.Generator) -> Bools:
    """Return all subsets of one size, or `most` different random ones, as marks (subsets, members)."""
    if comb(members, size) <= most:
        groups = list(combinations(range(members), size))
    else:
        distinct: dict[tuple[int, ...], None] = {}
        while len(distinct) < most:
            samples = rng.permuted(np.tile(np.arange(members), (most, 1)), axis=1)[:, :size]
            distinct |= dict.fromkeys(map(tuple, np.sort(samples, axis=1).tolist()))
        groups = list(distinct)[:most]
    marks = np.zeros((len(groups), members), dtype=bool)
    marks[np.arange(len(groups))[:, None], np.array(groups, dtype=np.int64).reshape(len(groups), size)] = True
    return marks


class Spread:
    """A number over subsets: its mean, extremes, and mean in each resample, of those where it is defined."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self._total: Floats | float = 0.0
        self._number: Ints | int = 0

    def add(self, value: float | Floats, draws: Floats | None) -> None:
        """Add a subset's number, with one draw for each resample."""
        if np.isnan(value):
            return
        self.values.append(float(value))
        if draws is not None:
            defined = ~np.isnan(draws)
            self._total = self._total + np.where(defined, draws, 0.0)
            self._number = self._number + defined

    @property
    def mean(self) -> float:
        return float(np.mean(self.values)) if self.values else float("nan")

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest value, NaN if the number is undefined for all subsets."""
        return (min(self.values), max(self.values)) if self.values else (float("nan"), float("nan"))

    def draws(self, resamples: int) -> Floats:
        """Return the mean over subsets in each resample, NaN where it is undefined for all."""
        return np.full(resamples, rate(np.asarray(self._total), np.asarray(self._number)))
