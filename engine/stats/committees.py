"""Majority, mean/median, subsets."""

from collections.abc import Sequence
from itertools import combinations, zip_longest
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.stats.self_preference import rate
from engine.stats.types import Bools, Floats, Ints

# ------------------------------------------------------------------------------
# What several verdicts or scores of one thing amount to.

Words = NDArray[np.uint64]


def majority(
    ayes: NDArray[np.integer], voters: NDArray[np.integer], at_least: int = 1
) -> tuple[Bools, Bools]:
    """Return (verdict, decided): decided where enough voted and one side has more than half.

    The verdict is False where nothing is decided; read it together with `decided`.
    """
    decided = (voters >= at_least) & (2 * ayes != voters)
    return decided & (2 * ayes > voters), decided


def packed_majority(ayes: Words, noes: Words, at_least: int = 1) -> tuple[Words, Words, Words]:
    """Return (verdict, decided, divided) as packed bits; the voters stand along the first axis.

    Decided where at least `at_least` (1 or more) voted and one side has more than half of them, divided where
    enough voted and the sides are even. The verdict is unset where nothing is decided. No bit may be set in
    both.
    """
    yes, no, voted = _digits(ayes), _digits(noes), _digits(ayes | noes)
    more, fewer = _greater(yes, no), _greater(no, yes)
    every = np.full_like(more, ~np.uint64(0))
    short = at_least - 1
    enough = _greater(voted, [every if short >> place & 1 else ~every for place in range(short.bit_length())])
    return more & enough, (more | fewer) & enough, enough & ~(more | fewer)


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
    """Return where the first of two binary numbers is greater; digits stand from the least up."""
    greater = zero = np.zeros_like(one[0])
    for first, second in zip_longest(one, two, fillvalue=zero):
        greater = (first & ~second) | (~(first ^ second) & greater)
    return greater


def combined_scores(scores: Floats, how: Literal["mean", "median"], at_least: int = 1) -> Floats:
    """Return the mean or median over the first axis of the scores that are there.

    NaN where fewer than `at_least` (and where none) are.
    """
    number = (~np.isnan(scores)).sum(axis=0)
    there = number >= max(at_least, 1)
    if how == "mean":
        return np.where(there, rate(np.nansum(scores, axis=0), number), np.nan)
    ordered = np.sort(scores, axis=0)  # NaN last
    middle = [np.maximum(number - 1, 0) // 2, np.minimum(number // 2, len(scores) - 1)]
    both = [np.take_along_axis(ordered, place[None], axis=0)[0] for place in middle]
    return np.where(there, (both[0] + both[1]) / 2, np.nan)


def plurality(group: Ints, values: Floats, size: int) -> Floats:
    """Return the most frequent of -1, 0, +1 in each group; NaN where two share the lead or none is there."""
    known = ~np.isnan(values)
    cell = group[known] * 3 + values[known].astype(np.int64) + 1
    votes = np.bincount(cell, minlength=size * 3).reshape(size, 3)
    lead = votes.max(axis=1)
    alone = (votes == lead[:, None]).sum(axis=1) == 1
    return np.where(alone, votes.argmax(axis=1) - 1.0, np.nan)


def outcome_majority(
    outcomes: Floats, votes: Bools, at_least: NDArray[np.integer]
) -> tuple[NDArray[np.int8], Bools, Bools]:
    """Return (outcome, decided, divided) of committees on pairs that their members have judged.

    `outcomes` has shape (members, pairs): +1, 0 (a tie) or -1, NaN where a member has none; `votes` marks who
    votes in which committee, shape (committees, members), `at_least` how many of them must have an outcome.
    Decided where enough have one and more than half of them the same; divided where enough have one and no
    outcome has more than half. The outcome is 0 where nothing is decided.
    """
    voting = votes.astype(np.float32)  # small whole numbers: a product of floats counts them, and fast
    counts = np.stack([voting @ (outcomes == value).astype(np.float32) for value in (-1, 0, 1)])
    voted = counts.sum(axis=0)
    enough = voted >= np.maximum(at_least, 1)[:, None]
    decided = enough & (2 * counts.max(axis=0) > voted)
    outcome = np.where(decided, counts.argmax(axis=0) - 1, 0).astype(np.int8)
    return outcome, decided, enough & ~decided


def pair_agreement(ayes: NDArray[np.integer], voters: NDArray[np.integer]) -> Floats:
    """Return the share of pairs of voters that agree; NaN with fewer than two (MEASURES section 6)."""
    noes = voters - ayes
    agreeing = ayes * (ayes - 1) + noes * (noes - 1)
    return rate(agreeing, voters * (voters - 1))


# ------------------------------------------------------------------------------
# Subsets of a set of judges, all of a size or a draw of them, and what a number is over them.


def subsets(members: int, size: int, most: int, rng: np.random.Generator) -> Bools:
    """Return subsets of one size as rows of marks, shape (subsets, members).

    All of them where there are at most `most`, else that many different ones, drawn with equal chances.
    """
    if comb(members, size) <= most:
        chosen = list(combinations(range(members), size))
    else:
        distinct: dict[tuple[int, ...], None] = {}
        while len(distinct) < most:
            drawn = rng.permuted(np.tile(np.arange(members), (most, 1)), axis=1)[:, :size]
            distinct |= dict.fromkeys(map(tuple, np.sort(drawn, axis=1).tolist()))
        chosen = list(distinct)[:most]
    marks = np.zeros((len(chosen), members), dtype=bool)
    marks[np.arange(len(chosen))[:, None], np.array(chosen, dtype=np.int64).reshape(len(chosen), size)] = True
    return marks


class Spread:
    """A number taken of one subset after the other: its mean, ends, and the mean in each resample.

    A subset without the number is left out; a resample in which it has none, of that resample's mean.
    """

    def __init__(self) -> None:
        """Begin with no subset."""
        self.values: list[float] = []
        self._total: Floats | None = None
        self._number: Ints | None = None

    def add(self, value: float | Floats, draws: Floats | None) -> None:
        """Add a subset's number, with one draw for each resample."""
        if np.isnan(value):
            return
        self.values.append(float(value))
        if draws is None:
            return
        if self._total is None or self._number is None:
            self._total, self._number = np.zeros(len(draws)), np.zeros(len(draws), dtype=np.int64)
        there = ~np.isnan(draws)
        self._total[there] += draws[there]
        self._number += there

    @property
    def mean(self) -> float:
        """The mean over subsets, NaN where none has the number."""
        return float(np.mean(self.values)) if self.values else float("nan")

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest, NaN where no subset has the number."""
        return (min(self.values), max(self.values)) if self.values else (float("nan"), float("nan"))

    def draws(self, resamples: int) -> Floats:
        """Return the mean over subsets in each resample, NaN where no subset has the number."""
        if self._total is None or self._number is None:
            return np.full(resamples, np.nan)
        return rate(self._total, self._number)
