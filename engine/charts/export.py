"""Vega-Lite, PNG, SVG, CSV, Parquet, LaTeX."""

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

if TYPE_CHECKING:
    import pandas as pd

    from engine.measures.result import Result


# ------------------------------------------------------------------------------
# A chart as a Vega-Lite specification that stays the same while only its numbers change.


LABELS = {axis: {"labelFlush": False} for axis in ("axisY", "axisBand", "axisPoint")}
"""Labels stand beside their rows and ticks: Streamlit's theme would move the first and the last inwards."""


SILENT = ("rule", "tick", "line", "area")
"""Marks whose groups a screen reader would find without a name; points and cells have one each."""


def written(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """Return the specification, its datasets named `rows`, `rows-1`, ... in the order of their use.

    Altair names a dataset after its content. With such a name every number is a change of the
    specification, and a browser draws the chart anew where it could have moved the marks. Whether the
    specification is a valid one is for tests: checking it takes longer than making it.
    """
    spec: dict[str, Any] = chart.to_dict(validate=False)
    datasets = spec.pop("datasets", {})
    names: dict[str, str] = {}
    renamed: dict[str, Any] = _renamed(spec, names)
    used = {name: datasets[altairs] for altairs, name in names.items()}
    config = {"config": renamed.get("config", {}) | LABELS}
    return renamed | config | ({"datasets": used} if used else {})


def _renamed(part: Any, names: dict[str, str]) -> Any:
    """Return a part of a specification with our names of datasets, and put into `names` those not yet met."""
    if isinstance(part, list):
        return [_renamed(inner, names) for inner in part]
    if not isinstance(part, dict):
        return part
    data = part.get("data")
    if isinstance(data, dict) and "name" in data:
        name = names.setdefault(data["name"], f"rows-{len(names)}" if names else "rows")
        part = part | {"data": data | {"name": name}}
    mark = part.get("mark")
    if isinstance(mark, dict) and mark.get("type") in SILENT:
        part = part | {"mark": {"aria": False} | mark}
    return {key: inner if key == "data" else _renamed(inner, names) for key, inner in part.items()}


# ------------------------------------------------------------------------------
# Tables and charts taken away: CSV, Parquet, LaTeX, PNG, SVG.


Spec = dict[str, Any]

TRIGGERS = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that a spreadsheet would take for a formula."""

CAPTION_WIDTH = 110
"""Characters of one line of a chart's caption, at most."""

SCALE = 2
"""Pixels of a PNG for each pixel of the page."""

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
    "[": "{[}",  # at the begin of a row it would be the space that the row above ends with
    "*": "{*}",  # likewise
    **{chr(code): " " for code in (*range(32), 127)},  # letters that LaTeX has not
}


def frame_of(result: "Result") -> "pd.DataFrame":
    """Return a measure's rows with the types that its fields declare: a count without a value stays whole."""
    frame = result.frame()
    declared = {field.name: _DTYPES.get(field.kind, "float64") for field in result.measure.fields}
    asis = {field.name for field in result.measure.fields if field.kind == "list"} | {"slice", "reasons"}
    names = [name for name in frame.columns if name not in asis]
    return frame.astype({name: declared.get(name, "float64") for name in names})


def csv_of(frame: "pd.DataFrame") -> bytes:
    """Return the frame as CSV in UTF-8: numbers unrounded, an empty cell where there is none.

    A text that a spreadsheet would take for a formula is made harmless by an apostrophe before it; lists
    and reasons are joined by `; `.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)  # lines end as RFC 4180 has them, or a lone carriage return is not quoted
    writer.writerow([_harmless(str(name)) for name in frame.columns])
    for row in _rows(frame):
        writer.writerow([_harmless(_joined(value)) for value in row])
    return text.getvalue().encode()


def parquet_of(frame: "pd.DataFrame") -> bytes:
    """Return the frame as Parquet, its columns with their types; reasons are joined to texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    plain = frame.map(lambda value: _joined(value) if isinstance(value, dict) else value)
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(plain, preserve_index=False).replace_schema_metadata(), file)
    return file.getvalue()


def latex_of(frame: "pd.DataFrame") -> bytes:
    """Return the frame as a plain LaTeX tabular: numbers to the right, texts escaped.

    Shares and ratios are rounded to four significant places: the CSV and the Parquet have them whole.
    """
    import pandas as pd

    numeric = [pd.api.types.is_numeric_dtype(frame[name]) for name in frame.columns]
    lines = [
        rf"\begin{{tabular}}{{{''.join('r' if is_number else 'l' for is_number in numeric)}}}",
        r"\hline",
    ]
    lines += [" & ".join(_latex(str(name)) for name in frame.columns) + r" \\", r"\hline"]
    lines += [" & ".join(_latex(_short(value)) for value in row) + r" \\" for row in _rows(frame)]
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""]).encode()


def png_of(spec: Spec, title: str, caption: Sequence[str]) -> bytes:
    """Return a Vega-Lite chart as PNG on white, with its title and what it was taken of under it."""
    import vl_convert

    drawn: bytes = vl_convert.vegalite_to_png(
        captioned(spec, title, caption), scale=SCALE, allowed_base_urls=[]
    )
    return drawn


def svg_of(spec: Spec, title: str, caption: Sequence[str]) -> bytes:
    """Return a Vega-Lite chart as SVG on white, with its title and what it was taken of under it."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(captioned(spec, title, caption), allowed_base_urls=[])
    return drawn.encode()


def captioned(spec: Spec, title: str, caption: Sequence[str]) -> Spec:
    """Return the chart with a title and lines under it, broken where they are long."""
    import textwrap

    width = CAPTION_WIDTH
    lines = [line for sentence in caption for line in textwrap.wrap(sentence, width, break_on_hyphens=False)]
    head = {
        "text": textwrap.wrap(title, width) or "",
        "subtitle": lines,
        "anchor": "start",
        "fontSize": 13,
        "subtitleFontSize": 10,
        "subtitleLineHeight": 13,
        "subtitlePadding": 6,
        "offset": 12,
    }
    return spec | {"title": head, "background": "white", "padding": 12}


def _rows(frame: "pd.DataFrame") -> list[tuple[Any, ...]]:
    """Return the rows as plain values, None where there is none."""
    import pandas as pd

    columns = [
        [
            None if pd.api.types.is_scalar(value) and pd.isna(value) else value
            for value in frame[name].tolist()
        ]
        for name in frame.columns
    ]
    return list(zip(*columns, strict=True))


def _joined(value: Any) -> Any:
    if isinstance(value, dict):
        return "; ".join(f"{name}={code}" for name, code in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(str(part) for part in value)
    return value


def _harmless(value: Any) -> Any:
    """Return a text with an apostrophe before it where it would be taken for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(TRIGGERS) else value


def _short(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(_joined(value))


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)
