"""`agreement-curve`: mean self-preference on rubrics that judges agree on (MEASURES section 6)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.grouping import kept
from engine.measures.hspp import preference_columns
from engine.measures.table import Column, Table
from engine.metrics.overestimation import mean_of_defined, rate
from engine.packing import count
from engine.views import View

THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))


def compute(view: View, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each threshold, at rubric level and then at instance level.

    Of agreement on single verdicts there is the rubric level only.
    """
    spec = view.request.spec
    levels = ("rubric", "instance") if spec.level is None else (spec.level,)
    if spec.agreement_of == "verdict" and spec.level is None:
        levels = ("rubric",)
    points = [(level, threshold) for level in levels for threshold in THRESHOLDS]
    views = [_above(view, threshold, level) for level, threshold in points]
    everything = _size(_above(view, None, "rubric"), views[0])
    columns = [preference_columns(sub, sub.counts)["hspp_self"] for sub in views]
    ratios = [np.asarray(column.values, dtype=np.float64) for column in columns]
    draws = [mean_of_defined(column.draws) for column in columns if column.draws is not None]
    shares = [mean_of_defined(rate(_size(sub, sub), everything)) for sub in views]
    table = {
        "threshold": Column([threshold for _, threshold in points]),
        "level": Column([level for level, _ in points]),
        "hspp_self_mean": Column(
            np.array([mean_of_defined(values) for values in ratios]),
            np.column_stack(draws) if draws else None,
            "no_judge_with_a_ratio",
        ),
        "judges": Column([int((~np.isnan(values)).sum()) for values in ratios]),
        "rubrics_kept": Column(np.array(shares), reasons="no_rubrics"),
    }
    counts = view.at("rubric").rubric
    keep = np.full(len(points), counts.present.any())
    return Table(table, keep, counts.instances, view.left_out)


def _above(view: View, threshold: float | None, level: str) -> View:
    """Return the view with the rubrics of at least this agreement, or with all that other filters keep."""
    spec = replace(view.request.spec, min_agreement=threshold)
    request = replace(view.request, spec=spec, level=level)
    return view.keeping(kept(view.study, request), request)


def _size(view: View, like: View) -> NDArray[np.int64]:
    """Count the rubrics with a counted verdict in a view, as the mask of `like` tells them apart.

    One number where they are kept for all judges alike, one for each judge where not; where they are kept
    for single responses, a rubric counts once for each.
    """
    rubric = view.rubric
    marked = rubric.take(rubric.planes.counted)
    axes = like.rubric.shown_mask.shape
    for axis in (0, 1):
        if axes[axis] == 1:
            marked = np.bitwise_or.reduce(marked, axis=axis, keepdims=True)
    return np.asarray(count(marked).sum(axis=1))
