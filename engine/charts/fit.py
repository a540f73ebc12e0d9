"""A written chart made as wide as the place that it is shown in.

A chart of one panel takes the width of its place by itself. Panels beside each other cannot, in Vega-Lite:
here they get wider or narrower, or, where they would become too narrow, stand one under another.
"""

from typing import Any

Spec = dict[str, Any]

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
    facet = spec["facet"] | {"header": header}
    return spec | {"columns": columns, "facet": facet, "spec": _short_labels(panel | {"width": each}, width)}


def _n_panels(spec: Spec) -> int:
    field = spec["facet"].get("field")
    rows = _rows(spec.get("data", {}), spec)
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


def _rows(data: Any, spec: Spec) -> list[Spec]:
    """Return the rows of data that stand in the chart, none where they are elsewhere."""
    if not isinstance(data, dict):
        return []
    values = spec.get("datasets", {}).get(data.get("name"), data.get("values", []))
    return values if isinstance(values, list) else []


def _labels(panel: Spec, spec: Spec, width: int) -> float:
    """Return about how many pixels the names of a panel's rows take."""
    rows = _rows(panel.get("data"), spec) or _rows(spec.get("data"), spec)
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
