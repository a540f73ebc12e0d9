"""Any result of a measure as it is shown whole: its chart, if it has one, and its main columns."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.charts import CHARTS, draw
from engine.charts.chart_spec import spec_of
from engine.errors import UsageError
from engine.measures.result import Result
from engine.views.of_measure import shown_of, table_of
from engine.views.shown import Figure, Shown, ShownTable
from engine.views.summaries import has_summary, summary_of

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


def shown_of_result(
    study: "MeasuredStudy", result: Result, options: Mapping[str, Any], caption: str
) -> Shown:
    """Return the chart and the main columns of a result; `caption` is the chart's alternative text."""
    spec = specification(result, study.families(result.filters.get("relatives")))
    figure = None if spec is None else Figure(spec, caption)
    return shown_of(study, result, options, main_fields(result), figure=figure)


def main_table(result: Result) -> ShownTable:
    """Return the rows of a result in its main columns."""
    return table_of(result, main_fields(result))


def main_fields(result: Result) -> tuple[str, ...]:
    """Return the columns of a result's view, else its keys, first numbers with an interval and counts."""
    if has_summary(result):
        return summary_of(result).fields
    fields = result.measure.fields
    numbers = [field.name for field in fields if field.interval and result.has_values(field.name)]
    counts = [field.name for field in fields if field.kind == "count" and result.has_values(field.name)]
    keys = [name for name in result.measure.keys if result.has_values(name)]
    return (*keys, *numbers[:4], *counts[:3])


def specification(result: Result, families: Mapping[str, str | None]) -> dict[str, Any] | None:
    """Return the chart of a result as a specification, given the models' families; None if it has none."""
    if result.measure.name not in CHARTS or not result.rows:
        return None
    try:
        chart = draw(result, families)
    except UsageError:  # no number is defined, or the chart shows one slice and the table has several
        return None
    return spec_of(chart)
