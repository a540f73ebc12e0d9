"""`agreement-curve`: mean self-preference on rubrics that judges agree on (MEASURES section 6)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.grouping import kept
from engine.measures.hspp import preference_columns
from engine.measures.table import Column, Table
from engine.metrics.overestimation import mean_of_defined
from engine.views import View

THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))


def compute(view: View, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each threshold, at rubric level and then at instance level."""
    levels = ["rubric", "instance"]
    if view.request.spec.level is not None:
        levels = [view.request.spec.level]
    everything = view.size
    points = [(level, threshold) for level in levels for threshold in THRESHOLDS]
    means, draws, judges, shares = [], [], [], []
    for level, threshold in points:
        sub = _above(view, threshold, level)
        column = preference_columns(sub, sub.counts)["hspp_self"]
        ratios = np.asarray(column.values)
        means.append(float(mean_of_defined(ratios)))
        judges.append(int((~np.isnan(ratios)).sum()))
        shares.append(sub.size / everything if everything else np.nan)
        if column.draws is not None:
            draws.append(mean_of_defined(column.draws))
    columns = {
        "threshold": Column([threshold for _, threshold in points]),
        "level": Column([level for level, _ in points]),
        "hspp_self_mean": Column(means, np.column_stack(draws) if draws else None, "no_judge_with_a_ratio"),
        "judges": Column(judges),
        "rubrics_kept": Column(shares, reasons="no_rubrics"),
    }
    keep = np.full(len(points), view.counts.cells.any())
    return Table(columns, keep, view.counts.instances, view.left_out)


def _above(view: View, threshold: float, level: str) -> View:
    """Return the view with the rubrics of at least this agreement."""
    spec = replace(view.request.spec, min_agreement=threshold)
    return view.keeping(kept(view.study, replace(view.request, spec=spec, level=level)), level)
