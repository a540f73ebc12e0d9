"""The order in which score options are shown: its cost and whether it matters (MEASURES section 12).

Scores are identified by their place in the ascending scale of n options, positions from 0. Counts of
selections have shape (..., scores, positions); leading axes are resamples.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from engine.stats import Floats, Ints, Numbers
from engine.stats.ratios import rate
from engine.stats.scores.ranks import TOLERANCE

MOST_OPTIONS = 16  # options up to which all n! orderings are searched


def balanced_orderings(n: int) -> Ints:
    """Return the balanced orderings of n options, shape (2n, n): which score is at each position.

    First the n rotations of the ascending scores, then those of the descending ones: every score is at each
    position twice. With fewer than three options rotations coincide, and each is listed once.
    """
    ascending = np.arange(n)
    rotations = [np.roll(scores, -turn) for scores in (ascending, ascending[::-1]) for turn in range(n)]
    _, first = np.unique(rotations, axis=0, return_index=True)
    return np.array([rotations[i] for i in np.sort(first)], dtype=np.int64)


@dataclass(frozen=True)
class ChiSquare:
    """Goodness of fit to equal shares, NaN without a count; p naively takes selections as independent."""

    statistic: Floats
    p: Floats


def chi_square(counts: Numbers) -> ChiSquare:
    """Return the chi-square of counts, (..., positions), against equal shares.

    n - 1 degrees of freedom; NaN where there is no count, or one position only.
    """
    n = counts.shape[-1]
    if n < 2:
        nothing = np.full(counts.shape[:-1], np.nan)
        return ChiSquare(nothing, nothing)
    expected = counts.sum(axis=-1, keepdims=True) / n
    statistic = rate(((counts - expected) ** 2).sum(axis=-1), expected[..., 0])
    return ChiSquare(statistic, np.asarray(chdtrc(n - 1, statistic), dtype=np.float64))


def position_shares(selections: Numbers) -> Floats:
    """Return P(position | score), shape (..., scores, positions); NaN for a score never selected."""
    return rate(selections, selections.sum(axis=-1, keepdims=True))


def bias_costs(selections: Numbers, orderings: Ints) -> Floats:
    """Return the bias cost of each ordering in percent points, shape (..., orderings) (RPB section 5.3).

    Cost(pi) = sum over positions p of |P(p | pi_p) - 1/n|, without the terms of scores never selected.
    """
    positions = np.arange(selections.shape[-1])
    return np.asarray(100 * _terms(selections)[..., orderings, positions].sum(axis=-1))


def _terms(selections: Numbers) -> Floats:
    """Return |P(p | s) - 1/n|, 0 for a score never selected: shape (..., scores, positions)."""
    terms = np.abs(position_shares(selections) - 1 / selections.shape[-1])
    return np.asarray(np.nan_to_num(terms, nan=0.0))


def first_cheapest(costs: Floats) -> int:
    """Return the place of the lowest cost, the first of equal ones (within 1e-9, in fractions of 1)."""
    return int(np.flatnonzero(costs <= costs.min() + 100 * TOLERANCE)[0])


def cheapest_of_all(selections: Numbers) -> Ints:
    """Return the cheapest of all n! orderings, the first in ascending order if several are equal.

    By dynamic programming over sets of scores at the last positions, in 2**n steps; n <= MOST_OPTIONS.
    """
    terms = _terms(selections)
    n = len(terms)
    rest = np.zeros(1 << n)  # the least cost of placing the scores of a set at the last positions
    for subset in range(1, 1 << n):
        members = [s for s in range(n) if subset >> s & 1]
        place = n - len(members)
        rest[subset] = min(terms[s, place] + rest[subset & ~(1 << s)] for s in members)
    remaining, spent, ordering = (1 << n) - 1, 0.0, []
    for place in range(n):
        members = [s for s in range(n) if remaining >> s & 1]
        totals = [spent + terms[s, place] + rest[remaining & ~(1 << s)] for s in members]
        score = members[int(np.flatnonzero(np.array(totals) <= rest[-1] + TOLERANCE)[0])]
        ordering.append(score)
        spent, remaining = spent + terms[score, place], remaining & ~(1 << score)
    return np.array(ordering, dtype=np.int64)


def shuffled_selections(
    item: Ints, ordering: Ints, score: Ints, orderings: Ints, shuffles: int, rng: np.random.Generator
) -> Ints:
    """Return selections as they might be if the order made no difference: (shuffles, scores, positions).

    Within each item, scores, shape (selections,), are permuted over the orderings they were given in.
    """
    n, places = orderings.shape[1], np.argsort(orderings, axis=-1)  # the position of each score
    counts = np.zeros((shuffles, n * n), dtype=np.int64)
    by_item = np.argsort(item, kind="stable")
    starts = np.flatnonzero(np.diff(item[by_item], prepend=-1))
    sizes = np.diff(np.append(starts, len(item)))
    for size in np.unique(sizes):
        rows = by_item[starts[sizes == size][:, None] + np.arange(size)]
        scores, orders = score[rows], ordering[rows]
        varied = (scores != scores[:, :1]).any(axis=1)  # the others look the same however permuted
        counts += np.bincount(_cell(scores[~varied], orders[~varied], places), minlength=n * n)
        scores, orders = scores[varied], orders[varied]
        if not len(scores):
            continue
        for row in counts:
            row += np.bincount(_cell(rng.permuted(scores, axis=1), orders, places), minlength=n * n)
    return counts.reshape(shuffles, n, n)


def _cell(score: Ints, ordering: Ints, places: Ints) -> Ints:
    return np.ravel(score * places.shape[1] + places[ordering, score])


def shuffle_p(observed: Floats, shuffled: Floats) -> Floats:
    """Return the share of shuffles, the first axis, at least as large, the observed included; NaN stays."""
    as_large = (shuffled >= observed - TOLERANCE).sum(axis=0)
    return np.where(np.isnan(observed), np.nan, (as_large + 1) / (len(shuffled) + 1))


def correction_weights(selections: Numbers, ordering: Ints) -> Floats:
    """Return the weight of each score given in `ordering`: 1 / (n P(p | s)), shape (scores,).

    p is the position of s. One more selection of each score, spread evenly, keeps the weights finite.
    """
    n = len(ordering)
    padded = selections + 1 / n
    at_place = padded[ordering, np.arange(n)] / padded[ordering].sum(axis=-1)
    weights = np.empty(n)
    weights[ordering] = 1 / (n * at_place)
    return weights


def spread_within(scores: Floats) -> Floats:
    """Return the standard deviation (n - 1) of each item's scores, (items, answers); NaN for one answer."""
    if scores.shape[1] < 2:
        return np.full(len(scores), np.nan)
    return np.asarray(scores.std(axis=1, ddof=1))
