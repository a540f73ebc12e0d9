"""One function for each measure that has a chart, from its rows to the chart."""

from collections.abc import Mapping

import altair as alt

from engine.charts import cells, courses, curve, dots, forest, heatmap, panels, steps
from engine.errors import UsageError
from engine.measures.result import Result

Families = Mapping[str, str | None]


def ratios(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001 - all drawings take them
    """Draw `hspp`, each judge with a panel of its own where the rows are grouped."""
    return forest.forest(forest.rows_of(result.rows, by=result.by), width=940 if result.by else 620)


def matrix(result: Result, families: Families) -> alt.TopLevelMixin:
    """Draw `overestimation` or `delta` as a heatmap of judges and generators."""
    _one_slice(result)
    shade = "delta" if result.measure.name == "delta" else "overestimation"
    parts = ((), result.rows) if shade == "delta" else (result.rows, ())
    return heatmap.heatmap(cells.rows_of(*parts, shade=shade, families=families), shade)


def accuracy(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `accuracy`: both kinds for each judge."""
    _one_slice(result)
    return dots.dots(dots.rows_of(result.rows, dots.ACCURACY), dots.ACCURACY, title="accuracy")


def agreement(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `agreement-curve`."""
    _one_slice(result)
    return curve.curve(curve.rows_of(result.rows))


def committee(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `committee`: from each member to the committee in its place."""
    _one_slice(result)
    return steps.steps(steps.rows_of(result.rows))


def committee_sizes(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `committee-size`: ratios and accuracies along the members."""
    _one_slice(result)
    return courses.sizes(result.rows)


def committee_families(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `committee-families` at the first level taken: a row for each family left out."""
    _one_slice(result)
    rows = [row for row in result.rows if row["level"] == result.rows[0]["level"]]
    frame = panels.rows_of(rows, panels.WITHOUT_FAMILY, "without")
    return panels.panels(frame, panels.WITHOUT_FAMILY)


def _one_slice(result: Result) -> None:
    if result.by is not None:
        raise UsageError(f"the chart of {result.measure.name} shows one slice; leave out by={result.by!r}")
