"""What several verdicts on one thing amount to."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def majority(
    ayes: NDArray[np.integer], voters: NDArray[np.integer], at_least: int = 1
) -> tuple[Bools, Bools]:
    """Return (verdict, decided): decided where enough voted and one side has more than half.

    The verdict is False where nothing is decided; read it together with `decided`.
    """
    decided = (voters >= at_least) & (2 * ayes != voters)
    return decided & (2 * ayes > voters), decided


def plurality(group: NDArray[np.int64], values: Floats, size: int) -> Floats:
    """Return the most frequent of -1, 0, +1 in each group; NaN where two share the lead or none is there."""
    known = ~np.isnan(values)
    cell = group[known] * 3 + values[known].astype(np.int64) + 1
    votes = np.bincount(cell, minlength=size * 3).reshape(size, 3)
    lead = votes.max(axis=1)
    alone = (votes == lead[:, None]).sum(axis=1) == 1
    return np.where(alone, votes.argmax(axis=1) - 1.0, np.nan)


def pair_agreement(ayes: NDArray[np.integer], voters: NDArray[np.integer]) -> Floats:
    """Return the share of pairs of voters that agree; NaN with fewer than two (MEASURES section 6)."""
    noes = voters - ayes
    agreeing = ayes * (ayes - 1) + noes * (noes - 1)
    pairs = voters * (voters - 1)
    share: Floats = np.divide(agreeing, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)
    return share
