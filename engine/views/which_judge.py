"""Which judge to use: what speaks for and against each, and what to use it for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from engine.phrases import full_stop, sentence_case
from engine.views.keys import Filters, filters, needs_judgments, number
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words.which_judge import (
    OF_SAMPLING,
    advice_sentences,
    advice_with_judges,
    by_accuracy,
    intervals_words,
    without_reasons,
)

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import WhichJudgeRow

ENOUGH, BOUND = 0.8, 0.1
"""The measure's own bounds, unless others are chosen."""

ADVICE = ("judge", "advice")
NUMBERS = ("accuracy", "excess", "agreement", "excess_family", "flip_rate", "missing", "cost_per_1000")


OF_SAMPLING_ALONE = "[of sampling alone]"
"""What the titles of numbers say whose intervals are narrower here than on the board."""

BRIEF = (*ADVICE, "accuracy", "agreement", "excess")
"""The columns for which a slide and a page have room."""


def brief(table: ShownTable) -> ShownTable:
    """Return the columns of a table of this view for which a slide has room, without empty ones."""
    rows_of = table.result.rows if table.result is not None else []
    places = [
        place
        for place, name in enumerate(table.names)
        if name in BRIEF and (name in ADVICE or any(row[name] is not None for row in rows_of))
    ]

    def of_each(cells: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(cells[place] for place in places)

    rows = tuple(map(of_each, table.rows))
    return ShownTable(of_each(table.heads), rows, table.n_more, of_each(table.names), of_each(table.meanings))


def column_meanings(table: ShownTable) -> dict[str, tuple[str, str]]:
    """Return by its name the title of each number of a table of this view, and its meaning as a sentence."""
    columns = zip(table.names, table.heads, table.meanings, strict=True)
    return {
        name: (head, full_stop(sentence_case(meaning))) for name, head, meaning in columns if name in NUMBERS
    }


def agreement_words(table: ShownTable) -> str:
    """Return what a table of this view calls agreement, which is that with people; empty without it."""
    return ": ".join(column_meanings(table).get("agreement", ()))


ON_A_SLIDE, NAMED_ON_A_SLIDE = 14, 8
"""Most judges that have a row on a slide, and most that it names beside a piece of advice."""

ADVICE_COLUMNS = {"advice": ("What to use it for", ""), "judges": ("Judge", "")}


def on_slide(table: ShownTable, *, narrow: bool) -> ShownTable:
    """Return what fits on one screen of a table of this view: a row for each judge, if there is room.

    On a phone, or with more judges, a row for each piece of advice with the judges that it is for.
    """
    if table.result is None or (not narrow and len(table.rows) <= ON_A_SLIDE):
        return brief(table)
    rows: list[WhichJudgeRow] = table.result.rows
    return ShownTable.under(ADVICE_COLUMNS, advice_with_judges(rows, NAMED_ON_A_SLIDE))


def _usual(value: float) -> Any:
    return lambda _study, _values: value


@dataclass(frozen=True)
class WhichJudgeKeys:
    """The slice, the accuracy that is required, and the excess on its own answers that is too much."""

    slice_: Annotated[Filters, filters()]
    enough: Annotated[
        float,
        number(
            "Accuracy required",
            "The share of verdicts that must equal the reference before a judge is fit for use",
            *(0.5, 0.95),
            step=0.05,
            usual=_usual(ENOUGH),
        ),
    ]
    bound: Annotated[
        float,
        number(
            "Excess to rule out",
            "The share of its own answers that a judge must not give beyond what is expected",
            *(0.05, 0.5),
            step=0.05,
            usual=_usual(BOUND),
        ),
    ]


def answer(study: "MeasuredStudy", keys: WhichJudgeKeys) -> Shown:
    """Show the advice on each judge with the numbers that it follows from, or why the study has them not."""
    options = {**keys.slice_, **_but_usual(keys)}
    result = measure(study, "which-judge", options)
    result = result.with_rows(by_accuracy(result.rows))
    intervals = intervals_words(result)
    sentences = (*advice_sentences(result), intervals)
    shown = shown_of(study, result, options, (*ADVICE, *NUMBERS), sentences=sentences)
    if shown.table is None:
        return shown
    table = shown.table
    place = table.names.index("advice")
    cells = tuple((*row[:place], without_reasons(row[place]), *row[place + 1 :]) for row in table.rows)
    heads = tuple(
        f"{head} {OF_SAMPLING_ALONE}" if intervals and name in OF_SAMPLING else head
        for name, head in zip(table.names, table.heads, strict=True)
    )
    return replace(shown, table=replace(table, rows=cells, heads=heads))


def _but_usual(keys: WhichJudgeKeys) -> Mapping[str, float]:
    by_option = {"enough": (keys.enough, ENOUGH), "bound": (keys.bound, BOUND)}
    return {name: value for name, (value, usual) in by_option.items() if value != usual}


WHICH_JUDGE = View(
    "which_judge", "Which judge?", "Which judge is fit for what?", WhichJudgeKeys, answer, needs_judgments
)
