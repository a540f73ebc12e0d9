"""Scores of responses from rubric verdicts (MEASURES section 3)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import StudyIndex
from engine.metrics.scores import ScoreKind, clip_to_unit, levels
from engine.packing import Words

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ResponseScores:
    """Scores of shape (judges or 1, generators, instances), NaN where a response has none."""

    values: Floats
    given_levels: NDArray[np.int32] | None = None

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """The scores' order within each instance, see `engine.metrics.scores.levels`."""
        return levels(self.values) if self.given_levels is None else self.given_levels


def score_responses(index: StudyIndex, met: Words, ok: Words, mask: Words, kind: ScoreKind) -> ResponseScores:
    """Score every response over the rubrics in `mask`.

    `met` and `ok` have shape (judges, generators, words), `mask` (words,) or an axis more of size 1 in
    place of judges or generators. A response that lacks any verdict kept has no score, nor does one of
    an instance of which no rubric is kept; weighted and uniform scores also need a positive rubric.
    """
    layout = index.layout
    negative = layout.pack(index.points < 0)
    kept = layout.count_by_instance(mask)
    judged = layout.count_by_instance(ok & mask)
    complete = (judged == kept) & (kept > 0)
    if kind == "fraction":
        hits = layout.count_by_instance((met ^ negative) & ok & mask)
        values = np.divide(hits, kept, out=np.full(complete.shape, np.nan), where=complete)
        return ResponseScores(values, np.where(complete, hits, -1))
    points = np.sign(index.points) if kind == "uniform" else index.points
    gained = _sum_points(index, met & ok & mask, points)
    positive = index.points > 0
    best = _sum_points(index, layout.pack(positive) & mask, points)
    scorable = complete & (best > 0)
    values = np.divide(gained, best, out=np.full(complete.shape, np.nan), where=scorable)
    return ResponseScores(values if kind == "weighted_mean_clipped" else clip_to_unit(values))


def _sum_points(index: StudyIndex, words: Words, points: Floats) -> Floats:
    """Add up the points of the marked rubrics of each instance: shape (..., instances)."""
    layout = index.layout
    flat = words.reshape(-1, words.shape[-1])
    starts = np.searchsorted(layout.instance_of, layout.occupied)
    sums = np.zeros((len(flat), index.n_instances))
    for row, packed in zip(sums, flat, strict=True):  # one response row at a time bounds the memory
        gained = np.where(layout.unpack(packed), points, 0.0)
        row[layout.occupied] = np.add.reduceat(gained, starts) if len(starts) else 0.0
    return sums.reshape(*words.shape[:-1], index.n_instances)
