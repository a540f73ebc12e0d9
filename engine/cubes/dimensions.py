"""Pairs judged on each of five dimensions: one answer for each order (MEASURES section 9, mitigation)."""

import numpy as np
import pyarrow as pa

from engine import schema
from engine.cubes.arrow import encode, text_array
from engine.cubes.orders import counted
from engine.cubes.pair_rows import Ints, PairFailures, PairRows, group_rows, take

DIMENSIONS = schema.DIMENSIONS
STRUCTURED = "structured"
_ENOUGH = len(DIMENSIONS) // 2 + 1


def dimension_of(column: pa.ChunkedArray) -> Ints:
    """Return which dimension each row is of, -1 for none."""
    return encode(column, text_array(DIMENSIONS))


def by_majority(rows: PairRows, dimension: Ints, votes: Ints) -> tuple[PairRows, Ints, list[PairFailures]]:
    """Return one row for each order of which all dimensions are answered, and the rows of the others.

    The response that at least three dimensions choose is the choice; no such majority is a tie. `votes`
    counts the judgment rows behind each row, before and after.
    """
    groups = group_rows(rows.judge, rows.instance, rows.generator, rows.opponent, rows.order)
    first, order = groups.first, groups.of
    answered = ~np.isnan(rows.choice) & (dimension >= 0)
    complete = np.bincount(order[answered], minlength=len(first)) == len(DIMENSIONS)
    chosen = [
        np.bincount(order[answered], weights=rows.choice[answered] == side, minlength=len(first)) >= _ENOUGH
        for side in (1, -1)
    ]
    answers = vars(take(rows, first)) | {"choice": chosen[0].astype(np.float64) - chosen[1]}
    answers |= {name: np.full(len(first), np.nan) for name in ("p", "p_tie")}
    together = np.bincount(order, weights=votes, minlength=len(first)).astype(np.int64)
    lost = ~complete[order]
    left = [
        counted(
            take(rows, lost & answered),
            "order_missing",
            np.ones(int((lost & answered).sum()), dtype=np.int64),
        ),
        counted(take(rows, lost), "merged", (votes - answered)[lost]),
    ]
    left = [PairFailures(**{n: v[part.count > 0] for n, v in vars(part).items()}) for part in left]
    return take(PairRows(**answers), complete), together[complete], left
