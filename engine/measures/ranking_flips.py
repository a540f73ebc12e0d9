"""`ranking-flips`: the pairs of generators that a ranking puts in the other order than the reference does."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.ranking import Source, prepare, sources
from engine.measures.table import Column, Table, stack
from engine.metrics.scores import TOLERANCE
from engine.views import View
from engine.views.counted import combine

__all__ = ["compute", "prepare"]

Floats = NDArray[np.float64]

KEYS = ("by", "above", "below")
COLUMNS = (*KEYS, "lead", "lead_reference", "sure", "itself")


def compute(view: View, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each ranking and pair turned round, those scored highest first."""
    found = list(sources(view))
    instances = max(source.complete for source in found)
    truth = next((source for source in found if source.name == "reference"), None)
    rows = (
        []
        if truth is None
        else [
            _row(view, source, truth, pair)
            for source in found
            if source is not truth
            for pair in _turned(source.scores.total, truth.scores.total)
        ]
    )
    if not rows:
        return Table({name: Column([]) for name in COLUMNS}, np.zeros(0, dtype=bool), instances)
    columns = {name: stack([row[name] for row in rows]) for name in COLUMNS}
    return Table(columns, np.ones(len(rows), dtype=bool), instances)


def _turned(ours: Floats, theirs: Floats) -> list[tuple[int, int]]:
    """Return the pairs (above, below) of which `ours` puts the first higher and `theirs` the second."""
    with np.errstate(invalid="ignore"):
        ahead = ours[:, None] - ours[None, :] > TOLERANCE
        behind = theirs[:, None] - theirs[None, :] < -TOLERANCE
    above, below = np.nonzero(ahead & behind)
    order = np.lexsort((-ours[below], -ours[above]))
    return [(int(above[k]), int(below[k])) for k in order]


def _row(view: View, source: Source, truth: Source, pair: tuple[int, int]) -> dict[str, Column]:
    above, below = pair
    names = [view.study.index.models[g] for g in view.generators]
    ours, theirs = (combine(lambda scores: _lead(scores, pair), one.scores) for one in (source, truth))
    return {
        "by": Column([source.name]),
        "above": Column([names[above]]),
        "below": Column([names[below]]),
        "lead": Column(*ours),
        "lead_reference": Column(*theirs),
        "sure": Column([_sure(ours[1], theirs[1])], reasons="no_resamples"),
        "itself": Column([source.name == names[above]]),
    }


def _lead(scores: Floats, pair: tuple[int, int]) -> Floats:
    """Return the score of the one above less that of the one below, shape (..., 1)."""
    above, below = pair
    return scores[..., [above]] - scores[..., [below]]


def _sure(ours: Floats | None, theirs: Floats | None) -> float | None:
    """Return in which share of the resamples the two are turned round too; None without any."""
    if ours is None or theirs is None:
        return None
    known = ~(np.isnan(ours) | np.isnan(theirs))
    return float(((ours > 0) & (theirs < 0))[known].mean()) if known.any() else None
