"""The ranks of judges on two sides, and the pairs of judges that swap ranks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.measures.finished_rows import plain
from engine.measures.rows import Table
from engine.stats import Floats

Pairs = Sequence[tuple[int, int]]
Rank = tuple[int | None, int | None]


@dataclass(frozen=True)
class Swap:
    """Two judges whose order by a number differs: `above` is higher on side A, `below` on side B.

    `share` is the share of resamples with both: 1 is certain, about a quarter means that nothing is known
    about the order. None without resamples.
    """

    above: str
    below: str
    share: float | None


def ranks_of(tables: Sequence[Table], field: str, pairs: Pairs) -> list[Rank]:
    """Return each pair's rank on both sides, 1 the highest; None for a row of means or without a number.

    Only judges with the number on both sides are ranked, so that the ranks are comparable. Equal numbers
    share the better rank; a single judge has no rank.
    """
    ranks: list[Rank] = [(None, None)] * len(pairs)
    places, (a, b) = _numbers(tables, field, pairs)
    if len(places) < 2:
        return ranks
    for place, on_a, on_b in zip(places, a, b, strict=True):
        ranks[place] = int((a > on_a).sum()) + 1, int((b > on_b).sum()) + 1
    return ranks


def swaps_of(tables: Sequence[Table], field: str, pairs: Pairs) -> list[Swap]:
    """Return the pairs of judges whose order differs between the sides, by descending share."""
    places, (a, b) = _numbers(tables, field, pairs)
    judges = [str(tables[0].columns["judge"].values[pairs[place][0]]) for place in places]
    above, below = np.nonzero((a[:, None] > a) & (b[:, None] < b))
    shares = _shares(tables, field, [pairs[place] for place in places])
    swaps = [
        Swap(judges[i], judges[j], None if shares is None else plain(shares[i, j]))
        for i, j in zip(above, below, strict=True)
    ]
    return sorted(swaps, key=lambda swap: -(swap.share or 0.0))


def _numbers(tables: Sequence[Table], field: str, pairs: Pairs) -> tuple[list[int], tuple[Floats, Floats]]:
    """Return the places of the pairs of judges with a number on both sides, and the numbers."""
    sides = [
        np.array([table.columns[field].values[pair[i]] for pair in pairs], dtype=np.float64)
        for i, table in enumerate(tables)
    ]
    judges = tables[0].columns["judge"].values
    defined = [
        place
        for place, pair in enumerate(pairs)
        if judges[pair[0]] is not None and not np.isnan([side[place] for side in sides]).any()
    ]
    return defined, (sides[0][defined], sides[1][defined])


def _shares(tables: Sequence[Table], field: str, pairs: Pairs) -> Floats | None:
    """Return the share of resamples in which each judge is above each other on A and below it on B.

    Shape (judges, judges), NaN if no resample has all four numbers; None without resamples.
    """
    draws = [table.columns[field].draws for table in tables]
    if draws[0] is None or draws[1] is None:
        return None
    a, b = (side[:, [pair[i] for pair in pairs]] for i, side in enumerate(draws) if side is not None)
    has_both = ~(np.isnan(a) | np.isnan(b))
    counts = has_both.T.astype(np.float64) @ has_both
    swapped = np.zeros_like(counts)
    for judge in range(len(pairs)):  # judge by judge: all at once would need judges x judges x resamples
        swapped[judge] = ((a[:, [judge]] > a) & (b[:, [judge]] < b)).sum(axis=0)
    return np.divide(swapped, counts, out=np.full_like(counts, np.nan), where=counts > 0)
