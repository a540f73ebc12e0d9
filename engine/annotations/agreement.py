"""How far the people of a task agree: with each other, with themselves, and with the gold items."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np

from engine.annotations.database import Database
from engine.annotations.exchange import annotation_rows
from engine.annotations.labels import EffectiveLabel, effective_labels, hidden_of
from engine.annotations.sides import alike
from engine.annotations.tasks import task_of
from engine.arrays.labels import NO_LABEL, LabelTable, tasks_of
from engine.stats.agreement import cohens_kappa, fleiss_kappa, krippendorff_alpha, label_counts, pair_tables
from engine.stats.bootstrap import cluster_weights, percentile_interval
from engine.stats.types import Floats, Ints

RESAMPLES = 1000
Pair = tuple[str, str]


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval over resampled questions; None where undefined, or too often so."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    right: int
    of: int

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.right / self.of if self.of else None


@dataclass(frozen=True)
class Agreement:
    """A task's agreement.

    `pairs` holds Cohen's kappa of each two people and `tables` how often the first of them gave each of
    `classes` (rows) and the second (columns). Of each person `itself` is the share of hidden repeats labelled
    as the first time, `gold` that of gold items answered rightly, `seconds` their median time per item.
    """

    kappa: Estimate = Estimate()
    alpha: Estimate = Estimate()
    classes: tuple[Any, ...] = ()
    pairs: dict[Pair, Estimate] = field(default_factory=dict)
    tables: dict[Pair, list[list[int]]] = field(default_factory=dict)
    itself: dict[str, Share] = field(default_factory=dict)
    gold: dict[str, Share] = field(default_factory=dict)
    seconds: dict[str, float | None] = field(default_factory=dict)
    items: int = 0
    labels: int = 0


def agreement(database: Database, task: str, *, resamples: int = RESAMPLES) -> Agreement:
    """Return how far people agree on a task; UsageError for an unknown one.

    Kappa is not of scores, whose differences have a size. Skips and `cannot_tell` are no labels.
    """
    labels = effective_labels(database, task)
    of_people: dict[str, Any] = {"gold": _gold(database, task, labels), "seconds": _seconds(labels)}
    table = _task(annotation_rows(database, task))
    if table is None:
        return Agreement(**of_people)
    weights = _weights(table, resamples)
    counts = label_counts(table.labels, len(table.classes))
    kappa, alpha = _of_all(table, counts, weights)
    pairs, tables = _of_two(table, weights)
    return Agreement(
        kappa=kappa,
        alpha=alpha,
        classes=table.classes,
        pairs=pairs,
        tables=tables,
        itself=_itself(table),
        items=int((counts.sum(axis=1) > 0).sum()),
        labels=int((table.labels >= 0).sum()),
        **of_people,
    )


def _of_all(table: LabelTable, counts: Ints, weights: Floats | None) -> tuple[Estimate, Estimate]:
    """Return Fleiss' kappa and Krippendorff's alpha; neither where no item has two labels."""
    if not (counts.sum(axis=1) > 1).any():
        return Estimate(), Estimate()
    values = np.array(table.classes, dtype=np.float64) if table.kind == "score" else None
    alpha = _estimate(lambda w: krippendorff_alpha(counts, table.level, values, w), weights)
    if table.kind == "score":
        return Estimate(), alpha
    return _estimate(lambda w: fleiss_kappa(counts, w), weights), alpha


def _of_two(
    table: LabelTable, weights: Floats | None
) -> tuple[dict[Pair, Estimate], dict[Pair, list[list[int]]]]:
    """Return kappa and the confusion table of each two people who labelled an item in common."""
    pairs, tables = {}, {}
    for one, two in combinations(range(len(table.people)), 2):
        both = table.labels[:, [one, two]]
        if not (both >= 0).all(axis=1).any():
            continue
        named = table.people[one], table.people[two]
        tables[named] = pair_tables(both, len(table.classes))[0].astype(int).tolist()
        if table.kind != "score":
            pairs[named] = _estimate(partial(_kappa_of_two, both, len(table.classes)), weights)
    return pairs, tables


def _kappa_of_two(labels: Ints, classes: int, weights: Floats | None) -> Floats:
    kappa: Floats = cohens_kappa(pair_tables(labels, classes, weights))[0]
    return kappa


def _itself(table: LabelTable) -> dict[str, Share]:
    """Return how many hidden repeats each person labelled as the first time, of clusters pairs of these."""
    again = (table.labels >= 0) & (table.again >= 0)
    same = (table.labels == table.again) & again
    return {
        person: Share(int(same[:, place].sum()), int(again[:, place].sum()))
        for place, person in enumerate(table.people)
    }


def _gold(database: Database, task: str, labels: list[EffectiveLabel]) -> dict[str, Share]:
    """Return how many gold items each person answered rightly at first sight; a skip is no answer."""
    kind, right = task_of(database, task).kind, hidden_of(database, task, "gold")
    counts = {each.annotator: [0, 0] for each in labels}
    for each in labels:
        if each.item in right and each.round == 1 and each.value is not None:
            counts[each.annotator][0] += alike(kind, each.value, right[each.item].gold)
            counts[each.annotator][1] += 1
    return {person: Share(*numbers) for person, numbers in counts.items()}


def _seconds(labels: list[EffectiveLabel]) -> dict[str, float | None]:
    times: dict[str, list[float]] = {each.annotator: [] for each in labels}
    for each in labels:
        if each.seconds is not None:
            times[each.annotator].append(each.seconds)
    return {person: median(seconds) if seconds else None for person, seconds in times.items()}


def _task(rows: list[dict[str, Any]]) -> LabelTable | None:
    named = [row for row in rows if row["value"] not in (None, NO_LABEL)]
    if not named:
        return None
    models = Counter(name for row in rows for name in (row["generator"], row["opponent"]) if name)
    if rows[0]["kind"] == "clusters":
        models = Counter(name for row in named for name in json.loads(row["value"]))
    instances = sorted({row["instance_id"] for row in rows if row["instance_id"] is not None})
    return tasks_of(rows, sorted(models), instances)[0]


def _weights(task: LabelTable, resamples: int) -> Floats | None:
    """Return how often each resample holds each item: as often as its question."""
    if not resamples or not len(task.instance):
        return None
    _, cluster = np.unique(task.instance, return_inverse=True)
    drawn = cluster_weights(int(cluster.max()) + 1, resamples, np.random.default_rng(0))
    return drawn[:, cluster].astype(np.float64)


def _estimate(statistic: Callable[[Floats | None], Any], weights: Floats | None) -> Estimate:
    value = float(statistic(None))
    if np.isnan(value):
        return Estimate()
    if weights is None:
        return Estimate(value)
    interval = percentile_interval(np.asarray(statistic(weights), dtype=np.float64)[:, None])
    low, high = float(interval.low[0]), float(interval.high[0])
    return Estimate(value) if np.isnan(low) or np.isnan(high) else Estimate(value, low, high)
