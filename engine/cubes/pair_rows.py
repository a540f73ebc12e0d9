"""Rows of pairwise judgments in one orientation."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LOW_FIRST, HIGH_FIRST, UNKNOWN, RESOLVED = range(4)


@dataclass(frozen=True, eq=False)
class PairRows:
    """Pair rows with a verdict, in one orientation: `generator` is the model earlier in the study.

    `order` is LOW_FIRST or HIGH_FIRST (which of the two was shown first), UNKNOWN or RESOLVED. `choice`
    is +1, 0 or -1 seen from `generator` (NaN: none), `p` the probability of `generator` (NaN: none),
    `p_tie` that of a tie (NaN: none was offered). Repeats are merged already;
    `turned` marks rows stored the other way round.
    """

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    order: Ints
    choice: Floats
    p: Floats
    p_tie: Floats
    turned: Bools


@dataclass(frozen=True, eq=False)
class PairFailures:
    """Pair rows without a use, by code; `count` of each, `order` as in `PairRows`."""

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    order: Ints
    code: NDArray[np.object_]
    count: Ints


Some = TypeVar("Some", PairRows, PairFailures)


def take(pairs: Some, keep: Bools | Ints) -> Some:
    """Return some of the rows."""
    return type(pairs)(**{name: values[keep] for name, values in vars(pairs).items()})


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows grouped by what they have in common, in ascending order of it.

    `first` is the first row of each group, `of` the group of each row, `sizes` how many rows each has.
    """

    first: Ints
    of: Ints
    sizes: Ints


def group_rows(*columns: Ints) -> Groups:
    """Group rows by several columns of whole numbers from 0 on."""
    sizes = tuple(int(column.max(initial=0)) + 1 for column in columns)
    number = np.ravel_multi_index(columns, sizes)  # one number for each row sorts far faster than several
    _, first, of, counts = np.unique(number, return_index=True, return_inverse=True, return_counts=True)
    return Groups(first, of.reshape(-1), counts)


def forced(rows: PairRows) -> Bools:
    """Return which rows are forced choices with a probability: no tie was offered."""
    return ~np.isnan(rows.p) & np.isnan(rows.p_tie)


def speaks(rows: PairRows) -> Bools:
    """Return which rows say something: a choice, or a probability where no tie was offered."""
    return ~np.isnan(rows.choice) | forced(rows)


def named(rows: PairRows) -> Floats:
    """Return whom each row names, seen from `generator`: its choice, else the likelier; NaN for nobody."""
    likelier = np.where(forced(rows), np.sign(rows.p - 0.5), np.nan)
    return np.where(np.isnan(rows.choice), likelier, rows.choice)
