"""What pages are composed of: sentences, and charts and tables with the basis of their numbers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import pyarrow as pa
import streamlit as st

from engine.charts import fit_width
from engine.charts.chart_marks import PICK
from engine.measures.result import Result
from engine.words import based_on, plain_names
from explorer.parts import first_chart
from explorer.parts.downloads import offer_table
from explorer.parts.page_width import is_narrower, likely_width, page_width

LONGEST_TABLE = 12
"""Rows shown without scrolling."""


ROW, HEAD = 35, 38
"""Height in pixels of a table's row and header."""

HEIGHTS = (ROW, 66, 76, 96)
"""Height in pixels of a row of one to four lines; in a row of less than 64, Streamlit breaks none."""

MOST_CUT = 1 / 4
"""Most rows that are cut: a few long texts make no other row taller, and open with a click."""

LETTER, MARGIN, AUTOMATIC = 6.0, 18, 500
"""Pixels of a character and of a cell's margins, and the most that a column takes by itself."""

MEASURED = 9
"""A column is as wide by itself as its head, its first rows, so many, and its last row need."""

PHONE, FIRST = 560, 150
"""On a page narrower than this, a table's first column is this wide at most, so that the next one shows."""


def say(*sentences: str, key: str | None = None) -> None:
    """Show sentences in a box of their own."""
    with st.container(border=True, key=key):
        for sentence in sentences:
            st.text(plain_names.on_page(sentence))


def note(*sentences: str, key: str) -> None:
    """Show sentences in small print."""
    with st.container(key=f"note_{key}", gap=None):
        for sentence in sentences:
            st.text(plain_names.on_page(sentence))


def lacks_rows(result: Result) -> bool:
    """Say why a measure has no rows, and return whether it has none."""
    if result.rows:
        return False
    left_out = [based_on.left_out(result.left_out)] if any(result.left_out.values()) else []
    say(f"Nothing to show: {result.reason or 'no judgment of this slice counts'}.", *left_out)
    return True


def basis(result: Result, key: str) -> None:
    """Say what a measure is based on and what was left out."""
    note(*basis_of(result), key=key)


def basis_of(result: Result) -> tuple[str, str]:
    """Return sentences on what a measure is based on and what was left out."""
    return based_on.basis_of(result.filters, names=result.names), based_on.left_out_of(result)


def plot(spec: dict[str, Any], description: str, room: int | None = None, **look: Any) -> None:
    """Draw a chart as wide as its container; `description` is its alternative text.

    `room` is the container's width in pixels if it is not the page's.
    """
    stretches = fit_width.stretches(spec)
    room = room or (likely_width() if stretches else page_width())
    wide: Literal["stretch", "content"] = "stretch" if stretches else "content"
    fitted = fit_width.fit_to_width(spec, room)
    if "datasets" in fitted:
        fitted = fitted | {"datasets": {name: _arrow(rows) for name, rows in fitted["datasets"].items()}}
    st.vega_lite_chart(fitted, width=wide, alt=description, **look)
    first_chart.chart_sent()


def _arrow(rows: Any) -> Any:
    """Return rows as Arrow's bytes, in a fifth of the time that Streamlit takes by way of pandas.

    Columns of several types, and rows of several kinds, are left to Streamlit.
    """
    if len({tuple(row) for row in rows}) != 1:
        return rows
    try:
        table = pa.Table.from_pylist(rows)
    except pa.ArrowException:
        return rows
    buffer = pa.BufferOutputStream()
    with pa.ipc.new_stream(buffer, table.schema) as stream:
        stream.write_table(table)
    return buffer.getvalue().to_pybytes()


def picking(key: str, picks: str, turn: int = 0) -> str:
    """Return the session key of a chart whose marks can be chosen."""
    return f"{key}_{picks}" + (f"_{turn}" if turn else "")


def picked_mark(key: str, picks: str = PICK, turn: int = 0) -> dict[str, Any] | None:
    """Return the mark that was just chosen in a chart, None if none is; for its `on_pick`."""
    event: Any = st.session_state[picking(key, picks, turn)]
    return next((dict(mark) for mark in event["selection"].get(picks, [])), None)


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

    Rows whose texts it would cut are shown as boxes, one below the other: on a phone, and wherever there are
    a few rows of two columns, such as questions and answers.
    `config` has Streamlit's configuration of each column, or the title of a text, alone or with its help;
    rows that are not yet a frame take its columns. `on_pick` is called when another row is chosen, if the
    page stores the choice itself. `download` builds its file: the numbers behind cells that are texts.
    """
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows, columns=list(config))
    pairs = {name: column for name, column in config.items() if isinstance(column, tuple)}
    titles = {name: str(title) for name, (title, _) in pairs.items()}
    pixels, lines, most_lines = _fitted(frame, titles)
    for_boxes = len(frame.columns) == len(titles) == 2 and len(frame) <= LONGEST_TABLE
    is_cut = most_lines >= len(HEIGHTS) if for_boxes else lines >= len(HEIGHTS) and is_narrower(PHONE)
    if is_cut and not selectable:
        _boxes(frame, titles, key)
        offer_table(download or (lambda: frame), key)
        return None
    row = HEIGHTS[min(lines, len(HEIGHTS)) - 1]
    height = HEAD + row * min(max(len(frame), 1), LONGEST_TABLE)
    texts = {
        name: st.column_config.TextColumn(title, help=about, width=pixels.get(name))
        for name, (title, about) in pairs.items()
    }
    columns = {**config, **texts}
    options: dict[str, Any] = {"hide_index": True, "column_config": columns, "height": height, "key": key}
    if row > ROW:
        options["row_height"] = row
    if selectable:
        options |= {"on_select": on_pick or "rerun", "selection_mode": "single-row"}
    first_chart.await_chart()
    event: Any = st.dataframe(frame, **options)
    if most_lines > min(lines, len(HEIGHTS)):
        note("A text that is cut opens with a double click.", key=f"cut_{key}")
    offer_table(download or (lambda: frame), key)
    if not selectable:
        return None
    places = [place for place in event["selection"]["rows"] if place < len(frame)]
    return places[0] if places else None


def _boxes(frame: "pd.DataFrame", titles: Mapping[str, str], key: str) -> None:
    """Show each row in a box: its first cell as a title, the others in small print."""
    for place, (first, *others) in enumerate(zip(*(frame[name].tolist() for name in frame), strict=True)):
        with st.container(border=True, key=f"row_{key}_{place}", gap=None):
            st.text(first)
            heads = [titles.get(str(name), str(name)) for name in frame][1:]
            lines = zip(heads, others, strict=True) if len(others) > 1 else (("", text) for text in others)
            note(*(f"{head}: {text}" if head else str(text) for head, text in lines), key=f"{key}_{place}")


def _fitted(frame: "pd.DataFrame", heads: Mapping[str, str]) -> tuple[dict[str, int], int, int]:
    """Return the widths in pixels of columns that would be too narrow, and the lines of most and of all rows.

    A column has half of the page (of a phone more, save the first), or the room that the others leave.
    """
    columns = {str(name): [heads.get(str(name), ""), *frame[name].tolist()] for name in frame}
    needs = {name: [_pixels(text) for text in texts] for name, texts in columns.items()}
    natural = {name: max(pixels) for name, pixels in needs.items()}
    page, on_phone = likely_width(), is_narrower(PHONE)
    most = dict.fromkeys(natural, 3 * page // 4 if on_phone else page // 2)
    if on_phone and len(natural) > 1:
        most[next(iter(natural))] = FIRST
    long = [name for name in natural if natural[name] > min(most[name], AUTOMATIC)]
    measured = {name: max(*pixels[: MEASURED + 1], pixels[-1]) for name, pixels in needs.items()}
    unseen = {name: natural[name] for name in natural if name not in long and natural[name] > measured[name]}
    if not long or not len(frame):
        return unseen, 1, 1
    room = page - sum(wide for name, wide in natural.items() if name not in long)
    widths = {name: min(natural[name], max(most[name], room // len(long))) for name in long}
    lines = sorted(
        max(-(-needs[name][row] // widths[name]) for name in long) for row in range(1, len(frame) + 1)
    )
    return unseen | widths, lines[int((1 - MOST_CUT) * len(lines))], lines[-1]


def _pixels(text: object) -> int:
    """Return the pixels of a text in one line, with its cell's margins."""
    return int(LETTER * len(text)) + MARGIN if isinstance(text, str) else MARGIN
