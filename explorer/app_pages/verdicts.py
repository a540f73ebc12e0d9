"""Verdicts: the judgments behind a selection, one after another."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from engine import drill
from engine.finite import whole
from explorer import address, components, context, data, downloads, evidence, filters, selection

BLOCK = 100
COLUMNS = {
    "judge": ("Judge", "Who judged"),
    "generator": ("Generator", "Whose response it is"),
    "opponent": ("Opponent", "The response it is compared with"),
    "relation": ("Relation", "The generator is the judge itself, of its family, or other"),
    "verdict": ("Judge says", "Favourable: met, or not met where the rubric's points are negative"),
    "verdict_beside": ("Beside it", "The verdict set beside: the second judge's, or on the second response"),
    "reference": ("Reference says", "The same of the reference"),
    "reference_beside": ("Its reference", "What the reference says of what is set beside"),
    "criterion": ("Criterion", "What is asked of the response"),
    "instance_id": ("Instance", "The question"),
    "rubric_id": ("Rubric", "The rubric, within its instance"),
}

RENDERED = (
    "Show headings, lists, tables, code and mathematics of texts; links, images and HTML stay as written"
)


def render(here: context.Context) -> None:
    """Show the list, and the item chosen in it."""
    asked = filters.sidebar(here.choices)
    query = selection.query(here, asked)
    with st.container(horizontal=True, vertical_alignment="bottom", key="reading"):
        query = replace(query, beside=selection.beside(here))
        rendered = selection.switch("rendered", "Rendered", RENDERED, clears=None)
        steps = st.container(horizontal=True, vertical_alignment="center", width="content")
    place = _place()
    page = data.listing(here.key, query, BLOCK, place - place % BLOCK)
    if page.total and place >= page.total:
        components.say(f"There is no row {place + 1} in this selection; the first is shown.")
        address.choose("item")
        place, page = 0, data.listing(here.key, query, BLOCK, 0)
    if not page.rows:
        components.say(f"Nothing to show: {page.reason}.")
        return
    with steps:
        _steps(place, page.total)
    _list(page, place)
    _evidence(here, query, page, place - page.offset, rendered)


def _evidence(
    here: context.Context, query: data.Query, page: drill.Listing, place: int, rendered: bool
) -> None:
    """Show the item of a row of the block, and what is set beside it."""
    row, beside = page.rows[place], query.beside
    item = data.item(here.key, query, BLOCK, page.offset, place)
    how = evidence.Reading(here.key, rendered)
    if beside is None:
        evidence.show(item, row, how)
        return
    other = item
    if beside.role == "generator":
        other = data.item(here.key, query, BLOCK, page.offset, place, beside.name)
    evidence.show_beside(item, row, beside, other, how)


def _place() -> int:
    return (whole(address.value("item") or "1") or 1) - 1


def _steps(place: int, total: int) -> None:
    """Show the steps to the item before and after, and where in the list this one is."""
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
    downloads.of_table(lambda: pd.DataFrame(page.rows), "rows")


def _picked(offset: int) -> None:
    rows = st.session_state["rows"]["selection"]["rows"]
    address.choose("item", str(offset + rows[0] + 1)) if rows else address.choose("item")


context.show(render)
