"""What each column of a table may be, the likeliest first, judged by its name and its values."""

from collections.abc import Collection
from typing import Literal

from engine.importers.tables.table_columns import COLUMNS, DECLARED, matching
from engine.importers.tables.table_sample import FirstRows
from engine.importers.tables.verdict_words import MET, NO_VERDICT, SIDES

JUDGES = "judges"
"""The meaning of a column that holds the verdicts of one judge, who is named like the column."""

CRITERIA = "criteria"
"""The meaning of a column that holds the verdicts on one criterion, which is named like the column."""

MEANINGS = (JUDGES, CRITERIA, *COLUMNS)
"""All that a column can be: our columns, or the verdicts of one judge or on one criterion."""

FEW = 6
"""How many meanings are proposed for a column at first."""

Kind = Literal["name", "truth", "winner", "number", "label", "text", "order"]

_KINDS: dict[str, tuple[Kind, ...]] = {
    "judge": ("name",),
    "generator": ("name",),
    "opponent": ("name",),
    "met": ("truth",),
    "choice": ("winner",),
    "score": ("number",),
    JUDGES: ("truth", "winner", "number"),
    "instance_id": ("label", "number"),
    "reference_met": ("truth",),
    "preference": ("winner",),
    "reference_score": ("number",),
    CRITERIA: ("truth", "number"),
    "prompt": ("text",),
    "response": ("text",),
    "rubric_id": ("label",),
    "criterion": ("text", "label"),
    "first": ("order",),
    "explanation": ("text",),
    "raw": ("text",),
    "category": ("label",),
    "points": ("number",),
    "p_generator": ("number",),
    "annotator": ("name",),
    "variant": ("label",),
    "reference_answer": ("text",),
    "opponent_response": ("text",),
    "language": ("label",),
    "segment": ("label",),
}
"""The kinds of values that a meaning has, the commonest meaning first."""

_FEW_VALUES = 4
"""Most values of a column that may be verdicts in words that are not known."""

_FEW_WORDS = 3
"""Most words of a label; what has more is a text."""

OF_PAIRS = frozenset(("choice", "preference", "first", "p_generator", "opponent_response"))
NOT_OF_PAIRS = frozenset(("met", "score", "reference_met", "reference_score"))


def candidates(
    sample: FirstRows,
    column: str,
    guess: str | None,
    *,
    models: Collection[str] = (),
    others: Collection[str] = (),
    pairs: bool = False,
) -> tuple[str, ...]:
    """Return all meanings, beginning with those that the column most probably has.

    `guess` is what the import takes it for, `others` are the guesses for other columns, `models` the authors
    of the answers, and `pairs` says whether the table is of pairs of answers.
    """
    kinds = kinds_of(sample, column, models)
    usual = list(_KINDS)
    unlikely = NOT_OF_PAIRS if pairs else OF_PAIRS

    def rank(name: str) -> tuple[bool, bool, bool, bool, bool, int]:
        fits = name in DECLARED and any(matching([column], group) for group in DECLARED[name].groups())
        return (
            name != guess,
            not fits,
            kinds.isdisjoint(_KINDS.get(name, ())),
            name in others,
            name in unlikely,
            usual.index(name) if name in usual else len(usual),
        )

    return tuple(sorted(MEANINGS, key=rank))


def kinds_of(sample: FirstRows, column: str, models: Collection[str]) -> set[Kind]:
    """Return what the values of a column look like; a column may look like several things."""
    words = sample.labels(column).keys() - NO_VERDICT
    kinds: set[Kind] = set()
    if not words:
        return kinds
    if sample.is_name(column):
        kinds.add("name")
    is_text = sample.is_text(column) and any(len(word.split()) > _FEW_WORDS for word in words)
    may_be_verdicts = len(words) <= _FEW_VALUES and not is_text
    if words <= MET.keys() or (may_be_verdicts and sample.is_truth(column, models)):
        kinds.add("truth")
    if words <= SIDES.keys() | set(models) or (may_be_verdicts and sample.is_choice(column, models)):
        kinds.add("winner")
    if sample.is_number(column) or sample.is_share(column):
        kinds.add("number")
    if is_text:
        kinds.add("text")
    elif sample.is_label(column):
        kinds.add("label")
    if sample.is_order(column, models):
        kinds.add("order")
    return kinds
