"""Small pieces of a page: sentences, charts, tables, explanations, the Download menu."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import pandas as pd
import streamlit as st

from engine import words
from engine.charts import export
from engine.charts.style import PICK
from engine.measures.entry import Measure
from engine.measures.result import Result
from engine.values import sentence_case
from engine.words import glossary
from explorer.parts import selection

# ------------------------------------------------------------------------------
# Downloads: a small menu under each chart and each table.


T = TypeVar("T")

Forms = Mapping[str, tuple[str, str, T]]
"""The extension and the media type of each form of a download, by its label, and what makes it."""

TABLES: Forms[Callable[["pd.DataFrame"], bytes]] = {
    "CSV": ("csv", "text/csv", export.csv_of),
    "Parquet": ("parquet", "application/vnd.apache.parquet", export.parquet_of),
    "LaTeX": ("tex", "text/x-tex", export.latex_of),
}
CHARTS: Forms[Callable[..., bytes]] = {
    "PNG": ("png", "image/png", export.png_of),
    "SVG": ("svg", "image/svg+xml", export.svg_of),
}

Colour = Literal["red", "orange", "yellow", "blue", "green", "gray"]
"""The colours of a badge."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class File:
    """A file to download: the button's label, the extension, the media type, and what writes the content."""

    label: str
    ending: str
    kind: str
    make: Callable[[], bytes]


def offer_table(frame: "Callable[[], pd.DataFrame]", key: str) -> None:
    """Offer a table as CSV, Parquet and LaTeX; `frame` builds it once, with numbers as numbers."""
    once = cache(frame)
    menu(key, files(TABLES, lambda write: write(once())))


def offer_chart(spec: dict[str, Any], key: str, title: str, caption: Sequence[str]) -> None:
    """Offer a chart as PNG and SVG with its title and caption."""
    menu(key, files(CHARTS, lambda write: write(spec, title, caption)))


def files(forms: Forms[T], make: Callable[[T], bytes]) -> list[File]:
    """Return a file in each form; `make` writes it."""
    return [File(label, ending, kind, partial(make, form)) for label, (ending, kind, form) in forms.items()]


@st.fragment
def menu(key: str, files: Sequence[File]) -> None:
    menu = st.popover(
        "Download", icon=":material/download:", type="tertiary", key=f"download_{key}", on_change="rerun"
    )
    if menu.open:
        with menu, st.container(horizontal=True):
            buttons(key, f"download_{key}", files)


def buttons(name: str, key: str, files: Sequence[File]) -> None:
    """Show a button for each file, which is written when it is clicked.

    `name` goes into file names, `key` into button keys.
    """
    for file in files:
        st.download_button(
            file.label,
            file.make,
            file_name(name, file.ending),
            file.kind,
            key=f"{key}_{file.ending}",
            on_click="ignore",
        )


def file_name(key: str, ending: str) -> str:
    """Return a file name from the study and `key`: letters, digits, dots, underscores, dashes."""
    study = _UNSAFE.sub("-", selection.value("study") or "study").strip("-.") or "study"
    return f"{study}-{_UNSAFE.sub('-', key.replace('_', '-'))}.{ending}"


# ------------------------------------------------------------------------------
# What the catalogue says of a measure: beside every chart, and in full on the Measures page.


def measure_help(measure: Measure, key: str) -> None:
    """Show a measure's title, which opens its question, formula and terms."""
    with st.popover(measure.title, icon=":material/help:", type="tertiary", key=f"help_{key}"):
        measure_words(measure, key)
        terms((measure.title, measure.question), key)
        st.text(f"Its fields and options are on the Measures page, under {measure.name}.")


def terms(texts: Sequence[str], key: str) -> None:
    """Show the meaning of the glossary terms in these texts, if there are any."""
    if glossary_terms := glossary.terms_in(texts):
        with st.container(key=f"terms_{key}", gap="small"):
            for term in glossary_terms:
                st.text(f"{term.name}: {term.meaning}")


def measure_words(measure: Measure, key: str) -> None:
    """Show a measure's question, formula, what is left out, and where it comes from."""
    with st.container(key=f"words_{key}", gap="small"):
        st.text(measure.question)
        st.code(measure.formula, language=None, wrap_lines=True)
        st.text(f"Left out: {measure.left_out}.")
        st.text(f"From: {measure.paper}.")


def options(measure: Measure) -> None:
    """Show a measure's own options."""
    rows = [
        {
            "option": "--" + option.name.replace("_", "-"),
            "meaning": sentence_case(option.meaning),
            "choices": ", ".join(option.choices) or option.kind,
            "default": "" if option.default is None else str(option.default),
        }
        for option in measure.options
    ]
    if not rows:
        st.text("It has no options of its own.")
        return
    config = {
        "option": st.column_config.TextColumn("Option", help="In Python: underscores, no leading hyphens"),
        "meaning": st.column_config.TextColumn("Meaning", width=470),
        "choices": st.column_config.TextColumn("Choices"),
        "default": st.column_config.TextColumn("Default"),
    }
    _table(pd.DataFrame(rows), config, "options")


def _table(frame: pd.DataFrame, config: dict[str, Any], key: str) -> None:
    """Show all rows without a scrollbar, and offer them for download."""
    st.dataframe(frame, hide_index=True, column_config=config, height="content", key=key)
    offer_table(lambda: frame, key)


# ------------------------------------------------------------------------------
# What pages are composed of: sentences, and charts and tables with the basis of their numbers.


LONGEST_TABLE = 12
"""Rows shown without scrolling."""

ROW, HEAD = 35, 38
"""Height in pixels of a table's row and header."""


def say(*sentences: str, key: str | None = None) -> None:
    """Show sentences in a box of their own."""
    with st.container(border=True, key=key):
        for sentence in sentences:
            st.text(words.on_page(sentence))


def note(*sentences: str, key: str) -> None:
    """Show sentences in small print."""
    with st.container(key=f"note_{key}", gap=None):
        for sentence in sentences:
            st.text(words.on_page(sentence))


def lacks_rows(result: Result) -> bool:
    """Say why a measure has no rows, and return whether it has none."""
    if result.rows:
        return False
    left_out = [words.left_out(result.left_out)] if any(result.left_out.values()) else []
    say(f"Nothing to show: {result.reason or 'no judgment of this slice counts'}.", *left_out)
    return True


def basis(result: Result, key: str) -> None:
    """Say what a measure is based on and what was left out."""
    note(*basis_of(result), key=key)


def basis_of(result: Result) -> tuple[str, str]:
    """Return sentences on what a measure is based on and what was left out."""
    return words.basis_of(result.filters), words.left_out_of(result)


def plot(spec: dict[str, Any], description: str, room: int | None = None, **look: Any) -> None:
    """Draw a chart as wide as its container; `description` is its alternative text.

    `room` is the container's width in pixels if it is not the page's.
    """
    stretches = export.stretches(spec)
    room = room or (likely_width() if stretches else page_width())
    wide: Literal["stretch", "content"] = "stretch" if stretches else "content"
    st.vega_lite_chart(export.fit_to_width(spec, room), width=wide, alt=description, **look)


def picking(key: str, picks: str, turn: int = 0) -> str:
    """Return the session key of a chart whose marks can be chosen."""
    return f"{key}_{picks}" + (f"_{turn}" if turn else "")


def picked_mark(key: str, picks: str = PICK, turn: int = 0) -> dict[str, Any] | None:
    """Return the mark that was just chosen in a chart, None if none is; for its `on_pick`."""
    event: Any = st.session_state[picking(key, picks, turn)]
    return next((dict(mark) for mark in event["selection"].get(picks, [])), None)


def measure_table(result: Result, fields: Sequence[str], key: str, *, by: str | None = None) -> None:
    """Show a measure's rows as a table."""
    frame = words.format_rows(result, fields, by=by)
    declarations = words.declarations(result.measure)
    help_of = {name: sentence_case(declarations[name].meaning) for name in fields}
    config = {name: (words.heading(name, by), help_of.get(name)) for name in frame.columns}
    table(frame, config, key, download=lambda: export.frame_of(result))


def table(
    rows: "pd.DataFrame | Sequence[Any]",
    config: Mapping[str, Any],
    key: str,
    *,
    selectable: bool = False,
    on_pick: Callable[[], None] | None = None,
    download: "Callable[[], pd.DataFrame] | None" = None,
) -> int | None:
    """Show formatted cells; return the place of the chosen row if rows are selectable.

    `config` has Streamlit's configuration of each column, or the title of a text, alone or with its help;
    rows that are not yet a frame take its columns. `on_pick` is called when another row is chosen, if the
    page stores the choice itself. `download` builds its file: the numbers behind cells that are texts.
    """
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows, columns=list(config))
    height = HEAD + ROW * min(max(len(frame), 1), LONGEST_TABLE)
    pairs = {name: column for name, column in config.items() if isinstance(column, tuple)}
    texts = {name: st.column_config.TextColumn(title, help=about) for name, (title, about) in pairs.items()}
    columns = {**config, **texts}
    options: dict[str, Any] = {"hide_index": True, "column_config": columns, "height": height, "key": key}
    if selectable:
        options |= {"on_select": on_pick or "rerun", "selection_mode": "single-row"}
    event: Any = st.dataframe(frame, **options)
    offer_table(download or (lambda: frame), key)
    if not selectable:
        return None
    places = [row for row in event["selection"]["rows"] if row < len(frame)]
    return places[0] if places else None


# ------------------------------------------------------------------------------
# Chosen marks: by a click on the chart, by the address, or by removing a chip.


_MARKS = "_marks"


def turn_of(key: str, mark: dict[str, str] | None) -> tuple[int, dict[str, str] | None]:
    """Return the number of a chart's current drawing, and the mark that was chosen when it was drawn.

    The browser remembers the last click, so a choice by other means draws the chart anew.
    """
    drawings = st.session_state.setdefault(_MARKS, {})
    turn, now, first = drawings.get(key, (0, None, None))
    if mark != now:
        turn, first = turn + 1, mark
        drawings[key] = turn, mark, first
    return turn, first


def remember_turn(key: str, turn: int, mark: Mapping[str, Any] | None, first: dict[str, str] | None) -> None:
    """Note that the reader chose a mark in a drawing of a chart, which then needs no other."""
    st.session_state[_MARKS][key] = turn, mark, first


# ------------------------------------------------------------------------------
# The width available to a page's charts, which only the browser knows.


STEPS = (320, 350, 380, 420, 480, 560, 640, 700, 760, 830, 900, 960, 1010, 1070, 1130, 1220, 1320, 1440, 1550)
"""Pixels; charts are drawn for the widest step that has room."""

USUAL, PHONE = 1320, 350
"""Widths assumed until the browser answers: right for windows of 1440 pixels and for most phones."""

COARSE = (320, 560, 700)
"""The steps that matter to a page whose charts all stretch to their container."""

_WIDTH, _EXACT = "_window_width", "_width_taken"

_BROWSER = st.components.v2.component(
    "spb_window", js=(Path(__file__).parent / "window.js").read_text(encoding="utf-8")
)


def likely_width() -> int:
    """Return the approximate width in pixels, for uses to which another step hardly matters."""
    width: int | None = st.session_state.get(_WIDTH)
    return width or (PHONE if "Mobile" in (st.context.headers.get("User-Agent") or "") else USUAL)


def page_width() -> int:
    """Return the width in pixels for which charts are drawn; the page reruns when it changes."""
    st.session_state[_EXACT] = True
    return likely_width()


def is_narrower(than: int) -> bool:
    """Return whether the width is below a step of COARSE."""
    return likely_width() < than


def watch_width() -> None:
    """Let the browser report the available width once the page is drawn.

    The page reruns if that is another of the steps that matter to its charts.
    """
    matter = STEPS if st.session_state.pop(_EXACT, False) else COARSE
    with st.container(key="window"):
        message = {"steps": list(STEPS), "matter": list(matter), "now": likely_width()}
        state = _BROWSER(key="window_width", data=message, on_width_change=_store_width)
    if _store(state):  # a report that reached a run in which `_store_width` could not read it
        st.rerun()


def _store_width() -> None:
    # A report can come after the page that asked for it, and its state, have gone.
    _store(st.session_state.get("window_width"))


def _store(state: Mapping[str, Any] | None) -> bool:
    """Store the width that the browser reports, if any; return whether it is another one."""
    width = (state or {}).get("width")
    if width not in STEPS or width == st.session_state.get(_WIDTH):
        return False
    st.session_state[_WIDTH] = width
    return True
