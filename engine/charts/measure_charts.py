"""One function for each measure that has a chart, from its rows to the chart."""

from collections.abc import Callable, Mapping, Sequence

import altair as alt

from engine.charts import (
    agreement_curve,
    before_after,
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
    quadrant,
    rank_lines,
    relatedness,
)
from engine.charts.panels import Panel
from engine.errors import UsageError
from engine.measures.result import Result, Rows
from engine.measures.row_kinds import pooled_rows, scale_rows, scales

Families = Mapping[str, str | None]
Drawing = Callable[[Result, Families], alt.TopLevelMixin]


def ratios(result: Result, _: Families) -> alt.TopLevelMixin:
    return forest.forest(forest.forest_rows(result.rows, by=result.by), width=940 if result.by else 620)


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
    frame = panels.panel_rows(rows, panels.WITHOUT_FAMILY, "without")
    return panels.panels(frame, panels.WITHOUT_FAMILY)


def distances(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw `ranking-distance`: tau-b of each ranking with the reference's, the closest on top."""
    ranked = [{**row, "judge": row["by"]} for row in _one_slice(result) if row["tau"] is not None]
    frame = dot_plot.dot_rows(sorted(ranked, key=lambda row: -row["tau"]), dot_plot.TAU)
    return dot_plot.dots(frame, dot_plot.TAU, title="tau-b with the reference's ranking")


def equal_quality(result: Result, _: Families) -> alt.TopLevelMixin:
    if result.by is not None:
        return by_category.by_category(by_category.category_rows(result.rows))
    return panels.panels(panels.panel_rows(result.rows, panels.EQUAL_QUALITY), panels.EQUAL_QUALITY)


def robustness(result: Result, _: Families) -> alt.TopLevelMixin:
    rows = _one_slice(result)
    several = len({row["paradigm"] for row in rows}) > 1
    labelled = [
        {**row, "label": ", ".join([row["judge"], row["transform"], *[row["paradigm"]] * several])}
        for row in rows
    ]
    return panels.panels(panels.panel_rows(labelled, panels.ROBUSTNESS, "label"), panels.ROBUSTNESS)


def order_effect(result: Result, _: Families) -> alt.TopLevelMixin:
    rows = _one_slice(result)
    if result.filters.get("paradigm") == "pairwise":
        return panels.panels(panels.panel_rows(rows, panels.FLIPS), panels.FLIPS)
    frame = lines.of_positions(rows, "verdict_rate", "share")
    return lines.line_series(frame, along="place in the list", title="share passed", form="share")


def _one_slice(result: Result) -> Rows:
    """Return the rows; UsageError if they are grouped."""
    if result.by is not None:
        raise UsageError(f"the chart of {result.measure.name} shows one slice; leave out by={result.by!r}")
    return result.rows


def _longest_scale(result: Result) -> Rows:
    return scale_rows(result, scales(result)[0])


def _of_one_slice(draw: Callable[[Result], alt.TopLevelMixin]) -> Drawing:
    def drawing(result: Result, _: Families) -> alt.TopLevelMixin:
        _one_slice(result)
        return draw(result)

    return drawing


def _in_panels(parts: Sequence[Panel], rows: Callable[[Result], Rows] = _one_slice) -> Drawing:
    """Return a function that draws the rows of a single slice, or those that `rows` picks, in panels."""
    return _of_one_slice(lambda result: panels.panels(panels.panel_rows(rows(result), parts), parts))


DRAWINGS: dict[str, Drawing] = {
    "hspp": ratios,
    "overestimation": matrix,
    "delta": matrix,
    "accuracy": accuracy,
    "agreement-curve": _of_one_slice(
        lambda result: agreement_curve.agreement_curve(agreement_curve.agreement_rows(result.rows))
    ),
    "committee": _of_one_slice(
        lambda result: member_to_committee.member_to_committee(
            member_to_committee.committee_rows(result.rows)
        )
    ),
    "committee-size": _of_one_slice(lambda result: lines.sizes(result.rows)),
    "committee-families": committee_families,
    "ranking": _of_one_slice(lambda result: rank_lines.rankings(rank_lines.ranking_rows(result.rows))),
    "vote-ranking": _of_one_slice(lambda result: rank_lines.rankings(rank_lines.ranking_rows(result.rows))),
    "ranking-distance": distances,
    "archetypes": _of_one_slice(lambda result: quadrant.quadrant(quadrant.quadrant_rows(result.rows))),
    "equal-quality": equal_quality,
    "mitigation": _of_one_slice(
        lambda result: before_after.before_after(before_after.before_after_rows(result.rows))
    ),
    "quality-baseline": _in_panels(panels.BASELINE, pooled_rows),
    "dbg": _in_panels(panels.DBG, pooled_rows),
    "votes": matrix,
    "together": lambda result, _: directions.direction_grid(directions.direction_rows(result.rows)),
    "position": _of_one_slice(
        lambda result: option_positions.position_shares(
            option_positions.position_rows(_longest_scale(result), ())
        )
    ),
    "ordering": _of_one_slice(
        lambda result: order_costs.costs(order_costs.cost_rows(_longest_scale(result)))
    ),
    "permutation": _in_panels(panels.PERMUTATION, _longest_scale),
    "model-likeness": _in_panels(panels.MODEL_LIKENESS, _longest_scale),
    "order-effect": order_effect,
    "list-ranks": _in_panels(panels.LISTS),
    "best-of-n": _in_panels(panels.BEST_OF_N),
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
}
"""The function that draws each measure of the engine that has a chart."""
