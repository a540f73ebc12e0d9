"""What is taken away from a page: a small menu under each chart and each table.

A file is made when it is asked for and not before, so that no page waits for one; asking for it does not
run the page again.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
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


def of_table(frame: "Callable[[], pd.DataFrame]", key: str) -> None:
    """Offer a table as CSV, Parquet and LaTeX; `frame` makes it, numbers as numbers."""

    def made(write: "Callable[[pd.DataFrame], bytes]") -> bytes:
        return write(frame())

    with _menu(key), st.container(horizontal=True):
        for label, (ending, kind, write) in TABLES.items():
            _button(label, partial(made, write), key, ending, kind)


def of_chart(spec: dict[str, Any], key: str, title: str, caption: Sequence[str]) -> None:
    """Offer a chart as PNG and SVG with its title and caption."""

    def made(write: Callable[..., bytes]) -> bytes:
        return write(spec, title, caption)

    with _menu(key), st.container(horizontal=True):
        for label, (ending, kind, write) in CHARTS.items():
            _button(label, partial(made, write), key, ending, kind)


def counted(rows: "pd.DataFrame") -> str:
    """Return how many cases stand behind a chart's marks, where its rows say so."""
    if "n" not in rows or rows.empty:
        return f"n: {len(rows):,} marks."
    low, high = int(rows["n"].min()), int(rows["n"].max())
    many = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"n: {many} cases behind each of {len(rows):,} marks."


def _menu(key: str) -> Any:
    return st.popover("Download", icon=":material/download:", type="tertiary", key=f"download_{key}")


def _button(label: str, data: Callable[[], bytes], key: str, ending: str, kind: str) -> None:
    st.download_button(
        label,
        data,
        file_name(key, ending),
        kind,
        key=f"download_{key}_{ending}",
        on_click="ignore",
    )


def file_name(key: str, ending: str) -> str:
    """Return a file's name from the study and what is downloaded: letters, digits, dot, dash."""
    study = _UNSAFE.sub("-", address.value("study") or "study").strip("-.") or "study"
    return f"{study}-{key.replace('_', '-')}.{ending}"
