"""How far the people of a task agree, with each other and with themselves, and where they do not."""

import json
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.annotations.database import Database
from engine.annotations.exchange import annotation_rows
from engine.cubes.annotations import NO_LABEL, SETTLED, Task, tasks_of
from engine.metrics.agreement import cohens_kappa
from engine.metrics.raters import fleiss_kappa, krippendorff_alpha, label_counts, pair_tables
from engine.metrics.resampling import cluster_weights, percentile_interval

RESAMPLES = 1000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval over resampled questions; None where undefined, or too often so."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Agreement:
    """A task's agreement.

    `pairs` holds Cohen's kappa of each two people, `itself` of each person the share of hidden repeats
    labelled as the first time (None without repeats), `seconds` their median time per item.
    """

    kappa: Estimate
    alpha: Estimate
    pairs: dict[tuple[str, str], Estimate]
    itself: dict[str, float | None]
    seconds: dict[str, float | None]
    items: int
    labels: int


@dataclass(frozen=True)
class Dispute:
    """An item on which people differ: who said what, and what it was settled as."""

    item: str
    values: dict[str, str]
    settled: str | None

    @property
    def split(self) -> float:
        """The share of pairs of people who differ."""
        two = list(combinations(self.values.values(), 2))
        return sum(one != other for one, other in two) / len(two)


def agreement(database: Database, task: str, *, resamples: int = RESAMPLES, seed: int = 0) -> Agreement:
    """Return how far people agree on a task; UsageError for an unknown one.

    Kappa is not of scores, whose differences have a size. Skips and `cannot_tell` are no labels.
    """
    rows = annotation_rows(database, task)
    made = _task(rows)
    seconds = {person: _median(rows, person) for person in _people(rows)}
    if made is None:
        return Agreement(Estimate(None), Estimate(None), {}, {}, seconds, 0, 0)
    weights = _weights(made, resamples, seed)
    classes = len(made.classes)
    counts = label_counts(made.labels, classes)
    values = np.array(made.classes, dtype=np.float64) if made.kind == "score" else None
    of_scores = made.kind == "score"
    kappa = alpha = Estimate(None)
    if (counts.sum(axis=1) > 1).any():
        alpha = _estimate(lambda w: krippendorff_alpha(counts, made.level, values, w), weights)
        kappa = kappa if of_scores else _estimate(lambda w: fleiss_kappa(counts, w), weights)
    pairs = {}
    for one, two in combinations(range(len(made.people)), 2):
        both = made.labels[:, [one, two]]
        if not of_scores and (both >= 0).all(axis=1).any():
            pairs[made.people[one], made.people[two]] = _estimate(
                lambda w, both=both: cohens_kappa(pair_tables(both, classes, w))[0], weights
            )
    again = (made.labels >= 0) & (made.again >= 0)
    same = (made.labels == made.again) & again
    itself = {
        person: float(same[:, place].sum() / again[:, place].sum()) if again[:, place].any() else None
        for place, person in enumerate(made.people)
    }
    total = int((made.labels >= 0).sum())
    return Agreement(kappa, alpha, pairs, itself, seconds, int((counts.sum(axis=1) > 0).sum()), total)


def disputes(database: Database, task: str) -> list[Dispute]:
    """Return the items on which people differ, those that split them most first."""
    values: dict[str, dict[str, str]] = {}
    settled: dict[str, str] = {}
    for row in annotation_rows(database, task):
        if row["annotator"] == SETTLED:
            settled[row["item"]] = row["value"]
        elif row["round"] == 1 and row["value"] is not None:
            values.setdefault(row["item"], {})[row["annotator"]] = row["value"]
    found = [
        Dispute(item, said, settled.get(item)) for item, said in values.items() if len(set(said.values())) > 1
    ]
    return sorted(found, key=lambda dispute: (-dispute.split, dispute.item))


def _task(rows: list[dict[str, Any]]) -> Task | None:
    named = [row for row in rows if row["value"] not in (None, NO_LABEL)]
    if not named:
        return None
    models = Counter(name for row in rows for name in (row["generator"], row["opponent"]) if name)
    if rows[0]["kind"] == "clusters":
        models = Counter(name for row in named for name in json.loads(row["value"]))
    instances = sorted({row["instance_id"] for row in rows if row["instance_id"] is not None})
    return tasks_of(rows, sorted(models), instances)[0]


def _weights(task: Task, resamples: int, seed: int) -> Floats | None:
    """Return how often each resample holds each item: as often as its question."""
    if not resamples or not len(task.instance):
        return None
    _, cluster = np.unique(task.instance, return_inverse=True)
    drawn = cluster_weights(int(cluster.max()) + 1, resamples, np.random.default_rng(seed))
    return drawn[:, cluster].astype(np.float64)


def _estimate(statistic: Any, weights: Floats | None) -> Estimate:
    value = float(statistic(None))
    if np.isnan(value):
        return Estimate(None)
    if weights is None:
        return Estimate(value)
    interval = percentile_interval(np.asarray(statistic(weights), dtype=np.float64)[:, None])
    low, high = float(interval.low[0]), float(interval.high[0])
    return Estimate(value) if np.isnan(low) or np.isnan(high) else Estimate(value, low, high)


def _people(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row["annotator"] for row in rows if row["annotator"] != SETTLED))


def _median(rows: list[dict[str, Any]], person: str) -> float | None:
    times = [row["seconds"] for row in rows if row["annotator"] == person and row["seconds"] is not None]
    return median(times) if times else None
