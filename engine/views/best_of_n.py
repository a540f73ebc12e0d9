"""Best of n: what judges pick when their verdicts are used as a reward, and what that costs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.measures.quality.best_of_n import PARADIGMS
from engine.views.drawing import figure_of_panels
from engine.views.keys import Filters, filters, needs_paradigm, without
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.best_of_n import WHAT_IT_SAYS, pick_sentences

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

FIELDS = (
    *("judge", "picked_beside", "picked_outside", "n_beside", "pick_excess", "pick_excess_p_adjusted"),
    *("own_picked", "n", "lost_by_picks", "lost_to_own", "lost_beyond", "choices", "answers"),
)
CAPTION = (
    "How often each judge, and judges of other families, pick the judge's own answer where another is "
    "better, and what the judge's picks cost."
)


@dataclass(frozen=True)
class BestOfNKeys:
    """The slice."""

    slice_: Annotated[Filters, filters("level")]


def answer(study: "MeasuredStudy", keys: BestOfNKeys) -> Shown:
    """Show what each judge picks from all models' answers, beside outside judges."""
    options = without(keys.slice_, "level")
    result = measure(study, "best-of-n", options)
    return shown_of(
        study,
        result,
        options,
        FIELDS,
        sentences=pick_sentences(result.rows, result.filters.get("paradigm")) if result.rows else (),
        figure=figure_of_panels(result, CAPTION),
        notes=(WHAT_IT_SAYS,),
    )


BEST_OF_N = View(
    "best_of_n",
    "Best of n",
    "As a reward, how often does a judge pick its own answer where another is better?",
    BestOfNKeys,
    answer,
    needs_paradigm(*PARADIGMS),
)
