"""The places of judges on two sides, and the pairs of them that change places."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.measures.table import Table

Floats = NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]
Rank = tuple[int | None, int | None]


@dataclass(frozen=True)
class Swap:
    """Two judges whose order by a number differs: `above` is higher on side A, `below` on side B.

    `share` is how often both happened in one resample: 1 would be sure, and where nothing is known about
    the order it is about a quarter. None without resamples.
    """

    field: str
    above: str
    below: str
    share: float | None


def ranks_of(tables: Sequence[Table], field: str, pairs: Pairs) -> list[Rank]:
    """Return each pair's rank on both sides, 1 the highest; None for a row of means or without a number.

    Only judges that have the number on both sides are ranked, so that the ranks can be compared; equal
    numbers share the better rank, and one judge alone has none.
    """
    ranks: list[Rank] = [(None, None)] * len(pairs)
    judged, (a, b) = _judged(tables, field, pairs)
    if len(judged) < 2:
        return ranks
    for place, one, two in zip(judged, a, b, strict=True):
        ranks[place] = int((a > one).sum()) + 1, int((b > two).sum()) + 1
    return ranks


def swaps_of(tables: Sequence[Table], field: str, pairs: Pairs) -> list[Swap]:
    """Return the pairs of judges whose order differs between the sides, the surest first."""
    judged, (a, b) = _judged(tables, field, pairs)
    judges = tables[0].columns["judge"].values
    found = []
    for one, two in combinations(range(len(judged)), 2):
        if (a[one] - a[two]) * (b[one] - b[two]) >= 0:
            continue
        above, below = (one, two) if a[one] > a[two] else (two, one)
        rows = pairs[judged[above]], pairs[judged[below]]
        names = str(judges[rows[0][0]]), str(judges[rows[1][0]])
        found.append(Swap(field, *names, _share(tables, field, rows)))
    return sorted(found, key=lambda swap: -(swap.share or 0.0))


def _judged(tables: Sequence[Table], field: str, pairs: Pairs) -> tuple[list[int], tuple[Floats, Floats]]:
    """Return the places of the pairs of judges with a number on both sides, and the numbers."""
    sides = [np.array([_number(tables[i], field, pair[i]) for pair in pairs]) for i in (0, 1)]
    judges = tables[0].columns["judge"].values
    defined = [
        place
        for place, pair in enumerate(pairs)
        if judges[pair[0]] is not None and not np.isnan([side[place] for side in sides]).any()
    ]
    return defined, (sides[0][defined], sides[1][defined])


def _number(table: Table, field: str, row: int) -> float:
    value = table.columns[field].values[row]
    return float("nan") if value is None else float(value)


def _share(tables: Sequence[Table], field: str, rows: Sequence[tuple[int, int]]) -> float | None:
    """Return in which share of the resamples the first is above on side A and below on side B."""
    draws = [table.columns[field].draws for table in tables]
    if draws[0] is None or draws[1] is None:
        return None
    (a, b), (c, d) = rows
    on_a = draws[0][:, a] - draws[0][:, c]
    on_b = draws[1][:, b] - draws[1][:, d]
    known = ~(np.isnan(on_a) | np.isnan(on_b))
    if not known.any():
        return None
    return float(((on_a > 0) & (on_b < 0))[known].mean())
