"""Charts of measures: pure functions from a frame to an Altair chart.

Names and texts of a study reach a chart only as values of columns declared here, never as field names,
expressions or markup. The modules load Altair, which takes a second; the package itself does not, so only
pages, notebooks and reports pay for it.

May import `engine.measures`, `engine.findings` and `engine.explore` (whose claims are drawn too),
`engine.words`, pandas and Altair.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError, unknown
from engine.measures.catalogue import MEASURES, find
from engine.measures.entry import Measure
from engine.measures.typed_rows import scorecard_rows
from engine.words import board_facts

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
        raise unknown("measure with a chart", entry.name, CHARTS)
    if flags.get("against") is not None:
        against = flags["against"]
        raise UsageError(f"the chart of {entry.name} shows one slice; leave out against={against!r}")


def draw(result: "Result", families: Mapping[str, str | None]) -> "alt.TopLevelMixin":
    """Return the chart of a measure's rows; `families` names the family of each model.

    Raises UsageError if there are no rows (with the reason), if the measure has no chart, or if the rows are
    grouped and the chart shows one slice only.
    """
    check(result.measure.name, {})
    if not result.rows:
        raise UsageError(f"there is nothing to draw: {result.reason}; choose another slice")
    from engine.charts.measure_charts import DRAWINGS

    drawing = result.measure.chart or DRAWINGS[result.measure.name]
    chart: alt.TopLevelMixin = drawing(result, families)
    return chart


MOST_JUDGES = 40
"""Most judges that a board shows: those with the largest excess."""


def draw_board(result: "Result") -> "alt.TopLevelMixin":
    """Return the board of judges from the rows of `scorecard`; UsageError if no judge can be tested."""
    from engine.charts.board import board
    from engine.words import conclusions

    rows = scorecard_rows(result)
    judges = board_facts.by_excess(rows)
    if not judges or not conclusions.can_be_tested(rows):
        reason = result.reason or " ".join(conclusions.study_sentences(rows))
        raise UsageError(f"there is no board to draw: {reason}")
    return board(judges[:MOST_JUDGES])
