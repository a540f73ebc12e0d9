"""What counts of a task: of each person, item and round the latest label or skip that was not undone."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from engine.annotations.database import Database
from engine.annotations.items import Hidden, ItemRole
from engine.annotations.tables import ASSIGNMENTS, DECISIONS, ITEMS, LABELS
from engine.annotations.tasks import PRACTICE


@dataclass(frozen=True)
class Counted:
    """One label or skip, practice apart. `value` is about the responses; None where it was skipped.

    `round` is 2 for a hidden repeat, `reason` why it was skipped, `seconds` the time taken.
    """

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
    """What a coordinator decided an item to be."""

    item: str
    value: Any
    reason: str | None
    by: str
    created_at: str


@dataclass(frozen=True)
class Report:
    """Harmful content as an annotator told of it, or an item that was skipped with its reason."""

    item: str
    annotator: str
    harmful: bool
    reason: str | None
    comment: str | None
    created_at: str


_LATER = LABELS.alias("later")
_STANDS = ~sa.exists().where(_LATER.c.undoes == LABELS.c.id).correlate(LABELS)
_SAID = ASSIGNMENTS.join(
    LABELS,
    sa.and_(
        LABELS.c.task == ASSIGNMENTS.c.task,
        LABELS.c.annotator == ASSIGNMENTS.c.annotator,
        LABELS.c.place == ASSIGNMENTS.c.place,
    ),
)


def counted(database: Database, task: str) -> list[Counted]:
    """Return what counts, those of gold items too, in the order in which it was said."""
    query = sa.select(ASSIGNMENTS.c.item, ASSIGNMENTS.c.round, LABELS).select_from(_SAID)
    of_task = LABELS.c.task == task, LABELS.c.act.in_(("label", "skip")), ASSIGNMENTS.c.round != PRACTICE
    with database.read() as connection:
        rows = connection.execute(query.where(*of_task, _STANDS).order_by(LABELS.c.id)).all()
    latest = {(row.annotator, row.item, row.round): row for row in rows}
    return [
        Counted(
            annotator=row.annotator,
            item=row.item,
            round=row.round,
            value=row.value,
            confidence=row.confidence,
            reason=row.reason,
            comment=row.comment,
            seconds=row.seconds,
            created_at=row.created_at,
        )
        for row in latest.values()
    ]


def decisions(database: Database, task: str) -> dict[str, Decision]:
    """Return the decisions that stand, by item."""
    names = "item", "value", "reason", "by", "created_at"
    query = (
        sa.select(*(DECISIONS.c[name] for name in names))
        .where(DECISIONS.c.task == task)
        .order_by(DECISIONS.c.id)
    )
    with database.read() as connection:
        latest = {row.item: Decision(*row) for row in connection.execute(query)}
    return {item: decision for item, decision in latest.items() if decision.value is not None}


def hidden_of(database: Database, task: str, role: ItemRole) -> dict[str, Hidden]:
    """Return what annotators never see, of the items of one role, by item."""
    query = sa.select(ITEMS.c.item, ITEMS.c.hidden).where(ITEMS.c.task == task, ITEMS.c.role == role)
    with database.read() as connection:
        return {row.item: Hidden.of(row.hidden) for row in connection.execute(query.order_by(ITEMS.c.item))}


def reports(database: Database, task: str) -> list[Report]:
    """Return the reports of harmful content, then the skips that count, latest first."""
    query = sa.select(ASSIGNMENTS.c.item, LABELS).select_from(_SAID)
    told = LABELS.c.task == task, LABELS.c.act == "report"
    with database.read() as connection:
        rows = connection.execute(query.where(*told).order_by(LABELS.c.id.desc())).all()
    harmful = [Report(row.item, row.annotator, True, None, row.comment, row.created_at) for row in rows]
    skipped = [
        Report(each.item, each.annotator, False, each.reason, each.comment, each.created_at)
        for each in reversed(counted(database, task))
        if each.value is None
    ]
    return harmful + skipped
