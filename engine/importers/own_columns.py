"""Columns of a table by which its questions or criteria are grouped, under names of the user's own.

They describe the questions and decide nothing, so no row is lost by them: a column that turns out to differ
within a question, further down the file than it was looked at, is not stored.
"""

from collections.abc import Collection
from typing import Any

from engine.importers.reading.study_builder import StudyBuilder
from engine.importers.table_reading import TablePlan
from engine.importers.table_sample import FirstRows
from engine.importers.unread_columns import near_column
from engine.importers.verdict_words import MET, NO_VERDICT, SIDES

_IN_TURN: dict[str, tuple[str, ...]] = {"questions": ("category", "segment"), "criteria": ("axis",)}
"""Our columns that a user's own fill, in this order, unless their names are near those of others."""

THINGS = dict.fromkeys((*_IN_TURN["questions"], "theme", "language"), "questions") | {"axis": "criteria"}
"""What is grouped by a column of ours."""


def own_columns(plan: TablePlan, sample: FirstRows, truths: Collection[str] = ()) -> dict[str, str]:
    """Return the table's columns of a few words by which questions or criteria are grouped, by our column.

    Each question, or else each criterion, has one of the words. `truths` may say what is true, and group
    nothing.
    """
    question = plan.places.get("instance_id", plan.places.get("prompt"))
    criterion = plan.places.get("criterion", plan.places.get("rubric_id"))
    columns: dict[str, str] = {}
    if question is None:
        return columns
    for column in plan.unread(sample.columns):
        if column in truths or not _groups(column, sample):
            continue
        if sample.has_one_for_each(column, question):
            if 2 * len(sample.labels(column)) > len(sample.labels(question)):  # as good as an id
                continue
            things = "questions"
        elif criterion is not None and sample.has_one_for_each(column, question, criterion):
            things = "criteria"
        else:
            continue
        near = near_column(column, plan, sample)
        names = [near] if near is not None and THINGS.get(near) == things else []
        open_names = (each for each in (*names, *_IN_TURN[things]) if each not in {*columns, *plan.names})
        name = next(open_names, None)
        if name is not None:
            columns[name] = column
    return columns


def _groups(column: str, sample: FirstRows) -> bool:
    words = sample.labels(column).keys() - NO_VERDICT
    return sample.is_run(column) and len(words) > 1 and not words <= MET.keys() | SIDES.keys()


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
            if value is not None and self._values.setdefault(name, {}).setdefault(thing, value) != value:
                self.differing.setdefault(name, thing)

    def write(self, builder: StudyBuilder) -> None:
        """Give the questions and criteria that were read the values of the columns that do not differ."""
        for name in self._values.keys() - self.differing.keys():
            rows = builder.rows.get("rubrics" if THINGS[name] == "criteria" else "instances", {})
            for thing, value in self._values[name].items():
                if thing in rows:
                    rows[thing][name] = value
