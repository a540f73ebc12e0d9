"""Filters as chips, built from the declarations of `engine.slices` and the study's own values."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.explore.filter_choices import RESOLVED_FILTERS, Choices
from engine.paradigms import RUBRIC_PARADIGMS
from engine.phrases import sentence_case
from engine.slices import COLUMNS, TEXT_COLUMNS
from engine.store.study_files import StudyFiles
from engine.words.glossary import meaning_of
from engine.words.short_titles import title
from explorer import data
from explorer.data import FlagValues
from explorer.page_list import SAVED
from explorer.parts import notices, selection
from explorer.parts.safe_markdown import escape_markdown
from explorer.workbench import filter_values, saved_slices
from explorer.workbench.filter_values import FILTER_FLAGS

if TYPE_CHECKING:
    from explorer.parts.context import Context


FIRST = (
    *("polarity", "length", "theme", "axis", "rubric_id", "min_agreement", "ordering", "paradigm", "variant"),
    *("reference", "judges", "generators", "level"),
    *(name for name in TEXT_COLUMNS if COLUMNS[name].is_open),
)
"""The filters listed first among those that can be added."""

TERMS = {name: name for name in ("paradigm", "variant", "transform", "reference", "polarity", "checker")}
TERMS |= {"ordering": "ordering", "min_agreement": "agreement", "relatives": "family"}
TERMS |= dict.fromkeys(("axis", "theme", "category", "segment"), "axis, theme, category")
"""The glossary term of each filter."""


@dataclass(frozen=True)
class Bar:
    """A row of chips: its choices, its study and its side.

    `prefix` precedes the keys of a second side. `idle` filters have no effect on what the page shows. `more`
    draws further actions in a filter's chip, `after` further chips; `side` names one of two sides.
    """

    choices: Choices
    files: StudyFiles
    prefix: str = ""
    idle: Collection[str] = ()
    more: Callable[[str], None] | None = None
    after: Callable[[], None] | None = None
    side: str | None = None


def bar(context: "Context", idle: Collection[str] = (), *, begins: bool = False) -> FlagValues:
    """Show the filters of a page and return the choices; if it `begins`, also its starting ones."""
    return row(Bar(context.choices, data.files(context.root, context.name), idle=idle), begins=begins)


def row(bar: Bar, *, begins: bool = False) -> FlagValues:
    """Show the filters, and return those in effect; see `apply` and `chips`."""
    flags, removed = apply(bar, begins=begins)
    chips(bar, removed)
    return flags


def apply(bar: Bar, *, begins: bool = False) -> tuple[FlagValues, list[str]]:
    """Return the filters in effect, without idle ones, and sentences on what the study does not have."""
    removed = filter_values.drop_unknown(bar.choices, bar.prefix)
    return filter_values.flag_values(bar.prefix, bar.choices if begins else None, bar.idle), removed


def chips(bar: Bar, removed: Sequence[str]) -> None:
    """Show the menu of filters, saved slices, a chip for each chosen filter, and what was `removed`.

    Idle filters are named as having no effect.
    """
    prefix, active = bar.prefix, filter_values.current(bar.prefix)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{prefix}chips"):
        if bar.side is not None:
            st.markdown(f"**{bar.side}**", width="content")
        adding = _adding(bar)
        saved_slices.show_menu(bar.files, prefix)
        for name in active:
            _chip(name, bar, adding=name == adding)
        if bar.after is not None:
            bar.after()
        if len(active) > 1:
            st.button(
                "Clear all",
                on_click=filter_values.clear,
                args=(prefix,),
                key=f"{prefix}clear",
                type="tertiary",
            )
    side_name = "B: " if prefix else ""
    notices.until_changed(f"{prefix}filters", [f"{side_name}{sentence}" for sentence in removed])
    idle = [title(name).lower() for name in active if name in bar.idle]
    if idle:
        st.text(f"These filters have no effect here: {', '.join(idle)}.")


def _adding(bar: Bar) -> str | None:
    """Show the list of filters, with a search; return the one that is open below it."""
    add, key = f"{bar.prefix}add_filter", f"{bar.prefix}adding"
    menu = st.popover(
        "Filter",
        icon=":material/add:",
        key=add,
        on_change=partial(st.session_state.pop, key, None),
        help="Add a filter",
    )
    if not menu.open:
        return None
    active, name = filter_values.current(bar.prefix), st.session_state.get(key)
    names = [each for each in dict.fromkeys((*FIRST, *FILTER_FLAGS)) if _is_offered(each, bar.choices)]
    with menu:
        st.selectbox(
            "Filter by",
            [each for each in names if each not in active or each == name],
            index=None,
            key=key,
            format_func=title,
            placeholder="type to search",
            width=280,
        )
        if name is not None:
            _widget(name, bar.choices, bar.prefix, bar.idle)
    return str(name) if name is not None else None


def _chip(name: str, bar: Bar, *, adding: bool) -> None:
    """Show one filter: its name and values open its choice, a cross removes it."""
    words = f"{title(name)}: {filter_values.values_of(name, bar.choices, bar.prefix)}"
    if FILTER_FLAGS[name].kind == "switch":
        words = title(name)

    def inside() -> None:
        if adding:
            st.text("This filter is open under Filter.")
            return
        _widget(name, bar.choices, bar.prefix, bar.idle)
        if bar.more is not None:
            bar.more(name)

    chip(
        bar.prefix + name,
        words,
        inside,
        partial(_remove, name, bar.prefix),
        closes=bar.more is not None,
    )


def chip(
    key: str, words: str, inside: Callable[[], object], remove: Callable[[], None], *, closes: bool = False
) -> None:
    """Show a choice as a chip: a click opens what is `inside`, its cross calls `remove`.

    `closes` says that `close` may close it.
    """
    with st.container(horizontal=True, gap=None, key=f"chip_{key}", width="content"):
        with st.popover(escape_markdown(words), key=f"open_{key}", on_change="rerun" if closes else "ignore"):
            inside()
        label = f"Remove {escape_markdown(words)}"
        st.button(label, icon=":material/close:", key=f"off_{key}", on_click=remove, type="tertiary")


def close(name: str) -> None:
    """Close the chip of a filter of the page's own slice."""
    st.session_state[f"open_{name}"] = False


def _remove(name: str, prefix: str) -> None:
    """Remove a filter, and deselect a saved slice that contains it."""
    key = prefix + name
    selection.choose(key)
    if key in selection.implied_by(prefix + SAVED):
        selection.choose(prefix + SAVED)


OTHERS = "For each judge, only judges of other families count: it does not choose its own items."


def _is_offered(name: str, choices: Choices) -> bool:
    if name == "agreement_without_family":  # always on here
        return False
    return name in choices.values or name in choices.ranges or FILTER_FLAGS[name].kind == "switch"


def _widget(name: str, choices: Choices, prefix: str, idle: Collection[str]) -> None:
    """Show one filter, if it can change anything."""
    if not _is_offered(name, choices):
        return
    flag = FILTER_FLAGS[name]
    kind, label = flag.kind, title(name)
    value = filter_values.decode(name, selection.view().get(prefix + name, ()), choices)
    about = f"{sentence_case(flag.meaning)}."
    if name in TERMS:
        about = f"{about} {meaning_of(TERMS[name])}"
    if name == "min_agreement":  # which `flag_values` adds
        about = f"{about} {OTHERS}"
    options: dict[str, Any] = {
        "key": selection.begin(prefix + name, value, has_default=kind != "name"),
        "help": f"{about} It has no effect here." if name in idle else about,
        "disabled": name in idle,
        "on_change": _store,
        "args": (name, choices.ranges.get(name), prefix),
    }
    if kind in ("names", "numbers"):
        st.multiselect(
            label,
            choices.values[name],
            value,
            placeholder="all",
            format_func=partial(filter_values.words_of_value, name, choices),
            **options,
        )
    elif kind == "name":
        placeholder = _default_words(name, choices, prefix)
        st.selectbox(
            label,
            choices.values[name],
            index=None,
            placeholder=placeholder,
            format_func=partial(filter_values.words_of_value, name, choices),
            **options,
        )
    elif kind == "switch":
        st.toggle(label, value, **options)
    else:
        low, high = choices.ranges[name]
        if kind == "range":
            label = f"{label}, in {filter_values.unit_of(name, prefix)}"
        st.slider(label, low, high, value, step=0.05 if high <= 1 else 1.0, format="%g", **options)


def _default_words(name: str, choices: Choices, prefix: str) -> str:
    """Return the default that applies while nothing is chosen in a filter on one name."""
    default = FILTER_FLAGS[name].default or choices.starts.get(name) or choices.defaults.get(name)
    if name == "level" and (paradigms := selection.view().get(f"{prefix}paradigm")):
        default = "rubric" if paradigms[0] in RUBRIC_PARADIGMS else "instance"
    if default and default != "default":
        return f"{filter_values.words_of_value(name, choices, str(default))} (default)"
    return "default" if name in RESOLVED_FILTERS else "all"


def _store(name: str, bounds: tuple[float, float] | None, prefix: str) -> None:
    """Store a widget's value; removing a filter deselects a saved slice that contains it."""
    texts = filter_values.encode(name, st.session_state[selection.widget(prefix + name)], bounds)
    if texts:
        selection.keep(prefix + name, texts)
    else:
        _remove(name, prefix)
    selection.choose("item")
