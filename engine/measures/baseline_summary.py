"""`quality-baseline-summary`: the quality baseline over all judges (MEASURES section 10)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures import quality_baseline
from engine.measures.table import Column, Table, stack
from engine.metrics.agreement import weighted_pearson, weighted_spearman
from engine.metrics.equal_quality import ALPHA
from engine.metrics.overestimation import mean_of_defined
from engine.views import View

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_NO_ROW = "no_row_with_a_proxy"
_FEW = "fewer_than_3_rows_or_a_constant_side"

prepare = quality_baseline.prepare


def compute(view: View, options: Mapping[str, Any]) -> Table:
    """Return a row for the judges, and one for the judges' rows against each opponent."""
    table = quality_baseline.compute(view, options)
    columns = table.columns
    pooled = np.array([opponent is None for opponent in columns["opponent"].values])
    proxied = table.keep & (np.asarray(columns["n"].values) > 0)
    scopes = [("pooled", proxied & pooled), ("opponent", proxied & ~pooled)]
    made = [_row(columns, name, rows) for name, rows in scopes]
    stacked = {name: stack([row[name] for row in made]) for name in made[0]}
    return Table(stacked, np.full(len(made), table.keep.any()), table.instances, table.left_out)


def _row(columns: Mapping[str, Column], scope: str, rows: Bools) -> dict[str, Column]:
    t, matched, change, acc, fair = (
        np.asarray(columns[name].values, dtype=np.float64)[rows]
        for name in ("ilsp_updated", "ilsp_matched", "relative_change", "acc", "proxy_win_rate")
    )
    draws = columns["relative_change"].draws
    mean = None if draws is None else mean_of_defined(draws[:, rows])[:, None]
    return {
        "scope": Column([scope]),
        "n_rows": Column([int(rows.sum())]),
        "mean_relative_change": Column([float(mean_of_defined(change))], mean, _NO_ROW),
        "share_not_positive": Column([_share(t <= 0)], reasons=_NO_ROW),
        "share_significant": _below(columns["p"], rows),
        "share_significant_adjusted": _below(columns["p_adjusted"], rows),
        "rank_correlation": Column([_correlation(weighted_spearman, matched, t)], reasons=_FEW),
        "fairness_correlation": Column([_correlation(weighted_pearson, acc, fair)], reasons=_FEW),
    }


def _share(marks: Bools) -> float:
    return float(marks.mean()) if len(marks) else np.nan


def _below(p: Column, rows: Bools) -> Column:
    tested = np.asarray(p.values, dtype=np.float64)[rows]
    return Column([_share(tested[~np.isnan(tested)] < ALPHA)], reasons="no_row_tested")


def _correlation(statistic: Any, one: Floats, two: Floats) -> float:
    if len(one) < 3:
        return np.nan
    return float(statistic(one, two, np.ones(len(one))))
