"""Shows views on a page: the controls that follow from their keys, then what each of them shows."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from engine.charts import export
from engine.measures.catalogue import MEASURES
from engine.views.keys import Key, read_keys
from engine.views.registry import VIEWS
from engine.views.shown import Figure, Shown, ShownTable
from engine.views.view import AnyView
from engine.words.board_facts import chips_on
from engine.words.plain_names import on_page
from explorer import data
from explorer.page_list import part_of
from explorer.parts import (
    components,
    downloads,
    marks,
    measure_words,
    notices,
    page_width,
    selection,
    view_widgets,
)
from explorer.parts.context import Context
from explorer.workbench import filters

NARROW = 700
"""Width in pixels below which a figure's drawing for a phone is shown, if it has one."""

SMALL = 200
"""Width in pixels of a small control."""

FEW_CHOICES = 6
"""Most values of a choice that are shown as buttons in a row."""


def show_part(context: Context) -> bool:
    """Show the chosen part of the page, and return whether the study has anything to show there."""
    page = context.page
    first = {part: VIEWS[views[0]] for part, views in page.parts.items()}
    words = {
        part: view.title
        for part, view in first.items()
        if not view.optional or view.lacks(context.study) is None
    }
    if len(words) == 1:
        return show(context, *page.parts[next(iter(words))])
    view_widgets.drop_unknown(page.part_key, tuple(words), "Part")
    usual = part_of(page, selection.value(page.part_key), context.study)
    return show(context, *page.parts[view_widgets.part(page.part_key, words, usual)])


def show(context: Context, *names: str, titled: bool = False) -> bool:
    """Show views by name, one below the other, with the controls of all their keys above them.

    Each but the first has its title above it; if the page is not about the first, that is `titled` too.
    Views that the study cannot fill are left out, save the first, which says what it lacks. Return whether
    the first shows anything.
    """
    views = that_can_be_shown(context, *names)
    if any(view.lacks(context.study) is None for view in views):  # else no choice would change anything
        sliced = next(
            (key for view in views for key in view.declared.values() if key.kind == "filters"), None
        )
        if sliced is not None:
            filters.bar(context, sliced.idle, begins=True)
        controls(context, views)
    if titled:
        st.subheader(views[0].title, anchor=False)
    draw_all(context, views)
    return data.shown(context.key, views[0].name, texts_of(views[0])).table is not None


def that_can_be_shown(context: Context, *names: str) -> list[AnyView]:
    """Return views by name without those that the study cannot fill, save the first."""
    views = [VIEWS[name] for name in names]
    return [view for view in views if view is views[0] or view.lacks(context.study) is None]


def draw_all(context: Context, views: Sequence[AnyView]) -> None:
    """Show what each view shows for the page's choices, one below the other."""
    draw(context, views[0])
    draw_below(context, views)


def draw_below(context: Context, views: Sequence[AnyView]) -> None:
    """Show views below the first, each under its title, unless it has nothing to show or the same problem."""
    reported = {data.shown(context.key, views[0].name, texts_of(views[0])).problems}
    _draw_each(context, views[1:], reported)


def show_more(context: Context, *names: str) -> None:
    """Show views by name below what the page has, as `show` does, without controls of their own."""
    _draw_each(context, [VIEWS[name] for name in names if VIEWS[name].lacks(context.study) is None], set())


def fold(context: Context, name: str) -> None:
    """Show a view in a box that is closed at first, and drawn once it is open."""
    view = VIEWS[name]
    with st.expander(view.title, key=f"{name}_open", on_change="rerun") as box:
        if box.open:
            controls(context, [view], key=f"{name}_keys")
            shown = data.shown(context.key, name, texts_of(view))
            _draw(context, view, shown, None, folded=True)


def has_rows(context: Context, name: str) -> bool:
    """Return whether a view has anything to show for the page's choices."""
    return data.shown(context.key, name, texts_of(VIEWS[name])).table is not None


def _draw_each(context: Context, views: Sequence[AnyView], reported: set[tuple[str, ...]]) -> None:
    for view in views:
        shown = data.shown(context.key, view.name, texts_of(view))
        if shown == Shown() or (shown.table is None and shown.problems and shown.problems in reported):
            continue
        reported.add(shown.problems)
        st.subheader(view.title, anchor=False)
        _draw(context, view, shown, None)


def draw(context: Context, view: AnyView, room: int | None = None) -> None:
    """Show one view for the page's choices; `room` is the width in pixels if it is not the page's."""
    _draw(context, view, data.shown(context.key, view.name, texts_of(view)), room)


def texts_of(view: AnyView) -> dict[str, tuple[str, ...]]:
    """Return the part of the page's choices that are keys of a view."""
    choices = selection.view()
    return {key: choices[key] for key in view.key_names if choices.get(key)}


def controls(
    context: Context, views: Sequence[AnyView], *, small: bool = False, key: str = "view_keys"
) -> None:
    """Show a control for each key but the filters; `small` ones show one choice at a time."""
    keys: dict[str, tuple[AnyView, Key]] = {}
    for view in views:
        keys |= {name: (view, key) for name, key in view.declared.items() if name not in keys}
    others = {name: each for name, each in keys.items() if each[1].kind != "filters"}
    if not others:
        return
    values: dict[str, Any] = {}
    dropped: list[str] = []
    for view in views:
        chosen_keys, dropped_by_view = read_keys(view.keys, context.study, texts_of(view))
        values |= vars(chosen_keys)
        dropped += dropped_by_view
    notices.until_changed(f"{key}_dropped", tuple(dict.fromkeys(dropped)))
    others = {
        name: (view, key)
        for name, (view, key) in others.items()
        if key.where is None or key.where(context.study, values)
    }
    if not others:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=key):
        for name, (_, declared) in others.items():
            _control(context, name, declared, values[name], small=small)


def _control(context: Context, name: str, key: Key, value: Any, *, small: bool) -> None:
    """Show the control of one key; what is chosen there is stored in the view."""
    offered: Mapping[str, str] = {} if key.offers is None else key.offers(context.study)
    look: dict[str, Any] = {"help": key.meaning or None}
    text = selection.value(name)
    is_unknown = text is not None and (
        (key.kind == "choice" and text not in offered)
        or (key.kind == "number" and view_widgets.number_of(text, key.bounds) is None)
    )
    if is_unknown:
        selection.view().pop(name)  # which was said where the keys were read
    if key.kind == "switch":
        widget = selection.begin(name, value)
        look |= {"on_change": view_widgets.store_widget, "args": (name, _switch_texts, key.clears)}
        st.toggle(key.label, value, key=widget, **look)
    elif key.kind == "number":
        usual = value if key.usual is None else key.usual(context.study, {})
        view_widgets.amount(name, key.label, key.bounds, usual, key.meaning)
    elif key.kind == "names":
        widget = selection.begin(name, list(value))
        look |= {"on_change": view_widgets.store_widget, "args": (name, tuple, key.clears)}
        look |= {"max_selections": key.most} if key.most else {}
        look |= {"width": SMALL, "placeholder": "nothing"} if small else {}
        st.multiselect(
            key.label, list(offered), list(value), key=widget, format_func=offered.__getitem__, **look
        )
    elif 1 < len(offered) <= FEW_CHOICES and not small:
        view_widgets.button_row(
            name, key.label, offered, value, _store(name, key.clears), required=True, **look
        )
    elif len(offered) > 1:
        words, width = offered.__getitem__, SMALL if small else None
        view_widgets.choice(
            name, list(offered), key.label, offered[value], words, width=width, clears=key.clears
        )


def _switch_texts(on: bool) -> tuple[str, ...]:
    return (str(on).lower(),)


def _store(name: str, clears: str | None) -> Any:
    def store(value: str) -> None:
        selection.keep(name, (value,))
        if clears is not None:
            selection.choose(clears)

    return store


def _draw(context: Context, view: AnyView, shown: Shown, room: int | None, *, folded: bool = False) -> None:
    """Show one view: sentences, figure, basis, and its numbers on request, or at once in its own box."""
    if shown.problems:  # what was dropped is said where the keys are read
        components.say(*shown.problems, *(shown.basis[1:] if shown.table is None else ()))
    above, below = shown.sentences, shown.sentences[:0]
    if shown.figure is not None and page_width.is_narrower(
        NARROW
    ):  # the first marks belong on a first screen
        above, below = above[:1], above[1:]
    if above:
        components.say(*above, key=f"finding_{view.name}")
    if shown.figure is not None:
        _figure(context, view, shown, shown.figure, room)
    if below:
        components.say(*below, key=f"finding_more_{view.name}")
    if shown.figure is None and shown.basis and shown.table is not None:
        components.note(*shown.basis, key=view.name)
    if shown.table is not None and folded:
        _numbers(context, view, shown, shown.table)
    elif shown.table is not None:
        is_all = shown.figure is None  # the table is then what the view shows
        with st.expander("Numbers", is_all, key=f"{view.name}_open", on_change="rerun") as numbers:
            if numbers.open:  # an unseen table would take a tenth of every click's time
                _numbers(context, view, shown, shown.table)


def _numbers(context: Context, view: AnyView, shown: Shown, rows: ShownTable) -> None:
    whole = None
    if rows.n_more and len(rows.numbers) == len(rows.rows):  # of a list, whose first judgments are read
        query = data.ListQuery.of(shown.queries[0])
        whole = partial(data.listed_frame, context.key, query)
    table(rows, f"{view.name}_numbers", view.click if view.picks_rows else None, download=whole)
    if shown.commands:
        st.code("\n".join(shown.commands), language=None, wrap_lines=True)


def _figure(context: Context, view: AnyView, shown: Shown, figure: Figure, room: int | None) -> None:
    if figure.n_drawn < figure.n_judges:
        components.note(
            f"Showing the first {figure.n_drawn} of {figure.n_judges} judges; choose others in the filters.",
            key=f"cut_{view.name}",
        )
    above = st.container()
    with st.container(key=view.name):
        narrow = figure.narrow is not None and page_width.is_narrower(NARROW)
        spec = dict(figure.narrow if narrow and figure.narrow is not None else figure.spec)
        spec, look = _picking(view, shown, figure, spec)
        components.plot(spec, figure.caption, room, **look)
    with above:  # sent after the chart, which whoever clicks waits for
        for name in shown.measures[:1]:
            measure_words.measure_help(MEASURES[name], view.name, _chips(shown.table))
    lines = [*filter(None, (*shown.basis, figure.marks))]
    components.note(*lines, *([view.leads] if view.leads else []), key=view.name)
    under = [f"Study {context.name}.{cases(shown.table, figure)}", *map(on_page, lines)]
    lead = list(map(on_page, shown.sentences[:1]))
    downloads.offer_chart(dict(figure.spec), view.name, figure.caption, under, lead)


def _chips(table: ShownTable | None) -> tuple[str, ...]:
    """Return the words on the chips of a board of judges; none of another figure."""
    result = None if table is None else table.result
    return chips_on(result.rows) if result is not None and result.measure.name == "scorecard" else ()


def cases(table: ShownTable | None, figure: Figure) -> str:
    """Return how many cases are behind each judge that is drawn, for a picture that leaves the page."""
    result = None if table is None else table.result
    if table is None or result is None:
        return ""
    name = next((name for name in table.names if name.startswith("n_") or name == "n"), None)
    rows = [row for row in result.rows if row.get("judge", "") is not None]  # without the judges together
    in_figure = rows[: figure.n_drawn] if len(rows) == figure.n_judges else rows
    cells = [row[name] for row in in_figure if row.get(name) is not None] if name else []
    counts = [int(count) for cell in cells for count in (cell if isinstance(cell, list) else [cell])]
    if not counts:
        return ""
    low, high = min(counts), max(counts)
    return f" n: {low:,} cases." if low == high else f" n: {low:,} to {high:,} cases."


def _picking(
    view: AnyView, shown: Shown, figure: Figure, spec: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the figure with its chosen mark, and what lets a reader click where that leads somewhere."""
    pick, click = figure.pick, view.click
    if pick is None or click is None:
        return spec, {}
    rows = figure.rows_of_marks() if view.stays else []
    turn, first = 0, None
    if view.stays:
        fields = figure.pick_fields
        marked = next((row for row in rows if _is_chosen(click(row))), None)
        mark = None if marked is None else {name: str(marked[name]) for name in fields}
        turn, first = marks.turn_of(view.name, mark)
        if first is not None:  # chosen in the browser from the start
            params = [
                each | {"value": [first]} if each.get("name") == pick else each for each in spec["params"]
            ]
            spec = spec | {"params": params}

    def on_pick() -> None:
        mark = components.picked_mark(view.name, pick, turn)
        if not view.stays:
            for key, texts in (click(mark) if mark is not None else {}).items():
                selection.choose(key, *texts)
            return
        marks.remember_turn(view.name, turn, mark, first)
        row = None if mark is None else _row_of(mark, rows)
        if mark is not None and row is None:  # an axis or an outline
            return
        for key, texts in click(rows[0] if row is None else row).items():
            selection.choose(key, *(texts if row is not None else ()))
        kind = next((query.kind for query in shown.queries), None)
        selection.choose("show", kind if row is not None and kind in OTHER_KINDS else None)
        for key in ("q", "item"):
            selection.choose(key)

    look = {
        "on_select": on_pick,
        "selection_mode": pick,
        "key": components.picking(view.name, pick, turn),
    }
    return spec, look


OTHER_KINDS = ("underestimation", "disagreement")
"""Kinds of verdicts that no list shows unless a mark chooses them."""


def _is_chosen(keys: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the page's choices are those to which a mark leads."""
    view = selection.view()
    return any(keys.values()) and all(tuple(view.get(key, ())) == tuple(keys[key]) for key in keys)


def _row_of(mark: Mapping[str, Any], rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the chart's row that a mark stands for."""
    return next(
        (row for row in rows if all(str(row[name]) == str(value) for name, value in mark.items())), None
    )


Click = Callable[[Mapping[str, Any]], Mapping[str, tuple[str, ...]]]


def table(
    rows: ShownTable,
    key: str,
    click: Click | None = None,
    *,
    selectable: bool = False,
    download: Callable[[], pd.DataFrame] | None = None,
) -> int | None:
    """Show a table, with its numbers unrounded to download; `click` returns what choosing a row chooses.

    `download` makes the whole table where `rows` hold only its first rows. Return the place of the row that
    is chosen, where the page itself shows more of a `selectable` one.
    """
    names = rows.names or tuple(f"{place}_{head}" for place, head in enumerate(rows.heads))
    meanings = rows.meanings or ("",) * len(names)
    titles = {
        name: (head, meaning or None) for name, head, meaning in zip(names, rows.heads, meanings, strict=True)
    }
    if download is None and rows.records:
        download = partial(pd.DataFrame, list(rows.records))
    elif download is None and rows.result is not None:
        download = partial(export.frame_of, rows.result)

    def on_pick() -> None:
        for place in st.session_state[key]["selection"]["rows"][:1]:
            for name, texts in ({} if click is None else click(rows.numbers[place])).items():
                selection.choose(name, *texts)

    look: dict[str, Any] = (
        {"selectable": selectable} if click is None else {"selectable": True, "on_pick": on_pick}
    )
    place = components.table(list(rows.rows), titles, key, download=download, **look)
    if rows.n_more:
        components.note(f"{rows.n_more:,} more rows are in the downloads.", key=f"more_{key}")
    return place
