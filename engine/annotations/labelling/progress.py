"""How far an annotator is, and at which pace."""

import statistics
from dataclasses import dataclass

import sqlalchemy as sa

from engine.annotations.database import Database
from engine.annotations.labelling.shown import COUNTS, at, of_person
from engine.annotations.tables import ASSIGNMENTS, LABELS, TASKS
from engine.annotations.tasks import PRACTICE

RECENT = 20
"""The labels that pace is the median of."""


@dataclass(frozen=True)
class Progress:
    """How far an annotator is, practice apart: `done` of `total`, `skipped` of these.

    `seconds_each` is the median of the latest labels; None before the first one.
    """

    done: int
    total: int
    skipped: int
    seconds_each: float | None

    @property
    def seconds_left(self) -> float | None:
        """What remains at this pace; None before the first label."""
        return None if self.seconds_each is None else self.seconds_each * (self.total - self.done)


@dataclass(frozen=True)
class OwnTask:
    """A task as an annotator sees it."""

    name: str
    title: str
    kind: str
    guidelines: str
    closed: bool


def own_tasks(database: Database, annotator: str) -> list[OwnTask]:
    """Return the tasks in which the annotator has items, oldest first."""
    mine = sa.select(ASSIGNMENTS.c.task).where(ASSIGNMENTS.c.annotator == annotator)
    columns = (TASKS.c.name, TASKS.c.title, TASKS.c.kind, TASKS.c.guidelines, TASKS.c.closed)
    query = sa.select(*columns).where(TASKS.c.name.in_(mine)).order_by(TASKS.c.created_at, TASKS.c.name)
    with database.read() as connection:
        return [OwnTask(*row) for row in connection.execute(query)]


def progress(database: Database, task: str, annotator: str) -> Progress:
    """Return how far the annotator is, and at which pace, from all that they have said."""
    own = sa.and_(of_person(task, annotator), ASSIGNMENTS.c.round != PRACTICE)
    here = at(ASSIGNMENTS.c.place, task, annotator)
    with database.read() as connection:
        total = connection.execute(sa.select(sa.func.count()).where(own)).scalar_one()
        joined = ASSIGNMENTS.join(LABELS, sa.and_(here, COUNTS))
        rows = sa.select(LABELS.c.place, LABELS.c.act).select_from(joined).where(own)
        latest = {row.place: row.act for row in connection.execute(rows.order_by(LABELS.c.id))}
    each = seconds_each(database, task, annotator)
    skipped = sum(act == "skip" for act in latest.values())
    return Progress(len(latest), total, skipped, each)


def seconds_each(database: Database, task: str, annotator: str) -> float | None:
    """Return the median seconds of the person's latest labels, practice apart; None before the first one."""
    here = at(ASSIGNMENTS.c.place, task, annotator)
    joined = LABELS.join(ASSIGNMENTS, sa.and_(of_person(task, annotator), here))
    mine = LABELS.c.task == task, LABELS.c.annotator == annotator, LABELS.c.seconds.is_not(None)
    query = sa.select(LABELS.c.seconds).select_from(joined).where(*mine, COUNTS)
    query = query.where(ASSIGNMENTS.c.round != PRACTICE).order_by(LABELS.c.id.desc()).limit(RECENT)
    with database.read() as connection:
        times = list(connection.execute(query).scalars())
    return statistics.median(times) if times else None
