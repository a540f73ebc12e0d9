"""Downloads of tables and charts: CSV, Parquet, LaTeX, PNG, SVG."""

import csv
import io
import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.errors import printable
from engine.extras import drawing_package
from engine.measures.result import CRITERION
from engine.phrases import full_stop
from engine.values import without_formula

if TYPE_CHECKING:
    import pandas as pd

    from engine.measures.result import Result

Spec = dict[str, Any]

CAPTION_WIDTH = 110  # most characters of a line of a chart's caption
SCALE = 2  # pixels of a PNG for each pixel of the page
_DTYPES = {"count": "Int64", "flag": "boolean", "text": "string"}

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "[": "{[}",  # at the start of a row it would be read as the optional argument of \\ above
    "*": "{*}",  # likewise
    **{chr(code): " " for code in (*range(32), 127)},  # control characters, which LaTeX does not accept
}


def frame_of(result: "Result") -> "pd.DataFrame":
    """Return a measure's rows with the types that its fields declare; counts stay integers despite nulls."""
    frame = result.frame()
    dtypes = {field.name: _DTYPES.get(field.kind, "float64") for field in result.measure.fields}
    untyped = {field.name for field in result.measure.fields if field.kind == "list"} | {"reasons"}
    untyped |= {"slice", *result.group_columns, CRITERION}
    names = [name for name in frame.columns if name not in untyped]
    return frame.astype({name: dtypes.get(name, "float64") for name in names})


def csv_of(frame: "pd.DataFrame") -> bytes:
    """Return the frame as CSV in UTF-8: numbers unrounded, missing ones as empty cells.

    Texts that a spreadsheet would take for formulas get an apostrophe in front; lists and reasons are joined
    by `; `.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)  # CRLF line ends (RFC 4180), without which a lone CR is not quoted
    writer.writerow([without_formula(str(name)) for name in frame.columns])
    for row in _rows(frame):
        writer.writerow([without_formula(_join_parts(value)) for value in row])
    return text.getvalue().encode()


def parquet_of(frame: "pd.DataFrame") -> bytes:
    """Return the frame as Parquet with the types of its columns; reasons are joined into texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    plain = frame.map(lambda value: _join_parts(value) if isinstance(value, dict) else value)
    file = io.BytesIO()
    table = pa.Table.from_pandas(plain, preserve_index=False).replace_schema_metadata()
    pq.write_table(table, file, write_page_checksum=True)
    return file.getvalue()


def latex_of(frame: "pd.DataFrame") -> bytes:
    """Return the frame as a plain LaTeX tabular: numbers right-aligned, texts escaped.

    Floats are rounded to four significant digits; CSV and Parquet have them in full.
    """
    import pandas as pd

    numeric = [pd.api.types.is_numeric_dtype(frame[name]) for name in frame.columns]
    lines = [rf"\begin{{tabular}}{{{''.join('r' if is_number else 'l' for is_number in numeric)}}}"]
    lines += [r"\hline", " & ".join(latex_text(str(name)) for name in frame.columns) + r" \\", r"\hline"]
    lines += [" & ".join(latex_text(_short(value)) for value in row) + r" \\" for row in _rows(frame)]
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""]).encode()


def png_of(spec: Spec, title: str, caption: Sequence[str], lead: Sequence[str] = ()) -> bytes:
    """Return a Vega-Lite chart as PNG on white; see `with_caption`."""
    captioned = with_caption(spec, title, caption, lead)
    image: bytes = drawing_package().vegalite_to_png(captioned, scale=SCALE, allowed_base_urls=[])
    return image


def svg_of(spec: Spec, title: str, caption: Sequence[str], lead: Sequence[str] = ()) -> bytes:
    """Return a Vega-Lite chart as SVG on white; see `with_caption`."""
    captioned = with_caption(spec, title, caption, lead)
    image: str = drawing_package().vegalite_to_svg(captioned, allowed_base_urls=[])
    return image.encode()


def pdf_of(spec: Spec, title: str, caption: Sequence[str], lead: Sequence[str] = ()) -> bytes:
    """Return a Vega-Lite chart as PDF on white; see `with_caption`."""
    captioned = with_caption(spec, title, caption, lead)
    document: bytes = drawing_package().vegalite_to_pdf(captioned, allowed_base_urls=[])
    return document


def with_caption(spec: Spec, title: str, caption: Sequence[str], lead: Sequence[str] = ()) -> Spec:
    """Return the chart below a title, what it shows and its own title, and above a caption, all wrapped.

    `lead` says what the chart shows, the caption what it rests on.
    """
    head = {
        "text": textwrap.wrap(title, CAPTION_WIDTH) or "",
        "subtitle": _wrapped((*lead, *_own_title(spec))),
        "anchor": "start",
        "fontSize": 13,
        "subtitleFontSize": 10,
        "subtitleLineHeight": _LINE,
        "subtitlePadding": 6,
        "offset": 12,
    }
    if caption:
        of_whole = {name: spec[name] for name in _OF_THE_WHOLE if name in spec}
        chart = {name: part for name, part in spec.items() if name not in (*_OF_THE_WHOLE, "title")}
        if "width" in spec:  # which expressions of the chart read: beside another it has none by that name
            of_whole["params"] = [*spec.get("params", ()), {"name": "width", "value": spec["width"]}]
        spec = {**of_whole, "vconcat": [chart, _foot(_wrapped(caption))], "spacing": 12}
    whole: Spec = _without_controls(spec | {"title": head, "background": "white", "padding": 12})
    return whole


_OF_THE_WHOLE = ("$schema", "autosize", "config", "datasets", "params", "usermeta")
"""What a specification may have at its top alone."""
_LINE = 13  # pixels from one line of the caption to the next


def _wrapped(texts: Sequence[str]) -> list[str]:
    return [line for text in texts for line in textwrap.wrap(text, CAPTION_WIDTH, break_on_hyphens=False)]


def _foot(lines: list[str]) -> Spec:
    """Return lines of text as a chart that stands below another."""
    mark = {"type": "text", "text": lines, "align": "left", "baseline": "top", "lineHeight": _LINE}
    return {
        "data": {"values": [{}]},
        "mark": mark | {"fontSize": 10, "clip": False},
        "encoding": {"x": {"value": 0}, "y": {"value": 0}},
        "width": 10,
        "height": _LINE * len(lines),
        "view": {"stroke": None},
    }


def _own_title(spec: Spec) -> list[str]:
    """Return the sentences of a chart's title and subtitle, each of which may be a text or its lines."""
    title = spec.get("title", "")
    parts = (title.get("text", ""), title.get("subtitle", "")) if isinstance(title, dict) else (title,)
    texts = (part if isinstance(part, str) else " ".join(part) for part in parts)
    return [full_stop(text) for text in texts if text]


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _without_controls(part: Any) -> Any:
    """Return a part of a specification with control characters written out: one would end the process."""
    if isinstance(part, str):
        return _CONTROLS.sub(lambda letter: printable(letter[0]), part)
    if isinstance(part, dict):
        return {key: _without_controls(inner) for key, inner in part.items()}
    return [_without_controls(inner) for inner in part] if isinstance(part, list) else part


def _rows(frame: "pd.DataFrame") -> list[tuple[Any, ...]]:
    """Return the rows as plain values, None for missing ones."""
    import pandas as pd

    def plain(value: Any) -> Any:
        return None if pd.api.types.is_scalar(value) and pd.isna(value) else value

    columns = ([plain(value) for value in frame[name].tolist()] for name in frame.columns)
    return list(zip(*columns, strict=True))


def _join_parts(value: Any) -> Any:
    if isinstance(value, dict):
        return "; ".join(f"{name}={code}" for name, code in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(str(part) for part in value)
    return value


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if value is None else str(_join_parts(value))


def latex_text(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)
