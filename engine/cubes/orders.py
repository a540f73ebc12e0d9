"""The two orders of a pair put together (MEASURES section 4)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubes.pair_rows import (
    HIGH_FIRST,
    LOW_FIRST,
    RESOLVED,
    UNKNOWN,
    Bools,
    Floats,
    Ints,
    PairFailures,
    PairRows,
    forced,
    group_rows,
    take,
)
from engine.metrics.scores import TOLERANCE

# What becomes of a row: it stands behind a pair's value; its other order is missing; a resolved row
# overrules it; it says nothing; where it stood in the order is not known.
USED, _ALONE, _OVERRULED, _SILENT, _UNPLACED = range(5)

Decide = Callable[[PairRows, Ints, Ints], Floats]


@dataclass(frozen=True, eq=False)
class Paired:
    """The pairs of a judge that have a value, one entry each, and the fate of every row.

    `value` is seen from `generator`. `one` and `two` are the rows of the two orders, the earlier model shown
    first and second; of a resolved pair both are the one row.
    """

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    value: Floats
    one: Ints
    two: Ints
    fate: Ints


def pair_up(rows: PairRows, heard: Bools, decide: Decide) -> Paired:
    """Put the rows of each pair together where both orders are heard, or one that is resolved already.

    `decide` gives the value of pairs from two rows each, the same one twice where it is resolved; NaN: none.
    """
    groups = group_rows(rows.judge, rows.instance, rows.generator, rows.opponent)
    pair, size = groups.of, len(groups.first)
    at = {}
    for order in (LOW_FIRST, HIGH_FIRST, RESOLVED):
        at[order] = np.full(size, -1)
        here = np.flatnonzero((rows.order == order) & heard)
        at[order][pair[here]] = here
    done = at[RESOLVED] >= 0
    one = np.where(done, at[RESOLVED], at[LOW_FIRST])
    two = np.where(done, at[RESOLVED], at[HIGH_FIRST])
    value = np.full(size, np.nan)
    both = (one >= 0) & (two >= 0)
    value[both] = decide(rows, one[both], two[both])
    known = ~np.isnan(value)
    fate = np.where((known & ~done)[pair], USED, _ALONE)
    fate[done[pair]] = _OVERRULED
    fate[(rows.order == RESOLVED) & done[pair]] = USED
    fate[~heard] = _SILENT
    fate[rows.order == UNKNOWN] = _UNPLACED
    pairs = take(rows, groups.first[known])
    return Paired(
        pairs.judge,
        pairs.instance,
        pairs.generator,
        pairs.opponent,
        value[known],
        one[known],
        two[known],
        fate,
    )


def outcome(rows: PairRows, one: Ints, two: Ints) -> Floats:
    """Return the outcomes of pairs from two rows each (the same one twice where it is resolved already).

    Forced choices with probabilities in both go by the mean probability; of choices a winner stands
    against a tie, and two different winners make a tie. NaN where one of them has no choice.
    """
    mean_p = (rows.p[one] + rows.p[two]) / 2 - 0.5
    by_p = np.where(np.abs(mean_p) < TOLERANCE, 0.0, np.sign(mean_p))
    chosen = forced(rows)
    return np.where(chosen[one] & chosen[two], by_p, np.sign(rows.choice[one] + rows.choice[two]))


def unused(rows: PairRows, fate: Ints, votes: Ints, width: int = 1) -> list[PairFailures]:
    """Return how many judgment rows each merged row leaves out, by code.

    `votes` counts the judgment rows behind each row, of which `width` make one answer.
    """
    stands = width * np.isin(fate, (USED, _ALONE))
    lost = {
        "merged": np.where(fate == _UNPLACED, 0, votes - stands),
        "order_missing": np.where(fate == _UNPLACED, votes, width * (fate == _ALONE)),
    }
    return [counted(take(rows, number > 0), code, number[number > 0]) for code, number in lost.items()]


def counted(rows: PairRows, code: str | NDArray[np.object_], number: Ints) -> PairFailures:
    """Return rows as failures of a code, or of one code each."""
    codes = np.full(len(number), code, dtype=object) if isinstance(code, str) else code
    return PairFailures(rows.judge, rows.instance, rows.generator, rows.opponent, rows.order, codes, number)


def joined(parts: list[PairFailures]) -> PairFailures:
    """Return all parts as one."""
    return PairFailures(**{n: np.concatenate([getattr(part, n) for part in parts]) for n in vars(parts[0])})
