"""The places of judges on two sides, and the pairs of them that change places."""

from collections.abc import Sequence
from dataclasses import dataclass

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
    judges = [str(tables[0].columns["judge"].values[pairs[place][0]]) for place in judged]
    above, below = np.nonzero((a[:, None] > a) & (b[:, None] < b))
    shares = _shares(tables, field, [pairs[place] for place in judged])
    found = [
        Swap(field, judges[one], judges[two], None if shares is None else _defined(shares[one, two]))
        for one, two in zip(above, below, strict=True)
    ]
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


def _shares(tables: Sequence[Table], field: str, pairs: Pairs) -> Floats | None:
    """Return in which share of the resamples each judge is above each other on A and below it on B.

    Shape (judges, judges), NaN where no resample has all four numbers; None without resamples.
    """
    draws = [table.columns[field].draws for table in tables]
    if draws[0] is None or draws[1] is None:
        return None
    a, b = (side[:, [pair[i] for pair in pairs]] for i, side in enumerate(draws) if side is not None)
    known = ~(np.isnan(a) | np.isnan(b))
    both = known.T.astype(np.float64) @ known
    turned = np.zeros_like(both)
    for one in range(len(pairs)):  # judge by judge: all at once would need judges x judges x resamples
        turned[one] = ((a[:, [one]] > a) & (b[:, [one]] < b)).sum(axis=0)
    return np.divide(turned, both, out=np.full_like(both, np.nan), where=both > 0)


def _defined(share: float) -> float | None:
    return None if np.isnan(share) else float(share)
