"""One answer to each pair, where only one order is asked for (MEASURES section 9, discriminability)."""

from dataclasses import dataclass

import numpy as np

from engine.cubes.orders import outcome
from engine.cubes.pair_rows import (
    HIGH_FIRST,
    LOW_FIRST,
    RESOLVED,
    UNKNOWN,
    Bools,
    Floats,
    Ints,
    group_rows,
    named,
    speaks,
)
from engine.cubes.pairs import PairCube
from engine.metrics.draws import ORDER, seeded_keys


@dataclass(frozen=True, eq=False)
class Answers:
    """Every pair with a stored row, one entry each.

    `answer` is +1, 0 or -1 seen from `generator`, NaN where it is not ok.
    """

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    answer: Floats

    def select(self, keep: Bools | Ints) -> "Answers":
        """Return some of the pairs."""
        return Answers(**{name: part[keep] for name, part in vars(self).items()})


def single_answers(cube: PairCube, seed: int) -> Answers:
    """Return the answer to each pair: of a resolved row; of the order drawn, where both are stored.

    A row of which the order is not known serves where there is no other.
    """
    rows, failures = cube.rows, cube.failures
    names = ("judge", "instance", "generator", "opponent")
    keys = [np.concatenate([getattr(rows, name), getattr(failures, name)]) for name in names]
    order = np.concatenate([rows.order, failures.order])
    groups = group_rows(*keys)
    at, size = groups.of, len(groups.first)
    pairs = [column[groups.first] for column in keys]
    stored = np.zeros((4, size), dtype=bool)
    stored[order, at] = True
    row = np.full((4, size), -1)
    heard = np.flatnonzero(speaks(rows))
    row[rows.order[heard], at[heard]] = heard
    drawn = np.where(seeded_keys(seed, ORDER, *pairs) & np.uint64(1), HIGH_FIRST, LOW_FIRST)
    only = np.where(stored[LOW_FIRST], LOW_FIRST, np.where(stored[HIGH_FIRST], HIGH_FIRST, UNKNOWN))
    asked = np.where(stored[LOW_FIRST] & stored[HIGH_FIRST], drawn, only)
    chosen = row[asked, np.arange(size)]
    answer = np.full(size, np.nan)
    answer[chosen >= 0] = named(rows)[chosen[chosen >= 0]]
    done = row[RESOLVED] >= 0
    answer[done] = outcome(rows, row[RESOLVED][done], row[RESOLVED][done])
    judge, instance, generator, opponent = pairs
    return Answers(judge, instance, generator, opponent, answer)
