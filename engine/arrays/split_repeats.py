"""How many judgments were made more than once, and how many of these count for nothing as they split."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.left_out import in_slice
from engine.arrays.pairs.pair_orders import has_answer
from engine.arrays.pairs.pair_outcomes import PairCube

if TYPE_CHECKING:
    from engine.arrays.view import SliceView


@dataclass(frozen=True)
class SplitRepeats:
    """Of a slice's judgments made more than once, `repeated`, those left out as their repeats are `split`.

    `judged` are all that have a verdict, repeated or not: those that count if the first of each is taken.
    """

    split: int
    repeated: int
    judged: int


def split_repeats(view: "SliceView") -> SplitRepeats | None:
    """Count what a majority decides and leaves undecided; None for scores, of which the mean is taken."""
    if isinstance(view.cube, VerdictCube):
        return _of_verdicts(view, view.cube)
    if isinstance(view.cube, PairCube):
        return _of_pairs(view, view.cube)
    return None


def _of_verdicts(view: "SliceView", cube: VerdictCube) -> SplitRepeats:
    layout, failures = view.study.index.layout, cube.failures
    merged = failures.select(failures.code == "merged")
    shape = (len(cube.judges), len(cube.generators))
    repeated = layout.plane(shape, merged.judge, merged.generator, merged.place)
    n_split, n_repeated, n_decided = (
        int(view.rubric.count(words).sum()) for words in (repeated & ~cube.ok, repeated, cube.ok)
    )
    return SplitRepeats(n_split, n_repeated, n_split + n_decided)


def _of_pairs(view: "SliceView", cube: PairCube) -> SplitRepeats:
    shown = in_slice(view, cube.rows)
    repeated = shown & (cube.votes > cube.width)
    split = repeated & ~has_answer(cube.rows)
    return SplitRepeats(*(int(np.count_nonzero(rows)) for rows in (split, repeated, shown)))
