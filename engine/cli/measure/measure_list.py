"""Which measure answers which question: the headings of `spb measure list` and `spb measure --help`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.cli.printing.rows import RowFormatOption, Rows, print_rows

if TYPE_CHECKING:
    from engine.measures.entry import Measure

OTHERS = "Measures of other packages"


def by_question() -> Iterator[tuple[str, tuple["Measure", ...]]]:
    """Yield each question with its measures; those that no question names come last."""
    from engine.measures.catalogue import OWN, PRESENT, QUESTIONS

    yield from QUESTIONS.items()
    if others := tuple(measure for measure in PRESENT.values() if measure not in OWN):
        yield OTHERS, others


def list_measures(format: RowFormatOption = "table") -> None:  # noqa: A002
    """List the measures, by the question that each answers."""
    rows = [
        {"measure": measure.name, "title": measure.title, "question": measure.question, "group": question}
        for question, measures in by_question()
        for measure in measures
    ]
    print_rows(Rows(rows, {"measure": "Measure", "question": "Question"}), format)
