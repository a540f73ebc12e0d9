"""Disputes settled by a coordinator."""

from typing import Any

import sqlalchemy as sa

from engine.annotations.database import Database, now
from engine.annotations.sides import check_value
from engine.annotations.tables import ANNOTATORS, DECISIONS, ITEMS, TASKS
from engine.errors import UsageError


def settle_item(
    database: Database, task: str, item: str, value: Any, *, by: str, reason: str | None = None
) -> None:
    """Keep the label that counts in the place of the majority; a value of None takes it back.

    Raises UsageError for an item or value that is none, or where `by` is no coordinator.
    """
    found = sa.select(TASKS.c.kind, ITEMS.c.payload).join(ITEMS, ITEMS.c.task == TASKS.c.name)
    role = sa.select(ANNOTATORS.c.role).where(ANNOTATORS.c.name == by)
    with database.write() as connection:
        if connection.execute(role).scalar() != "coordinator":
            raise UsageError(f"{by!r} is no coordinator; only a coordinator settles labels")
        about = connection.execute(found.where(TASKS.c.name == task, ITEMS.c.item == item)).first()
        if about is None:
            raise UsageError(f"the task {task!r} has no item {item!r}; open the list of disputes anew")
        if value is not None:
            payload = about.payload
            scores = [score for score, _ in payload["options"]]
            try:
                value = check_value(about.kind, value, len(payload["responses"]), scores)
            except ValueError as error:
                raise UsageError(f"task {task!r}, item {item!r}: the label is {error}") from None
        row = {"task": task, "item": item, "value": value, "reason": reason, "by": by, "created_at": now()}
        connection.execute(sa.insert(DECISIONS).values(row))
