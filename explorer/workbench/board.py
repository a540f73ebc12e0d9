"""The board of judges, and the judge that is opened above it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.measures.result import Result
from engine.views.judges import JUDGES
from engine.views.keys import read_keys
from engine.views.of_measure import measure
from explorer import data
from explorer.parts import selection, view_widgets
from explorer.parts.context import Context
from explorer.parts.sections import section
from explorer.parts.show import show as show_views
from explorer.parts.show import texts_of
from explorer.workbench import study_needs
from explorer.workbench.opened_judge import show_judge

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

MEASURE = "scorecard"


def scorecard(key: data.StudyKey) -> Result | None:
    """Return the conclusion on each judge; None if the study allows none."""
    result = measure(data.study(key), MEASURE, {})
    return result if result.rows else None


@section
def show(context: Context, under: Callable[[], None]) -> None:
    """Show the opened judge, if one is chosen, and then the board; `under` follows."""
    view_widgets.drop_unknown("judge", context.choices.judges, "Judge")
    judge = selection.value("judge")
    if judge is not None:
        keys, _ = read_keys(JUDGES.keys, context.study, texts_of(JUDGES))
        rows: list[ScorecardRow] = measure(context.study, MEASURE, keys.slice_).rows
        row = next((row for row in rows if row["judge"] == judge), None)
        if row is not None:
            show_judge(context, row)
    shown = show_views(context, "judges")
    if shown:  # for the keyboard, too, which reaches no bar
        judges = context.choices.judges
        view_widgets.choice("judge", judges, "Open a judge", "choose a judge", width=260)
    under()
    if not shown:
        study_needs.let_judge(context, both_orders=False)
