"""How alike judges err: a matrix in the order of its tree, and the tree beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from engine.charts import axes, style
from engine.charts.lazy_altair import alt
from engine.stats.judges.relatedness import tree

if TYPE_CHECKING:
    from engine.measures.row_types import RelatednessRow

COLUMNS = ["judge", "other", "value", "words", "n", "relation"]


def relatedness_rows(rows: Iterable[RelatednessRow]) -> pd.DataFrame:
    """Return a row for each ordered pair of judges with a number, judges in the order of their tree."""
    pairs = [row for row in rows if row["relatedness"] is not None]
    judges = list(dict.fromkeys(name for row in pairs for name in (row["judge"], row["other_judge"])))
    values = {(row["judge"], row["other_judge"]): row for row in pairs}
    if len(pairs) == len(judges) * (len(judges) - 1) // 2 and pairs:
        judges = [judges[leaf] for leaf in tree(_matrix(judges, values))[1]]
    records = []
    for one in judges:
        for two in judges:
            row = values.get((one, two)) or values.get((two, one))
            if row is not None:
                number = float(row["relatedness"])
                relation = "one family" if row["same_family"] else "different families"
                records.append((one, two, number, f"{number:+.3f}", int(row["n"]), relation))
    return pd.DataFrame.from_records(records, columns=COLUMNS)


def _matrix(judges: list[str], values: Mapping[tuple[str, str], Mapping[str, Any]]) -> Any:
    matrix = np.zeros((len(judges), len(judges)))
    for (one, two), row in values.items():
        places = judges.index(one), judges.index(two)
        matrix[places] = matrix[places[::-1]] = row["relatedness"]
    return matrix


def relatedness_chart(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """Draw the frame of `relatedness_rows`; the tree only where every pair has a number."""
    judges = list(dict.fromkeys(frame["judge"]))
    size = 30 * len(judges)
    most = float(frame["value"].abs().max()) or 1.0
    steps = list(np.linspace(-most, most, len(style.DIVERGING)))
    colour = alt.Color(
        "value:Q",
        title="relatedness",
        scale=alt.Scale(domain=steps, range=list(style.DIVERGING)),
        legend=alt.Legend(orient="top", direction="horizontal", gradientLength=200),
    )
    y = alt.Y("judge:N", title=None, sort=judges, axis=axes.names_axis())
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("judge", "other", "words", "relation")]
    base = alt.Chart().encode(
        x=alt.X("other:N", title=None, sort=judges, axis=axes.names_axis(labelAngle=-90)), y=y
    )
    cells = base.mark_rect().encode(color=colour, tooltip=[*tooltip, alt.Tooltip("n:Q", format=",")])
    relatives = (
        base.transform_filter(alt.FieldEqualPredicate(field="relation", equal="one family"))
        .mark_point(filled=True, size=18, opacity=1)
        .encode(color=alt.ColorValue(style.INK))
    )
    matrix = alt.layer(cells, relatives, data=frame, width=size, height=size)
    if len(frame) < len(judges) * (len(judges) - 1):
        return matrix
    both: alt.HConcatChart = alt.hconcat(matrix, _tree(frame, judges, size), spacing=8)
    return both


def _tree(frame: pd.DataFrame, judges: list[str], height: int) -> alt.LayerChart:
    """Draw the tree; its rows have names where it stands below the matrix, on a narrow page."""
    axis = alt.Axis(ticks=False, labels=False, grid=False, domain=False)
    lines = (
        alt.Chart(_tree_lines(frame, judges))
        .mark_line(color=style.NEUTRAL)
        .encode(
            x=alt.X("height:Q", title="less alike →", axis=axis),
            y=alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[len(judges) - 0.5, -0.5], nice=False)),
            detail=alt.Detail("merge:N"),
            order=alt.Order("step:Q"),
        )
    )
    names = (
        alt.Chart()
        .mark_point(opacity=0)
        .encode(y=alt.Y("judge:N", title=None, sort=judges, axis=axes.names_axis(labels=False)))
    )
    tree_chart: alt.LayerChart = alt.layer(
        names, lines, data=pd.DataFrame({"judge": judges}), width=160, height=height
    ).resolve_scale(y="independent")
    return tree_chart


def _tree_lines(frame: pd.DataFrame, judges: list[str]) -> pd.DataFrame:
    """Return the corners of the tree's brackets: four for each merge."""
    values = {
        (one, two): {"relatedness": value}
        for one, two, value in zip(frame["judge"], frame["other"], frame["value"], strict=True)
    }
    merges, leaves = tree(_matrix(judges, values))
    order = {int(leaf): place for place, leaf in enumerate(leaves)}
    ends = {n: (float(order[n]), 0.0) for n in range(len(judges))}
    records = []
    for merge, (one, two, height, _) in enumerate(merges):
        (place, low), (other, other_low) = ends[int(one)], ends[int(two)]
        corners = ((place, low), (place, height), (other, height), (other, other_low))
        records += [(merge, step, *corner) for step, corner in enumerate(corners)]
        ends[len(judges) + merge] = ((place + other) / 2, float(height))
    return pd.DataFrame.from_records(records, columns=["merge", "step", "place", "height"])
