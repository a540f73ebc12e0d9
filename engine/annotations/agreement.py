"""Agreement within a task: of people with each other, with themselves, and with gold items."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np

from engine.annotations.counted_labels import EffectiveLabel, effective_labels, hidden_of
from engine.annotations.database import Database
from engine.annotations.label_rows import annotation_rows
from engine.annotations.sides import alike
from engine.annotations.tasks import Task, task_of
from engine.arrays.label_table import NO_LABEL, LabelTable, tasks_of
from engine.errors import SpbError
from engine.measures.quality.annotators import mean_kappa_of_two, weights_of_items
from engine.stats import Floats, Ints
from engine.stats.intervals.bootstrap import cluster_weights, percentile_interval
from engine.stats.judges.agreement import cohens_kappa
from engine.stats.judges.several_raters import fleiss_kappa, krippendorff_alpha, label_counts, pair_tables
from engine.store import Store

RESAMPLES, SEED = 1000, 0
"""Those of the measure `annotators` where none are given."""
Pair = tuple[str, str]


@dataclass(frozen=True)
class ResampledEstimate:
    """A number with its 95% interval over resampled questions; None if undefined.

    It has no ends if it is undefined in too many resamples, or the same in all.
    """

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
    Cohen's kappa of each two people, `pairwise_kappa` their mean, and `tables` their confusion table over
    `classes` (rows: the first person, columns: the second). For each person, `self_agreement` is the share of
    hidden repeats labelled as before, `gold` that of gold items answered correctly, and `seconds` the median
    time per item. Kappa and alpha rest on the `shared` items, those with labels of two people or more.
    """

    kappa: ResampledEstimate = ResampledEstimate()
    pairwise_kappa: ResampledEstimate = ResampledEstimate()
    alpha: ResampledEstimate = ResampledEstimate()
    reason: str | None = "fewer_than_two_labels_of_an_item"
    classes: tuple[Any, ...] = ()
    pairs: dict[Pair, ResampledEstimate] = field(default_factory=dict)
    tables: dict[Pair, list[list[int]]] = field(default_factory=dict)
    self_agreement: dict[str, Share] = field(default_factory=dict)
    gold: dict[str, Share] = field(default_factory=dict)
    seconds: dict[str, float | None] = field(default_factory=dict)
    items: int = 0
    labels: int = 0
    shared: int = 0


def agreement(
    database: Database, task: str, *, resamples: int = RESAMPLES, questions: Sequence[str] = ()
) -> Agreement:
    """Return the agreement of people on a task; UsageError for an unknown one.

    Scores have no kappa, since it ignores the size of differences. Skips and `cannot_tell` do not count. With
    the `questions` of the study, in its order, intervals are those of the measure `annotators`.
    """
    labels = effective_labels(database, task)
    by_person: dict[str, Any] = {"gold": _gold(database, task, labels), "seconds": _seconds(labels)}
    table = _label_table(annotation_rows(database, task), questions)
    if table is None:
        return Agreement(**by_person)
    weights = _weights(table, resamples, len(questions))
    counts = label_counts(table.labels, len(table.classes))
    kappa, of_two, alpha = ResampledEstimate(), ResampledEstimate(), ResampledEstimate()
    reason = "fewer_than_two_labels_of_an_item"
    if (counts.sum(axis=1) > 1).any():
        reason = "labels_all_alike"
        values = np.array(table.classes, dtype=np.float64) if table.kind == "score" else None
        alpha = _estimate(lambda w: krippendorff_alpha(counts, table.level, values, w), weights)
        if table.kind != "score":
            kappa = _estimate(lambda w: fleiss_kappa(counts, w), weights)
            of_two = _estimate(partial(mean_kappa_of_two, table), weights)
    pairs, tables = _pairwise(table, weights)
    repeated = (table.labels >= 0) & (table.again >= 0)  # of clusters: pairs of responses
    same = ((table.labels == table.again) & repeated).sum(axis=0).tolist()
    repeats = zip(table.people, same, repeated.sum(axis=0).tolist(), strict=True)
    return Agreement(
        kappa=kappa,
        pairwise_kappa=of_two,
        alpha=alpha,
        reason=reason if alpha.value is None else None,
        classes=table.classes,
        pairs=pairs,
        tables=tables,
        self_agreement={person: Share(right, total) for person, right, total in repeats},
        items=int((counts.sum(axis=1) > 0).sum()),
        labels=int((table.labels >= 0).sum()),
        shared=int((counts.sum(axis=1) > 1).sum()),
        **by_person,
    )


def questions_of(store: Store, task: Task) -> list[str]:
    """Return the questions of a task's study, in its order; none if the store no longer has the study."""
    try:
        table = store.open(task.study).table("instances", ["instance_id"])
    except SpbError:
        return []
    return [str(name) for name in table["instance_id"].to_pylist()]


def _pairwise(
    table: LabelTable, weights: Floats | None
) -> tuple[dict[Pair, ResampledEstimate], dict[Pair, list[list[int]]]]:
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


def _label_table(rows: list[dict[str, Any]], questions: Sequence[str]) -> LabelTable | None:
    labels = [row for row in rows if row["value"] not in (None, NO_LABEL)]
    if not labels:
        return None
    models = Counter(name for row in rows for name in (row["generator"], row["opponent"]) if name)
    if rows[0]["kind"] == "clusters":
        models = Counter(name for row in labels for name in json.loads(row["value"]))
    present = {row["instance_id"] for row in rows if row["instance_id"] is not None}
    return tasks_of(rows, sorted(models), [*questions, *sorted(present - set(questions))])[0]


def _weights(table: LabelTable, resamples: int, questions: int) -> Floats | None:
    """Return how often each resample contains each item: as often as its question, of so many questions."""
    if not resamples or not len(table.instance):
        return None
    if questions and table.instance.max() < questions:
        weights = cluster_weights(questions, resamples, np.random.default_rng(SEED))
        return weights_of_items(table, weights, SEED)
    _, cluster = np.unique(table.instance, return_inverse=True)
    weights = cluster_weights(int(cluster.max()) + 1, resamples, np.random.default_rng(SEED))
    return weights[:, cluster].astype(np.float64)


def _estimate(statistic: Callable[[Floats | None], Any], weights: Floats | None) -> ResampledEstimate:
    value = float(statistic(None))
    if np.isnan(value):
        return ResampledEstimate()
    if weights is None:
        return ResampledEstimate(value)
    interval = percentile_interval(np.asarray(statistic(weights), dtype=np.float64)[:, None])
    low, high = float(interval.low[0]), float(interval.high[0])
    if interval.alike[0] or np.isnan(low) or np.isnan(high):
        return ResampledEstimate(value)
    return ResampledEstimate(value, low, high)
