"""The charts that measures name: of each the rows that it draws of a result, and how.

Commands, reports and notebooks draw a measure by `engine.charts.draw`, views by `engine.views.drawing`; both
take the chart from here. What no measure names, such as the matrix of one slice beside others, is drawn by
the view that shows it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from engine.charts import (
    agreement_curve,
    before_after,
    board,
    by_category,
    directions,
    dot_plot,
    forest,
    heat_cells,
    heatmap,
    lines,
    member_to_committee,
    option_positions,
    order_costs,
    panel_dots,
    panels,
    people,
    quadrant,
    rank_lines,
    relatedness,
)
from engine.charts.chart_rows import ChartRows
from engine.charts.lazy_altair import alt
from engine.charts.number_forms import Form
from engine.charts.panels import Panel, side_by_side
from engine.errors import UsageError
from engine.measures.result import Result, Rows
from engine.measures.row_kinds import pooled_rows, scale_rows, scales
from engine.paradigms import PAIR_PARADIGMS
from engine.phrases import sentence_case
from engine.wording import option
from engine.words import board_facts
from engine.words.conclusions import can_be_tested, study_sentences
from engine.words.given_expected import axis_title, marks_words

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

Families = Mapping[str, str | None]
Chart = Callable[[Result, Families], ChartRows]

_TITLE_WIDTH = 105
"""Most letters of a line above the board."""

MOST_PAIRS = 40
"""Most reversed pairs drawn: the surest."""

ALONG: Mapping[str, tuple[str, Form, float | None]] = {
    "verdict_rate": ("share passed", "share", None),
    "overestimation": ("overestimation", "share", None),
    "hspp_self": ("ratio (1 = no preference)", "ratio", 1.0),
}
"""The numbers that a curve along a list can show: words, form, and the value of no effect."""


def chart_rows(result: Result, families: Families | None = None) -> ChartRows:
    """Return the chart that the measure of a result names; UsageError if it cannot show these rows."""
    return CHARTS_BY_NAME[str(result.measure.chart)](result, families or {})


def conclusions(result: Result, _: Families) -> ChartRows:
    """Draw the board of judges, with what it counts and its marks mean above it.

    UsageError if no judge can be tested.
    """
    rows: list[ScorecardRow] = result.rows
    judges = board_facts.by_excess(rows)[: board_facts.MOST_JUDGES]
    if not judges or not can_be_tested(rows):
        reason = result.reason or " ".join(study_sentences(rows))
        raise UsageError(f"there is no board to draw: {reason}")

    def draw(_: pd.DataFrame) -> alt.TopLevelMixin:
        head = alt.TitleParams(
            sentence_case(axis_title(rows)),
            subtitle=textwrap.wrap(marks_words(judges), _TITLE_WIDTH),
            anchor="start",
            fontSize=13,
            subtitleFontSize=11,
            offset=10,
        )
        return board.board(judges).properties(title=head)

    return ChartRows(board.board_rows(judges), draw)


def own_answers(result: Result, _: Families) -> ChartRows:
    """Draw what each judge gave its own answers: ratios as in the papers, or beside what others gave."""
    number, width = forest.own_number(result), 940 if result.by else 620
    fields = forest.RATIOS if number is None else (number.field,)
    form = None if number is None else number.form
    frame = forest.forest_rows(result.rows, by=result.by_one, fields=fields, names=result.names)
    return ChartRows(frame, partial(forest.forest, width=width, outside=form, axis=forest.own_axis(number)))


def matrix(result: Result, families: Families) -> ChartRows:
    shade, rows = result.measure.name, _one_slice(result)
    parts = ((), rows) if shade == "delta" else (rows, ())
    order: heat_cells.Order = "family" if shade == "votes" else "study"
    frame = heat_cells.cell_rows(*parts, shade=shade, families=families, row_order=order, column_order=order)
    return ChartRows(frame, lambda cells: heatmap.heatmap(cells, shade))


def accuracy(result: Result, _: Families) -> ChartRows:
    frame = dot_plot.dot_rows(_one_slice(result), dot_plot.ACCURACY)
    return ChartRows(frame, partial(dot_plot.dots, kinds=dot_plot.ACCURACY, title="accuracy"))


def committee_families(result: Result, _: Families) -> ChartRows:
    """Draw `committee-families` at its first level: a row for each family left out."""
    rows = [row for row in _one_slice(result) if row["level"] == result.rows[0]["level"]]
    return side_by_side(rows, panels.WITHOUT_FAMILY, "without")


def distances(result: Result, _: Families) -> ChartRows:
    """Draw `ranking-distance`: tau-b of each ranking with the reference's, the closest on top."""
    ranked = [{**row, "judge": row["by"]} for row in _one_slice(result) if row["tau"] is not None]
    frame = dot_plot.dot_rows(sorted(ranked, key=lambda row: -row["tau"]), dot_plot.TAU)
    title = "tau-b with the reference's ranking"
    return ChartRows(frame, partial(dot_plot.dots, kinds=dot_plot.TAU, title=title))


def equal_quality(result: Result, _: Families) -> ChartRows:
    if result.filters.get("epsilons"):
        frame = lines.of_epsilons(_one_slice(result))
        draw = _lines(along="epsilon", title="SPB", form="difference", line=0.0, is_count=False)
        return ChartRows(frame, draw)
    if result.by is not None:
        return ChartRows(by_category.category_rows(result.rows), by_category.by_category)
    return side_by_side(result.rows, panels.EQUAL_QUALITY)


def baseline(result: Result, _: Families) -> ChartRows:
    """Draw `quality-baseline`: its numbers or, with `curves`, T by number of proxies."""
    rows, label = _pooled_or_opponents(result)
    if not result.filters.get("curves"):
        return side_by_side(rows, panels.BASELINE, label)
    draw = _lines(along="proxies", title="T beyond baseline", form="difference", line=0.0)
    return ChartRows(lines.of_proxies(rows), draw)


def wins(result: Result, _: Families) -> ChartRows:
    rows, label = _pooled_or_opponents(result)
    return side_by_side(rows, panels.DBG, label)


def _pooled_or_opponents(result: Result) -> tuple[Rows, str]:
    """Return the rows over all opponents, or one judge's by opponent if there are no others; their names."""
    pooled = pooled_rows(result.with_rows(_one_slice(result)))
    is_of_one = not pooled and len({row["judge"] for row in result.rows}) == 1
    return (result.rows, "opponent") if is_of_one else (pooled, "judge")


def robustness(result: Result, _: Families) -> ChartRows:
    rows = _one_slice(result)
    several = len({row["paradigm"] for row in rows}) > 1
    labelled = [
        {**row, "label": ", ".join([row["judge"], row["transform"], *[row["paradigm"]] * several])}
        for row in rows
    ]
    return side_by_side(labelled, panels.ROBUSTNESS, "label")


def order_effect(result: Result, _: Families) -> ChartRows:
    if result.filters.get("paradigm") in PAIR_PARADIGMS:
        rows = panels.by_variant(panels.with_even_share(_one_slice(result)))
        return side_by_side(rows, panels.FLIPS, "who")
    return along_a_list(result, "verdict_rate")


def along_a_list(result: Result, number: str) -> ChartRows:
    """Draw one of the numbers `ALONG` the places of a list."""
    title, form, null = ALONG[number]
    frame = lines.of_positions(_one_slice(result), number, form)
    return ChartRows(frame, _lines(along="place in the list", title=title, form=form, line=null))


def positions(result: Result, by_score: Rows | None = None) -> ChartRows:
    """Draw `position` on its longest scale; with the rows of the same `by_score`, those of each score too."""
    frame = option_positions.position_rows(_longest_scale(result), by_score or ())
    return ChartRows(frame, option_positions.position_shares)


def committee_sizes(result: Result, _: Families) -> ChartRows:
    rows = _one_slice(result)
    return ChartRows(pd.concat(lines.of_sizes(rows), ignore_index=True), lambda _: lines.sizes(rows))


def people_and_judges(result: Result, _: Families) -> ChartRows:
    rows = people.people_rows(_one_slice(result))
    return side_by_side(rows, people.PANELS, "who")


def corrected(result: Result, _: Families) -> ChartRows:
    """Draw `corrected`: the score and the rank of each model, the highest first."""
    rows = sorted(_one_slice(result), key=lambda row: (row["rank"] is None, row["rank"]))
    return side_by_side(rows, panels.CORRECTED, "model")


def calls(result: Result, _: Families) -> ChartRows:
    """Draw the calls of each judge, by paradigm and prompt template where there are several."""
    names = ("judge", "paradigm", "variant")
    rows = [row for row in result.rows if row["judge"] is not None]
    several = [name for name in names if name == "judge" or len({row[name] for row in rows}) > 1]
    labelled = [{**row, "who": ", ".join(str(row[name]) for name in several if row[name])} for row in rows]
    return side_by_side(labelled, panels.CALLS, "who")


def reversed_pairs(result: Result, _: Families) -> ChartRows:
    """Draw `ranking-flips`: the surest reversals first."""
    rows = sorted(_one_slice(result), key=lambda row: -(row["sure"] or 0))[:MOST_PAIRS]
    pairs = [
        {**row, "pair": f"{rank_lines.ranking_name(row['by'])}: {row['above']} above {row['below']}"}
        for row in rows
    ]
    return side_by_side(pairs, panels.REVERSED, "pair")


def _one_slice(result: Result) -> Rows:
    """Return the rows; UsageError if they are grouped."""
    if result.by is not None:
        raise UsageError(f"the chart of {result.measure.name} shows one slice; leave out ", option("by"))
    return result.rows


def _lines(**settings: Any) -> Callable[[pd.DataFrame], alt.TopLevelMixin]:
    return partial(lines.line_series, **settings)


def _longest_scale(result: Result) -> Rows:
    return scale_rows(result, scales(result.with_rows(_one_slice(result)))[0])


def _of_rows(
    frame: Callable[[Rows], pd.DataFrame],
    draw: Callable[[pd.DataFrame], alt.TopLevelMixin],
    rows: Callable[[Result], Rows] = _one_slice,
) -> Chart:
    """Return a chart of the rows of a single slice, or of those that `rows` picks."""
    return lambda result, _: ChartRows(frame(rows(result)), draw)


def _in_panels(parts: Sequence[Panel], rows: Callable[[Result], Rows] = _one_slice) -> Chart:
    """Return a chart in panels of the rows of a single slice, or of those that `rows` picks."""
    return lambda result, _: side_by_side(rows(result), parts)


CHARTS_BY_NAME: dict[str, Chart] = {
    "board": conclusions,
    "own-answers": own_answers,
    "matrix": matrix,
    "accuracy": accuracy,
    "agreement-curve": _of_rows(agreement_curve.agreement_rows, agreement_curve.agreement_curve),
    "members": _of_rows(member_to_committee.committee_rows, member_to_committee.member_to_committee),
    "sizes": committee_sizes,
    "without-family": committee_families,
    "ranks": _of_rows(rank_lines.ranking_rows, rank_lines.rankings),
    "distances": distances,
    "regions": _of_rows(quadrant.quadrant_rows, quadrant.quadrant),
    "firm-choices": equal_quality,
    "before-and-after": _of_rows(before_after.before_after_rows, before_after.before_after),
    "baseline": baseline,
    "wins": wins,
    "directions": lambda result, _: ChartRows(
        directions.direction_rows(result.rows), directions.direction_grid
    ),
    "positions": lambda result, _: positions(result),
    "costs": _of_rows(order_costs.cost_rows, order_costs.costs, _longest_scale),
    "permutation": _in_panels(panels.PERMUTATION, _longest_scale),
    "likeness": _in_panels(panels.MODEL_LIKENESS, _longest_scale),
    "flips": order_effect,
    "lists": _in_panels(panels.LISTS),
    "picks": _in_panels(panels.BEST_OF_N),
    "relatedness": _of_rows(relatedness.relatedness_rows, relatedness.relatedness_chart),
    "length": _in_panels(panels.LENGTH),
    "gold-stress": _of_rows(panel_dots.panel_dot_rows, panel_dots.panel_dots),
    "robustness": robustness,
    "recognition-score": _in_panels(panels.RECOGNITION),
    "familiarity-score": _in_panels(panels.FAMILIARITY),
    "people": people_and_judges,
    "discerned": _in_panels(panels.DISCERNED),
    "corrected": corrected,
    "calls": calls,
    "reversed-pairs": reversed_pairs,
}
"""The chart of each name that an entry of the catalogue may give (`Measure.chart`)."""
