"""Compare: slices, judges, runs or studies side by side, with the doubt of their difference."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from engine import compared_words
from engine.comparison import Comparison
from explorer import (
    address,
    compared_table,
    comparing,
    components,
    context,
    data,
    explanations,
    selection,
)
from explorer.comparing import Chosen
from explorer.sitemap import FILTERS

TABLE = "compared_numbers"
MARKS = "Lines are 95% intervals; hollow marks rest on fewer than 30 cases; both sides have one scale."


def render(here: context.Context) -> None:
    """Show what is compared, both sides, what is between them, and who changes places."""
    comparing.settle_saved(here)
    told = comparing.chosen(here)
    if told is None:
        return
    comparing.refuse_alike(told)
    comparison = data.comparison(told.sides, told.fields, told.common)
    if not comparison.rows:
        components.say(f"Nothing to compare: {comparison.reason}.", *compared_words.basis(comparison))
        return
    _say(told, comparison)
    _chart(told, comparison)
    _table(told, comparison)
    if told.mode != "judges":
        compared_table.show_swaps(comparison)


def _say(told: Chosen, comparison: Comparison) -> None:
    """Say what comes out, what is common to both sides and what only one has."""
    if told.sides.alike:
        components.say("Both sides are the same: choose filters of A or of B at the left.", key="finding")
        return
    finding = compared_words.finding(comparison, told.number)
    rest = (compared_words.common(comparison), compared_words.one_side_only(comparison))
    components.say(*finding, *filter(None, rest), key="finding")


def _chart(told: Chosen, comparison: Comparison) -> None:
    drawn = data.compared_chart(told.sides, told.fields, told.common)
    if drawn.panels < drawn.all_panels:
        components.say(
            f"The {drawn.panels} rows highest in A are drawn, of {drawn.all_panels}; the table has all."
        )
    explanations.shortly(comparison.measure, "compared")
    words = f"Side A, side B and A against B by {comparing.NUMBERS[told.number]}."
    lines = (*compared_words.basis(comparison), MARKS)
    components.figure(
        drawn,
        "compared",
        words,
        lines,
        study=comparison.sides[0].study,
        caption=[compared_words.common(comparison)],
    )


def _table(told: Chosen, comparison: Comparison) -> None:
    """Show the numbers; the row chosen stands in the address and leads to the judgments of either side."""
    kind = "ratio" if told.number in comparing.RATIOS else "share"
    frame = pd.DataFrame([compared_table.cells(row, kind) for row in comparison.rows])
    if told.mode == "judges":
        frame = frame.drop(columns=["rank", "p_adjusted"])
    config = {
        name: st.column_config.TextColumn(compared_table.HEADS[name][0], help=compared_table.HEADS[name][1])
        for name in frame
    }
    place = _shown_row(list(frame["row"]))
    typed = pd.DataFrame(comparison.rows)
    components.table(frame, config, TABLE, selectable=True, on_pick=_picked(frame), typed=lambda: typed)
    row = None if place is None else comparison.rows[place]
    if row is None or row["judge"] is None:
        components.note("Choose a judge's row to read the judgments behind it.", key="choose")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text("Judgments on the judge's own responses:", width="content")
        for side, judge in (("A", row["judge"]), ("B", row["judge_b"])):
            if st.button(f"Read those of {judge} in {side}", key=f"read_{side.lower()}"):
                _read(told, side, str(judge))


def _shown_row(names: list[str]) -> int | None:
    """Let the table show the row of the view as chosen, and return its place."""
    selection.drop_unknown("row", names, "Row")
    name = address.value("row")
    place = None if name is None else names.index(name)
    rows = [] if place is None else [place]
    st.session_state[TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    return place


def _picked(frame: pd.DataFrame) -> Callable[[], None]:
    names = list(frame["row"])

    def keep() -> None:
        rows = st.session_state[TABLE]["selection"]["rows"]
        address.keep("row", (names[rows[0]],) if rows else ())

    return keep


def _read(told: Chosen, side: str, judge: str) -> None:
    """Open the judgments of a judge on one side."""
    asked = dict(told.sides.asked_a if side == "A" else told.sides.asked_b)
    texts = {name: (value,) if isinstance(value, str) else value for name, value in asked.items()}
    study = {"study": (address.value("b_study") or "",)} if side == "B" and told.sides.apart else {}
    place = {"judge": (judge,), "generator": (judge,), "show": ("overestimation",)}
    nothing = dict.fromkeys((*FILTERS, "by", "value", "q", "item"), ())
    context.open_page("verdicts", **(nothing | texts | place | study))


context.show(render)
