"""Verdicts: the judgments behind a selection, one after another."""

import pandas as pd
import streamlit as st

from engine import drill
from explorer import address, components, context, data, evidence, filters, selection

BLOCK = 100
COLUMNS = {
    "judge": ("Judge", "Who judged"),
    "generator": ("Generator", "Whose response it is"),
    "opponent": ("Opponent", "The response it is compared with"),
    "relation": ("Relation", "The generator is the judge itself, of its family, or other"),
    "verdict": ("Judge says", "Favourable: met, or not met where the rubric's points are negative"),
    "reference": ("Reference says", "The same of the reference"),
    "criterion": ("Criterion", "What is asked of the response"),
    "instance_id": ("Instance", "The question"),
    "rubric_id": ("Rubric", "The rubric, within its instance"),
}


def render(here: context.Context) -> None:
    """Show the list, and the item chosen in it."""
    asked = filters.sidebar(here.choices)
    query = selection.query(here, asked)
    place = _place()
    page = data.listing(here.key, query, BLOCK, place - place % BLOCK)
    if page.total and place >= page.total:
        components.say(f"There is no row {place + 1} in this selection; the first is shown.")
        address.choose("item")
        place, page = 0, data.listing(here.key, query, BLOCK, 0)
    if not page.rows:
        components.say(f"Nothing to show: {page.reason}.")
        return
    _steps(place, page.total)
    _list(page, place)
    evidence.show(
        data.item(here.key, query, BLOCK, page.offset, place - page.offset), page.rows[place - page.offset]
    )


def _place() -> int:
    told = address.value("item") or "1"
    return max(int(told) - 1, 0) if told.isascii() and told.isdigit() else 0


def _steps(place: int, total: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, step, key, icon in (
            ("Previous", -1, "P", "arrow_back"),
            ("Next", 1, "N", "arrow_forward"),
        ):
            there = 0 <= place + step < total
            st.button(
                label,
                key=label.lower(),
                shortcut=key,
                icon=f":material/{icon}:",
                on_click=address.choose,
                args=("item", str(place + step + 1)),
                disabled=not there,
            )
        st.text(f"{place + 1:,} of {total:,}", width="content")


def _list(page: drill.Listing, place: int) -> None:
    """Show the rows of the block, with the item's chosen."""
    frame = pd.DataFrame(page.rows)
    names = [name for name in COLUMNS if name in frame and frame[name].notna().any()]
    frame = frame[names].fillna("–")
    config = {
        name: st.column_config.TextColumn(words, help=help_) for name, (words, help_) in COLUMNS.items()
    }
    st.session_state["rows"] = {"selection": {"rows": [place - page.offset], "columns": [], "cells": []}}
    st.dataframe(
        frame,
        hide_index=True,
        column_config=config,
        height=components.HEAD + 4 * components.ROW,
        key="rows",
        on_select=lambda: _picked(page.offset),
        selection_mode="single-row",
    )


def _picked(offset: int) -> None:
    rows = st.session_state["rows"]["selection"]["rows"]
    address.choose("item", str(offset + rows[0] + 1)) if rows else address.choose("item")


context.show(render)
