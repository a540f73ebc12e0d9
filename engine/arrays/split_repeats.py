"""How many judgments repeats make, and how many of these have none as their repeats are split."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.left_out import in_slice
from engine.arrays.pair_orders import has_answer
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.verdicts import VerdictCube

if TYPE_CHECKING:
    from engine.arrays.view import SliceView


@dataclass(frozen=True)
class SplitRepeats:
    """Of the judgments of a slice with a verdict, `of`, those left out as their repeats are `split`."""

    split: int
    of: int


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
    split = merged.select(~layout.bit(cube.ok, merged.judge, merged.generator, merged.place))
    shape = (len(cube.judges), len(cube.generators))
    plane = layout.plane(shape, split.judge, split.generator, split.place)
    n_split, n_decided = (int(view.rubric.count(words).sum()) for words in (plane, cube.ok))
    return SplitRepeats(n_split, n_split + n_decided)


def _of_pairs(view: "SliceView", cube: PairCube) -> SplitRepeats:
    shown = in_slice(view, cube.rows)
    split = shown & ~has_answer(cube.rows) & (cube.votes > cube.width)
    return SplitRepeats(int(np.count_nonzero(split)), int(np.count_nonzero(shown)))
