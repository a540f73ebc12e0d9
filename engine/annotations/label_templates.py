"""Templates: a task's items in rows that people fill in, in a spreadsheet say, blind as on the page.

A row has the texts of an item and nothing of their authors. Its answers stand in a random order, which
follows from task and item alone, so that a label such as `left` can be read back from the file.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa

from engine.annotations.database import Database
from engine.annotations.database_tables import ASSIGNMENTS, ITEMS
from engine.annotations.items import Hidden, ItemRole, ItemTexts
from engine.annotations.label_rows import Row, annotation_row, given_label
from engine.annotations.shown_items import assignments_of
from engine.annotations.sides import LEFT, NEITHER, RIGHT, VERDICTS, stored_value
from engine.annotations.tasks import FIRST, Task, task_of
from engine.messages import conversation
from engine.phrases import join_names
from engine.values import float_in

SUBJECT = ("instance_id", "generator", "opponent", "rubric_id")
"""The columns that say what a label is about, of which a template has none."""

_TEXTS = ("question", "criterion", "options", "answer", LEFT, RIGHT)
_NUMBERED = "answer_"


@dataclass(frozen=True)
class TaskItem:
    """An item of a task, with what its labellers never see."""

    task: Task
    item: str
    role: ItemRole
    texts: ItemTexts
    hidden: Hidden

    @property
    def order(self) -> list[int]:
        """The order of the answers in a template: `order[k]` is the index in the item of the k-th."""
        digest = hashlib.sha256(f"{self.task.name}\0{self.item}".encode("utf-8", "surrogatepass")).digest()
        rng = np.random.default_rng([self.task.seed, *digest[:8]])
        return [int(place) for place in rng.permutation(len(self.texts.responses))]

    @property
    def scores(self) -> list[float]:
        return [score for score, _ in self.texts.options]

    @property
    def may_be(self) -> str:
        """What the column `value` of a template may hold, in words."""
        kind = self.task.kind
        if kind == "score":
            return join_names([f"{score:g}" for score in self.scores], last="or") or "a number"
        if kind == "clusters":
            return "a level for each answer in their order, 1 for the best, such as 1 2 2"
        return join_names((LEFT, NEITHER[kind], RIGHT) if kind in NEITHER else VERDICTS, last="or")

    def row(self, row: Row, value: Any = None) -> Row:
        """Return the row of `annotations` of a label, with the question and models that it is about."""
        return annotation_row(self.task, self.hidden, given_label(row, value))

    def blank(self, annotator: str | None) -> Row:
        """Return the row that a person fills in."""
        texts = self.texts
        answers = [texts.responses[k] for k in self.order]
        names: Sequence[str] = ("answer",)
        if self.task.kind in NEITHER:
            names = (LEFT, RIGHT)
        elif self.task.kind == "clusters":
            names = [f"{_NUMBERED}{number}" for number in range(1, len(answers) + 1)]
        row: Row = {"task": self.task.name, "item": self.item, "kind": self.task.kind}
        row["question"] = _question(texts.prompt)
        if texts.criterion_words is not None:
            row["criterion"] = texts.criterion_words
        if texts.options:
            row["options"] = "; ".join(f"{score:g}: {words}" for score, words in texts.options)
        row |= dict(zip(names, answers, strict=True))
        return row | {"value": None, "annotator": annotator, "comment": None}

    def value_of(self, text: str) -> Any:
        """Return what a filled `value` says of the item's answers; ValueError if it is no label."""
        shown: Any = text.strip()
        if self.task.kind == "score":
            shown = _number(shown)
        elif self.task.kind == "clusters":
            parts = shown.replace(",", " ").split()
            shown = [int(part) if part.isdecimal() else part for part in parts]
        return stored_value(self.task.kind, shown, self.order, self.scores)


def is_text(column: str) -> bool:
    """Return whether a template has such a column to be read only."""
    return column in _TEXTS or column.startswith(_NUMBERED)


def template_rows(database: Database, task: str, people: Sequence[str] = ()) -> list[Row]:
    """Return a row to fill in for each item of a task; for people, named in it, the items assigned to each.

    Somebody without items gets all of them. Practice and hidden repeats are left out.
    """
    items = [each for each in task_items(database, [task]).values() if each.role != "practice"]
    if not people:
        return [each.blank(None) for each in items]
    rows: list[Row] = []
    for person in people:
        own = _assigned_items(database, task, person)
        rows += [each.blank(person) for each in items if not own or each.item in own]
    return rows


def task_items(database: Database, tasks: Iterable[str]) -> dict[tuple[str, str], TaskItem]:
    """Return the items of tasks by task and name; UsageError for an unknown task."""
    items = {}
    for name in tasks:
        task = task_of(database, name)
        query = sa.select(ITEMS).where(ITEMS.c.task == name).order_by(ITEMS.c.item)
        with database.read() as connection:
            for row in connection.execute(query):
                texts, hidden = ItemTexts.of(row.payload), Hidden.of(row.hidden)
                items[name, row.item] = TaskItem(task, row.item, row.role, texts, hidden)
    return items


def _assigned_items(database: Database, task: str, person: str) -> set[str]:
    own = sa.select(ASSIGNMENTS.c.item).where(assignments_of(task, person), ASSIGNMENTS.c.round == FIRST)
    with database.read() as connection:
        return set(connection.execute(own).scalars())


def _number(text: str) -> float | str:
    number = float_in(text)
    return text if number is None else number


def _question(prompt: str | None) -> str | None:
    messages = conversation(prompt)
    if len(messages) < 2:
        return messages[0].text if messages else None
    return "\n\n".join(f"{message.role}: {message.text}" for message in messages)


def without_empty_texts(rows: Sequence[Row]) -> list[Row]:
    """Return rows without the columns to be read in which no row has a text, such as that of questions."""
    empty = {name for name in rows[0] if is_text(name) and all(row.get(name) is None for row in rows)}
    return [{name: value for name, value in row.items() if name not in empty} for row in rows]
