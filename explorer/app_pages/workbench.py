"""Explore: any slice as a chart, and the judgments behind it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.views.compare import MODES
from engine.views.keys import read_keys
from engine.views.registry import VIEWS
from engine.views.slices import filterable_last
from engine.views.standout_slices import STANDOUT_SLICES
from engine.views.view import AnyView
from explorer import data
from explorer.page_list import part_of
from explorer.parts import components, page_width, selection, view_widgets
from explorer.parts.context import Context, show_page
from explorer.parts.sections import section
from explorer.parts.show import NARROW, controls, draw, draw_below, texts_of, that_can_be_shown
from explorer.workbench import comparing, filters, listed_judgments, one_judgment, study_needs, verdicts
from explorer.workbench.listed_judgments import JudgmentSource

# Page width in pixels from which judgments are shown beside the chart, and the width ratio of the two.
BESIDE = 960
CHART, LIST = 11, 9

SIDES = {"a": "side A", "b": "side B"}
# The parts of the page that are chosen above the chart; a menu starts a comparison.
FORMS = ("judges", "matrix", "curve", "votes", "together", "verdicts", "grid")
FIND = "find"  # the part that is shown above the chart
WITHOUT_LIST = ("grid",)  # which shows the judgments itself


def render(context: Context) -> None:
    """Show the filters as chips, and the chart with its judgments, a comparison, or the opened judgment."""
    if selection.value("chart") == FIND:  # as a link to the view has it
        selection.choose("chart")
        selection.choose("find", "true")
    comparing.begin(context)
    kind, place = comparing.mode(), one_judgment.open_place()
    part, lacking = ("compare", None) if kind is not None else _part(context)
    views = that_can_be_shown(context, *context.page.parts[part])
    by = () if kind is not None else _columns_of(context, views[0])
    source = listed_judgments.source_of(context, (), by)
    has_list = part not in WITHOUT_LIST
    bar = _bar(context, partial(_chips, source if has_list else None, kind))
    flags, removed = filters.apply(bar, begins=True)
    source = replace(source, flags=flags)
    above = st.container()
    if kind is not None:
        with above:
            filters.chips(bar, removed)
            has_two = comparing.second_side(context, kind)
            if has_two:
                controls(context, views, small=True)
        side = comparing.side_source(context) if has_two else None
        if side is not None and place is not None:
            one_judgment.show_judgment(side, listed_judgments.query_of(side), place)
        elif has_two:
            _charts_and_list(context, views, side, above=None, of_sides=True)
        return
    if place is not None:
        with above:
            filters.chips(bar, removed)
        one_judgment.show_judgment(source, listed_judgments.query_of(source), place)
        return

    def before() -> None:
        with above:
            filters.chips(bar, removed)
            if lacking is not None:
                components.say(lacking)
            _controls(context, part, views)
            if selection.value("find") == "true":
                draw(context, STANDOUT_SLICES)

    _charts_and_list(context, views, source if has_list else None, above=before)


def _part(context: Context) -> tuple[str, str | None]:
    """Return the chosen part, or the first that the study can fill instead, and what the chosen one lacks."""
    view_widgets.drop_unknown("chart", tuple(context.page.parts), "Chart")
    requested = part_of(context.page, selection.value("chart"), context.study)
    view = VIEWS[context.page.parts[requested][0]]
    lacking = view.lacks(context.study)
    instead = part_of(context.page, None, context.study)
    if lacking is None or instead == requested:
        return requested, None
    return instead, lacking


def _columns_of(context: Context, view: AnyView) -> tuple[str, ...]:
    """Return the columns that a view is split by."""
    keys, _ = read_keys(view.keys, context.study, texts_of(view))
    by = getattr(keys, "by", ())
    return filterable_last(context.study, by) if isinstance(by, tuple) else (by,) if by else ()


def _charts_and_list(
    context: Context,
    views: Sequence[AnyView],
    source: JudgmentSource | None,
    *,
    above: object,
    of_sides: bool = False,
) -> None:
    """Show the views, first the chart, and beside it the judgments."""
    left, right, room = _columns(beside=source is not None)
    with left:
        judge = selection.value("judge")
        if source is not None and not of_sides and judge in source.judges:
            words = f"The chart is of all judges chosen; the judgments listed are {judge}'s."
            components.note(words, key="of_list")
        _draw(context, views[0], room)
    if source is not None:
        with right:
            verdicts.prefetch(source)  # before anything else is sent: the browser draws the chart meanwhile
    if callable(above):
        above()
    with right:
        if source is not None:
            _judgments(source, of_sides=of_sides)
    draw_below(context, views)


def _columns(*, beside: bool) -> tuple[DeltaGenerator, DeltaGenerator, int]:
    """Return the places of the chart and of the judgments `beside` it, and the width that the chart has."""
    wide = page_width.page_width()
    if wide < BESIDE or not beside:
        return st.container(), st.container(), wide
    left, right = st.columns([CHART, LIST], gap="medium")
    return left, right, wide * CHART // (CHART + LIST) - 20


@section
def _draw(context: Context, view: AnyView, room: int) -> None:
    """Show the first view in `room` pixels, and without numbers what would help."""
    draw(context, view, room)
    if data.shown(context.key, view.name, texts_of(view)).table is None:
        study_needs.next_steps(context)


def _bar(context: Context, after: partial[None]) -> filters.Bar:
    more = partial(comparing.rest_button, context.choices)
    side = "A" if selection.value("compare") in ("slices", "studies") else None
    files = data.files(context.root, context.name)
    return filters.Bar(context.choices, files, more=more, after=after, side=side)


def _chips(source: JudgmentSource | None, kind: str | None) -> None:
    """Show the other choices as chips: a comparison, and whose judgments are listed, if any are."""
    if kind is not None:
        words = f"Compared: {MODES[kind].lower()}"  # type: ignore[index]
        meaning = "Side A has the filters above, side B those below."
        filters.chip("compare", words, partial(st.text, meaning), comparing.stop)
    if source is not None:
        listed_judgments.chips(source)


def _controls(context: Context, part: str, views: Sequence[AnyView]) -> None:
    """Show the forms of the chart, its controls, and the start of a comparison."""
    first = {name: VIEWS[context.page.parts[name][0]] for name in FORMS}
    forms = {
        name: view.title for name, view in first.items() if name == part or view.lacks(context.study) is None
    }
    look = {"required": True, "width": "content"}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key="controls"):
        view_widgets.button_row("chart", "Show as", forms, part, _form_changed, **look)
        comparing.menu(context)
        meaning = "Compare every slice of one or two columns with the rest, and list the clearest"
        view_widgets.switch("find", "Find slices", meaning, clears=None)  # slower than a click should be
        if page_width.is_narrower(NARROW) and part != "verdicts":
            with st.popover("Options", icon=":material/tune:", key="view_options"):
                controls(context, views, small=True)
    if part != "verdicts" and not page_width.is_narrower(NARROW):  # whose list has its own
        controls(context, views, small=True)


def _form_changed(now: str) -> None:
    selection.keep("chart", (now,))
    for key in ("by", "value", "sort"):
        selection.choose(key)


@section
def _judgments(source: JudgmentSource, *, of_sides: bool) -> None:
    if of_sides:
        side = selection.value("side") or "a"
        look = {"required": True, "width": "content"}
        view_widgets.button_row(
            "side", "Judgments of", SIDES, side, lambda now: selection.keep("side", (now,)), **look
        )
    listed_judgments.controls(source)
    verdicts.show_list(source, listed_judgments.query_of(source))


show_page(render)
