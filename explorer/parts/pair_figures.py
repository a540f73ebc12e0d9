"""Charts of votes and of all measures together."""

from engine.charts import heatmap, panels
from engine.charts.export import spec_of
from explorer import data
from explorer.data import Chart, FlagValues, StudyKey
from explorer.parts import components, figures
from explorer.parts.figures import MOST, Figure, attempt, titles, without

# ------------------------------------------------------------------------------
# The charts of the pages on pairs and on all measures together.


MOST_PANELS = 12
"""Most judges drawn with a panel each."""

SIGN_TITLES = (
    ("judge", "Judge"),
    ("measure", "Measure"),
    ("words", "Value [95% interval]"),
    ("says", "Direction"),
    ("rank", "Rank"),
    ("n", "n"),
)


WIN_TITLES = titles(panel="Judge", generator="Model", series="Relation", words="Win rate [95% interval]")

SIGNS_TEXT = "Judges in rows, measures in columns; colours show for or against self-preference."
SIGN_COLOURS = (
    "Orange: self-preference; blue: the opposite; grey: neither. Pale: the 95% interval includes no "
    "preference, or is missing. Hover for the interval and n."
)


def say_cut(chart: Chart) -> None:
    """Say how many judges are drawn, unless all are."""
    if chart.panels < chart.all_panels:
        components.note(
            f"Showing the first {chart.panels} of {chart.all_panels} judges; choose others in the filters.",
            key=f"cut_{chart.panels}_{chart.all_panels}_{len(chart.rows)}",
        )


def win_rates(
    key: StudyKey, flags: FlagValues, by: str | None = None, order: panels.Order = "value"
) -> Chart:
    """Draw how often each model wins with each judge, in each slice of a column if one is given."""
    rows, families = attempt(key, "votes", flags, by).rows, data.study(key).families()
    every = panels.win_rate_rows(rows, families, order=order, most=MOST)
    frame = every[every["panel_order"] < MOST_PANELS].reset_index(drop=True)
    spec = spec_of(panels.win_rates(frame)) if len(frame) else {}
    return Chart(spec, frame, frame["panel"].nunique(), every["panel"].nunique(), WIN_TITLES)


def of_pairs(flags: FlagValues) -> FlagValues:
    """Return the flags of the measure on pairs."""
    return (*without(flags, "paradigm", "level", "min_agreement"), ("paradigm", "pairwise"))


figures.FIGURES |= {
    "together": Figure("together", heatmap.direction_rows, heatmap.direction_grid, SIGN_TITLES, MOST),
    "win_rates": win_rates,
}
