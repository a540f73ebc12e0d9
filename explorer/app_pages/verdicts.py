"""Verdicts: the judgments behind a selection, one after another."""

import pandas as pd
import streamlit as st

from engine import drill
from explorer import address, components, context, data, evidence, filters
from explorer.wording import SHOWN, title

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
    query = _query(here, asked)
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


def _query(here: context.Context, asked: data.Asked) -> data.Query:
    """Show what to list and return it."""
    if address.value("by") and address.value("slice") is not None:
        _slice_of_grouping()
    choices = here.choices
    columns = st.columns([3, 2, 2, 3])
    with columns[0]:
        kind = _choice("show", tuple(SHOWN), "Show", SHOWN["overestimation"])
    with columns[1]:
        judge = _choice("judge", choices.judges, "Judge", "all judges")
    with columns[2]:
        generator = _choice("generator", choices.models, "Generator", "all generators")
    with columns[3]:
        search = _search()
    value = address.value("slice")
    by = address.value("by") if value is not None else None
    return data.Query(asked, kind or "overestimation", judge, generator, search, by, value)


def _choice(key: str, options: tuple[str, ...], label: str, placeholder: str) -> str | None:
    """Show a choice among names; one of the address that is not there is taken out, and said so."""
    chosen, name = address.value(key), address.widget(key)
    if chosen is not None and chosen not in options:
        components.say(f"{label} {chosen!r} is not in this study and was taken out of the selection.")
        address.view().pop(key)
        st.session_state.pop(name, None)
    if name not in st.session_state:
        st.session_state[name] = address.value(key)
    words = SHOWN.get if key == "show" else str
    st.selectbox(
        label,
        options,
        index=None,
        key=name,
        format_func=words,
        placeholder=placeholder,
        on_change=_changed,
        args=(key,),
    )
    return address.value(key)


def _search() -> str | None:
    name = address.widget("q")
    if name not in st.session_state:
        st.session_state[name] = address.value("q") or ""
    st.text_input("Search in texts", key=name, on_change=_changed, args=("q",), placeholder="words")
    return address.value("q")


def _changed(key: str) -> None:
    chosen = st.session_state[address.widget(key)]
    address.keep(key, (chosen,) if chosen else ())
    address.choose("item")


def _slice_of_grouping() -> None:
    """Say to which slice of a grouping the list is restricted, and offer to lift that."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"Only {title(address.value('by') or '').lower()}: {address.value('slice')}", width="content")
        st.button("All slices", key="all_slices", on_click=_lift, icon=":material/close:")


def _lift() -> None:
    address.choose("slice")
    address.choose("item")


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
