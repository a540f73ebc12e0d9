"""Downloads: a small menu under each chart and each table."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, TypeVar

import pandas as pd
import streamlit as st

from engine.charts import export
from engine.extras import NO_PICTURES, can_draw
from explorer.parts import selection

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
class Download:
    """A file to download: the button's label, the extension, the media type, and what writes the content."""

    label: str
    ending: str
    kind: str
    make: Callable[[], bytes]


def offer_table(frame: "Callable[[], pd.DataFrame]", key: str) -> None:
    """Offer a table as CSV, Parquet and LaTeX; `frame` builds it once, with numbers as numbers."""
    once = cache(frame)
    menu(key, files(TABLES, lambda write: write(once())))


def offer_chart(
    spec: dict[str, Any], key: str, title: str, caption: Sequence[str], lead: Sequence[str]
) -> None:
    """Offer a chart as PNG and SVG with its title, what it shows, and its caption."""
    menu(key, files(CHARTS, lambda write: write(spec, title, caption, lead)) if can_draw() else ())


def files(forms: Forms[T], make: Callable[[T], bytes]) -> list[Download]:
    """Return a file in each form; `make` writes it."""
    return [
        Download(label, ending, kind, partial(make, form)) for label, (ending, kind, form) in forms.items()
    ]


@st.fragment
def menu(key: str, files: Sequence[Download]) -> None:
    """Show a menu that opens the buttons of the files, or says what pictures need."""
    menu = st.popover(
        "Download", icon=":material/download:", type="tertiary", key=f"download_{key}", on_change="rerun"
    )
    if menu.open:
        with menu, st.container(horizontal=True):
            buttons(key, f"download_{key}", files)
            if not files:
                st.text(NO_PICTURES)


def buttons(name: str, key: str, files: Sequence[Download]) -> None:
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
