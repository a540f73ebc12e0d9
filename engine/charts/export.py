"""Charts written as Vega-Lite, PNG, SVG, CSV, Parquet and LaTeX, or fitted to the width of their place."""

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
#
# A chart of one panel takes the width of its place by itself. Panels beside each other cannot, in Vega-Lite:
# here they get wider or narrower, or, where they would become too narrow, stand one under another.


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


NARROWEST = 120
"""Pixels of a panel below which panels beside each other are put one under another."""

WIDEST = 1.9
"""How many times as wide as it was drawn a panel becomes at most."""

CHARACTER = 6.2
"""Pixels of a character of an axis' label, about."""

AXIS = 26
"""Pixels beside the labels of a panel: its ticks, half of a label at the end of the other axis."""

LEGEND, SYMBOL, LETTER = 165, 34, 7.2
"""Pixels of an entry of a legend where its words are not known, of its symbol, and of a character."""

SHOWN = ("color", "shape", "stroke")
"""The channels that have legends."""

MARK_NAMES = "names_of_marks"
"""What the layer of names beside marks is called, and the begin of the name of that of their lines."""

NAMED = 0.7
"""Share of its width below which a panel has no room for names beside its marks; tooltips have them."""

LONG = 4
"""Panels one under another beyond which each has an axis of its own: the last one's is out of sight."""

SHARE_OF_LABELS = 0.36
"""Share of the width that names of rows take at most."""


def stretches(spec: Spec) -> bool:
    """Return whether a chart is of one panel, which takes the width of its place by itself."""
    return not ({"hconcat", "vconcat", "concat", "facet"} & spec.keys()) and not _has_cells(spec)


def fitted(spec: Spec, width: int) -> Spec:
    """Return the chart drawn for a place of `width` pixels.

    Of one with a single panel only the names of rows and the legend are changed.
    """
    config = spec.get("config", {})
    entry = _entry(spec)
    # A facet's legend begins beside the names of its rows.
    names = _labels(spec["spec"], spec, width) if "facet" in spec else 0
    columns = width // LEGEND if entry is None else int((width - AXIS - names) // entry)
    legend = {"columns": max(1, columns)} | config.get("legend", {})
    spec = spec | {"config": config | {"legend": legend}}
    if "facet" in spec:
        return _fitted_facet(spec, width)
    if "hconcat" in spec:
        return _fitted_row(spec, width)
    if "vconcat" in spec:
        drawn = [_resized(panel, width - _labels(panel, spec, width) - AXIS) for panel in spec["vconcat"]]
        return spec | {"vconcat": [_short_labels(panel, width) for panel in drawn]}
    return _short_labels(spec, width)


def _entry(spec: Spec) -> float | None:
    """Return about how many pixels the longest entry of a legend takes; None where no scale names them."""
    panels = [spec, spec.get("spec", {}), *spec.get("hconcat", ()), *spec.get("vconcat", ())]
    panels += [panel["spec"] for panel in panels if "facet" in panel]
    channels = [
        encoding[name]
        for panel in panels
        for encoding in _encodings(panel)
        for name in SHOWN
        if name in encoding
    ]
    named = [
        str(value)
        for channel in channels
        if isinstance(channel, dict) and channel.get("legend", {}) is not None
        for value in (channel.get("scale") or {}).get("domain", ())
    ]
    return SYMBOL + LETTER * max(map(len, named)) if named else None


def _has_cells(panel: Spec) -> bool:
    """Return whether cells of a panel have a fixed size: it stays as it is drawn."""
    marks = [panel.get("mark"), *(layer.get("mark") for layer in panel.get("layer", ()))]
    drawn = [mark for mark in marks if isinstance(mark, dict) and mark.get("type") == "rect"]
    return any(isinstance(mark.get("width"), int | float) for mark in drawn)


def _fitted_facet(spec: Spec, width: int) -> Spec:
    """Return a facet with as many columns as there is room for, each as wide as they can be."""
    panel = spec["spec"]
    drawn = float(panel.get("width") or 200)
    labels = _labels(panel, spec, width)
    most = int(spec.get("columns") or _n_panels(spec))
    room = width - labels - AXIS
    columns = max(1, min(most, _n_panels(spec), int((room + 20) // (max(NARROWEST, 0.62 * drawn) + 20))))
    each = int(max(min((room - 20 * (columns - 1)) / columns, WIDEST * drawn), 60))
    # A head that is longer than its panel is wide would push the panel aside.
    header = spec["facet"].get("header") or {}
    header = header | {"labelLimit": min(header.get("labelLimit", each), each)}
    fitting = {
        "columns": columns,
        "facet": spec["facet"] | {"header": header},
        "spec": _short_labels(panel | {"width": each}, width),
    }
    if _n_panels(spec) > LONG * columns:
        resolve = spec.get("resolve", {})
        fitting["resolve"] = resolve | {"axis": {"x": "independent"} | resolve.get("axis", {})}
    return spec | fitting


def _n_panels(spec: Spec) -> int:
    field = spec["facet"].get("field")
    rows = _inline_rows(spec.get("data", {}), spec)
    return max(len({str(row.get(field)) for row in rows}), 1)


def _fitted_row(spec: Spec, width: int) -> Spec:
    """Return panels beside each other that share the width, or one under another where that is little."""
    panels = spec["hconcat"]
    if any("facet" in panel for panel in panels):
        return _fitted_facets(spec, width)
    gap = float(spec.get("spacing", 20))
    beside = sum(_labels(panel, spec, width) + AXIS for panel in panels) + gap * (len(panels) - 1)
    fixed = sum(float(panel["width"]) for panel in panels if _has_cells(panel))
    drawn = [float(panel.get("width") or 200) for panel in panels]
    loose = [own for own, panel in zip(drawn, panels, strict=True) if not _has_cells(panel)]
    times = min((width - beside - fixed) / max(sum(loose), 1.0), WIDEST)
    if min(loose, default=NARROWEST) * times >= NARROWEST or len(panels) == 1:
        wide = [_resized(panel, own * times) for panel, own in zip(panels, drawn, strict=True)]
        return spec | {"hconcat": [_short_labels(panel, width) for panel in wide]}
    named = [_with_axes(panel, {"labels": True}) for panel in panels]
    stacked = [_resized(panel, width - _labels(panel, spec, width) - AXIS) for panel in named]
    rest = {name: value for name, value in spec.items() if name != "hconcat"}
    return rest | {"vconcat": [_short_labels(panel, width) for panel in stacked]}


def _fitted_facets(spec: Spec, width: int) -> Spec:
    """Return facets beside each other, or one under another where each would have little."""
    data = {"datasets": spec.get("datasets", {})}
    whole = [panel | data if "facet" in panel else panel for panel in spec["hconcat"]]
    counts = [_n_panels(panel) if "facet" in panel else 1 for panel in whole]
    gap = float(spec.get("spacing", 20)) * (len(whole) - 1)
    beside = (width - gap) / sum(counts) >= NARROWEST + 2 * AXIS
    rooms = [int((width - gap) * count / sum(counts)) if beside else width for count in counts]
    drawn = [
        _fitted_facet(panel, room)
        if "facet" in panel
        else _short_labels(_resized(panel, room - _labels(panel, spec, room) - AXIS), room)
        for panel, room in zip(whole, rooms, strict=True)
    ]
    drawn = [{name: value for name, value in panel.items() if name != "datasets"} for panel in drawn]
    rest = {name: value for name, value in spec.items() if name != "hconcat"}
    return rest | {"hconcat" if beside else "vconcat": drawn}


def _resized(panel: Spec, width: float) -> Spec:
    if "width" not in panel or _has_cells(panel):
        return panel
    if "layer" in panel and width < NAMED * panel["width"]:
        layers = [layer for layer in panel["layer"] if not layer.get("name", "").startswith(MARK_NAMES)]
        panel = panel | {"layer": layers}
    return _short_gradients(panel | {"width": int(max(width, 60))}, int(max(width, 60)))


def _short_gradients(panel: Spec, width: int) -> Spec:
    """Return a panel whose bars of colours are no longer than it is wide."""
    drawn = dict(panel)
    if "layer" in panel:
        drawn["layer"] = [_short_gradients(layer, width) for layer in panel["layer"]]
    colour = panel.get("encoding", {}).get("color")
    legend = colour.get("legend") if isinstance(colour, dict) else None
    if isinstance(legend, dict) and legend.get("gradientLength", 0) > width:
        short = colour | {"legend": legend | {"gradientLength": width}}
        drawn["encoding"] = panel["encoding"] | {"color": short}
    return drawn


def _encodings(panel: Spec) -> list[Spec]:
    every = [panel["encoding"]] if "encoding" in panel else []
    for layer in panel.get("layer", ()):
        every += _encodings(layer)
    return every


def _inline_rows(data: Any, spec: Spec) -> list[Spec]:
    """Return the rows of data that stand in the chart, none where they are elsewhere."""
    if not isinstance(data, dict):
        return []
    values = spec.get("datasets", {}).get(data.get("name"), data.get("values", []))
    return values if isinstance(values, list) else []


def _labels(panel: Spec, spec: Spec, width: int) -> float:
    """Return about how many pixels the names of a panel's rows take."""
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
    """Return a panel whose rows' names take no more than their share of the width."""
    return _with_axes(panel, {"labelLimit": int(max(SHARE_OF_LABELS * width, 90))})


def _with_axes(panel: Spec, settings: Spec) -> Spec:
    """Return a panel with these settings of the axes of its rows."""
    drawn = dict(panel)
    if "layer" in panel:
        drawn["layer"] = [_with_axes(layer, settings) for layer in panel["layer"]]
    y = panel.get("encoding", {}).get("y")
    if isinstance(y, dict) and y.get("type") in ("nominal", "ordinal") and isinstance(y.get("axis"), dict):
        drawn["encoding"] = panel["encoding"] | {"y": y | {"axis": y["axis"] | settings}}
    return drawn
