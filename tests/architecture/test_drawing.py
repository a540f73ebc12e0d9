"""A measure's chart is drawn in one place, for commands, pages and reports."""

from architecture.modules import mentioned_imports, trees

ALSO_IN_VIEWS = {
    "board": "in two widths, without the title that a board alone has",
    "chart_rows": "charts that no measure names",
    "directions": "the words for a direction",
    "dot_plot": "kinds of marks of such charts",
    "forest": "ratios of some slices or judges, beside their means",
    "heat_cells": "the matrix of several slices",
    "heatmap": "the same",
    "lazy_altair": "Altair",
    "lines": "a ratio along ordered slices",
    "number_forms": "forms of numbers",
    "panels": "panels of numbers that no measure's chart has",
    "rank_lines": "names of rankings",
    "style": "looks",
}
"""What views take of modules that draw measures' charts, beside the charts themselves."""


def modules_of_charts(name: str) -> set[str]:
    """Return the modules of charts that a module imports."""
    every = mentioned_imports(name, trees()[name])
    return {module.rpartition(".")[2] for module in every if module.startswith("engine.charts.")}


def test_views_take_the_chart_of_a_measure_from_the_registry():
    views = [name for name in trees() if name.startswith("engine.views.")]
    of_views = set().union(*map(modules_of_charts, views))
    of_measures = modules_of_charts("engine.charts.measure_charts") | {"dot_plot", "style"}

    assert "panel_dots" in of_measures
    assert "measure_charts" in modules_of_charts("engine.views.drawing")
    assert of_views & of_measures == set(ALSO_IN_VIEWS)
