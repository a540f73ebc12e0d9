"""Rows of pairwise judgments in one orientation, and two orders combined (MEASURES section 4)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from engine.arrays.encoding import Objects, encode
from engine.arrays.judgment_rows import group_rows
from engine.schema import DIMENSIONS
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.scores.ranks import TOLERANCE
from engine.store.arrow_types import text_array

LOW_FIRST, HIGH_FIRST, UNKNOWN, RESOLVED = range(4)


@dataclass(frozen=True, eq=False)
class PairColumns(ParallelArrays):
    """Pairs of responses, or rows of them, with who judged them."""

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints

    @property
    def who(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The columns that identify a pair."""
        return self.judge, self.instance, self.generator, self.opponent


@dataclass(frozen=True, eq=False)
class PairRows(PairColumns):
    """Pair rows with a verdict, in one orientation: `generator` is the model earlier in the study.

    `order` is LOW_FIRST or HIGH_FIRST (which of the two was shown first), UNKNOWN or RESOLVED. `choice` is
    +1, 0 or -1 seen from `generator`, `p` its probability, `p_tie` that of a tie, if one was offered; NaN for
    none. Repeats are merged already; `swapped` marks rows stored the other way round.
    """

    order: Ints
    choice: Floats
    p: Floats
    p_tie: Floats
    swapped: Bools


@dataclass(frozen=True, eq=False)
class PairFailures(PairColumns):
    """Unused pair rows, by code; `count` of each, `order` as in `PairRows`."""

    order: Ints
    code: Objects
    count: Ints


def forced_choices(rows: PairRows) -> Bools:
    """Return which rows are forced choices with a probability: no tie was offered."""
    return ~np.isnan(rows.p) & np.isnan(rows.p_tie)


def _likelier(p: Floats) -> Floats:
    """Return +1 or -1 for the likelier response; 0 where a mean of repeats is a half but for rounding."""
    return np.where(np.abs(p - 0.5) < TOLERANCE, 0.0, np.sign(p - 0.5))


def without_ties(rows: PairRows) -> PairRows:
    """Return the rows as forced choices wherever there are probabilities: the tie's is left out."""
    offered = ~np.isnan(rows.p) & ~np.isnan(rows.p_tie)
    choice = np.where(offered, _likelier(rows.p), rows.choice)
    return replace(rows, choice=choice, p_tie=np.where(offered, np.nan, rows.p_tie))


def has_answer(rows: PairRows) -> Bools:
    """Return which rows have an answer: a choice, or a probability where no tie was offered."""
    return ~np.isnan(rows.choice) | forced_choices(rows)


def winners(rows: PairRows) -> Floats:
    """Return the winner in each row, seen from `generator`: the choice, else the likelier; NaN for none."""
    likelier = np.where(forced_choices(rows), _likelier(rows.p), np.nan)
    return np.where(np.isnan(rows.choice), likelier, rows.choice)


# The fate of a row: it gives a pair's value; its other order is missing; a resolved row overrules it; it has
# no answer; its order is unknown.
USED, ALONE, OVERRULED, _UNANSWERED, UNPLACED = range(5)

Decide = Callable[[PairRows, Ints, Ints], Floats]


@dataclass(frozen=True, eq=False)
class PairValues:
    """The pairs that have a value, seen from `generator`, and the fate of every row.

    `one` and `two` are the rows with the earlier model shown first and second, or a resolved pair's one row.
    """

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    value: Floats
    one: Ints
    two: Ints
    fate: Ints


def pair_up(rows: PairRows, answered: Bools, decide: Decide) -> PairValues:
    """Combine the rows of each pair if both orders are `answered`, or a row that is resolved already.

    `decide` gives the value of pairs from two rows each, the same one twice if it is resolved; NaN: none.
    """
    groups = group_rows(*rows.who)
    pair, size = groups.of, len(groups.first)
    at = np.full((4, size), -1)
    row = np.flatnonzero(answered)
    at[rows.order[row], pair[row]] = row
    resolved = at[RESOLVED] >= 0
    one, two = np.where(resolved, at[RESOLVED], at[[LOW_FIRST, HIGH_FIRST]])
    value, both = np.full(size, np.nan), (one >= 0) & (two >= 0)
    value[both] = decide(rows, one[both], two[both])
    defined = ~np.isnan(value)
    fate = np.where((defined & ~resolved)[pair], USED, ALONE)
    fate[resolved[pair]] = OVERRULED
    fate[(rows.order == RESOLVED) & resolved[pair]] = USED
    fate[~answered] = _UNANSWERED
    fate[rows.order == UNKNOWN] = UNPLACED
    pairs = rows.select(groups.first[defined])
    return PairValues(*pairs.who, value[defined], one[defined], two[defined], fate)


def outcome(rows: PairRows, one: Ints, two: Ints) -> Floats:
    """Return the outcomes of pairs from two rows each (the same one twice if it is resolved already).

    If both are forced choices with probabilities, the mean probability decides. Otherwise a winner beats a
    tie, and two different winners make a tie. NaN where one of them has no choice.
    """
    by_p = _likelier((rows.p[one] + rows.p[two]) / 2)
    is_forced = forced_choices(rows)
    return np.where(is_forced[one] & is_forced[two], by_p, np.sign(rows.choice[one] + rows.choice[two]))


def failures_of(rows: PairRows, counts: Mapping[str, Ints]) -> list[PairFailures]:
    """Return as failures, by code, the rows that leave out some judgment rows: `counts`, (rows,)."""
    failures = []
    for code, count in counts.items():
        lost = rows.select(count > 0)
        codes = np.full(len(lost.judge), code, dtype=object)
        failures.append(PairFailures(*lost.who, lost.order, codes, count[count > 0]))
    return failures


STRUCTURED = "structured"


def dimension_of(column: pa.ChunkedArray) -> Ints:
    return encode(column, text_array(DIMENSIONS))


def by_majority(rows: PairRows, dimension: Ints, votes: Ints) -> tuple[PairRows, Ints, list[PairFailures]]:
    """Return one row for each order with all dimensions answered, its votes, and rows left out.

    The response that at least three dimensions choose is the choice; no such majority is a tie. `votes`
    counts the judgment rows behind each row, before and after.
    """
    groups = group_rows(*rows.who, rows.order)
    first, order = groups.first, groups.of
    answered = ~np.isnan(rows.choice) & (dimension >= 0)
    number, ayes, noes = (
        np.bincount(order[answered & marks], minlength=len(first))
        for marks in (answered, rows.choice == 1, rows.choice == -1)
    )
    complete, half, nothing = number == len(DIMENSIONS), len(DIMENSIONS) / 2, np.full(len(first), np.nan)
    choice = (ayes > half).astype(np.float64) - (noes > half)
    answers = replace(rows.select(first), choice=choice, p=nothing, p_tie=nothing)
    totals = np.bincount(order, weights=votes, minlength=len(first)).astype(np.int64)
    incomplete = ~complete[order]
    counts = {"order_missing": (incomplete & answered).astype(np.int64)}
    counts["merged"] = np.where(incomplete, votes - answered, 0)
    return answers.select(complete), totals[complete], failures_of(rows, counts)
