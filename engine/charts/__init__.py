"""Measures drawn: pure functions from a frame to an Altair chart.

Names and texts of a study reach a chart as values of columns that are named here, never as field names,
expressions or markup. Importing a module of this package, and not the package itself, loads Altair, which
takes a second: nothing but pages, notebooks and reports does.

It may import `engine.measures`, `engine.findings` and `engine.finder` (whose claims are drawn too),
`engine.wording`, pandas and Altair.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError, unknown
from engine.measures.catalogue import find

if TYPE_CHECKING:
    import altair as alt

    from engine.measures.result import Result

CHARTS = {
    "hspp": "ratios",
    "overestimation": "matrix",
    "delta": "matrix",
    "accuracy": "accuracy",
    "agreement-curve": "agreement",
    "committee": "committee",
    "committee-size": "committee_sizes",
    "committee-families": "committee_families",
    "ranking": "ranks",
    "ranking-distance": "distances",
    "archetypes": "archetypes",
    "equal-quality": "equal_quality",
    "mitigation": "mitigation",
    "quality-baseline": "baseline",
    "dbg": "dbg",
    "together": "together",
    "position": "position",
    "ordering": "ordering",
    "permutation": "permutation",
    "order-effect": "order_effect",
}
"""The measures that have a chart, and the function of `engine.charts.drawing` that draws each."""


def check(measure: str, asked: Mapping[str, Any]) -> None:
    """Raise UsageError where no chart is drawn of this measure (naming those with one), or of two slices.

    `asked` are the arguments that the measure is taken with.
    """
    name = find(measure).name
    if name not in CHARTS:
        raise unknown("measure with a chart", name, CHARTS)
    if asked.get("against") is not None:
        raise UsageError(f"the chart of {name} shows one slice; leave out against={asked['against']!r}")


def draw(result: "Result", families: Mapping[str, str | None]) -> "alt.TopLevelMixin":
    """Return the chart of a measure's rows; `families` names the family of each model.

    Raises UsageError where there are no rows, with the reason, where the measure has no chart, or where
    its chart shows one slice and the rows are grouped.
    """
    check(result.measure.name, {})
    if not result.rows:
        raise UsageError(f"there is nothing to draw: {result.reason}; choose another slice")
    drawing: Any = getattr(import_module("engine.charts.drawing"), CHARTS[result.measure.name])
    chart: alt.TopLevelMixin = drawing(result, families)
    return chart
