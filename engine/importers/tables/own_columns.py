"""Columns of a table by which its questions or criteria are grouped, under names of the user's own.

They describe the questions and decide nothing, so no row is lost by them: a column that turns out to differ
within a question, further down the file than it was looked at, is not stored.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from engine.importers.reading.columns import value_at
from engine.importers.reading.study_builder import StudyBuilder
from engine.importers.tables.asking.unread_columns import near_column, text_of
from engine.importers.tables.table_columns import DECLARED, RUN, matching, plain
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import MOST_LABELS, SAMPLE, FirstRows
from engine.importers.tables.verdict_words import MET, NO_VERDICT, SIDES, lookup_key
from engine.phrases import join_names

_IN_TURN: dict[str, tuple[str, ...]] = {"questions": ("category", "segment"), "criteria": ("axis",)}
"""Our columns that a user's own fill, in this order, unless their names are near those of others."""

THINGS = dict.fromkeys((*_IN_TURN["questions"], "theme", "language"), "questions") | {"axis": "criteria"}
"""What is grouped by a column of ours."""


_MISSING = frozenset(("", "-", "?", "na", "n/a", "nan", "none", "null", "missing"))
"""How a question without a group is written."""

_GROUPINGS = frozenset(
    (
        *("difficulty", "difficulties", "level", "levels", "tier", "complexity", "hardness"),
        *("class", "group", "category", "segment", "bucket", "band", "stage", "age", "year"),
        *("round", "part", "section", "topic", "chapter", "fold", "split", "cluster", "priority"),
        *("severity", "turns", "hops", "kind", "type"),
    )
)
"""Words at the end of the name of a column whose numbers group things."""


@dataclass(frozen=True, slots=True)
class OwnChoice:
    """The table's columns that are stored, by ours, and why each of the others is not."""

    columns: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


def own_columns(plan: TablePlan, sample: FirstRows, truths: Collection[str] = ()) -> OwnChoice:
    """Return the table's columns of a few words by which questions or criteria are grouped, by our column.

    Each question, or else each criterion, has one of the words, or none. `truths` may say what is true, and
    group nothing.
    """
    question = plan.places.get("instance_id", plan.places.get("prompt"))
    criterion = plan.places.get("criterion", plan.places.get("rubric_id"))
    choice = OwnChoice()
    if question is None:
        return choice
    for column in plan.unread(sample.columns):
        if column in truths:
            continue
        things, why = _things(column, sample, question, criterion, is_of_pairs="opponent" in plan.names)
        if things is None:
            choice.reasons[column] = _may_be_ours(column, plan, sample) or why
            continue
        near = near_column(column, plan, sample)
        names = [near] if near is not None and THINGS.get(near) == things else []
        filled = {*choice.columns, *plan.names}
        name = next((each for each in (*names, *_IN_TURN[things]) if each not in filled), None)
        if name is not None:
            choice.columns[name] = column
        else:
            ours = join_names(list(_IN_TURN[things]))
            remedy = plan.options.spelling.columns({_IN_TURN[things][-1]: column})
            choice.reasons[column] = f"another column is stored as {ours} ({remedy} stores this one instead)"
    return choice


def _may_be_ours(column: str, plan: TablePlan, sample: FirstRows) -> str:
    """Return which column of ours one may be that groups nothing, and how it is read so; else empty."""
    names = {name for group in DECLARED[RUN].groups() for name in group}
    if RUN not in plan.names and matching([column], names) and "judge" in plan.names:
        name, what = RUN, "it may name the runs"
    elif (text := text_of(column, plan, sample)) is not None and text not in plan.names:
        name, what = text, f"it may be the text of each {'question' if text == 'prompt' else 'answer'}"
    else:
        return ""
    return f"{what} ({plan.options.spelling.columns({name: column})} reads it so)"


def _things(
    column: str, sample: FirstRows, question: str, criterion: str | None, *, is_of_pairs: bool
) -> tuple[str | None, str]:
    """Return what is grouped by a column, or None and why nothing is."""
    if why := _why_no_groups(column, sample, is_of_pairs=is_of_pairs):
        return None, why
    contradiction = _two_values(column, sample, question)
    if contradiction is None:
        if 2 * len(sample.labels(column).keys() - _MISSING) > len(sample.labels(question)):
            return None, "nearly each question has a value of its own"
        return "questions", ""
    if criterion is not None and _two_values(column, sample, question, criterion) is None:
        return "criteria", ""
    thing, first, second = contradiction
    return None, f"question {thing!r} has two values of it, such as {first!r} and {second!r}"


def _why_no_groups(column: str, sample: FirstRows, *, is_of_pairs: bool) -> str:
    """Return why the values of a column are no groups; empty if they may be."""
    labels = sample.labels(column)
    words = labels.keys() - _MISSING
    n_rows = len(sample.rows)
    rows = f"all of the first {n_rows:,} rows" if n_rows >= SAMPLE else "all rows"
    verdicts = MET.keys() | NO_VERDICT | (SIDES.keys() if is_of_pairs else set())
    if not words:
        return f"{rows} have no value of it"
    if len(labels) > MOST_LABELS:
        return f"it has more than {MOST_LABELS} values, too many for groups"
    if not sample.is_label(column):
        return f"it holds {'texts of several lines' if sample.has_lines(column) else 'long texts'}"
    if words <= verdicts and not words <= sample.numbers(column):
        return "its values are those of verdicts"
    if sample.is_number(column) and plain(column.rpartition(".")[2]).split("_")[-1] not in _GROUPINGS:
        return "it holds numbers, and its name is not that of a group"
    if len(words) + bool(labels.keys() & _MISSING) < 2:
        return f"{rows} have the same value"
    if 2 * len(labels) > labels.total():
        return "nearly each row has a value of its own"
    return ""


def _two_values(column: str, sample: FirstRows, *things: str) -> tuple[str, str, str] | None:
    """Return a thing that has two values of a column, and these; None if each has one, or none."""
    values: dict[tuple[str, ...], str] = {}
    for row in sample.rows:
        value = value_at(row, column)
        if value is None or lookup_key(value) in _MISSING:
            continue
        thing = tuple(str(value_at(row, each)) for each in things)
        first = values.setdefault(thing, str(value).strip())
        if first != str(value).strip():
            return thing[0], first, str(value).strip()
    return None


class OwnColumns:
    """The values of such columns, `names` in our words, collected until all rows are read."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._values: dict[str, dict[tuple[str, ...], str]] = {}
        self.differing: dict[str, tuple[str, ...]] = {}
        """By our column, a question, with its criterion for one of criteria, that has two values."""

    def take(self, texts: dict[str, Any], *thing: str) -> None:
        """Take these columns out of what a row says of a question or criterion."""
        for name in self.names & texts.keys():
            value = texts.pop(name)
            if value is None or lookup_key(value) in _MISSING:
                continue
            if self._values.setdefault(name, {}).setdefault(thing, value) != value:
                self.differing.setdefault(name, thing)

    def write(self, builder: StudyBuilder) -> None:
        """Give the questions and criteria that were read the values of the columns that do not differ."""
        for name in self._values.keys() - self.differing.keys():
            rows = builder.rows.get("rubrics" if THINGS[name] == "criteria" else "instances", {})
            for thing, value in self._values[name].items():
                if thing in rows:
                    rows[thing][name] = value
