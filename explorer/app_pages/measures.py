"""Measures: what each of them asks, how it is computed, and what it leaves out."""

import streamlit as st

from engine.findings.commands import command_of
from engine.measures.catalogue import MEASURES, PRESENT
from engine.measures.entry import Measure
from engine.views.definition import DEFINITION, GLOSSARY_VIEW, MEASURE_LIST, MEASURE_OPTIONS, click_measure
from engine.views.view import AnyView
from engine.words.plain_names import LEVELS, paradigm_name
from explorer import data
from explorer.parts import measure_words, selection, view_widgets
from explorer.parts.context import Context, show_page
from explorer.parts.show import Click, table, texts_of

LIST = "measures"


def render(context: Context) -> None:
    """Show the chosen measure, below the list of all."""
    view_widgets.drop_unknown("measure", tuple(MEASURES), "Measure")
    measure = MEASURES[selection.value("measure") or next(iter(MEASURES))]
    place = list(PRESENT).index(measure.part_of[0] if measure.part_of else measure.name)
    st.session_state[LIST] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    _table(context, MEASURE_LIST, LIST, click_measure)
    st.subheader(measure.title, anchor=False)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        measure_words.measure_words(measure, "measure")
    with right:
        _scope(measure)
        name, rows = measure.part_of or (measure.name, None)
        st.code(command_of(context.name, measure.name, {}), language=None, wrap_lines=True)
        argument = "" if rows is None else f", rows={rows!r}"
        st.code(f"study.measure({name!r}{argument})", language=None, wrap_lines=True)
    st.markdown("**What each row holds**")
    _table(context, DEFINITION, "fields")
    st.markdown(f"**{MEASURE_OPTIONS.title}**")
    _table(context, MEASURE_OPTIONS, "options")
    with st.expander(GLOSSARY_VIEW.title, key=GLOSSARY_VIEW.name):
        _table(context, GLOSSARY_VIEW, "terms")


def _table(context: Context, view: AnyView, key: str, click: Click | None = None) -> None:
    """Show the table of a view, or what it says without one."""
    shown = data.shown(context.key, view.name, texts_of(view))
    for sentence in shown.sentences if shown.table is None else ():
        st.text(sentence)
    if shown.table is not None:
        table(shown.table, key, click)


def _scope(measure: Measure) -> None:
    """Say which judgments a measure uses, and which filters or groups it takes."""
    level = f", on {LEVELS[measure.level]} only" if measure.level else ""
    parts = [f"Based on {', '.join(map(paradigm_name, measure.paradigms))} judgments{level}."]
    if measure.sliced:
        parts.append(f"Takes every filter; two slices are compared by {measure.headline}.")
    else:
        parts.append(f"Grouped by: {', '.join(measure.groups) or 'nothing'}.")
    for sentence in parts:
        st.text(sentence)


show_page(render)
