"""Disputed items as a coordinator sees them, and the decisions.

A coordinator decides as blind as an annotator: the texts are shuffled for each item and have no authors.
`owners` reveals the authors of decided items.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import sqlalchemy as sa

from engine.annotations.counted_labels import decisions, effective_labels, hidden_of
from engine.annotations.database import Database, now
from engine.annotations.database_tables import ANNOTATORS, DECISIONS, ITEMS, TASKS
from engine.annotations.items import Hidden, ItemTexts
from engine.annotations.sides import alike, answers, check_value, screen_answer, stored_value
from engine.annotations.tasks import Task, task_of
from engine.arrays.label_table import NO_LABEL
from engine.errors import UsageError


@dataclass(frozen=True)
class Dispute:
    """An item on which people differ: their labels, and whether it was settled."""

    item: str
    kind: str
    values: dict[str, Any]
    settled: bool

    @property
    def split(self) -> float:
        pairs = list(combinations(self.values.values(), 2))
        return sum(not alike(self.kind, first, second) for first, second in pairs) / len(pairs)


@dataclass(frozen=True)
class Opinion:
    """One person's answer, as in `Case.answers`; None is a skip, with its reason."""

    annotator: str
    answer: Any
    round: int
    confidence: str | None
    reason: str | None
    comment: str | None


@dataclass(frozen=True)
class DisputedItem:
    """An item to be settled: its shuffled texts, people's answers, and the decision."""

    item: str
    kind: str
    texts: ItemTexts
    answers: tuple[Any, ...]
    opinions: tuple[Opinion, ...]
    decision: Any = None
    reason: str | None = None
    by: str | None = None


def disputes(database: Database, task: str) -> list[Dispute]:
    """Return the items on which people differ, most divided first, without skips, `cannot_tell` and gold."""
    kind, settled = task_of(database, task).kind, decisions(database, task)
    values: dict[str, dict[str, Any]] = {item: {} for item in hidden_of(database, task, "item")}
    for label in effective_labels(database, task):
        if label.round == 1 and label.value not in (None, NO_LABEL) and label.item in values:
            values[label.item][label.annotator] = label.value
    every = [Dispute(item, kind, votes, item in settled) for item, votes in values.items() if len(votes) > 1]
    divided = [dispute for dispute in every if dispute.split]
    return sorted(divided, key=lambda dispute: (-dispute.split, dispute.item))


def labelled_items(database: Database, task: str) -> list[str]:
    items = hidden_of(database, task, "item").keys()
    return sorted({label.item for label in effective_labels(database, task)} & items)


def case(database: Database, task: str, item: str) -> DisputedItem:
    task_info = task_of(database, task)
    texts = ItemTexts.of(_item_row(database, task, item).payload)
    order = _order(task_info, item, len(texts.responses))
    scores = [score for score, _ in texts.options]
    labels = sorted(
        (each for each in effective_labels(database, task) if each.item == item),
        key=lambda each: (each.annotator, each.round),
    )
    on_screen = partial(screen_answer, task_info.kind, order=order)
    decision = decisions(database, task).get(item)
    settled: dict[str, Any] = {}
    if decision is not None:
        settled = {"decision": on_screen(decision.value), "reason": decision.reason, "by": decision.by}
    return DisputedItem(
        item=item,
        kind=task_info.kind,
        texts=replace(texts, responses=tuple(texts.responses[place] for place in order)),
        answers=answers(task_info.kind, scores),
        opinions=tuple(
            Opinion(
                each.annotator, on_screen(each.value), each.round, each.confidence, each.reason, each.comment
            )
            for each in labels
        ),
        **settled,
    )


def decide(
    database: Database, task: str, item: str, answer: Any, *, by: str, reason: str | None = None
) -> None:
    """Store the answer to a `case` as the label that counts; None withdraws a decision."""
    task_info = task_of(database, task)
    value = None
    if answer is not None:
        texts = ItemTexts.of(_item_row(database, task, item).payload)
        order = _order(task_info, item, len(texts.responses))
        try:
            value = stored_value(task_info.kind, answer, order, [score for score, _ in texts.options])
        except ValueError as error:
            raise UsageError(f"task {task!r}, item {item!r}: the label is {error}") from None
    settle_item(database, task, item, value, by=by, reason=reason)


def owners(database: Database, task: str, item: str) -> tuple[str, ...]:
    """Return the authors of a `case`'s responses, in its order; UsageError before it is decided."""
    if item not in decisions(database, task):
        raise UsageError(
            f"item {item!r} of the task {task!r} is not settled yet; the labellers are shown afterwards"
        )
    models = Hidden.of(_item_row(database, task, item).hidden).models
    return tuple(models[place] for place in _order(task_of(database, task), item, len(models)))


def settle_item(
    database: Database, task: str, item: str, value: Any, *, by: str, reason: str | None = None
) -> None:
    """Store a coordinator's label that counts instead of the majority's; a value of None withdraws it."""
    query = sa.select(TASKS.c.kind, ITEMS.c.payload).join(ITEMS, ITEMS.c.task == TASKS.c.name)
    role = sa.select(ANNOTATORS.c.role).where(ANNOTATORS.c.name == by)
    with database.write() as connection:
        if connection.execute(role).scalar() != "coordinator":
            raise UsageError(f"{by!r} is not a coordinator; only a coordinator settles labels")
        stored_item = connection.execute(query.where(TASKS.c.name == task, ITEMS.c.item == item)).first()
        if stored_item is None:
            raise _no_item(task, item)
        if value is not None:
            payload = stored_item.payload
            scores = [score for score, _ in payload["options"]]
            try:
                value = check_value(stored_item.kind, value, len(payload["responses"]), scores)
            except ValueError as error:
                raise UsageError(f"task {task!r}, item {item!r}: the label is {error}") from None
        row = {"task": task, "item": item, "value": value, "reason": reason, "by": by, "created_at": now()}
        connection.execute(sa.insert(DECISIONS).values(row))


def _item_row(database: Database, task: str, item: str) -> Any:
    query = sa.select(ITEMS.c.payload, ITEMS.c.hidden).where(ITEMS.c.task == task, ITEMS.c.item == item)
    with database.read() as connection:
        row = connection.execute(query).first()
    if row is None:
        raise _no_item(task, item)
    return row


def _no_item(task: str, item: str) -> UsageError:
    return UsageError(f"the task {task!r} has no item {item!r}; reload the list of disagreements")


def _order(task: Task, item: str, responses: int) -> Sequence[int]:
    """Return a random order of the responses, fixed for the item; the stored order is that of the models."""
    digest = hashlib.sha256(f"{task.name}\0{item}".encode("utf-8", "surrogatepass")).digest()
    order: list[int] = np.random.default_rng([task.seed, *digest[:8]]).permutation(responses).tolist()
    return order
