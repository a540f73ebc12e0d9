"""Charts of measures: pure functions from a frame to an Altair chart.

Names and texts of a study reach a chart only as values of columns declared here, never as field names,
expressions or markup. Altair is loaded by the first chart that is drawn (`lazy_altair`).

May import `engine.measures`, `engine.findings` and `engine.explore` (whose claims are drawn too),
`engine.words`, pandas and Altair.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.measures.catalogue import MEASURES, PRESENT, find
from engine.measures.entry import Measure
from engine.wording import Wording, option

if TYPE_CHECKING:
    import altair as alt

    from engine.measures.result import Result

CHARTS: dict[str, Measure] = {name: measure for name, measure in MEASURES.items() if measure.has_chart}
"""The measures that have a chart."""


def check(measure: str, flags: Mapping[str, Any]) -> None:
    """Raise UsageError if the measure has no chart (naming those that have), or if two slices are compared.

    `flags` are the arguments of the measure.
    """
    entry = find(measure)
    if not entry.has_chart:
        choices = ", ".join(name for name in CHARTS if name in PRESENT)
        problem = f"{entry.name} has no chart, on its page it is a table; "
        of_judges = Wording("", 'plot("judges") draws the conclusions; ')
        raise UsageError(problem, of_judges, f"choose from: {choices}")
    if flags.get("against") is not None:
        raise UsageError(f"the chart of {entry.name} shows one slice; leave out ", option("against"))


def draw(result: "Result", families: Mapping[str, str | None]) -> "alt.TopLevelMixin":
    """Return the chart of a measure's rows; `families` names the family of each model.

    Raises UsageError if there are no rows (with the reason), if none of their numbers is defined, if the
    measure has no chart, or if the rows are grouped and the chart shows one slice only.
    """
    check(result.measure.name, {})
    if not result.rows:
        raise UsageError("there is nothing to draw: ", result.reason or "", "; choose another slice")
    if isinstance(result.by, tuple):
        split = next(name for name in result.by if isinstance(result.filters.get(name), list))
        [grouped] = [name for name in result.by if name != split]
        one, value = option("by", grouped), option(split, str(result.rows[0][split]))
        raise UsageError(
            f"the chart of {result.measure.name} groups by one column; give ",
            one,
            " and one value of the other, such as ",
            value,
        )
    name = result.measure.chart
    chart: alt.TopLevelMixin
    if callable(name):
        chart = name(result, families)
        return chart
    from engine.charts.chart_spec import NO_NUMBER, has_marks, spec_of
    from engine.charts.measure_charts import chart_rows

    rows = chart_rows(result, families)
    if not len(rows.frame):
        raise UsageError(NO_NUMBER)
    chart = rows.draw(rows.frame)
    if not has_marks(spec_of(chart)):
        raise UsageError(NO_NUMBER)
    return chart
