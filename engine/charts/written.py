"""A chart as a Vega-Lite specification that stays the same while only its numbers change."""

from typing import Any

import altair as alt


def written(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """Return the specification, its datasets named `rows`, `rows-1`, ... in the order of their use.

    Altair names a dataset after its content. With such a name every number is a change of the
    specification, and a browser draws the chart anew where it could have moved the marks. Whether the
    specification is a valid one is for tests: checking it takes longer than making it.
    """
    spec: dict[str, Any] = chart.to_dict(validate=False)
    names = {name: "rows" if place == 0 else f"rows-{place}" for place, name in enumerate(_used(spec, {}))}
    datasets = {names[name]: rows for name, rows in spec.pop("datasets", {}).items()}
    renamed: dict[str, Any] = _renamed(spec, names)
    return renamed | ({"datasets": datasets} if datasets else {})


def _used(part: Any, found: dict[str, None]) -> dict[str, None]:
    """Return the names of the datasets that a part of a specification uses, in their order."""
    if isinstance(part, dict):
        data = part.get("data")
        if isinstance(data, dict) and "name" in data:
            found.setdefault(data["name"])
        for name, inner in part.items():
            if name != "datasets":
                _used(inner, found)
    elif isinstance(part, list):
        for inner in part:
            _used(inner, found)
    return found


def _renamed(part: Any, names: dict[str, str]) -> Any:
    if isinstance(part, dict):
        made = {name: _renamed(inner, names) for name, inner in part.items()}
        data = part.get("data")
        if isinstance(data, dict) and data.get("name") in names:
            made["data"] = made["data"] | {"name": names[data["name"]]}
        return made
    if isinstance(part, list):
        return [_renamed(inner, names) for inner in part]
    return part
