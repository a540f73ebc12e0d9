"""Every measure for each judge: for or against self-preference."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from engine.charts import directions
from engine.measures.result import Result
from engine.views.drawing import figure_of_judges
from engine.views.keys import Filters, filters, needs_verdicts, switch
from engine.views.matrix import MOST, limited
from engine.views.of_measure import MOST_ROWS, measure, shown_of
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words import row_cells, short_titles

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import TogetherRow

COLUMNS = {
    "judge": ("Judge", "The judge"),
    "measure": ("Measure", "The measure, or its field where that is not the headline"),
    "value": ("Value [95% interval]", "The number, in the measure's own unit"),
    "says": ("Direction", "Clear where the 95% interval excludes no preference"),
    "rank": ("Rank", "Among the judges, 1 the highest"),
    "agree": ("Signs agree", "How often two of the judge's measures point the same way"),
    "n": ("n", "Number of cases"),
    "needs": ("Needs", "What a study must have for it"),
}
MOST_SENTENCES = 12
"""Most sentences on judges."""

CAPTION = "Judges in rows, measures in columns; colours show for or against self-preference."
MARKS = (
    "Orange: self-preference; blue: the opposite; grey: neither. Pale: the 95% interval includes no "
    "preference, or is missing. Hover for the interval and n."
)


def _no_ratios(study: "MeasuredStudy", _: Mapping[str, Any]) -> bool:
    """Return whether no judge has a ratio, so that these measures are what the study says."""
    return not measure(study, "hspp", {}).rows


@dataclass(frozen=True)
class TogetherKeys:
    """The slice, and whether there is a sentence for each judge."""

    slice_: Annotated[Filters, filters()]
    in_words: Annotated[
        bool, switch("In words, for each judge", "A sentence on the signs of its measures", usual=_no_ratios)
    ]


def answer(study: "MeasuredStudy", keys: TogetherKeys) -> Shown:
    """Show every measure for each judge, each with its default options."""
    options = limited(study, keys.slice_, "judges")
    result = measure(study, "together", options)
    figure = figure_of_judges(result, CAPTION, MARKS, MOST)
    every = tuple(dict.fromkeys(str(row["sentence"]) for row in result.rows))
    lines = every[:MOST_SENTENCES] if keys.in_words else ()
    shown = shown_of(study, result, options, ("judge",), sentences=lines, figure=figure)
    return replace(shown, table=_table(result)) if shown.table is not None else shown


def _table(result: Result) -> ShownTable:
    rows: list[TogetherRow] = result.rows
    n_more = max(len(rows) - MOST_ROWS, 0)
    return ShownTable.under(COLUMNS, map(_cells, rows[:MOST_ROWS]), map(dict, rows), n_more)


def _cells(row: "TogetherRow") -> tuple[str, ...]:
    return (
        str(row["judge"]),
        short_titles.measure(str(row["measure"])),
        row_cells.text_of(row, "value", "low", "high"),
        directions.direction(row),
        "–" if row["rank"] is None else f"{row['rank']:g}",
        "–" if row["agree"] is None else f"{row['agree']:.0%}",
        f"{row['n']:,}",
        str(row["needs"]),
    )


TOGETHER = View(
    "together",
    "All measures",
    "What does every measure say of each judge?",
    TogetherKeys,
    answer,
    needs_verdicts,
)
