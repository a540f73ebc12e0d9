"""Which measure answers which question: the headings of `spb measure list` and `spb measure --help`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.cli.rows import RowFormatOption, Rows, print_rows

if TYPE_CHECKING:
    from engine.measures.entry import Measure

QUESTIONS: dict[str, tuple[str, ...]] = {
    "Does a judge favour itself, its answers compared with what other judges gave them?": (
        *("scorecard", "expected", "outside", "together"),
    ),
    "Does it pass what a reference says failed?": ("hspp", "overestimation", "delta", "agreement-curve"),
    "Does it prefer itself in pairs?": (
        *("equal-quality", "discriminability", "archetypes", "quality-baseline"),
        *("dbg", "gold-stress", "votes"),
    ),
    "How good is a judge, and which one to use?": (
        *("which-judge", "accuracy", "people", "reference-agreement", "annotators"),
        "best-of-n",
    ),
    "Who is best, by whose judgment?": (*("ranking", "vote-ranking", "ranking-distance", "corrected"),),
    "Do several judges together help?": ("committee", "committee-size", "committee-families"),
    "Does the order of what is shown matter?": (
        *("position", "ordering", "permutation", "model-likeness", "order-effect", "list-ranks"),
    ),
    "Why does it, and what helps?": (
        *("mitigation", "relatedness", "robustness", "recognition-score", "familiarity-score", "association"),
        "length",
    ),
}
"""The measures by the question that brings somebody to them."""

OTHERS = "Measures of other packages"


def by_question() -> Iterator[tuple[str, tuple["Measure", ...]]]:
    """Yield each question with its measures; those that no question names come last."""
    from engine.measures.catalogue import PRESENT

    for question, names in QUESTIONS.items():
        yield question, tuple(PRESENT[name] for name in names)
    grouped = {name for names in QUESTIONS.values() for name in names}
    if others := tuple(measure for name, measure in PRESENT.items() if name not in grouped):
        yield OTHERS, others


def list_measures(format: RowFormatOption = "table") -> None:  # noqa: A002
    """List the measures, by the question that each answers."""
    rows = [
        {"measure": measure.name, "title": measure.title, "question": measure.question, "group": question}
        for question, measures in by_question()
        for measure in measures
    ]
    print_rows(Rows(rows, {"measure": "Measure", "question": "Question"}), format)
