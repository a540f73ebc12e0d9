"""ILSP, paired t, DBG, seeded draws."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, stdtr

from engine.stats.self_preference import TOLERANCE, rate, ratio
from engine.stats.types import Bools, Floats, Ints

# ------------------------------------------------------------------------------
# The evaluator quality baseline (MEASURES section 10; EQB equations 1 to 12).


def binary_entropy(p: Floats) -> Floats:
    """Return H2(p) in bits (EQB equation 10); 0 at both ends."""
    return np.asarray((entr(p) + entr(1 - p)) / np.log(2))


@dataclass(frozen=True)
class PairedTest:
    """A one-sided paired t-test (greater) for each row: shape (rows,), NaN where it is undefined."""

    se: Floats
    t: Floats
    p: Floats


def paired_t(total: Floats, squares: Floats, n: Ints) -> PairedTest:
    """Test means of differences against 0, from their sums, the sums of squared deviations and their number.

    se = sd / sqrt(n) with n - 1 in the variance, t = mean / se (EQB equation 9). Undefined with fewer than
    two examples; t and p also where all differences are equal.
    """
    variance = rate(squares, np.maximum(n - 1, 0))
    se = np.sqrt(rate(variance, n))
    t = ratio(rate(total, n), np.where(se > 1e-12, se, 0.0))
    return PairedTest(se, t, np.where(np.isnan(t), np.nan, stdtr(np.maximum(n - 1, 1), -t)))


def relative_change(updated: Floats, matched: Floats) -> Floats:
    """Return by how many percent ILSP changes when the proxies' share is taken off; NaN where it was 0."""
    return 100 * ratio(updated - matched, matched)


def group_means(values: Floats, group: Ints, size: int) -> Floats:
    """Return the mean of the values of each group, NaN where a group is empty."""
    return rate(np.bincount(group, weights=values, minlength=size), np.bincount(group, minlength=size))


def means_of_first(values: Floats, group: Ints, keys: NDArray[np.uint64], size: int) -> Floats:
    """Return the means of the first 1, 2, ... values of each group, in the order of their keys.

    Shape (groups, most values of a group); NaN where a group has not as many.
    """
    order = np.lexsort((keys, group))
    sizes = np.bincount(group, minlength=size)
    rank = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    ordered = np.full((size, int(sizes.max(initial=0))), np.nan)
    ordered[group[order], rank] = values[order]
    return np.asarray(np.cumsum(ordered, axis=1) / np.arange(1, ordered.shape[1] + 1))


# ------------------------------------------------------------------------------
# The DBG score (MEASURES section 11): how a judge's wins differ from those that gold judges give.

MOST_SOURCES = 8
"""Gold judges above which their subsets are too many to go through."""


def panels(sources: int) -> list[tuple[int, ...]]:
    """Return every subset of so many gold judges, none left out but the empty one; small ones first."""
    return [subset for n in range(1, sources + 1) for subset in combinations(range(sources), n)]


def bias_of_subsets(win: Floats, votes: Floats, rows: tuple[Ints, ...], size: int) -> Floats:
    """Return DBG under every panel of the gold judges: shape (panels, rows), NaN where it says nothing.

    `win` (items,) is 1, 0.5 or 0 for the judge's own response, `votes` (items, sources) those of the gold
    judges for it, NaN for none. `rows` name the rows that each item belongs to, each of shape (items,).
    """
    present, voted = ~np.isnan(votes), np.nan_to_num(votes)
    biases = []
    for panel in panels(votes.shape[1]):
        chosen = list(panel)
        mean = rate(voted[:, chosen].sum(axis=1), present[:, chosen].sum(axis=1)) - 0.5
        known = ~np.isnan(mean)
        gold = np.where(np.abs(mean) < TOLERANCE, 0.5, (1 + np.sign(mean)) / 2)
        bias, count = np.zeros(size), np.zeros(size)
        for row in rows:
            bias += np.bincount(row[known], weights=(win - gold)[known], minlength=size)
            count += np.bincount(row[known], minlength=size)
        biases.append(rate(bias, count))
    return np.array(biases).reshape(-1, size)


def like_length(one: Floats, two: Floats, most: float) -> Bools:
    """Return where two numbers of words are alike: |ln of their ratio| at most `most`; NaN is never."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(np.log(one / two)) <= most + TOLERANCE)


# ------------------------------------------------------------------------------
# Draws that depend on the seed and on what is drawn from, and on nothing else.

Keys = NDArray[np.uint64]

NULL, CONTRAST, ORDER, PROXY = 1, 2, 3, 4
"""What is drawn: the first number of every key, so that no two draws share theirs."""

_STEP, _FIRST, _SECOND = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def seeded_keys(seed: int, purpose: int, *names: Ints) -> Keys:
    """Return a key of 64 bits for each item, named by numbers of shape (items,)."""
    state = np.full(len(names[0]), seed, dtype=np.uint64)
    for number in (np.full(len(names[0]), purpose), *names):
        state = state + _STEP * (number.astype(np.uint64) + np.uint64(1))  # wraps around, as it must
        state = (state ^ (state >> np.uint64(30))) * _FIRST
        state = (state ^ (state >> np.uint64(27))) * _SECOND
        state = state ^ (state >> np.uint64(31))
    return state


def lowest(group: Ints, keys: Keys, most: int) -> Bools:
    """Return which items are among the `most` with the lowest keys of their group, shape (items,)."""
    order = np.lexsort((keys, group))
    ordered = group[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else order
    sizes = np.diff(np.append(starts, len(ordered)))
    rank = np.arange(len(ordered)) - np.repeat(starts, sizes)
    chosen = np.zeros(len(group), dtype=bool)
    chosen[order[rank < most]] = True
    return chosen
