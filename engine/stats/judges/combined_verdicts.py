"""Several judges' verdicts, outcomes or scores on one item, combined into one."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Counts, Floats, Ints
from engine.stats.ratios import rate

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
