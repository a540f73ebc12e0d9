"""`ranking-distance`: how far each ranking of the generators is from the reference's (MEASURES section 3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.measures.ranking import prepare, sources
from engine.measures.table import Column, Table, stack
from engine.metrics.ranking import apart
from engine.views import View
from engine.views.counted import combine

__all__ = ["compute", "prepare"]

TOO_FEW = "fewer_than_two_models_with_both_scores"


def compute(view: View, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each source but the reference; none where the reference has no ranking."""
    found = list(sources(view))
    instances = max(source.complete for source in found)
    truth = next((source for source in found if source.name == "reference"), None)
    rows = []
    for source in found:
        if truth is None or np.isnan(truth.scores.total).all() or source is truth:
            continue
        numbers = {}
        for name in ("tau", "shift", "flips"):
            value, draws = combine(
                lambda ours, theirs, name=name: getattr(apart(ours, theirs), name)[..., None],
                source.scores,
                truth.scores,
            )
            numbers[name] = Column(value, draws, TOO_FEW)
        n = int((~np.isnan(source.scores.total) & ~np.isnan(truth.scores.total)).sum())
        rows.append({"by": Column([source.name]), **numbers, "n_models": Column([n])})
    if not rows:
        empty = ("by", "tau", "shift", "flips", "n_models", "nearest")
        return Table({name: Column([]) for name in empty}, np.zeros(0, dtype=bool), instances)
    columns = {name: stack([row[name] for row in rows]) for name in rows[0]}
    tau = np.array(columns["tau"].values, dtype=np.float64)
    best = np.nanmax(tau, initial=-np.inf)
    columns["nearest"] = Column([bool(value >= best - 1e-9) for value in tau])
    return Table(columns, np.ones(len(rows), dtype=bool), instances)
