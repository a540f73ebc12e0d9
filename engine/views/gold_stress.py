"""The gold stress test: self-preference under every panel of gold judges, one dot for each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.measures.pairs.gold_stress import PARADIGMS
from engine.views.drawing import MOST_ROWS, figure_of_judges
from engine.views.keys import Filters, filters, needs_paradigm, without
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.gold_stress import WHAT_A_DOT_IS, gold_stress_sentences

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

FIELDS = (
    *("judge", "number", "value", "least", "greatest", "same_side", "matters_most", "mean_change"),
    *("hspp_self", "hspp_least", "hspp_greatest", "n"),
)
CAPTION = "Each judge's number under every panel of gold judges, without each family of them, and under all."
MARKS = "Lines are 95% intervals over questions. Hollow marks rest on fewer than 30 cases."


@dataclass(frozen=True)
class GoldStressKeys:
    """The slice."""

    slice_: Annotated[Filters, filters("level", "leave_self_out")]


def answer(study: "MeasuredStudy", keys: GoldStressKeys) -> Shown:
    """Show each judge's number under every panel of gold judges."""
    options = without(keys.slice_, "level", "leave_self_out")
    result = measure(study, "gold-stress", options)
    return shown_of(
        study,
        result,
        options,
        FIELDS,
        sentences=gold_stress_sentences(result.rows) if result.rows else (),
        figure=figure_of_judges(result, CAPTION, MARKS, MOST_ROWS),
        notes=(WHAT_A_DOT_IS,),
    )


GOLD_STRESS = View(
    "gold_stress",
    "Gold stress test",
    "How far does a judge's self-preference depend on who the gold judges are?",
    GoldStressKeys,
    answer,
    needs_paradigm(*PARADIGMS),
)
