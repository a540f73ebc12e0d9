"""An annotator's way through a task: the item shown, the next, the one before."""

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from engine.annotations.database import Database
from engine.annotations.database_tables import ASSIGNMENTS, ITEMS, LABELS, TASKS
from engine.annotations.items import ItemTexts
from engine.annotations.sides import answers, screen_answer
from engine.annotations.tasks import PRACTICE
from engine.errors import UsageError

_LATER = LABELS.alias("later")
COUNTS = sa.and_(
    LABELS.c.act.in_(("label", "skip")), ~sa.exists().where(_LATER.c.undoes == LABELS.c.id).correlate(LABELS)
)
"""The labels and skips that no later row undoes."""

ASSIGNED = ASSIGNMENTS.join(
    ITEMS, sa.and_(ITEMS.c.task == ASSIGNMENTS.c.task, ITEMS.c.item == ASSIGNMENTS.c.item)
)


@dataclass(frozen=True)
class ShownItem:
    """An item as one annotator sees it: responses in the order of their screen.

    `answers` are those to choose from (none for clusters, which take a level for each response). `answer` is
    the annotator's earlier answer, `skip_reason` the reason of an earlier skip.
    """

    task: str
    place: int
    kind: str
    texts: ItemTexts
    answers: tuple[Any, ...]
    practice: bool
    answer: Any = None
    confidence: str | None = None
    comment: str | None = None
    skip_reason: str | None = None


def next_item(database: Database, task: str, annotator: str, after: int = 0) -> ShownItem | None:
    """Return the first item without a label or skip, if any, those after the place `after` first."""
    own_labels = labels_at(ASSIGNMENTS.c.place, task, annotator)
    open_items = ~sa.exists().where(own_labels, COUNTS).correlate(ASSIGNMENTS)
    query = sa.select(ASSIGNMENTS.c.place).where(assignments_of(task, annotator), open_items)
    query = query.order_by(ASSIGNMENTS.c.place).limit(1)
    with database.read() as connection:
        place = connection.execute(query.where(ASSIGNMENTS.c.place > after)).scalar()
        if place is None and after:
            place = connection.execute(query).scalar()
        return None if place is None else item_at(connection, task, annotator, place)


def item_before(database: Database, task: str, annotator: str, place: int | None = None) -> ShownItem | None:
    """Return the item before a place (None: the last of all); None before the first."""
    earlier = sa.true() if place is None else ASSIGNMENTS.c.place < place
    return _item_where(database, task, annotator, sa.func.max(ASSIGNMENTS.c.place), earlier)


def item_after(database: Database, task: str, annotator: str, place: int) -> ShownItem | None:
    later = ASSIGNMENTS.c.place > place
    return _item_where(database, task, annotator, sa.func.min(ASSIGNMENTS.c.place), later)


def _item_where(
    database: Database, task: str, annotator: str, column: Any, condition: sa.ColumnElement[bool]
) -> ShownItem | None:
    query = sa.select(column).where(assignments_of(task, annotator), condition)
    with database.read() as connection:
        place = connection.execute(query).scalar()
        return None if place is None else item_at(connection, task, annotator, place)


def assignments_of(task: str, annotator: str) -> sa.ColumnElement[bool]:
    return sa.and_(ASSIGNMENTS.c.task == task, ASSIGNMENTS.c.annotator == annotator)


def labels_at(place: Any, task: str, annotator: str) -> sa.ColumnElement[bool]:
    return sa.and_(LABELS.c.task == task, LABELS.c.annotator == annotator, LABELS.c.place == place)


def item_at(connection: sa.Connection, task: str, annotator: str, place: int) -> ShownItem:
    """Return the item at a place as the annotator sees it; UsageError if they have none there."""
    source = ASSIGNED.join(TASKS, TASKS.c.name == ASSIGNMENTS.c.task)
    query = sa.select(ITEMS.c.payload, ASSIGNMENTS.c.shown, ASSIGNMENTS.c.round, TASKS.c.kind)
    own = sa.and_(assignments_of(task, annotator), ASSIGNMENTS.c.place == place)
    row = connection.execute(query.select_from(source).where(own)).first()
    if row is None:
        raise UsageError(
            f"{annotator!r} has no item at place {place!r} of the task {task!r}; open the task anew"
        )
    latest = sa.select(LABELS).where(labels_at(place, task, annotator), COUNTS).order_by(LABELS.c.id.desc())
    label = connection.execute(latest.limit(1)).first()
    earlier: dict[str, Any] = {}
    if label is not None:
        earlier = {"answer": screen_answer(row.kind, label.value, row.shown), "skip_reason": label.reason}
        earlier |= {"confidence": label.confidence, "comment": label.comment}
    texts = ItemTexts.of(row.payload)
    return ShownItem(
        task=task,
        place=place,
        kind=row.kind,
        texts=replace(texts, responses=tuple(texts.responses[k] for k in row.shown)),
        answers=answers(row.kind, [score for score, _ in texts.options]),
        practice=row.round == PRACTICE,
        **earlier,
    )
