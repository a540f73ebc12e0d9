"""One function for each measure that has a chart, from its rows to the chart."""

from collections.abc import Mapping

import altair as alt

from engine.charts import (
    arrows,
    cells,
    costs,
    courses,
    curve,
    dots,
    forest,
    heatmap,
    kinds,
    panels,
    places,
    quadrant,
    rankings,
    signs,
    steps,
)
from engine.errors import UsageError
from engine.measures.picked import Rows, of_scale, pooled, scales
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


def ranks(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `ranking`: the rank of each model by all judges, with their own out, and by the reference."""
    _one_slice(result)
    return rankings.rankings(rankings.rows_of(result.rows))


def distances(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `ranking-distance`: how near each ranking is to the reference's, the nearest on top."""
    _one_slice(result)
    known = [{**row, "judge": row["by"]} for row in result.rows if row["tau"] is not None]
    rows = sorted(known, key=lambda row: -row["tau"])
    return dots.dots(dots.rows_of(rows, dots.TAU), dots.TAU, title="tau-b with the reference's ranking")


def archetypes(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `archetypes`: discriminability against SPB, over the regions of the archetypes."""
    _one_slice(result)
    return quadrant.quadrant(quadrant.rows_of(result.rows))


def equal_quality(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `equal-quality`: firm choices and SPB, or where the rows are grouped SPB in each group."""
    if result.by is not None:
        return kinds.kinds(kinds.rows_of(result.rows, "spb", "n_pairs"), title="SPB", line=0.0)
    return panels.panels(panels.rows_of(result.rows, panels.EQUAL_QUALITY), panels.EQUAL_QUALITY)


def mitigation(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `mitigation`: SPB before and after, for each other way of asking."""
    _one_slice(result)
    return arrows.arrows(arrows.rows_of(result.rows))


def baseline(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `quality-baseline` over all opponents together."""
    _one_slice(result)
    return panels.panels(panels.rows_of(pooled(result), panels.BASELINE), panels.BASELINE)


def dbg(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `dbg` over all opponents together."""
    _one_slice(result)
    return panels.panels(panels.rows_of(pooled(result), panels.DBG), panels.DBG)


def together(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `together`: what each measure says of each judge."""
    return signs.signs(signs.rows_of(result.rows))


def position(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `position`: the shares of all scores at each place of the longest scale."""
    _one_slice(result)
    return places.places(places.rows_of(_longest_scale(result), ()))


def ordering(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `ordering`: what each order of the longest scale costs."""
    _one_slice(result)
    return costs.costs(costs.rows_of(_longest_scale(result)))


def permutation(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `permutation`: permuted orders of the longest scale against repeats of one."""
    _one_slice(result)
    return panels.panels(panels.rows_of(_longest_scale(result), panels.PERMUTATION), panels.PERMUTATION)


def order_effect(result: Result, families: Families) -> alt.TopLevelMixin:  # noqa: ARG001
    """Draw `order-effect`: flips of pairs, or verdicts along a list of rubrics."""
    _one_slice(result)
    if result.filters.get("paradigm") == "pairwise":
        return panels.panels(panels.rows_of(result.rows, panels.FLIPS), panels.FLIPS)
    frame = courses.of_positions(result.rows, "verdict_rate", "share")
    return courses.courses(frame, along="place in the list", title="said to be met", form="share")


def _one_slice(result: Result) -> None:
    if result.by is not None:
        raise UsageError(f"the chart of {result.measure.name} shows one slice; leave out by={result.by!r}")


def _longest_scale(result: Result) -> Rows:
    return of_scale(result, scales(result)[0])
