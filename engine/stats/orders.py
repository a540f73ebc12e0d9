"""The order in which score options are shown: what it costs and whether it matters (MEASURES section 12).

Scores are told by their place in the ascending scale of n options, positions from 0. Counts of selections
have shape (..., scores, positions); leading axes are resamples.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from engine.stats.self_preference import rate
from engine.stats.types import Floats, Ints

TOLERANCE = 1e-9
"""Costs that differ by less are equal."""

MOST_OPTIONS = 16
"""Options up to which all n! orderings are searched."""


def balanced_orderings(n: int) -> Ints:
    """Return the balanced orderings of n options, shape (2n, n): which score stands at each position.

    First the n cyclic rotations of the ascending scores, then those of the descending ones; together
    every score stands twice at each position. For fewer than three options rotations coincide, and
    each stands once.
    """
    ascending = np.arange(n)
    rotations = [np.roll(scores, -turn) for scores in (ascending, ascending[::-1]) for turn in range(n)]
    _, first = np.unique(rotations, axis=0, return_index=True)
    return np.array([rotations[i] for i in np.sort(first)], dtype=np.int64)


def positions_in(orderings: Ints) -> Ints:
    """Return where each score stands, shape (orderings, scores), from which score stands where."""
    return np.argsort(orderings, axis=-1)


@dataclass(frozen=True)
class ChiSquare:
    """Goodness of fit to equal shares: the statistic and its p-value, NaN where nothing was counted.

    The p-value takes selections as independent, which those of one item are not: it is naive.
    """

    statistic: Floats
    p: Floats


def chi_square(counts: NDArray[np.number]) -> ChiSquare:
    """Return the chi-square of counts, shape (..., positions), against equal shares.

    It has n - 1 degrees of freedom. NaN where there is no count, or one position only.
    """
    n = counts.shape[-1]
    if n < 2:
        nothing = np.full(counts.shape[:-1], np.nan)
        return ChiSquare(nothing, nothing)
    expected = counts.sum(axis=-1, keepdims=True) / n
    statistic = rate(((counts - expected) ** 2).sum(axis=-1), expected[..., 0])
    return ChiSquare(statistic, np.asarray(chdtrc(n - 1, statistic), dtype=np.float64))


def position_shares(selections: NDArray[np.number]) -> Floats:
    """Return P(position | score), shape (..., scores, positions); NaN for a score never selected."""
    return rate(selections, selections.sum(axis=-1, keepdims=True))


def bias_costs(selections: NDArray[np.number], orderings: Ints) -> Floats:
    """Return the bias cost of each ordering in percent points, shape (..., orderings) (RPB section 5.3).

    Cost(pi) = sum over positions p of |P(p | pi_p) - 1/n|. The term of a score never selected is left
    out of every ordering alike.
    """
    positions = np.arange(selections.shape[-1])
    return np.asarray(100 * _terms(selections)[..., orderings, positions].sum(axis=-1))


def _terms(selections: NDArray[np.number]) -> Floats:
    """Return |P(p | s) - 1/n|, 0 for a score never selected: shape (..., scores, positions)."""
    terms = np.abs(position_shares(selections) - 1 / selections.shape[-1])
    return np.asarray(np.nan_to_num(terms, nan=0.0))


def first_cheapest(costs: Floats) -> int:
    """Return the place of the lowest cost, of equal ones (within 1e-9, in fractions of 1) the first."""
    return int(np.flatnonzero(costs <= costs.min() + 100 * TOLERANCE)[0])


def cheapest_of_all(selections: NDArray[np.number]) -> Ints:
    """Return the cheapest of all n! orderings, of equal ones the first in ascending order.

    The least cost of the last positions is found for each set of scores still to be placed, so that the
    work grows with 2**n, not n!; n is at most MOST_OPTIONS.
    """
    terms = _terms(selections)
    n = len(terms)
    rest = np.zeros(1 << n)  # the least cost of placing the scores of a set at the last positions
    for chosen in range(1, 1 << n):
        members = [s for s in range(n) if chosen >> s & 1]
        place = n - len(members)
        rest[chosen] = min(terms[s, place] + rest[chosen & ~(1 << s)] for s in members)
    left, spent, ordering = (1 << n) - 1, 0.0, []
    for place in range(n):
        members = [s for s in range(n) if left >> s & 1]
        whole = [spent + terms[s, place] + rest[left & ~(1 << s)] for s in members]
        score = members[int(np.flatnonzero(np.array(whole) <= rest[-1] + TOLERANCE)[0])]
        ordering.append(score)
        spent, left = spent + terms[score, place], left & ~(1 << score)
    return np.array(ordering, dtype=np.int64)


def shuffled_selections(
    item: Ints, ordering: Ints, score: Ints, orderings: Ints, shuffles: int, rng: np.random.Generator
) -> Ints:
    """Return selections as they might be if the order made no difference: (shuffles, scores, positions).

    Within each item the scores given are dealt out anew to the orderings in which it was judged. The three
    arrays have shape (selections,).
    """
    n, places = orderings.shape[1], positions_in(orderings)
    counts = np.zeros((shuffles, n * n), dtype=np.int64)
    by_item = np.argsort(item, kind="stable")
    starts = np.flatnonzero(np.diff(item[by_item], prepend=-1))
    sizes = np.diff(np.append(starts, len(item)))
    for size in np.unique(sizes):
        rows = by_item[starts[sizes == size][:, None] + np.arange(size)]
        given, shown = score[rows], ordering[rows]
        divided = (given != given[:, :1]).any(axis=1)  # the others look the same however they are dealt
        counts += np.bincount(_cell(given[~divided], shown[~divided], places), minlength=n * n)
        given, shown = given[divided], shown[divided]
        if not len(given):
            continue
        for row in counts:
            row += np.bincount(_cell(rng.permuted(given, axis=1), shown, places), minlength=n * n)
    return counts.reshape(shuffles, n, n)


def _cell(score: Ints, ordering: Ints, places: Ints) -> Ints:
    return np.ravel(score * places.shape[1] + places[ordering, score])


def shuffle_p(observed: Floats, shuffled: Floats) -> Floats:
    """Return the share of shuffles at least as far off as what was observed, the observed one among them.

    `shuffled` has shape (shuffles, ...). NaN where the observed statistic is.
    """
    reached = (shuffled >= observed - TOLERANCE).sum(axis=0)
    p = (reached + 1) / (len(shuffled) + 1)
    return np.where(np.isnan(observed), np.nan, p)


def correction_weights(selections: NDArray[np.number], ordering: Ints) -> Floats:
    """Return what each score weighs when it is given in `ordering`: 1 / (n P(p | s)), shape (scores,).

    p is where s stands in the ordering. One selection more of each score, spread evenly over the
    positions, keeps the weights finite.
    """
    n = len(ordering)
    padded = selections + 1 / n
    at_place = padded[ordering, np.arange(n)] / padded[ordering].sum(axis=-1)
    weights = np.empty(n)
    weights[ordering] = 1 / (n * at_place)
    return weights


def spread_within(scores: Floats) -> Floats:
    """Return the standard deviation (n - 1) of each item's scores, shape (items, answers).

    NaN of one answer.
    """
    if scores.shape[1] < 2:
        return np.full(len(scores), np.nan)
    return np.asarray(scores.std(axis=1, ddof=1))
