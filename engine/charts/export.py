"""Charts and tables as Vega-Lite, PNG, SVG, CSV, Parquet and LaTeX; charts fitted to a width."""

import csv
import io
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

if TYPE_CHECKING:
    import pandas as pd

    from engine.measures.result import Result


# ------------------------------------------------------------------------------
# A chart as a Vega-Lite specification that stays the same if only its numbers change.


LABELS = {axis: {"labelFlush": False} for axis in ("axisY", "axisBand", "axisPoint")}
"""Keeps labels beside their rows and ticks: Streamlit's theme would move the first and last inwards."""


SILENT = ("rule", "tick", "line", "area")
"""Marks hidden from screen readers, since their groups have no name; points and cells have one each."""


def spec_of(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """Return the specification, with datasets named `rows`, `rows-1`, ... in the order of their use.

    Altair names a dataset after its content. Every new number would then change the specification, and a
    browser would redraw the chart instead of moving the marks. Only tests validate the specification, since
    that takes longer than making it.
    """
    spec: dict[str, Any] = chart.to_dict(validate=False)
    datasets = spec.pop("datasets", {})
    names: dict[str, str] = {}
    renamed: dict[str, Any] = _rename_datasets(spec, names)
    datasets = {name: datasets[hashed] for hashed, name in names.items()}
    config = {"config": renamed.get("config", {}) | LABELS}
    return renamed | config | ({"datasets": datasets} if datasets else {})


def _rename_datasets(part: Any, names: dict[str, str]) -> Any:
    """Return a part of a specification with our names of datasets; new ones are added to `names`."""
    if isinstance(part, list):
        return [_rename_datasets(inner, names) for inner in part]
    if not isinstance(part, dict):
        return part
    data = part.get("data")
    if isinstance(data, dict) and "name" in data:
        name = names.setdefault(data["name"], f"rows-{len(names)}" if names else "rows")
        part = part | {"data": data | {"name": name}}
    mark = part.get("mark")
    if isinstance(mark, dict) and mark.get("type") in SILENT:
        part = part | {"mark": {"aria": False} | mark}
    return {key: inner if key == "data" else _rename_datasets(inner, names) for key, inner in part.items()}


# ------------------------------------------------------------------------------
# Downloads of tables and charts: CSV, Parquet, LaTeX, PNG, SVG; and charts fitted to a width.
#
# In Vega-Lite a single panel adapts to the available width, but panels side by side do not. Here they are
# widened or narrowed or, if they would become too narrow, stacked.


Spec = dict[str, Any]

TRIGGERS = ("=", "+", "-", "@", "\t", "\r")
"""First characters of texts that a spreadsheet would take for formulas."""

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
    untyped = {field.name for field in result.measure.fields if field.kind == "list"} | {"slice", "reasons"}
    names = [name for name in frame.columns if name not in untyped]
    return frame.astype({name: dtypes.get(name, "float64") for name in names})


def csv_of(frame: "pd.DataFrame") -> bytes:
    """Return the frame as CSV in UTF-8: numbers unrounded, missing ones as empty cells.

    Texts that a spreadsheet would take for formulas get an apostrophe in front; lists and reasons are joined
    by `; `.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)  # CRLF line ends (RFC 4180), without which a lone CR is not quoted
    writer.writerow([_harmless(str(name)) for name in frame.columns])
    for row in _rows(frame):
        writer.writerow([_harmless(_join_parts(value)) for value in row])
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


def png_of(spec: Spec, title: str, caption: Sequence[str]) -> bytes:
    """Return a Vega-Lite chart as PNG on white, with a title and a caption."""
    import vl_convert

    captioned = with_caption(spec, title, caption)
    image: bytes = vl_convert.vegalite_to_png(captioned, scale=SCALE, allowed_base_urls=[])
    return image


def svg_of(spec: Spec, title: str, caption: Sequence[str]) -> bytes:
    """Return a Vega-Lite chart as SVG on white, with a title and a caption."""
    import vl_convert

    image: str = vl_convert.vegalite_to_svg(with_caption(spec, title, caption), allowed_base_urls=[])
    return image.encode()


def pdf_of(spec: Spec, title: str, caption: Sequence[str]) -> bytes:
    """Return a Vega-Lite chart as PDF on white, with a title and a caption."""
    import vl_convert

    captioned = with_caption(spec, title, caption)
    document: bytes = vl_convert.vegalite_to_pdf(captioned, allowed_base_urls=[])
    return document


def with_caption(spec: Spec, title: str, caption: Sequence[str]) -> Spec:
    """Return the chart with a title and, under it, the caption, both wrapped."""
    lines = [line for text in caption for line in textwrap.wrap(text, CAPTION_WIDTH, break_on_hyphens=False)]
    head = {
        "text": textwrap.wrap(title, CAPTION_WIDTH) or "",
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


def _harmless(value: Any) -> Any:
    """Return a value, with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(TRIGGERS) else value


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if value is None else str(_join_parts(value))


def latex_text(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


NARROWEST = 120  # width of a panel in pixels below which panels side by side are stacked
WIDEST = 1.9  # largest factor by which a panel is widened
CHARACTER = 6.2  # approximate pixels of a character of an axis label
AXIS = 26  # pixels beside the labels of a panel: ticks, and half a label at the end of the other axis
LEGEND, SYMBOL, LETTER = 165, 34, 7.2
"""Pixels of a legend entry of unknown text, of its symbol, and of a character."""

MARK_NAMES = "names_of_marks"
"""The name of the layer of names beside marks, and the prefix of that of their lines."""

MIN_SHARE_WITH_NAMES = 0.7
"""Share of a panel's drawn width below which names beside its marks are dropped; tooltips have them."""

SHORTEST_LINE = 12  # characters of a line of an axis' title, however narrow its panel is
LONG = 4  # most stacked panels that share the last one's axis; beyond, it would be out of sight
SHARE_OF_LABELS = 0.36  # largest share of the width that names of rows take


def stretches(spec: Spec) -> bool:
    """Return whether a chart is a single panel, which adapts to the available width by itself."""
    return not ({"hconcat", "vconcat", "concat", "facet"} & spec.keys()) and not _has_cells(spec)


def fit_to_width(spec: Spec, width: int) -> Spec:
    """Return the chart fitted to `width` pixels.

    In a single panel only the names of rows and the legend change.
    """
    config = spec.get("config", {})
    entry = _entry(spec)
    # A facet's legend starts right of the names of its rows.
    names = _labels(spec["spec"], spec, width) if "facet" in spec else 0
    columns = width // LEGEND if entry is None else int((width - AXIS - names) // entry)
    legend = {"columns": max(1, columns)} | config.get("legend", {})
    spec = spec | {"config": config | {"legend": legend}}
    if "facet" in spec:
        return _fit_facet(spec, width)
    if "hconcat" in spec:
        return _fit_row(spec, width)
    if "vconcat" in spec:
        return spec | {"vconcat": [_fill(panel, spec, width) for panel in spec["vconcat"]]}
    return _wrap_titles(_short_labels(spec, width), width - _labels(spec, spec, width) - AXIS)


def _entry(spec: Spec) -> float | None:
    """Return the approximate pixels of the longest legend entry; None if no scale names the entries."""
    panels = [spec, spec.get("spec", {}), *spec.get("hconcat", ()), *spec.get("vconcat", ())]
    panels += [panel["spec"] for panel in panels if "facet" in panel]
    encodings = [encoding for panel in panels for encoding in _encodings(panel)]
    channels = [encoding.get(name) for encoding in encodings for name in ("color", "shape", "stroke")]
    entries = [
        str(value)
        for channel in channels
        if isinstance(channel, dict) and channel.get("legend", {}) is not None
        for value in (channel.get("scale") or {}).get("domain", ())
    ]
    return SYMBOL + LETTER * max(map(len, entries)) if entries else None


def _has_cells(panel: Spec) -> bool:
    """Return whether the cells of a panel have a fixed size, so that it cannot be resized."""
    marks = [panel.get("mark"), *(layer.get("mark") for layer in panel.get("layer", ()))]
    shapes = [mark for mark in marks if isinstance(mark, dict) and mark.get("type") == "rect"]
    return any(isinstance(mark.get("width"), int | float) for mark in shapes)


def _fit_facet(spec: Spec, width: int) -> Spec:
    """Return a facet with as many columns as fit, each as wide as possible."""
    panel = spec["spec"]
    usual = float(panel.get("width") or 200)
    room = width - _labels(panel, spec, width) - AXIS
    n_panels = _n_panels(spec)
    most = min(int(spec.get("columns") or n_panels), n_panels)
    columns = max(1, min(most, int((room + 20) // (max(NARROWEST, 0.62 * usual) + 20))))
    each = int(max(min((room - 20 * (columns - 1)) / columns, WIDEST * usual), 60))
    # A header wider than its panel would push the panel aside.
    header = spec["facet"].get("header") or {}
    header = header | {"labelLimit": min(header.get("labelLimit", each), each)}
    fitting = {"columns": columns, "facet": spec["facet"] | {"header": header}}
    if n_panels > LONG * columns:
        resolve = spec.get("resolve", {})
        fitting["resolve"] = resolve | {"axis": {"x": "independent"} | resolve.get("axis", {})}
    return spec | fitting | {"spec": _wrap_titles(_short_labels(panel | {"width": each}, width), each)}


def _n_panels(spec: Spec) -> int:
    rows = _inline_rows(spec.get("data", {}), spec)
    return max(len({str(row.get(spec["facet"].get("field"))) for row in rows}), 1)


def _fit_row(spec: Spec, width: int) -> Spec:
    """Return panels side by side that share the width, or stacked if they would be too narrow."""
    others = dict(spec)
    panels = others.pop("hconcat")
    if any("facet" in panel for panel in panels):
        return _fit_facets(panels, others, width)
    gap = float(spec.get("spacing", 20))
    margins = sum(_labels(panel, spec, width) + AXIS for panel in panels) + gap * (len(panels) - 1)
    fixed = sum(float(panel["width"]) for panel in panels if _has_cells(panel))
    widths = [float(panel.get("width") or 200) for panel in panels]
    flexible = [own for own, panel in zip(widths, panels, strict=True) if not _has_cells(panel)]
    factor = min((width - margins - fixed) / max(sum(flexible), 1.0), WIDEST)
    if min(flexible, default=NARROWEST) * factor >= NARROWEST or len(panels) == 1:
        fitted = [_resize(panel, own * factor) for panel, own in zip(panels, widths, strict=True)]
        return others | {"hconcat": [_short_labels(panel, width) for panel in fitted]}
    return others | {"vconcat": [_fill(_with_axes(panel, {"labels": True}), spec, width) for panel in panels]}


def _fit_facets(panels: list[Spec], others: Spec, width: int) -> Spec:
    """Return facets side by side, or stacked if they would be too narrow."""
    data = {"datasets": others.get("datasets", {})}
    panels = [panel | data if "facet" in panel else panel for panel in panels]
    counts = [_n_panels(panel) if "facet" in panel else 1 for panel in panels]
    gap = float(others.get("spacing", 20)) * (len(panels) - 1)
    beside = (width - gap) / sum(counts) >= NARROWEST + 2 * AXIS
    rooms = [int((width - gap) * count / sum(counts)) if beside else width for count in counts]
    fitted = [
        _fit_facet(panel, room) if "facet" in panel else _fill(panel, others, room)
        for panel, room in zip(panels, rooms, strict=True)
    ]
    fitted = [{name: value for name, value in panel.items() if name != "datasets"} for panel in fitted]
    return others | {"hconcat" if beside else "vconcat": fitted}


def _fill(panel: Spec, spec: Spec, width: int) -> Spec:
    """Return a panel of a chart that takes all of the width."""
    return _short_labels(_resize(panel, width - _labels(panel, spec, width) - AXIS), width)


def _resize(panel: Spec, width: float) -> Spec:
    if "width" not in panel or _has_cells(panel):
        return panel
    if "layer" in panel and width < MIN_SHARE_WITH_NAMES * panel["width"]:
        layers = [layer for layer in panel["layer"] if not layer.get("name", "").startswith(MARK_NAMES)]
        panel = panel | {"layer": layers}
    width = int(max(width, 60))
    return _wrap_titles(_short_gradients(panel | {"width": width}, width), width)


def _short_gradients(panel: Spec, width: int) -> Spec:
    """Return a panel whose colour bars are no longer than its width."""
    copy = dict(panel)
    if "layer" in panel:
        copy["layer"] = [_short_gradients(layer, width) for layer in panel["layer"]]
    colour = panel.get("encoding", {}).get("color")
    legend = colour.get("legend") if isinstance(colour, dict) else None
    if isinstance(legend, dict) and legend.get("gradientLength", 0) > width:
        short = colour | {"legend": legend | {"gradientLength": width}}
        copy["encoding"] = panel["encoding"] | {"color": short}
    return copy


def _wrap_titles(panel: Spec, width: float) -> Spec:
    """Return a panel whose titles of axes are broken into lines no longer than its sides."""
    height = panel.get("height")
    return _break_titles(panel, {"x": width} | ({"y": height} if isinstance(height, int | float) else {}))


def _break_titles(panel: Spec, sides: Mapping[str, float]) -> Spec:
    copy = dict(panel)
    if "layer" in panel:
        copy["layer"] = [_break_titles(layer, sides) for layer in panel["layer"]]
    for channel, side in sides.items():
        encoded = panel.get("encoding", {}).get(channel)
        if isinstance(encoded, dict) and isinstance(encoded.get("title"), str):
            room = max(int(side / CHARACTER), SHORTEST_LINE)
            lines = textwrap.wrap(encoded["title"], room, break_on_hyphens=False)
            if len(lines) > 1:  # each layer breaks the same title alike, so that they remain one
                copy["encoding"] = copy["encoding"] | {channel: encoded | {"title": lines}}
    return copy


def _encodings(panel: Spec) -> list[Spec]:
    of_layers = [encoding for layer in panel.get("layer", ()) for encoding in _encodings(layer)]
    return [panel["encoding"], *of_layers] if "encoding" in panel else of_layers


def _inline_rows(data: Any, spec: Spec) -> list[Spec]:
    """Return the inline rows of data in the chart, empty if there are none."""
    if not isinstance(data, dict):
        return []
    values = spec.get("datasets", {}).get(data.get("name"), data.get("values", []))
    return values if isinstance(values, list) else []


def _labels(panel: Spec, spec: Spec, width: int) -> float:
    """Return the approximate pixels that the names of a panel's rows take."""
    rows = _inline_rows(panel.get("data"), spec) or _inline_rows(spec.get("data"), spec)
    longest = 0.0
    for encoding in _encodings(panel):
        y = encoding.get("y")
        if not isinstance(y, dict) or "field" not in y:
            continue
        axis = y.get("axis") or {}
        if y.get("type") not in ("nominal", "ordinal"):
            longest = max(longest, 40.0)
        elif axis.get("labels", True):
            names = [len(str(row.get(y["field"]))) for row in rows]
            limit = min(axis.get("labelLimit", 180), SHARE_OF_LABELS * width)
            longest = max(longest, min(CHARACTER * max(names, default=12), limit))
    return longest


def _short_labels(panel: Spec, width: int) -> Spec:
    """Return a panel with its rows' names limited to their share of the width."""
    return _with_axes(panel, {"labelLimit": int(max(SHARE_OF_LABELS * width, 90))})


def _with_axes(panel: Spec, settings: Spec) -> Spec:
    """Return a panel with these settings on the axes of its rows."""
    copy = dict(panel)
    if "layer" in panel:
        copy["layer"] = [_with_axes(layer, settings) for layer in panel["layer"]]
    y = panel.get("encoding", {}).get("y")
    if isinstance(y, dict) and y.get("type") in ("nominal", "ordinal") and isinstance(y.get("axis"), dict):
        copy["encoding"] = panel["encoding"] | {"y": y | {"axis": y["axis"] | settings}}
    return copy
