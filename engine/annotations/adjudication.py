"""Items on which people differ, as a coordinator who settles them sees them, and what was decided.

A coordinator decides as blind as an annotator: texts stand in an order of their own for each item, without
whose they are. `owners` tells that of items that are decided.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import sqlalchemy as sa

from engine.annotations.database import ANNOTATORS, DECISIONS, ITEMS, TASKS, Database, now
from engine.annotations.labels import EffectiveLabel, decisions, effective_labels, hidden_of
from engine.annotations.sides import alike, answers, as_shown, check_value, unshuffled
from engine.annotations.tasks import Hidden, Task, Texts, task_of
from engine.arrays.labels import NO_LABEL
from engine.errors import UsageError


@dataclass(frozen=True)
class Dispute:
    """An item on which people differ: what each said of it, and whether that was settled."""

    item: str
    kind: str
    values: dict[str, Any]
    settled: bool

    @property
    def split(self) -> float:
        """The share of pairs of people who differ."""
        two = list(combinations(self.values.values(), 2))
        return sum(not alike(self.kind, one, other) for one, other in two) / len(two)


@dataclass(frozen=True)
class Opinion:
    """What one person said, in the words of `Case.answers`; a None `answer` is a skip, with its reason."""

    annotator: str
    answer: Any
    round: int
    confidence: str | None
    reason: str | None
    comment: str | None


@dataclass(frozen=True)
class Case:
    """An item to be settled: texts in an order that says nothing, what people said, what was decided."""

    item: str
    kind: str
    texts: Texts
    answers: tuple[Any, ...]
    opinions: tuple[Opinion, ...]
    decided: Any = None
    reason: str | None = None
    by: str | None = None


def disputes(database: Database, task: str) -> list[Dispute]:
    """Return the items on which people differ, those that split them most first; UsageError as `task_of`.

    Skips and `cannot_tell` differ from nothing; gold items, whose answer is known, are not among them.
    """
    kind, settled = task_of(database, task).kind, decisions(database, task)
    values: dict[str, dict[str, Any]] = {item: {} for item in hidden_of(database, task, "item")}
    for label in effective_labels(database, task):
        if label.round == 1 and label.value not in (None, NO_LABEL) and label.item in values:
            values[label.item][label.annotator] = label.value
    every = [Dispute(item, kind, of, item in settled) for item, of in values.items() if len(of) > 1]
    split = [dispute for dispute in every if dispute.split]
    return sorted(split, key=lambda dispute: (-dispute.split, dispute.item))


def labelled_items(database: Database, task: str) -> list[str]:
    """Return the items with a label or skip, gold ones apart, by name."""
    items = hidden_of(database, task, "item").keys()
    return sorted({label.item for label in effective_labels(database, task)} & items)


def case(database: Database, task: str, item: str) -> Case:
    """Return an item as a coordinator sees it before deciding; UsageError where the task has none such."""
    about = task_of(database, task)
    texts = Texts.of(_stored(database, task, item).payload)
    shown = _order(about, item, len(texts.responses))
    scores = [score for score, _ in texts.options]
    labels = sorted(
        (each for each in effective_labels(database, task) if each.item == item),
        key=lambda each: (each.annotator, each.round),
    )
    undecided = Case(
        item=item,
        kind=about.kind,
        texts=replace(texts, responses=tuple(texts.responses[place] for place in shown)),
        answers=answers(about.kind, scores),
        opinions=tuple(_opinion(about.kind, each, shown) for each in labels),
    )
    decided = decisions(database, task).get(item)
    if decided is None:
        return undecided
    answer = as_shown(about.kind, decided.value, shown)
    return replace(undecided, decided=answer, reason=decided.reason, by=decided.by)


def decide(
    database: Database, task: str, item: str, answer: Any, *, by: str, reason: str | None = None
) -> None:
    """Keep the answer to a `case` as the label that counts; None takes a decision back.

    Raises UsageError as `settle_item` does, and for an answer that is none.
    """
    about = task_of(database, task)
    value = None
    if answer is not None:
        texts = Texts.of(_stored(database, task, item).payload)
        shown = _order(about, item, len(texts.responses))
        try:
            value = unshuffled(about.kind, answer, shown, [score for score, _ in texts.options])
        except ValueError as error:
            raise UsageError(f"task {task!r}, item {item!r}: the label is {error}") from None
    settle_item(database, task, item, value, by=by, reason=reason)


def owners(database: Database, task: str, item: str) -> tuple[str, ...]:
    """Return whose the responses of a `case` are, in its order.

    UsageError for an item that is not decided: whoever settles it is blind until then.
    """
    if item not in decisions(database, task):
        raise UsageError(
            f"item {item!r} of the task {task!r} is not settled yet; the annotators are shown afterwards"
        )
    models = Hidden.of(_stored(database, task, item).hidden).models
    return tuple(models[place] for place in _order(task_of(database, task), item, len(models)))


def settle_item(
    database: Database, task: str, item: str, value: Any, *, by: str, reason: str | None = None
) -> None:
    """Keep the label that counts in the place of the majority; a value of None takes it back.

    Raises UsageError for an item or value that is none, or where `by` is no coordinator.
    """
    query = sa.select(TASKS.c.kind, ITEMS.c.payload).join(ITEMS, ITEMS.c.task == TASKS.c.name)
    role = sa.select(ANNOTATORS.c.role).where(ANNOTATORS.c.name == by)
    with database.write() as connection:
        if connection.execute(role).scalar() != "coordinator":
            raise UsageError(f"{by!r} is not a coordinator; only a coordinator settles labels")
        about = connection.execute(query.where(TASKS.c.name == task, ITEMS.c.item == item)).first()
        if about is None:
            raise _no_item(task, item)
        if value is not None:
            payload = about.payload
            scores = [score for score, _ in payload["options"]]
            try:
                value = check_value(about.kind, value, len(payload["responses"]), scores)
            except ValueError as error:
                raise UsageError(f"task {task!r}, item {item!r}: the label is {error}") from None
        row = {"task": task, "item": item, "value": value, "reason": reason, "by": by, "created_at": now()}
        connection.execute(sa.insert(DECISIONS).values(row))


def _stored(database: Database, task: str, item: str) -> Any:
    query = sa.select(ITEMS.c.payload, ITEMS.c.hidden).where(ITEMS.c.task == task, ITEMS.c.item == item)
    with database.read() as connection:
        row = connection.execute(query).first()
    if row is None:
        raise _no_item(task, item)
    return row


def _no_item(task: str, item: str) -> UsageError:
    return UsageError(f"the task {task!r} has no item {item!r}; reload the list of disagreements")


def _order(task: Task, item: str, responses: int) -> Sequence[int]:
    """Return an order of the responses, drawn for the item: the stored one is that of the models."""
    digest = hashlib.sha256(f"{task.name}\0{item}".encode("utf-8", "surrogatepass")).digest()
    order: list[int] = np.random.default_rng([task.seed, *digest[:8]]).permutation(responses).tolist()
    return order


def _opinion(kind: str, label: EffectiveLabel, shown: Sequence[int]) -> Opinion:
    answer = as_shown(kind, label.value, shown)
    return Opinion(label.annotator, answer, label.round, label.confidence, label.reason, label.comment)
