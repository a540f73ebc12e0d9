"""What pages are composed of: sentences, and charts and tables with all that belongs to their numbers.

Texts of a study are shown by `st.text`, in charts as values and in tables as cells: never as markup.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine import exports, readable, wording
from engine.measures.result import Result
from explorer import data, downloads, explanations

if TYPE_CHECKING:
    import pandas as pd

LONGEST_TABLE = 12
"""Rows shown without scrolling."""

ROW, HEAD = 35, 38
"""Pixels of a table's rows and of its head."""

MARKS = (
    "Lines are 95% intervals, a mark without one has too few cases for it; "
    "hollow marks rest on fewer than 30 cases."
)
"""What the marks of most charts mean."""

CHART_COLUMNS = {
    "panel": st.column_config.TextColumn("Judge"),
    "label": st.column_config.TextColumn("Row"),
    "series": st.column_config.TextColumn("Of"),
    "words": st.column_config.TextColumn("Ratio [95% interval]"),
    "n": st.column_config.NumberColumn(
        "n", format="localized", help="Responses' rubrics failed by the reference"
    ),
    "small": st.column_config.CheckboxColumn("Few cases", help="Fewer than 30"),
}


def say(*sentences: str, key: str | None = None) -> None:
    """Show sentences in a box of their own."""
    with st.container(border=True, key=key):
        for sentence in sentences:
            st.text(sentence)


def note(*sentences: str, key: str) -> None:
    """Show sentences small, under what they belong to."""
    with st.container(key=f"note_{key}", gap=None):
        for sentence in sentences:
            st.text(sentence)


def lacks_rows(result: Result) -> bool:
    """Say why a measure has no rows, and return whether it has none."""
    if result.rows:
        return False
    lost = [wording.left_out(result.left_out)] if any(result.left_out.values()) else []
    say(f"Nothing to show: {result.reason or 'no judgment of this slice counts'}.", *lost)
    return True


def basis(result: Result, key: str, *more: str) -> None:
    """Say what a measure was taken of and what was left out."""
    note(wording.applied(result.filters), wording.left_out(result.left_out), *more, key=key)


def chart(
    drawn: data.Drawn, key: str, told: str, result: Result, picks: str | None = None, *, marks: str = MARKS
) -> list[dict[str, Any]]:
    """Show a chart with what its numbers rest on and its rows; `told` describes it to who cannot see it.

    The words of its measure open above it. `marks` says what its marks mean. Return what is chosen in the
    chart's selection `picks`.
    """
    explanations.shortly(result.measure, key)
    lines = (wording.applied(result.filters), wording.left_out(result.left_out), marks)
    return figure(drawn, key, told, lines, study=result.study, picks=picks)


def figure(
    drawn: data.Drawn,
    key: str,
    told: str,
    lines: Sequence[str],
    *,
    study: str,
    picks: str | None = None,
    caption: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Show a chart with the lines that say what it rests on and its rows, to be taken away with them.

    `caption` holds what the picture says besides. Return what is chosen in the chart's selection `picks`.
    """
    with st.container(key=key):
        shown: dict[str, Any] = {"width": "content", "alt": told}
        if picks is not None:
            shown |= {"on_select": "rerun", "selection_mode": picks, "key": f"{key}_{picks}"}
        event: Any = st.vega_lite_chart(drawn.spec, **shown)
    note(*lines, key=key)
    under = [f"Study {study}. {downloads.counted(drawn.rows)}", *caption, *lines]
    downloads.of_chart(drawn.spec, key, told, under)
    with st.expander("Rows of this chart", key=f"{key}_rows", on_change="rerun") as rows:
        if rows.open:  # a table that nobody looks at would cost every click a tenth of its time
            columns = dict(drawn.titles) or CHART_COLUMNS
            table(_chart_rows(drawn), columns, f"{key}_table", typed=lambda: drawn.rows)
    return [] if picks is None else list(event["selection"].get(picks, []))


def _chart_rows(drawn: data.Drawn) -> "pd.DataFrame":
    """Return what the chart draws, to be read; without the panel where there is only one."""
    rows = drawn.rows
    if drawn.titles:
        return rows[[name for name, _ in drawn.titles]]
    shown = rows[["panel", "label", "series", "words", "n", "small"]]
    return shown if rows["panel"].any() else shown.drop(columns="panel")


def measured(
    result: Result, fields: Sequence[str], key: str, *, by: str | None = None, selectable: bool = False
) -> int | None:
    """Show a measure's rows as a table; return the row chosen, where rows can be chosen."""
    frame = readable.readable(result, fields, by=by)
    declared = readable.declarations(result.measure)
    help_of = {name: declared[name].meaning.capitalize() for name in fields}
    config = {
        name: st.column_config.TextColumn(readable.heading(name, by), help=help_of.get(name))
        for name in frame.columns
    }
    return table(frame, config, key, selectable=selectable, typed=lambda: exports.frame_of(result))


def table(
    frame: "pd.DataFrame",
    config: Mapping[str, Any],
    key: str,
    *,
    selectable: bool = False,
    on_pick: Callable[[], None] | None = None,
    typed: "Callable[[], pd.DataFrame] | None" = None,
) -> int | None:
    """Show a frame whose cells are ready to be read; return the row chosen, where rows can be chosen.

    `on_pick` is called when another row is chosen, where the page keeps the choice itself. `typed` makes
    what is downloaded: the numbers behind the cells, where these are texts.
    """
    height = HEAD + ROW * min(max(len(frame), 1), LONGEST_TABLE)
    shared: dict[str, Any] = {"hide_index": True, "column_config": dict(config), "height": height, "key": key}
    if selectable:
        shared |= {"on_select": on_pick or "rerun", "selection_mode": "single-row"}
    event: Any = st.dataframe(frame, **shared)
    downloads.of_table(typed or (lambda: frame), key)
    if not selectable:
        return None
    chosen = [row for row in event["selection"]["rows"] if row < len(frame)]
    return chosen[0] if chosen else None
