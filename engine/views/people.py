"""People: how far each judge agrees with them, what can be expected, and whether it may stand in for one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.arrays.truths.references import is_human
from engine.views.drawing import figure_of_panels
from engine.views.keys import Filters, filters, number
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.people import people_sentences

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

EPSILON = 0.15
"""The measure's own advantage of a person over a judge, unless another is chosen."""

FIELDS = (
    *("judge", "kind", "kappa", "correlation", "balanced_f1", "ceiling", "n_ceiling", "winning_rate"),
    *("advantage_probability", "may_stand_in", "n_people", "n"),
)
CAPTION = "Agreement of each judge with people, beside that of people with each other; who may replace one."
MARKS = (
    "Lines are 95% intervals. A judge passes the test where it may replace half of the people or more; it "
    "rewards scores near people's mean, so read it beside the agreement."
)


@dataclass(frozen=True)
class PeopleKeys:
    """The slice, and how much better than the judge a person may be before it may not be replaced."""

    slice_: Annotated[Filters, filters("level", "reference", "min_agreement")]
    epsilon: Annotated[
        float,
        number(
            "Advantage of a person",
            "How much more often than the judge a person may represent the others before the judge may not "
            "stand in",
            *(0.0, 0.5),
            step=0.05,
            usual=lambda _study, _values: EPSILON,
        ),
    ]


def answer(study: "MeasuredStudy", keys: PeopleKeys) -> Shown:
    """Show the agreement of judges with people, and the alternative annotator test."""
    options = {**keys.slice_, **({} if keys.epsilon == EPSILON else {"epsilon": keys.epsilon})}
    result = measure(study, "people", options)
    fields = [name for name in FIELDS if result.has_values(name)]
    figure = figure_of_panels(result, CAPTION, MARKS)
    return shown_of(study, result, options, fields, sentences=people_sentences(result.rows), figure=figure)


def needs(study: "MeasuredStudy") -> str | None:
    """Return why no judge can be compared with people, None if the study has verdicts of people."""
    of_pairs = study.files.table("preferences").column("source").unique().to_pylist()
    if any(map(is_human, (*study.references.sources, *of_pairs))):
        return None
    return (
        "The study has no verdicts of people. Import them as references with the source human or "
        "human:NAME, or collect them under Annotate."
    )


PEOPLE = View(
    "people",
    "People",
    "How far does each judge agree with people, and may it stand in for one of them?",
    PeopleKeys,
    answer,
    needs,
)
