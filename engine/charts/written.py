"""A chart as a Vega-Lite specification that stays the same while only its numbers change."""

from typing import Any

import altair as alt

LABELS = {axis: {"labelFlush": False} for axis in ("axisY", "axisBand", "axisPoint")}
"""Labels stand beside their rows and ticks: Streamlit's theme would move the first and the last inwards."""


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
    return {key: inner if key == "data" else _renamed(inner, names) for key, inner in part.items()}
