"""Shows views on a page: the controls that follow from their keys, then what each of them shows."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import streamlit as st

from engine.charts import export
from engine.measures.catalogue import MEASURES
from engine.views.keys import Key, read_keys
from engine.views.registry import VIEWS
from engine.views.shown import Figure, Shown, Table
from engine.views.view import AnyView
from engine.words import on_page
from explorer import data
from explorer.parts import components, selection
from explorer.parts.context import Context
from explorer.parts.page_list import part_of
from explorer.workbench import filters

NARROW = 700
"""Width in pixels below which a figure's drawing for a phone is shown, if it has one."""

FEW_CHOICES = 6
"""Most values of a choice that are shown as buttons in a row."""


def show_part(context: Context, others: Mapping[str, str] = MappingProxyType({})) -> bool:
    """Show the chosen part of the page, and return whether the study has anything to show there.

    `others` are parts without views, which the page shows itself.
    """
    part = choose_part(context, others)
    return show(context, *context.page.parts[part])


def choose_part(context: Context, others: Mapping[str, str] = MappingProxyType({})) -> str:
    """Let the reader choose among the parts of a page that is divided; return the part that is shown."""
    page = context.page
    words = {part: VIEWS[views[0]].title for part, views in page.parts.items()} | dict(others)
    if len(words) > 1:
        selection.drop_unknown(page.part_key, tuple(words), "Part")
    usual = part_of(page, selection.value(page.part_key), context.study)
    return selection.part(page.part_key, words, usual) if len(words) > 1 else usual


def show(context: Context, *names: str, titled: bool = False) -> bool:
    """Show views by name, one below the other, with the controls of all their keys above them.

    Each but the first has its title above it; if the page is not about the first, that is `titled` too.
    Views that the study cannot fill are left out, save the first, which says what it lacks. Return whether
    the first shows anything.
    """
    views = [VIEWS[name] for name in names]
    views = [view for view in views if view is views[0] or view.lacks(context.study) is None]
    _controls(context, views)
    reported: set[tuple[str, ...]] = set()
    for view in views:
        shown = data.shown(context.key, view.name, texts_of(view))
        if shown.table is None and shown.problems in reported:
            continue  # what keeps one view from being shown often keeps the others too
        reported.add(shown.problems)
        if titled or view is not views[0]:
            st.subheader(view.title, anchor=False)
        _draw(context, view, shown)
    return data.shown(context.key, views[0].name, texts_of(views[0])).table is not None


def texts_of(view: AnyView) -> dict[str, tuple[str, ...]]:
    """Return the part of the page's choices that are keys of a view."""
    choices = selection.view()
    return {key: choices[key] for key in view.key_names if choices.get(key)}


def _controls(context: Context, views: Sequence[AnyView]) -> None:
    """Show the filters, then a control for each other key."""
    keys = {name: (view, key) for view in reversed(views) for name, key in view.declared.items()}
    sliced = next((key for _, key in keys.values() if key.kind == "filters"), None)
    if sliced is not None:
        filters.bar(context, sliced.idle, begins=True)
    others = {name: each for name, each in keys.items() if each[1].kind != "filters"}
    others = {
        name: (view, key)
        for name, (view, key) in others.items()
        if key.where is None or key.where(context.study)
    }
    if not others:
        return
    values: dict[str, Any] = {}
    for view in views:
        chosen_keys, dropped = read_keys(view.keys, context.study, texts_of(view))
        values |= vars(chosen_keys)
        selection.until_changed(f"{view.name}_keys", dropped)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="view_keys"):
        for name, (_, key) in others.items():
            _control(context, name, key, values[name])


def _control(context: Context, name: str, key: Key, value: Any) -> None:
    """Show the control of one key; what is chosen there is stored in the view."""
    offered: Mapping[str, str] = {} if key.offers is None else key.offers(context.study)
    look: dict[str, Any] = {"help": key.meaning or None}
    if key.kind == "switch":
        widget = selection.begin(name, value)
        look |= {"on_change": selection.store_widget, "args": (name, _switch_texts)}
        st.toggle(key.label, value, key=widget, **look)
    elif key.kind == "number":
        usual = value if key.usual is None else key.usual(context.study, {})
        selection.amount(name, key.label, key.bounds, usual, key.meaning)
    elif key.kind == "names":
        widget = selection.begin(name, list(value))
        look |= {"on_change": selection.store_widget, "args": (name, tuple)}
        st.multiselect(
            key.label, list(offered), list(value), key=widget, format_func=offered.__getitem__, **look
        )
    elif 1 < len(offered) <= FEW_CHOICES:
        selection.button_row(name, key.label, offered, value, _store(name), required=True, **look)
    elif len(offered) > 1:
        selection.choice(name, list(offered), key.label, offered[value], offered.__getitem__, clears=None)


def _switch_texts(on: bool) -> tuple[str, ...]:
    return (str(on).lower(),)


def _store(name: str) -> Any:
    return lambda value: selection.keep(name, (value,))


def _draw(context: Context, view: AnyView, shown: Shown) -> None:
    """Show one view: sentences, figure, basis, and its numbers on request."""
    problems = [text for text in shown.problems if not text.endswith("taken out of the view.")]
    if problems:
        components.say(*problems, *(shown.basis[1:] if shown.table is None else ()))
    above, below = shown.sentences, shown.sentences[:0]
    if shown.figure is not None and components.is_narrower(
        NARROW
    ):  # the first marks belong on a first screen
        above, below = above[:1], above[1:]
    if above:
        components.say(*above, key=f"finding_{view.name}")
    if shown.figure is not None:
        _figure(context, view, shown, shown.figure)
    if below:
        components.say(*below, key=f"finding_more_{view.name}")
    if shown.figure is None and shown.basis and shown.table is not None:
        components.note(*shown.basis, key=view.name)
    if shown.table is not None:
        with st.expander("Numbers", key=f"{view.name}_open", on_change="rerun") as numbers:
            if numbers.open:  # an unseen table would take a tenth of every click's time
                table(shown.table, f"{view.name}_numbers")
                st.code("\n".join(shown.commands), language=None, wrap_lines=True)


def _figure(context: Context, view: AnyView, shown: Shown, figure: Figure) -> None:
    if figure.n_drawn < figure.n_judges:
        components.note(
            f"Showing the first {figure.n_drawn} of {figure.n_judges} judges; choose others in the filters.",
            key=f"cut_{view.name}",
        )
    above = st.container()
    with st.container(key=view.name):
        narrow = figure.narrow is not None and components.is_narrower(NARROW)
        spec = dict(figure.narrow if narrow and figure.narrow is not None else figure.spec)
        components.plot(spec, figure.caption, **_picking(view, figure))
    with above:  # sent after the chart, which whoever clicks waits for
        for name in shown.measures[:1]:
            components.measure_help(MEASURES[name], view.name)
    lines = (*shown.basis, figure.marks)
    components.note(*filter(None, lines), key=view.name)
    under = [f"Study {context.name}.", *map(on_page, filter(None, lines))]
    components.offer_chart(dict(figure.spec), view.name, figure.caption, under)


def _picking(view: AnyView, figure: Figure) -> dict[str, Any]:
    """Return what lets a reader click on a mark of the figure, where that leads somewhere."""
    pick, click = figure.pick, view.click
    if pick is None or click is None:
        return {}

    def on_pick() -> None:
        mark = components.picked_mark(view.name, pick)
        for key, value in (click(mark) if mark is not None else {}).items():
            selection.choose(key, value)

    return {"on_select": on_pick, "selection_mode": pick, "key": components.picking(view.name, pick)}


def table(rows: Table, key: str) -> None:
    """Show a table, with its numbers unrounded to download."""
    names = rows.names or tuple(f"{place}_{head}" for place, head in enumerate(rows.heads))
    meanings = rows.meanings or ("",) * len(names)
    titles = {
        name: (head, meaning or None) for name, head, meaning in zip(names, rows.heads, meanings, strict=True)
    }
    result = rows.result
    download = None if result is None else lambda: export.frame_of(result)
    components.table(list(rows.rows), titles, key, download=download)
    if rows.n_more:
        components.note(f"{rows.n_more:,} more rows are in the downloads.", key=f"more_{key}")
