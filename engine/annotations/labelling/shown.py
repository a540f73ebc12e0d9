"""An item as its annotator sees it, and the items before and after it.

Only `items.payload` is read, and of practice items, after an answer, `items.feedback`.
"""

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from engine.annotations.database import Database
from engine.annotations.items import Texts
from engine.annotations.sides import answers, as_shown
from engine.annotations.tables import ASSIGNMENTS, ITEMS, LABELS, TASKS
from engine.annotations.tasks import PRACTICE
from engine.errors import UsageError

_LATER = LABELS.alias("later")
COUNTS = sa.and_(
    LABELS.c.act.in_(("label", "skip")), ~sa.exists().where(_LATER.c.undoes == LABELS.c.id).correlate(LABELS)
)
"""The labels and skips that no later row undoes."""


@dataclass(frozen=True)
class Shown:
    """An item as one annotator sees it: responses in the order of their screen.

    `answers` can be chosen by key (none for clusters: a level for each response). `answer` is what the
    annotator said before, `skipped` the reason for which it was skipped.
    """

    task: str
    place: int
    kind: str
    texts: Texts
    answers: tuple[Any, ...]
    practice: bool
    answer: Any = None
    confidence: str | None = None
    comment: str | None = None
    skipped: str | None = None


def next_item(database: Database, task: str, annotator: str, after: int = 0) -> Shown | None:
    """Return the first item without a label or skip, the same on every machine; None when all are done.

    Those behind the place `after` come first: whoever goes on from there need not look through what is done.
    """
    waiting = ~sa.exists().where(at(ASSIGNMENTS.c.place, task, annotator), COUNTS).correlate(ASSIGNMENTS)
    query = sa.select(ASSIGNMENTS.c.place).where(of_person(task, annotator), waiting)
    query = query.order_by(ASSIGNMENTS.c.place).limit(1)
    with database.read() as connection:
        place = connection.execute(query.where(ASSIGNMENTS.c.place > after)).scalar()
        if place is None and after:
            place = connection.execute(query).scalar()
        return None if place is None else shown_at(connection, task, annotator, place)


def item_at(database: Database, task: str, annotator: str, place: int) -> Shown:
    """Return the item at a place with what was said of it; UsageError where the annotator has none there."""
    with database.read() as connection:
        return shown_at(connection, task, annotator, place)


def item_before(database: Database, task: str, annotator: str, place: int | None = None) -> Shown | None:
    """Return the item before a place, or the last of all, with what was said of it; None before the first."""
    query = sa.select(sa.func.max(ASSIGNMENTS.c.place)).where(of_person(task, annotator))
    if place is not None:
        query = query.where(ASSIGNMENTS.c.place < place)
    return _beside(database, task, annotator, query)


def item_after(database: Database, task: str, annotator: str, place: int) -> Shown | None:
    """Return the item after a place, with what was said of it; None after the last one."""
    query = sa.select(sa.func.min(ASSIGNMENTS.c.place))
    return _beside(
        database, task, annotator, query.where(of_person(task, annotator), ASSIGNMENTS.c.place > place)
    )


def _beside(database: Database, task: str, annotator: str, query: sa.Select[Any]) -> Shown | None:
    with database.read() as connection:
        found = connection.execute(query).scalar()
        return None if found is None else shown_at(connection, task, annotator, found)


def of_person(task: str, annotator: str) -> sa.ColumnElement[bool]:
    """Return the condition on assignments that they are a person's of a task."""
    return sa.and_(ASSIGNMENTS.c.task == task, ASSIGNMENTS.c.annotator == annotator)


def at(place: Any, task: str, annotator: str) -> sa.ColumnElement[bool]:
    """Return the condition on labels that they are a person's of a task, at a place."""
    return sa.and_(LABELS.c.task == task, LABELS.c.annotator == annotator, LABELS.c.place == place)


def shown_at(connection: sa.Connection, task: str, annotator: str, place: int) -> Shown:
    """Return the item at a place as it is seen; UsageError where the annotator has none there."""
    there = ITEMS.c.task == ASSIGNMENTS.c.task, ITEMS.c.item == ASSIGNMENTS.c.item
    source = ASSIGNMENTS.join(ITEMS, sa.and_(*there)).join(TASKS, TASKS.c.name == ASSIGNMENTS.c.task)
    query = sa.select(ITEMS.c.payload, ASSIGNMENTS.c.shown, ASSIGNMENTS.c.round, TASKS.c.kind)
    own = sa.and_(of_person(task, annotator), ASSIGNMENTS.c.place == place)
    found = connection.execute(query.select_from(source).where(own)).first()
    if found is None:
        raise UsageError(
            f"{annotator!r} has no item at place {place!r} of the task {task!r}; open the task anew"
        )
    said = connection.execute(
        sa.select(LABELS).where(at(place, task, annotator), COUNTS).order_by(LABELS.c.id.desc()).limit(1)
    ).first()
    texts = Texts.of(found.payload)
    item = Shown(
        task=task,
        place=place,
        kind=found.kind,
        texts=replace(texts, responses=tuple(texts.responses[k] for k in found.shown)),
        answers=answers(found.kind, [score for score, _ in texts.options]),
        practice=found.round == PRACTICE,
    )
    if said is None:
        return item
    return replace(
        item,
        answer=as_shown(found.kind, said.value, found.shown),
        confidence=said.confidence,
        comment=said.comment,
        skipped=said.reason,
    )
