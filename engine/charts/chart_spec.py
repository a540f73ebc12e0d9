"""A chart as a Vega-Lite specification that stays the same if only its numbers change."""

from __future__ import annotations

from typing import Any

from engine.charts.lazy_altair import alt

LABELS = {axis: {"labelFlush": False} for axis in ("axisY", "axisBand", "axisPoint")}
"""Keeps labels beside their rows and ticks: Streamlit's theme would move the first and last inwards."""


SILENT = ("rule", "tick", "line", "area")
"""Marks hidden from screen readers, since their groups have no name; points and cells have one each."""


NO_NUMBER = "there is nothing to draw: no number of these rows is defined; their column reasons says why"


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


def draw_unchecked() -> None:
    """Let Altair make the parts of all charts of this process unchecked, in two thirds of the time.

    For a process that draws the project's charts alone, since tests check those.
    """
    alt.utils.schemapi.disable_debug_mode()


def has_marks(spec: dict[str, Any]) -> bool:
    """Return whether a specification draws anything: rows that only hold an axis open are not drawn."""
    return any("end" not in row for rows in spec.get("datasets", {}).values() for row in rows)


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
