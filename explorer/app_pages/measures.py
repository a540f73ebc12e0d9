"""Measures: what each of them asks, how it is computed, and what it leaves out."""

import shlex

import pandas as pd
import streamlit as st

from engine.measures.catalogue import MEASURES
from engine.measures.entry import Measure
from engine.views.definition import DEFINITION
from engine.words.glossary import GLOSSARY
from explorer import data
from explorer.parts import components, downloads, measure_words, selection
from explorer.parts.context import Context, show_page
from explorer.parts.show import table

COLUMNS = {
    "title": st.column_config.TextColumn("Measure", width=240),
    "question": st.column_config.TextColumn("What it asks", width=520),
    "measure": st.column_config.TextColumn("Name", width=130, help="In commands, notebooks and addresses"),
}


TERMS = {
    "term": st.column_config.TextColumn("Term", width=180),
    "meaning": st.column_config.TextColumn("Meaning", width=700),
}


def render(context: Context) -> None:
    """Show the chosen measure, below the list of all."""
    selection.drop_unknown("measure", tuple(MEASURES), "Measure")
    measure = MEASURES[selection.value("measure") or next(iter(MEASURES))]
    _list_all(measure)
    st.subheader(measure.title, anchor=False)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        measure_words.measure_words(measure, "measure")
    with right:
        _scope(measure)
        command = f"spb measure {measure.name} {shlex.quote(context.name)}"
        st.code(command, language=None, wrap_lines=True)
        st.code(f"study.measure({measure.name!r})", language=None, wrap_lines=True)
    st.markdown("**What each row holds**")
    shown = data.shown(context.key, DEFINITION.name, {"measure": (measure.name,)})
    assert shown.table is not None  # noqa: S101 - every measure has fields
    table(shown.table, "fields")
    st.markdown("**Its options**")
    measure_words.options(measure)
    with st.expander("Glossary", key="glossary"):
        components.table([(term.name, term.meaning) for term in GLOSSARY], TERMS, "terms")


def _list_all(selected: Measure) -> None:
    """Show a row for each measure, with the chosen one selected."""
    rows = [
        {"title": measure.title, "question": measure.question, "measure": measure.name}
        for measure in MEASURES.values()
    ]
    place = list(MEASURES).index(selected.name)
    st.session_state["measures"] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    frame = pd.DataFrame(rows)
    st.dataframe(
        frame,
        hide_index=True,
        column_config=COLUMNS,
        height=components.HEAD + components.ROW * 9,
        key="measures",
        on_select=_choose_measure,
        selection_mode="single-row",
    )
    downloads.offer_table(lambda: frame, "measures")


def _choose_measure() -> None:
    rows = st.session_state["measures"]["selection"]["rows"]
    selection.choose("measure", *(list(MEASURES)[row] for row in rows))


def _scope(measure: Measure) -> None:
    """Say which judgments a measure uses, and which filters or groups it takes."""
    level = f", at {measure.level} level only" if measure.level else ""
    parts = [f"Based on {', '.join(measure.paradigms).replace('_', ' ')} judgments{level}."]
    if measure.sliced:
        parts.append(f"Takes every filter; two slices are compared by {measure.headline}.")
    else:
        parts.append(f"Grouped by: {', '.join(measure.groups) or 'nothing'}.")
    for sentence in parts:
        st.text(sentence)


show_page(render)
