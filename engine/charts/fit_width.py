"""Charts fitted to a width.

In Vega-Lite a single panel adapts to the available width, but panels side by side do not. Here they are
widened or narrowed or, if they would become too narrow, stacked.
"""

import textwrap
from collections.abc import Mapping
from typing import Any

from engine.charts.export import Spec

NARROWEST = 120  # width of a panel in pixels below which panels side by side are stacked
WIDEST = 1.9  # largest factor by which a panel is widened
CHARACTER = 6.2  # approximate pixels of a character of an axis label
AXIS = 26  # pixels beside the labels of a panel: ticks, and half a label at the end of the other axis
TITLE = 17  # pixels of a line of the title beside an axis
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
    spec = _fewer_columns(spec, max(1, columns)) | {"config": config | {"legend": legend}}
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
    room = width - _labels(panel, spec, width) - AXIS - _side_title(panel)
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


def _side_title(panel: Spec) -> float:
    """Return the approximate pixels of the title beside an axis of numbers, in two lines if it is long."""
    titles = [
        y["title"]
        for y in (encoding.get("y") for encoding in _encodings(panel))
        if isinstance(y, dict) and y.get("type") == "quantitative" and isinstance(y.get("title"), str)
    ]
    longest = CHARACTER * max(map(len, titles), default=0)
    return TITLE * (0 if not titles else 2 if longest > float(panel.get("height") or 200) else 1)


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
    beside = _labels(panel, spec, width) + AXIS + _side_title(panel)
    return _short_labels(_resize(panel, width - beside), width)


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


def _fewer_columns(part: Any, most: int) -> Any:
    """Return a part of a chart whose legends have at most so many columns."""
    if isinstance(part, list):
        return [_fewer_columns(inner, most) for inner in part]
    if not isinstance(part, dict):
        return part
    copy = {
        name: inner if name in ("data", "datasets") else _fewer_columns(inner, most)
        for name, inner in part.items()
    }
    legend = part.get("legend")
    if isinstance(legend, dict) and legend.get("columns", 0) > most:
        copy["legend"] = legend | {"columns": most}
    return copy


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
