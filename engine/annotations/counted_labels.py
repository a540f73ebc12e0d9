"""What counts in a task: for each person, item and round, the latest label or skip not undone."""

from dataclasses import dataclass, fields
from typing import Any

import sqlalchemy as sa

from engine.annotations.database import Database
from engine.annotations.database_tables import ASSIGNMENTS, DECISIONS, ITEMS, LABELS
from engine.annotations.items import Hidden, ItemRole
from engine.annotations.shown_items import COUNTS
from engine.annotations.tasks import PRACTICE


@dataclass(frozen=True)
class EffectiveLabel:
    """A label, or a skip if `value` is None, not of practice; `round` is 2 for a hidden repeat."""

    annotator: str
    item: str
    round: int
    value: Any
    confidence: str | None
    reason: str | None
    comment: str | None
    seconds: float | None
    created_at: str


@dataclass(frozen=True)
class Decision:
    item: str
    value: Any
    reason: str | None
    by: str
    created_at: str


@dataclass(frozen=True)
class LabelReport:
    item: str
    annotator: str
    harmful: bool
    reason: str | None
    comment: str | None
    created_at: str


_ANSWERS = ASSIGNMENTS.join(
    LABELS,
    sa.and_(
        LABELS.c.task == ASSIGNMENTS.c.task,
        LABELS.c.annotator == ASSIGNMENTS.c.annotator,
        LABELS.c.place == ASSIGNMENTS.c.place,
    ),
)


def effective_labels(database: Database, task: str) -> list[EffectiveLabel]:
    """Return the labels and skips that count, including gold items, in the order of submission."""
    query = sa.select(ASSIGNMENTS.c.item, ASSIGNMENTS.c.round, LABELS).select_from(_ANSWERS)
    of_task = LABELS.c.task == task, COUNTS, ASSIGNMENTS.c.round != PRACTICE
    with database.read() as connection:
        rows = connection.execute(query.where(*of_task).order_by(LABELS.c.id)).all()
    names = [field.name for field in fields(EffectiveLabel)]
    latest = {(row.annotator, row.item, row.round): row for row in rows}
    return [EffectiveLabel(**{name: getattr(row, name) for name in names}) for row in latest.values()]


def decisions(database: Database, task: str) -> dict[str, Decision]:
    columns = [DECISIONS.c[field.name] for field in fields(Decision)]
    query = sa.select(*columns).where(DECISIONS.c.task == task).order_by(DECISIONS.c.id)
    with database.read() as connection:
        latest = {row.item: Decision(*row) for row in connection.execute(query)}
    return {item: decision for item, decision in latest.items() if decision.value is not None}


def hidden_of(database: Database, task: str, role: ItemRole) -> dict[str, Hidden]:
    query = sa.select(ITEMS.c.item, ITEMS.c.hidden).where(ITEMS.c.task == task, ITEMS.c.role == role)
    with database.read() as connection:
        return {row.item: Hidden.of(row.hidden) for row in connection.execute(query.order_by(ITEMS.c.item))}


def reports(database: Database, task: str) -> list[LabelReport]:
    """Return the reports of harmful content, then the skips that count, each latest first."""
    query = sa.select(ASSIGNMENTS.c.item, LABELS).select_from(_ANSWERS)
    query = query.where(LABELS.c.task == task, LABELS.c.act == "report").order_by(LABELS.c.id.desc())
    with database.read() as connection:
        rows = connection.execute(query).all()
    harmful = [LabelReport(row.item, row.annotator, True, None, row.comment, row.created_at) for row in rows]
    skipped = [
        LabelReport(each.item, each.annotator, False, each.reason, each.comment, each.created_at)
        for each in reversed(effective_labels(database, task))
        if each.value is None
    ]
    return harmful + skipped
