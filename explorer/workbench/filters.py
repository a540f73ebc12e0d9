"""The filters of a slice as chips, and slices saved under a name."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.errors import SpbError
from engine.explore.filter_choices import RESOLVED_FILTERS, Choices
from engine.paradigms import RUBRIC_PARADIGMS
from engine.phrases import sentence_case, shortened
from engine.saved_slices import delete_slice, save_slice
from engine.slices import COLUMNS, FLAGS, NULL, TEXT_COLUMNS, agreement_of_others
from engine.store.study_files import StudyFiles
from engine.values import parse_float
from engine.words.glossary import meaning_of
from engine.words.plain_names import value_words
from engine.words.short_titles import title
from explorer import data
from explorer.data import FlagValues, flags_of
from explorer.parts import selection
from explorer.parts.page_list import FILTERS, SAVED
from explorer.parts.safe_markdown import escape_markdown

if TYPE_CHECKING:
    from explorer.parts.context import Context

# ------------------------------------------------------------------------------
# Filters as chips, built from the declarations of `engine.slices` and the study's own values.


FIRST = (
    *("polarity", "length", "theme", "axis", "min_agreement", "ordering", "paradigm", "variant"),
    *("reference", "judges", "generators", "level"),
    *(name for name in TEXT_COLUMNS if COLUMNS[name].is_open),
)
"""The filters listed first among those that can be added."""

FILTER_FLAGS = {flag.name: flag for flag in FLAGS if flag.name in FILTERS}

TERMS = {name: name for name in ("paradigm", "variant", "transform", "reference", "polarity", "checker")}
TERMS |= {"ordering": "ordering", "min_agreement": "agreement", "relatives": "family"}
TERMS |= dict.fromkeys(("axis", "theme", "category"), "axis, theme, category")
"""The glossary term of each filter."""

MOST_NAMED = 2
"""Values that a chip names; the rest are counted."""

LONGEST = 40
"""Most characters of a value on a chip."""


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
    removed = drop_unknown(bar.choices, bar.prefix)
    return flag_values(bar.prefix, bar.choices if begins else None, bar.idle), removed


def chips(bar: Bar, removed: Sequence[str]) -> None:
    """Show the menu of filters, saved slices, a chip for each chosen filter, and what was `removed`.

    Idle filters are named as having no effect.
    """
    prefix, active = bar.prefix, current(bar.prefix)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{prefix}chips"):
        if bar.side is not None:
            st.markdown(f"**{bar.side}**", width="content")
        adding = _adding(bar)
        _saved_menu(bar.files, prefix)
        for name in active:
            _chip(name, bar, adding=name == adding)
        if bar.after is not None:
            bar.after()
        if len(active) > 1:
            st.button("Clear all", on_click=clear, args=(prefix,), key=f"{prefix}clear", type="tertiary")
    side_name = "B: " if prefix else ""
    selection.until_changed(f"{prefix}filters", [f"{side_name}{sentence}" for sentence in removed])
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
    active, name = current(bar.prefix), st.session_state.get(key)
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
    words = f"{title(name)}: {values_of(name, bar.prefix)}"
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


def values_of(name: str, prefix: str = "") -> str:
    """Return the chosen values of a filter in words."""
    texts, kind = selection.view().get(prefix + name, ()), FILTER_FLAGS[name].kind
    if kind == "range":
        low, _, high = texts[0].partition(":")
        return f"{low} to {high}" if low and high else f"from {low}" if low else f"up to {high}"
    if kind == "number":
        return f"at least {texts[0]}"
    values = [shortened(_words(name, text), LONGEST) for text in texts[:MOST_NAMED]]
    return ", ".join(values) + (f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else "")


def _remove(name: str, prefix: str) -> None:
    """Remove a filter, and deselect a saved slice that contains it."""
    key = prefix + name
    selection.choose(key)
    if key in selection.implied_by(prefix + SAVED):
        selection.choose(prefix + SAVED)


def current(prefix: str = "") -> dict[str, tuple[str, ...]]:
    """Return the filters chosen in the view, as its texts."""
    view = selection.view()
    return {name: view[prefix + name] for name in FILTER_FLAGS if view.get(prefix + name)}


def flag_values(prefix: str = "", choices: Choices | None = None, idle: Collection[str] = ()) -> FlagValues:
    """Return the filters chosen in the view and, if `choices` are given, those that a page starts with.

    Leaves out `idle` ones; agreement is that of judges outside each judge's family.
    """
    starts: dict[str, tuple[str, ...] | str] = {} if choices is None else dict(choices.starts)
    flags = starts | {name: as_flag(name, texts) for name, texts in current(prefix).items()}
    flags = {name: value for name, value in flags.items() if name not in idle}
    return flags_of(agreement_of_others(flags, next(iter(selection.view().get("by", ())), None), "true"))


def as_flag(name: str, texts: tuple[str, ...]) -> tuple[str, ...] | str:
    """Return the texts of a filter in the form that measures take."""
    return texts if FILTER_FLAGS[name].kind in ("names", "numbers") else texts[0]


def drop_unknown(choices: Choices, prefix: str = "") -> list[str]:
    """Remove from the view what the study does not have; return a sentence for each filter concerned."""
    sentences = []
    for name in FILTER_FLAGS:
        key = prefix + name
        texts = selection.view().get(key, ())
        allowed = tuple(value for value in texts if choices.allows(name, value))
        if allowed != texts:
            text = ", ".join(repr(value) for value in texts if value not in allowed)
            sentences.append(f"{title(name)} {text} is not in this study and was removed from the selection.")
            selection.view().pop(key)
            if allowed:
                selection.view()[key] = allowed
            st.session_state.pop(selection.widget(key), None)
    return sentences


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
    value = decode(name, selection.view().get(prefix + name, ()), choices)
    about = f"{sentence_case(flag.meaning)}."
    if name in TERMS:
        about = f"{about} {meaning_of(TERMS[name])}"
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
            format_func=partial(_words, name),
            **options,
        )
    elif kind == "name":
        placeholder = _default_words(name, choices, prefix)
        st.selectbox(
            label,
            choices.values[name],
            index=None,
            placeholder=placeholder,
            format_func=partial(_words, name),
            **options,
        )
    elif kind == "switch":
        st.toggle(label, value, **options)
    else:
        low, high = choices.ranges[name]
        st.slider(label, low, high, value, step=0.05 if high <= 1 else 1.0, format="%g", **options)


def _default_words(name: str, choices: Choices, prefix: str) -> str:
    """Return the default that applies while nothing is chosen in a filter on one name."""
    default = FILTER_FLAGS[name].default or choices.starts.get(name) or choices.defaults.get(name)
    if name == "level" and (paradigms := selection.view().get(f"{prefix}paradigm")):
        default = "rubric" if paradigms[0] in RUBRIC_PARADIGMS else "instance"
    if default and default != "default":
        return f"{_words(name, str(default))} (default)"
    return "default" if name in RESOLVED_FILTERS else "all"


def _words(name: str, value: str) -> str:
    return "(no value)" if value == NULL else value_words(name, value)


def _store(name: str, bounds: tuple[float, float] | None, prefix: str) -> None:
    """Store a widget's value; removing a filter deselects a saved slice that contains it."""
    texts = encode(name, st.session_state[selection.widget(prefix + name)], bounds)
    if texts:
        selection.keep(prefix + name, texts)
    else:
        _remove(name, prefix)
    selection.choose("item")


def clear(prefix: str = "") -> None:
    """Remove all filters of a side, and deselect its saved slice."""
    for name in (*FILTER_FLAGS, SAVED):
        selection.choose(prefix + name)


def encode(name: str, value: Any, bounds: tuple[float, float] | None = None) -> tuple[str, ...]:
    """Return a widget's value as texts of the address; none if it chooses all."""
    kind = FILTER_FLAGS[name].kind
    if value is None or value is False:
        return ()
    if kind in ("names", "numbers"):
        return tuple(str(each) for each in value)
    if kind == "range":
        return () if tuple(value) == bounds else (f"{value[0]:g}:{value[1]:g}",)
    if kind == "number":
        return (f"{value:g}",) if bounds is None or value > bounds[0] else ()
    return ("true",) if kind == "switch" else (str(value),)


def decode(name: str, texts: tuple[str, ...], choices: Choices) -> Any:
    """Return the widget's value for texts of the address; None for an invalid range."""
    kind = FILTER_FLAGS[name].kind
    if kind in ("names", "numbers"):
        return list(texts)
    if kind == "switch":
        return texts == ("true",)
    if kind == "name":
        return texts[0] if texts else None
    low, high = choices.ranges[name]
    if not texts:
        return (low, high) if kind == "range" else low
    if kind == "number":
        return min(max(_float(texts[0]) or low, low), high)
    ends = texts[0].split(":")
    first, last = (_float(end) for end in ends) if len(ends) == 2 else (None, None)
    first = low if len(ends) == 2 and not ends[0] else first
    last = high if len(ends) == 2 and not ends[1] else last
    if first is None or last is None or first > last or last < low or first > high:
        return None
    return max(first, low), min(last, high)


def _float(text: str) -> float | None:
    try:
        return parse_float(float(text))
    except ValueError:
        return None


# ------------------------------------------------------------------------------
# Saved slices: chosen by name, stored with the study, written to the address by name.


_NAME, _ERROR = "slice_name", "_slice_error"


def apply_saved(files: StudyFiles, prefix: str = "") -> list[str]:
    """Apply the filters of the chosen saved slice; return a sentence if there is no such slice."""
    key = prefix + SAVED
    name, slices = selection.value(key), files.info.slices
    if name is None or name not in slices:
        selection.imply(key, {})
        selection.view().pop(key, None)
        st.session_state.pop(selection.widget(key), None)
        missing = f"There is no saved slice {name!r} in this study; it was left out."
        return [] if name is None else [missing]
    choices = {
        prefix + filter_: (texts,) if isinstance(texts, str) else tuple(texts)
        for filter_, texts in slices[name].items()
        if filter_ in FILTER_FLAGS
    }
    selection.imply(key, choices)
    for filter_, texts in choices.items():
        if filter_ not in selection.view():
            selection.view()[filter_] = texts
            st.session_state.pop(selection.widget(filter_), None)
    return []


def _saved_menu(files: StudyFiles, prefix: str) -> None:
    """Show the saved slices, and the controls that save and delete them."""
    names, key = tuple(files.info.slices), prefix + SAVED
    if not names and not data.may_write():
        return
    name = selection.value(key)
    with st.popover(
        "Slices" if name is None else f"Slice: {escape_markdown(shortened(name, LONGEST))}",
        icon=":material/bookmark:",
        key=f"{prefix}saved_slices",
        help="Filters saved with the study",
    ):
        if names:
            st.selectbox(
                "Saved slice",
                names,
                index=None,
                key=selection.begin(key, name, has_default=False),
                placeholder="none",
                help="Changing one of its filters refines the slice",
                on_change=_apply_saved_choice,
                args=(prefix,),
            )
        if data.may_write():
            _write(files, prefix)


def _write(files: StudyFiles, prefix: str) -> None:
    name = selection.value(prefix + SAVED)
    st.text_input("Name for these filters", key=prefix + _NAME, placeholder=name or "for example: hard")
    st.button("Save", key=f"{prefix}save_slice", on_click=_save, args=(files, prefix), width="stretch")
    if name is not None:
        st.button("Delete", key=f"{prefix}delete_slice", on_click=_delete, args=(files, prefix, name))
        st.text(f"Deleting {name!r} leaves the filters as they are.")
    error = st.session_state.pop(prefix + _ERROR, None)
    if error:
        st.text(error)


def _apply_saved_choice(prefix: str) -> None:
    """Replace the filters by the chosen slice; choosing none leaves them as they are."""
    name = st.session_state[selection.widget(prefix + SAVED)]
    if name is not None:
        clear(prefix)
    selection.choose(prefix + SAVED, name)


def _save(files: StudyFiles, prefix: str) -> None:
    name = st.session_state[prefix + _NAME].strip() or selection.value(prefix + SAVED) or ""
    settings = dict(flag_values(prefix))
    try:
        data.check_writable(files.name)
        save_slice(files, name, settings)
    except SpbError as error:
        st.session_state[prefix + _ERROR] = str(error)
        return
    st.session_state[prefix + _NAME] = ""
    selection.choose(prefix + SAVED, name)


def _delete(files: StudyFiles, prefix: str, name: str) -> None:
    try:
        data.check_writable(files.name)
        delete_slice(files, name)
    except SpbError as error:
        st.session_state[prefix + _ERROR] = str(error)
    selection.choose(prefix + SAVED)
