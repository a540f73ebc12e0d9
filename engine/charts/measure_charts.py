"""The charts that measures name, each a function from a result to the chart."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

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
from engine.charts.chart_spec import NO_NUMBER
from engine.charts.lazy_altair import alt
from engine.charts.panels import Panel
from engine.errors import UsageError
from engine.measures.result import Result, Rows
from engine.measures.row_kinds import pooled_rows, scale_rows, scales
from engine.paradigms import PAIR_PARADIGMS
from engine.phrases import sentence_case
from engine.words import board_facts
from engine.words.conclusions import can_be_tested, study_sentences
from engine.words.given_expected import MARKS, axis_title

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

Families = Mapping[str, str | None]
Drawing = Callable[[Result, Families], "alt.TopLevelMixin"]

_TITLE_WIDTH = 105
"""Most letters of a line above the board."""

MOST_PAIRS = 40
"""Most reversed pairs drawn: the surest."""


def conclusions(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw the board of judges, with what it counts and its marks mean above it.

    UsageError if no judge can be tested.
    """
    rows: list[ScorecardRow] = result.rows
    judges = board_facts.by_excess(rows)
    if not judges or not can_be_tested(rows):
        reason = result.reason or " ".join(study_sentences(rows))
        raise UsageError(f"there is no board to draw: {reason}")
    head = alt.TitleParams(
        sentence_case(axis_title(rows)),
        subtitle=textwrap.wrap(MARKS, _TITLE_WIDTH),
        anchor="start",
        fontSize=13,
        subtitleFontSize=11,
        offset=10,
    )
    return board.board(judges[: board_facts.MOST_JUDGES]).properties(title=head)


def own_answers(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw what each judge gave its own answers: ratios as in the papers, or beside what others gave."""
    number, width = forest.own_number(result), 940 if result.by else 620
    fields = forest.RATIOS if number is None else (number.field,)
    frame = forest.forest_rows(result.rows, by=result.by_one, fields=fields)
    if not len(frame):
        raise UsageError(NO_NUMBER)
    form = None if number is None else number.form
    return forest.forest(frame, width=width, outside=form, axis=forest.own_axis(number))


def matrix(result: Result, families: Families) -> alt.TopLevelMixin:
    shade, rows = result.measure.name, _one_slice(result)
    parts = ((), rows) if shade == "delta" else (rows, ())
    order: heat_cells.Order = "family" if shade == "votes" else "study"
    frame = heat_cells.cell_rows(*parts, shade=shade, families=families, row_order=order, column_order=order)
    return heatmap.heatmap(frame, shade)


def accuracy(result: Result, _: Families) -> alt.TopLevelMixin:
    frame = dot_plot.dot_rows(_one_slice(result), dot_plot.ACCURACY)
    return dot_plot.dots(frame, dot_plot.ACCURACY, title="accuracy")


def committee_families(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw `committee-families` at its first level: a row for each family left out."""
    rows = [row for row in _one_slice(result) if row["level"] == result.rows[0]["level"]]
    return _side_by_side(rows, panels.WITHOUT_FAMILY, "without")


def distances(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw `ranking-distance`: tau-b of each ranking with the reference's, the closest on top."""
    ranked = [{**row, "judge": row["by"]} for row in _one_slice(result) if row["tau"] is not None]
    frame = dot_plot.dot_rows(sorted(ranked, key=lambda row: -row["tau"]), dot_plot.TAU)
    return dot_plot.dots(frame, dot_plot.TAU, title="tau-b with the reference's ranking")


def equal_quality(result: Result, _: Families) -> alt.TopLevelMixin:
    if result.filters.get("epsilons"):
        frame = lines.of_epsilons(_one_slice(result))
        return lines.line_series(
            frame, along="epsilon", title="SPB", form="difference", line=0.0, is_count=False
        )
    if result.by is not None:
        return by_category.by_category(by_category.category_rows(result.rows))
    return _side_by_side(result.rows, panels.EQUAL_QUALITY)


def baseline(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw `quality-baseline`, over all opponents: its numbers or, with `curves`, T by number of proxies."""
    _one_slice(result)
    rows = pooled_rows(result)
    if not result.filters.get("curves"):
        return _side_by_side(rows, panels.BASELINE)
    frame = lines.of_proxies(rows)
    return lines.line_series(frame, along="proxies", title="T beyond baseline", form="difference", line=0.0)


def robustness(result: Result, _: Families) -> alt.TopLevelMixin:
    rows = _one_slice(result)
    several = len({row["paradigm"] for row in rows}) > 1
    labelled = [
        {**row, "label": ", ".join([row["judge"], row["transform"], *[row["paradigm"]] * several])}
        for row in rows
    ]
    return _side_by_side(labelled, panels.ROBUSTNESS, "label")


def order_effect(result: Result, _: Families) -> alt.TopLevelMixin:
    rows = _one_slice(result)
    if result.filters.get("paradigm") in PAIR_PARADIGMS:
        return _side_by_side(panels.by_variant(rows), panels.FLIPS, "who")
    frame = lines.of_positions(rows, "verdict_rate", "share")
    return lines.line_series(frame, along="place in the list", title="share passed", form="share")


def people_and_judges(result: Result, _: Families) -> alt.TopLevelMixin:
    rows = people.people_rows(_one_slice(result))
    return _side_by_side(rows, people.PANELS, "who")


def corrected(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw `corrected`: the score and the rank of each model, the highest first."""
    rows = sorted(_one_slice(result), key=lambda row: (row["rank"] is None, row["rank"]))
    return _side_by_side(rows, panels.CORRECTED, "model")


def calls(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw the calls of each judge, by paradigm and prompt template where there are several."""
    names = ("judge", "paradigm", "variant")
    rows = [row for row in result.rows if row["judge"] is not None]
    several = [name for name in names if name == "judge" or len({row[name] for row in rows}) > 1]
    labelled = [{**row, "who": ", ".join(str(row[name]) for name in several if row[name])} for row in rows]
    return _side_by_side(labelled, panels.CALLS, "who")


def reversed_pairs(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw `ranking-flips`: the surest reversals first."""
    rows = sorted(_one_slice(result), key=lambda row: -(row["sure"] or 0))[:MOST_PAIRS]
    pairs = [
        {**row, "pair": f"{rank_lines.ranking_name(row['by'])}: {row['above']} above {row['below']}"}
        for row in rows
    ]
    return _side_by_side(pairs, panels.REVERSED, "pair")


def _one_slice(result: Result) -> Rows:
    """Return the rows; UsageError if they are grouped."""
    if result.by is not None:
        raise UsageError(f"the chart of {result.measure.name} shows one slice; leave out --by")
    return result.rows


def _side_by_side(rows: Rows, parts: Sequence[Panel], label: str = "judge") -> alt.TopLevelMixin:
    """Draw rows in panels; UsageError if none of their numbers is defined."""
    frame = panels.panel_rows(rows, parts, label)
    if not len(frame):
        raise UsageError(NO_NUMBER)
    return panels.panels(frame, parts)


def _longest_scale(result: Result) -> Rows:
    return scale_rows(result, scales(result)[0])


def _of_one_slice(draw: Callable[[Result], alt.TopLevelMixin]) -> Drawing:
    def drawing(result: Result, _: Families) -> alt.TopLevelMixin:
        _one_slice(result)
        return draw(result)

    return drawing


def _in_panels(parts: Sequence[Panel], rows: Callable[[Result], Rows] = _one_slice) -> Drawing:
    """Return a function that draws the rows of a single slice, or those that `rows` picks, in panels."""
    return _of_one_slice(lambda result: _side_by_side(rows(result), parts))


DRAWINGS: dict[str, Drawing] = {
    "board": conclusions,
    "own-answers": own_answers,
    "matrix": matrix,
    "accuracy": accuracy,
    "agreement-curve": _of_one_slice(
        lambda result: agreement_curve.agreement_curve(agreement_curve.agreement_rows(result.rows))
    ),
    "members": _of_one_slice(
        lambda result: member_to_committee.member_to_committee(
            member_to_committee.committee_rows(result.rows)
        )
    ),
    "sizes": _of_one_slice(lambda result: lines.sizes(result.rows)),
    "without-family": committee_families,
    "ranks": _of_one_slice(lambda result: rank_lines.rankings(rank_lines.ranking_rows(result.rows))),
    "distances": distances,
    "regions": _of_one_slice(lambda result: quadrant.quadrant(quadrant.quadrant_rows(result.rows))),
    "firm-choices": equal_quality,
    "before-and-after": _of_one_slice(
        lambda result: before_after.before_after(before_after.before_after_rows(result.rows))
    ),
    "baseline": baseline,
    "wins": _in_panels(panels.DBG, pooled_rows),
    "directions": lambda result, _: directions.direction_grid(directions.direction_rows(result.rows)),
    "positions": _of_one_slice(
        lambda result: option_positions.position_shares(
            option_positions.position_rows(_longest_scale(result), ())
        )
    ),
    "costs": _of_one_slice(lambda result: order_costs.costs(order_costs.cost_rows(_longest_scale(result)))),
    "permutation": _in_panels(panels.PERMUTATION, _longest_scale),
    "likeness": _in_panels(panels.MODEL_LIKENESS, _longest_scale),
    "flips": order_effect,
    "lists": _in_panels(panels.LISTS),
    "picks": _in_panels(panels.BEST_OF_N),
    "relatedness": _of_one_slice(
        lambda result: relatedness.relatedness_chart(relatedness.relatedness_rows(result.rows))
    ),
    "length": _in_panels(panels.LENGTH),
    "gold-stress": _of_one_slice(
        lambda result: panel_dots.panel_dots(panel_dots.panel_dot_rows(result.rows))
    ),
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
