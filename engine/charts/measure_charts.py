"""One function for each measure that has a chart, from its rows to the chart."""

from collections.abc import Callable, Mapping

import altair as alt

from engine.charts import change, forest, heatmap, lines, panels, scatter
from engine.errors import UsageError
from engine.measures.result import Result, Rows, of_scale, pooled, scales

Families = Mapping[str, str | None]


def ratios(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001 - all drawings take them
    """Draw `hspp`, each judge with a panel of its own where the rows are grouped."""
    return forest.forest(forest.forest_rows(result.rows, by=result.by), width=940 if result.by else 620)


def matrix(result: Result, families: Families) -> alt.TopLevelMixin:
    """Draw `overestimation` or `delta` as a heatmap of judges and generators."""
    _one_slice(result)
    shade = "delta" if result.measure.name == "delta" else "overestimation"
    parts = ((), result.rows) if shade == "delta" else (result.rows, ())
    return heatmap.heatmap(heatmap.cell_rows(*parts, shade=shade, families=families), shade)


def votes(result: Result, families: Families) -> alt.TopLevelMixin:
    """Draw `votes` as a heatmap of judges and the models that they vote on."""
    _one_slice(result)
    return heatmap.heatmap(heatmap.cell_rows(result.rows, shade="votes", families=families), "votes")


def accuracy(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `accuracy`: both kinds for each judge."""
    _one_slice(result)
    return forest.dots(forest.dot_rows(result.rows, forest.ACCURACY), forest.ACCURACY, title="accuracy")


def agreement(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `agreement-curve`."""
    _one_slice(result)
    return lines.agreement_curve(lines.agreement_rows(result.rows))


def committee(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `committee`: from each member to the committee in its place."""
    _one_slice(result)
    return change.member_to_committee(change.committee_rows(result.rows))


def committee_sizes(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `committee-size`: ratios and accuracies along the members."""
    _one_slice(result)
    return lines.sizes(result.rows)


def committee_families(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `committee-families` at the first level taken: a row for each family left out."""
    _one_slice(result)
    rows = [row for row in result.rows if row["level"] == result.rows[0]["level"]]
    frame = panels.panel_rows(rows, panels.WITHOUT_FAMILY, "without")
    return panels.panels(frame, panels.WITHOUT_FAMILY)


def ranks(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `ranking`: the rank of each model by all judges, with their own out, and by the reference."""
    _one_slice(result)
    return scatter.rankings(scatter.ranking_rows(result.rows))


def distances(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `ranking-distance`: how near each ranking is to the reference's, the nearest on top."""
    _one_slice(result)
    known = [{**row, "judge": row["by"]} for row in result.rows if row["tau"] is not None]
    rows = sorted(known, key=lambda row: -row["tau"])
    return forest.dots(
        forest.dot_rows(rows, forest.TAU), forest.TAU, title="tau-b with the reference's ranking"
    )


def archetypes(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `archetypes`: discriminability against SPB, over the regions of the archetypes."""
    _one_slice(result)
    return scatter.quadrant(scatter.quadrant_rows(result.rows))


def equal_quality(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `equal-quality`: firm choices and SPB, or where the rows are grouped SPB in each group."""
    if result.by is not None:
        return forest.by_category(forest.category_rows(result.rows, "spb", "n_pairs"), title="SPB", line=0.0)
    return panels.panels(panels.panel_rows(result.rows, panels.EQUAL_QUALITY), panels.EQUAL_QUALITY)


def mitigation(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `mitigation`: SPB before and after, for each other way of asking."""
    _one_slice(result)
    return change.before_after(change.before_after_rows(result.rows))


def baseline(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `quality-baseline` over all opponents together."""
    _one_slice(result)
    return panels.panels(panels.panel_rows(pooled(result), panels.BASELINE), panels.BASELINE)


def dbg(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `dbg` over all opponents together."""
    _one_slice(result)
    return panels.panels(panels.panel_rows(pooled(result), panels.DBG), panels.DBG)


def list_ranks(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `list-ranks`: how often the own response is put first, by the judge and beyond other judges."""
    _one_slice(result)
    return panels.panels(panels.panel_rows(result.rows, panels.LISTS), panels.LISTS)


def recognition(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `recognition-score`: how surely each judge knows its own, and whether it votes by it."""
    _one_slice(result)
    return panels.panels(panels.panel_rows(result.rows, panels.RECOGNITION), panels.RECOGNITION)


def familiarity(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `familiarity-score`: whether its own is likelier to each judge, and what that explains."""
    _one_slice(result)
    return panels.panels(panels.panel_rows(result.rows, panels.FAMILIARITY), panels.FAMILIARITY)


def robustness(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `robustness`: verdicts that stand, a row for each judge and change."""
    _one_slice(result)
    several = len({row["paradigm"] for row in result.rows}) > 1
    rows = [
        {**row, "label": ", ".join([row["judge"], row["transform"], *[row["paradigm"]] * several])}
        for row in result.rows
    ]
    return panels.panels(panels.panel_rows(rows, panels.ROBUSTNESS, "label"), panels.ROBUSTNESS)


def together(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `together`: what each measure says of each judge."""
    return heatmap.direction_grid(heatmap.direction_rows(result.rows))


def position(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `position`: the shares of all scores at each place of the longest scale."""
    _one_slice(result)
    return panels.position_shares(panels.position_rows(_longest_scale(result), ()))


def ordering(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `ordering`: what each order of the longest scale costs."""
    _one_slice(result)
    return panels.costs(panels.cost_rows(_longest_scale(result)))


def permutation(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `permutation`: permuted orders of the longest scale against repeats of one."""
    _one_slice(result)
    return panels.panels(panels.panel_rows(_longest_scale(result), panels.PERMUTATION), panels.PERMUTATION)


def order_effect(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `order-effect`: flips of pairs, or verdicts along a list of rubrics."""
    _one_slice(result)
    if result.filters.get("paradigm") == "pairwise":
        return panels.panels(panels.panel_rows(result.rows, panels.FLIPS), panels.FLIPS)
    frame = lines.of_positions(result.rows, "verdict_rate", "share")
    return lines.line_series(frame, along="place in the list", title="said to be met", form="share")


def _one_slice(result: Result) -> None:
    if result.by is not None:
        raise UsageError(f"the chart of {result.measure.name} shows one slice; leave out by={result.by!r}")


def _longest_scale(result: Result) -> Rows:
    return of_scale(result, scales(result)[0])


DRAWINGS: dict[str, Callable[[Result, Families], alt.TopLevelMixin]] = {
    "hspp": ratios,
    "overestimation": matrix,
    "delta": matrix,
    "accuracy": accuracy,
    "agreement-curve": agreement,
    "committee": committee,
    "committee-size": committee_sizes,
    "committee-families": committee_families,
    "ranking": ranks,
    "ranking-distance": distances,
    "archetypes": archetypes,
    "equal-quality": equal_quality,
    "mitigation": mitigation,
    "quality-baseline": baseline,
    "dbg": dbg,
    "votes": votes,
    "together": together,
    "position": position,
    "ordering": ordering,
    "permutation": permutation,
    "order-effect": order_effect,
    "list-ranks": list_ranks,
    "robustness": robustness,
    "recognition-score": recognition,
    "familiarity-score": familiarity,
}
"""The function that draws each measure of the engine that has a chart."""
