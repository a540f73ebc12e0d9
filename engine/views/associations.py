"""How measures go together across judges."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from engine.views.keys import Filters, filters, needs_verdicts
from engine.views.matrix import limited
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words import short_titles

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

COLUMNS = {
    "x": ("First measure", "A measure of preference"),
    "y": ("Second measure", "Another measure, or a trait of the judge"),
    "pearson": ("Pearson", "Pearson's correlation over judges"),
    "spearman": ("Spearman [95% interval]", "Rank correlation over judges"),
    "least_without_a_family": (
        "Lowest without one family",
        "Lowest Pearson correlation without any one family",
    ),
    "greatest_without_a_family": ("Highest without one family", "Highest such correlation"),
    "n": ("n judges", "Judges that have both numbers"),
}


@dataclass(frozen=True)
class AssociationsKeys:
    """The slice."""

    slice_: Annotated[Filters, filters()]


def answer(study: "MeasuredStudy", keys: AssociationsKeys) -> Shown:
    """Show the correlation of each pair of measures over judges."""
    options = limited(study, keys.slice_, "judges")
    result = measure(study, "association", options)
    shown = shown_of(study, result, options, tuple(COLUMNS))
    table = shown.table
    if table is None:
        return shown
    rows = ((short_titles.measure(x), short_titles.measure(y), *others) for x, y, *others in table.rows)
    return replace(shown, table=ShownTable.under(COLUMNS, rows, map(dict, result.rows), table.n_more))


ASSOCIATIONS = View(
    "associations",
    "How measures correlate across judges",
    "Which measures go together across judges?",
    AssociationsKeys,
    answer,
    needs_verdicts,
)
