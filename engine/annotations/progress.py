"""An annotator's progress and pace."""

import statistics
from dataclasses import dataclass

import sqlalchemy as sa

from engine.annotations.database import Database
from engine.annotations.database_tables import ASSIGNMENTS, LABELS, TASKS
from engine.annotations.shown_items import COUNTS, assignments_of, labels_at
from engine.annotations.tasks import PRACTICE, REPEAT

RECENT = 20
"""How many of the latest labels the pace is the median of."""


@dataclass(frozen=True)
class Progress:
    """How far an annotator is, without practice; `seconds_each` is the median time of the latest labels.

    Of the `total`, `repeated` are items that are shown a second time, `repeated_done` of them done.
    """

    done: int
    total: int
    skipped: int
    seconds_each: float | None
    repeated: int = 0
    repeated_done: int = 0

    @property
    def items(self) -> int:
        """How many items there are, each counted once."""
        return self.total - self.repeated

    @property
    def items_done(self) -> int:
        """How many items are done, each counted once."""
        return self.done - self.repeated_done

    @property
    def seconds_left(self) -> float | None:
        return None if self.seconds_each is None else self.seconds_each * (self.total - self.done)


@dataclass(frozen=True)
class OwnTask:
    name: str
    title: str
    kind: str
    guidelines: str
    closed: bool


def own_tasks(database: Database, annotator: str) -> list[OwnTask]:
    """Return the tasks in which the annotator has items, oldest first."""
    own = sa.select(ASSIGNMENTS.c.task).where(ASSIGNMENTS.c.annotator == annotator)
    columns = (TASKS.c.name, TASKS.c.title, TASKS.c.kind, TASKS.c.guidelines, TASKS.c.closed)
    query = sa.select(*columns).where(TASKS.c.name.in_(own)).order_by(TASKS.c.created_at, TASKS.c.name)
    with database.read() as connection:
        return [OwnTask(*row) for row in connection.execute(query)]


def progress(database: Database, task: str, annotator: str) -> Progress:
    own = sa.and_(assignments_of(task, annotator), ASSIGNMENTS.c.round != PRACTICE)
    own_labels = labels_at(ASSIGNMENTS.c.place, task, annotator)
    with database.read() as connection:
        count = sa.func.count().label("size")
        rounds = sa.select(ASSIGNMENTS.c.round, count).where(own).group_by(ASSIGNMENTS.c.round)
        by_round = {row.round: row.size for row in connection.execute(rounds)}
        source = ASSIGNMENTS.join(LABELS, sa.and_(own_labels, COUNTS))
        rows = sa.select(LABELS.c.place, LABELS.c.act, ASSIGNMENTS.c.round).select_from(source).where(own)
        latest = {row.place: row for row in connection.execute(rows.order_by(LABELS.c.id))}
    skipped = sum(row.act == "skip" for row in latest.values())
    again = sum(row.round == REPEAT for row in latest.values())
    seconds = seconds_each(database, task, annotator)
    total, repeated = sum(by_round.values()), by_round.get(REPEAT, 0)
    return Progress(len(latest), total, skipped, seconds, repeated, again)


def activity(database: Database, task: str, annotator: str) -> tuple[int, int]:
    """Return how many acts and items the annotator has; `progress`, which is slower, changes with these."""
    number = sa.select(sa.func.count())
    acts = number.where(LABELS.c.task == task, LABELS.c.annotator == annotator)
    items = number.where(assignments_of(task, annotator))
    with database.read() as connection:
        return connection.execute(acts).scalar_one(), connection.execute(items).scalar_one()


def seconds_each(database: Database, task: str, annotator: str) -> float | None:
    own_labels = labels_at(ASSIGNMENTS.c.place, task, annotator)
    source = LABELS.join(ASSIGNMENTS, sa.and_(assignments_of(task, annotator), own_labels))
    timed = LABELS.c.task == task, LABELS.c.annotator == annotator, LABELS.c.seconds.is_not(None)
    query = sa.select(LABELS.c.seconds).select_from(source).where(*timed, COUNTS)
    query = query.where(ASSIGNMENTS.c.round != PRACTICE).order_by(LABELS.c.id.desc()).limit(RECENT)
    with database.read() as connection:
        times = list(connection.execute(query).scalars())
    return statistics.median(times) if times else None
