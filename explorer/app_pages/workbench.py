"""Workbench: any slice as a chart, and the judgments behind it."""

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import data
from explorer.parts import components, selection
from explorer.parts.context import Context, show_page
from explorer.parts.sections import section
from explorer.workbench import chart, comparing, filters, finding_cards, verdicts
from explorer.workbench.verdicts import Source

# Page width in pixels from which judgments are shown beside the chart, and the width ratio of the two.
BESIDE = 960
CHART, LIST = 11, 9

SIDES = {"a": "side A", "b": "side B"}


def render(context: Context) -> None:
    """Show the filters as chips, and the chart with its judgments, a comparison, or the opened judgment."""
    comparing.begin(context)
    kind, form = comparing.mode(), chart.form_of()
    by = () if kind is not None else chart.columns(context, form)
    source = verdicts.source_of(context, (), by)
    bar = _bar(context, partial(_chips, source, kind))
    flags, removed = filters.apply(bar, begins=True)
    source = replace(source, flags=flags)
    place = verdicts.open_place()
    if kind is None and place is None:
        above = st.container()
        left, right, room = _columns()
        with left:
            _chart(context, flags, form, by, room)
        with right:
            verdicts.prefetch(source)  # before anything else is sent: the browser draws the chart meanwhile
        with above:
            filters.chips(bar, removed)
            _controls(context, form, by)
            if selection.value("find") == "true":
                finding_cards.panel(context, flags)
        with right:
            _judgments(source, kind)
        if form == "matrix":
            chart.points(context, flags)
        return
    filters.chips(bar, removed)
    choice = None if kind is None else comparing.choose(context, kind, flags)
    if choice is not None:
        source = _side(context, choice)
    if place is not None:
        verdicts.show_judgment(source, verdicts.query_of(source), place)
        return
    left, right, room = _columns()
    with left:
        if choice is not None:
            comparing.show(context, choice, room)
    with right:
        _judgments(source, kind)


def _columns() -> tuple[DeltaGenerator, DeltaGenerator, int]:
    """Return the places of the chart and of the judgments, and the width that the chart has."""
    wide = components.page_width()
    if wide < BESIDE:
        return st.container(), st.container(), wide
    left, right = st.columns([CHART, LIST], gap="medium")
    return left, right, wide * CHART // (CHART + LIST) - 20


def _bar(context: Context, after: partial[None]) -> filters.Bar:
    more = partial(comparing.rest_button, context.choices)
    side = "A" if selection.value("compare") in ("slices", "studies") else None
    files = data.files(context.root, context.name)
    return filters.Bar(context.choices, files, more=more, after=after, side=side)


def _chips(source: Source, kind: str | None) -> None:
    """Show the other choices as chips: a comparison, and whose judgments are listed."""
    if kind is not None:
        words = f"Compared: {comparing.MODES[kind].lower()}"
        meaning = "Side A has the filters above, side B those below."
        filters.chip("compare", words, partial(st.text, meaning), comparing.stop)
    verdicts.chips(source)


def _controls(context: Context, form: str, by: tuple[str, ...]) -> None:
    """Show the controls of the chart and of comparisons."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key="controls"):
        chart.forms(form)
        if form != "matrix":
            chart.against(context)
        if form == "matrix":
            chart.shade()
        if form == "curve":
            chart.along(context, by)
        else:
            chart.split(context, by, most=1 if form == "matrix" else 2)
        chart.order(form)
        comparing.menu(context)
        meaning = "Compare every slice of one or two columns with the rest, and list the clearest"
        selection.switch("find", "Find slices", meaning, clears=None)  # slower than a click should be


@section
def _chart(context: Context, flags: data.FlagValues, form: str, by: tuple[str, ...], room: int) -> None:
    sort = chart.order_of(form)
    if form == "matrix":
        chart.matrix(context, flags, by, sort, room)
    elif form == "judges":
        chart.ratios(context, flags, by, sort, room)
    elif by:
        chart.ratios(context, flags, by, sort, room, along=True)
    else:
        components.say("This study has no ordered column to draw a curve along.")


def _side(context: Context, choice: comparing.ComparisonChoice) -> Source:
    """Return the source of the chosen side's judgments."""
    selection.drop_unknown("side", tuple(SIDES), "Side")
    sides = choice.sides
    if selection.value("side") != "b":
        return verdicts.source_of(context, sides.flags_a, ())
    choices, study = data.choices(sides.b), data.study(sides.b)
    usual = verdicts.usual_kind(study)
    return Source(sides.b, sides.flags_b, (), choices.judges, choices.models, usual)


@section
def _judgments(source: Source, kind: str | None) -> None:
    if kind is not None:
        side = selection.value("side") or "a"
        look = {"required": True, "width": "content"}
        selection.button_row(
            "side", "Judgments of", SIDES, side, lambda now: selection.keep("side", (now,)), **look
        )
    verdicts.controls(source)
    verdicts.show_list(source, verdicts.query_of(source))


show_page(render)
