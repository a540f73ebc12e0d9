"""`ranking-distance`: how far each ranking of the generators is from the reference's (MEASURES section 3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.ranking import ALL, Source, prepare, sources
from engine.measures.table import Column, Table, stack
from engine.metrics.ranking import apart
from engine.views import View
from engine.views.counted import combine

__all__ = ["compute", "prepare"]

Floats = NDArray[np.float64]

TOO_FEW = "fewer_than_two_models_with_both_scores"
COLUMNS = ("by", "tau", "shift", "flips", "n_models", "gain")


def compute(view: View, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each source but the reference; none where the reference has no ranking."""
    found = {source.name: source for source in sources(view)}
    instances = max(source.complete for source in found.values())
    truth = found.pop("reference", None)
    if truth is None or np.isnan(truth.scores.total).all():
        empty = {name: Column([]) for name in (*COLUMNS, "nearest")}
        return Table(empty, np.zeros(0, dtype=bool), instances)
    rows = [_row(source, found[ALL], truth) for source in found.values()]
    columns = {name: stack([row[name] for row in rows]) for name in COLUMNS}
    tau = np.array(columns["tau"].values, dtype=np.float64)
    best = np.nanmax(tau, initial=-np.inf)
    columns["nearest"] = Column([bool(value >= best - 1e-9) for value in tau])
    return Table(columns, np.ones(len(rows), dtype=bool), instances)


def _row(source: Source, everyone: Source, truth: Source) -> dict[str, Column]:
    """Return the row of one source."""
    numbers = {}
    for name in ("tau", "shift", "flips"):
        value, draws = combine(
            lambda ours, theirs, name=name: getattr(apart(ours, theirs), name)[..., None],
            source.scores,
            truth.scores,
        )
        numbers[name] = Column(value, draws, TOO_FEW)
    gain = Column(*combine(_gain, source.scores, everyone.scores, truth.scores), TOO_FEW)
    n = int((~np.isnan(source.scores.total) & ~np.isnan(truth.scores.total)).sum())
    return {"by": Column([source.name]), **numbers, "n_models": Column([n]), "gain": gain}


def _gain(ours: Floats, everyones: Floats, truths: Floats) -> Floats:
    """Return how much nearer to the reference a source's ranking is than all judges', shape (..., 1)."""
    return (apart(ours, truths).tau - apart(everyones, truths).tau)[..., None]
