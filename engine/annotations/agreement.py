"""Agreement of people with each other, with themselves and with gold items; settling disputed items."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
import sqlalchemy as sa

from engine.annotations.exchange import annotation_rows
from engine.annotations.labels import EffectiveLabel, decisions, effective_labels, hidden_of
from engine.annotations.people import ANNOTATORS, DECISIONS, ITEMS, TASKS, Database, now
from engine.annotations.tasks import (
    Hidden,
    Task,
    Texts,
    alike,
    answers,
    check_value,
    screen_answer,
    stored_value,
    task_of,
)
from engine.arrays.references import NO_LABEL, LabelTable, tasks_of
from engine.errors import UsageError
from engine.stats import Floats, Ints
from engine.stats.agreement import cohens_kappa, fleiss_kappa, krippendorff_alpha, label_counts, pair_tables
from engine.stats.bootstrap import cluster_weights, percentile_interval

# ------------------------------------------------------------------------------
# Agreement within a task: of people with each other, with themselves, and with the gold items.


RESAMPLES = 1000
Pair = tuple[str, str]


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval over resampled questions; None if undefined (ends: too often)."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Share:
    right: int
    total: int

    @property
    def value(self) -> float | None:
        return self.right / self.total if self.total else None


@dataclass(frozen=True)
class Agreement:
    """A task's agreement.

    `reason` is the code of why kappa and alpha are undefined, None where alpha is defined. `pairs` holds
    Cohen's kappa of each two people, and `tables` their confusion table over `classes` (rows: the first
    person, columns: the second). For each person, `self_agreement` is the share of hidden repeats labelled as
    before, `gold` that of gold items answered correctly, and `seconds` the median time per item.
    """

    kappa: Estimate = Estimate()
    alpha: Estimate = Estimate()
    reason: str | None = "fewer_than_two_labels_of_an_item"
    classes: tuple[Any, ...] = ()
    pairs: dict[Pair, Estimate] = field(default_factory=dict)
    tables: dict[Pair, list[list[int]]] = field(default_factory=dict)
    self_agreement: dict[str, Share] = field(default_factory=dict)
    gold: dict[str, Share] = field(default_factory=dict)
    seconds: dict[str, float | None] = field(default_factory=dict)
    items: int = 0
    labels: int = 0


def agreement(database: Database, task: str, *, resamples: int = RESAMPLES) -> Agreement:
    """Return the agreement of people on a task; UsageError for an unknown one.

    Scores have no kappa, since it ignores the size of differences. Skips and `cannot_tell` do not count.
    """
    labels = effective_labels(database, task)
    by_person: dict[str, Any] = {"gold": _gold(database, task, labels), "seconds": _seconds(labels)}
    table = _label_table(annotation_rows(database, task))
    if table is None:
        return Agreement(**by_person)
    weights = _weights(table, resamples)
    counts = label_counts(table.labels, len(table.classes))
    kappa, alpha, reason = Estimate(), Estimate(), "fewer_than_two_labels_of_an_item"
    if (counts.sum(axis=1) > 1).any():
        reason = "labels_all_alike"
        values = np.array(table.classes, dtype=np.float64) if table.kind == "score" else None
        alpha = _estimate(lambda w: krippendorff_alpha(counts, table.level, values, w), weights)
        if table.kind != "score":
            kappa = _estimate(lambda w: fleiss_kappa(counts, w), weights)
    pairs, tables = _pairwise(table, weights)
    repeated = (table.labels >= 0) & (table.again >= 0)  # of clusters: pairs of responses
    same = ((table.labels == table.again) & repeated).sum(axis=0).tolist()
    repeats = zip(table.people, same, repeated.sum(axis=0).tolist(), strict=True)
    return Agreement(
        kappa=kappa,
        alpha=alpha,
        reason=reason if alpha.value is None else None,
        classes=table.classes,
        pairs=pairs,
        tables=tables,
        self_agreement={person: Share(right, total) for person, right, total in repeats},
        items=int((counts.sum(axis=1) > 0).sum()),
        labels=int((table.labels >= 0).sum()),
        **by_person,
    )


def _pairwise(
    table: LabelTable, weights: Floats | None
) -> tuple[dict[Pair, Estimate], dict[Pair, list[list[int]]]]:
    pairs, tables = {}, {}
    for first, second in combinations(range(len(table.people)), 2):
        both = table.labels[:, [first, second]]
        if not (both >= 0).all(axis=1).any():
            continue
        people = table.people[first], table.people[second]
        tables[people] = pair_tables(both, len(table.classes))[0].astype(int).tolist()
        if table.kind != "score":
            pairs[people] = _estimate(partial(_kappa_of_two, both, len(table.classes)), weights)
    return pairs, tables


def _kappa_of_two(labels: Ints, classes: int, weights: Floats | None) -> Floats:
    kappa: Floats = cohens_kappa(pair_tables(labels, classes, weights))[0]
    return kappa


def _gold(database: Database, task: str, labels: list[EffectiveLabel]) -> dict[str, Share]:
    kind, gold_items = task_of(database, task).kind, hidden_of(database, task, "gold")
    right: dict[str, list[bool]] = {each.annotator: [] for each in labels}
    for each in labels:
        if each.item in gold_items and each.round == 1 and each.value is not None:
            right[each.annotator].append(alike(kind, each.value, gold_items[each.item].gold))
    return {person: Share(sum(answers), len(answers)) for person, answers in right.items()}


def _seconds(labels: list[EffectiveLabel]) -> dict[str, float | None]:
    times: dict[str, list[float]] = {each.annotator: [] for each in labels}
    for each in labels:
        if each.seconds is not None:
            times[each.annotator].append(each.seconds)
    return {person: median(seconds) if seconds else None for person, seconds in times.items()}


def _label_table(rows: list[dict[str, Any]]) -> LabelTable | None:
    labels = [row for row in rows if row["value"] not in (None, NO_LABEL)]
    if not labels:
        return None
    models = Counter(name for row in rows for name in (row["generator"], row["opponent"]) if name)
    if rows[0]["kind"] == "clusters":
        models = Counter(name for row in labels for name in json.loads(row["value"]))
    instances = sorted({row["instance_id"] for row in rows if row["instance_id"] is not None})
    return tasks_of(rows, sorted(models), instances)[0]


def _weights(table: LabelTable, resamples: int) -> Floats | None:
    """Return how often each resample contains each item: as often as its question."""
    if not resamples or not len(table.instance):
        return None
    _, cluster = np.unique(table.instance, return_inverse=True)
    weights = cluster_weights(int(cluster.max()) + 1, resamples, np.random.default_rng(0))
    return weights[:, cluster].astype(np.float64)


def _estimate(statistic: Callable[[Floats | None], Any], weights: Floats | None) -> Estimate:
    value = float(statistic(None))
    if np.isnan(value):
        return Estimate()
    if weights is None:
        return Estimate(value)
    interval = percentile_interval(np.asarray(statistic(weights), dtype=np.float64)[:, None])
    low, high = float(interval.low[0]), float(interval.high[0])
    return Estimate(value) if np.isnan(low) or np.isnan(high) else Estimate(value, low, high)


# ------------------------------------------------------------------------------
# Disputed items as a coordinator sees them, and the decisions.
#
# A coordinator decides as blind as an annotator: the texts are shuffled for each item and have no authors.
# `owners` reveals the authors of decided items.


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
class Case:
    """An item to be settled: its shuffled texts, people's answers, and the decision."""

    item: str
    kind: str
    texts: Texts
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


def case(database: Database, task: str, item: str) -> Case:
    task_info = task_of(database, task)
    texts = Texts.of(_item_row(database, task, item).payload)
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
    return Case(
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
        texts = Texts.of(_item_row(database, task, item).payload)
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
            f"item {item!r} of the task {task!r} is not settled yet; the annotators are shown afterwards"
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
