"""People: how far each judge agrees with them, what can be expected, and whether it may stand in for one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.arrays.references import is_human
from engine.charts import style
from engine.charts.dot_plot import Dot
from engine.charts.panels import Panel
from engine.measures.result import Result
from engine.views.drawing import figure_of_panels
from engine.views.keys import Filters, filters, number
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.people import agreement_of, people_sentences
from engine.words.row_cells import Row

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

EPSILON = 0.15
"""The measure's own advantage of a person over a judge, unless another is chosen."""

FIELDS = (
    *("judge", "kind", "kappa", "correlation", "balanced_f1", "ceiling", "winning_rate"),
    *("advantage_probability", "may_stand_in", "n_people", "n"),
)
CAPTION = "Agreement of each judge with people, beside that of people with each other; who may replace one."
MARKS = (
    "Lines are 95% intervals. A judge passes the test where it may replace half of the people or more; it "
    "rewards scores near people's mean, so read it beside the agreement."
)
PANELS = (
    Panel(
        "agreement with people",
        (
            Dot("agreement", "the judge", style.SERIES[0], "ratio"),
            Dot("ceiling", "people, each with the others", style.COMMITTEE, "ratio"),
        ),
    ),
    Panel(
        "people whom it may stand in for",
        (Dot("winning_rate", "share of people", style.SERIES[2], n=None),),
        0.5,
    ),
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
    fields = [name for name in FIELDS if any(row[name] is not None for row in result.rows)]
    figure = (
        figure_of_panels(_shown_rows(result), PANELS, CAPTION, MARKS, label="who") if result.rows else None
    )
    return shown_of(study, result, options, fields, sentences=people_sentences(result.rows), figure=figure)


def _shown_rows(result: Result) -> Sequence[dict[str, Any]]:
    """Return a row for each mark: those who agree most first."""
    several = len({row["kind"] for row in result.rows}) > 1
    rows = [_with_agreement(row, several=several) for row in result.rows]
    return sorted(rows, key=lambda row: (row["kind"], -(row["agreement"] or 0.0)))


def _with_agreement(row: Row, *, several: bool) -> dict[str, Any]:
    value, low, high = agreement_of(row)
    who = f"{row['judge']}, {row['kind']}" if several else row["judge"]
    return {**row, "who": who, "agreement": value, "agreement_low": low, "agreement_high": high}


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
