"""What is taken away from a page: a small menu under each chart and each table.

Files are made when their menu is opened and not before, so that no page waits for them; opening it draws
the menu again and nothing else of the page. Streamlit is given the files and not functions that make them:
what such a function made is thrown away when two more runs of anybody's pages have ended, which on a server
with many people is before a browser has fetched it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine import exports
from explorer import address

if TYPE_CHECKING:
    import pandas as pd

TABLES = {
    "CSV": ("csv", "text/csv", exports.csv_of),
    "Parquet": ("parquet", "application/vnd.apache.parquet", exports.parquet_of),
    "LaTeX": ("tex", "text/x-tex", exports.latex_of),
}
CHARTS = {
    "PNG": ("png", "image/png", exports.png_of),
    "SVG": ("svg", "image/svg+xml", exports.svg_of),
}

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class File:
    """A file that is offered: the button's label, the name's ending, the media type, and what makes it."""

    label: str
    ending: str
    kind: str
    make: Callable[[], bytes]


def of_table(frame: "Callable[[], pd.DataFrame]", key: str) -> None:
    """Offer a table as CSV, Parquet and LaTeX; `frame` makes it once, numbers as numbers."""
    once = cache(frame)
    files = [
        File(label, ending, kind, lambda write=write: write(once()))
        for label, (ending, kind, write) in TABLES.items()
    ]
    _menu(key, files)


def of_chart(spec: dict[str, Any], key: str, title: str, caption: Sequence[str]) -> None:
    """Offer a chart as PNG and SVG with its title and caption."""
    files = [
        File(label, ending, kind, partial(write, spec, title, caption))
        for label, (ending, kind, write) in CHARTS.items()
    ]
    _menu(key, files)


@st.fragment
def _menu(key: str, files: Sequence[File]) -> None:
    menu = st.popover(
        "Download", icon=":material/download:", type="tertiary", key=f"download_{key}", on_change="rerun"
    )
    if menu.open:
        with menu, st.container(horizontal=True):
            buttons(key, f"download_{key}", files)


def buttons(name: str, key: str, files: Sequence[File]) -> None:
    """Make the files and show a button for each; `name` goes into a file's name, `key` into a button's."""
    with st.spinner("Making the files …"):
        made = [file.make() for file in files]
    for file, content in zip(files, made, strict=True):
        st.download_button(
            file.label,
            content,
            file_name(name, file.ending),
            file.kind,
            key=f"{key}_{file.ending}",
            on_click="ignore",
        )


def counted(rows: "pd.DataFrame") -> str:
    """Return how many cases stand behind a chart's marks, where its rows say so."""
    if "n" not in rows or rows.empty:
        return f"n: {len(rows):,} marks."
    low, high = int(rows["n"].min()), int(rows["n"].max())
    many = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"n: {many} cases behind each of {len(rows):,} marks."


def file_name(key: str, ending: str) -> str:
    """Return a file's name from the study and what is downloaded: letters, digits, dot, dash."""
    study = _UNSAFE.sub("-", address.value("study") or "study").strip("-.") or "study"
    return f"{study}-{key.replace('_', '-')}.{ending}"
