"""A population of items scored on five options in several orders, with a planted position bias."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.stats.intervals.cost_intervals import cost_draws
from engine.stats.judges.agreement import weighted_pearson, weighted_spearman
from engine.stats.orders.option_orders import balanced_orderings, bias_costs, spread_within
from engine.stats.ratios import rate

from .sums import GIVEN, Floats, Numbers, Sums

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

OPTIONS = 5
ORDERINGS = balanced_orderings(OPTIONS)
ANSWERS = len(ORDERINGS)
HALVES = np.arange(2, 2 * OPTIONS + 1) / 2  # possible means of two people's scores
MEANS = np.arange(ANSWERS, ANSWERS * OPTIONS + 1) / ANSWERS  # possible means of ten answers
STATISTICS = {"pearson": weighted_pearson, "spearman": weighted_spearman}


@dataclass(frozen=True, eq=False)
class OrderPopulation:
    """Judges that score items in each balanced ordering, and equally often in the first one.

    An instance has one to three items. Two people score each with independent errors. A judge sees it with an
    error that all its answers share (`blur`), and chooses among the options by their distance and by its
    preference for positions (`liking`, one row for each judge, in log-odds).
    """

    liking: tuple[tuple[float, ...], ...] = (
        (0.0, 0.0, 0.0, 0.0, 0.0),
        (0.6, 0.0, -0.2, 0.0, 0.3),
        (0.2, 0.1, 0.0, -0.1, -0.2),
    )
    blur: tuple[float, ...] = (0.8, 0.6, 1.0)
    same_instance: float = 0.3

    def draw(self, instances: int, rng: np.random.Generator) -> "Scores":
        """Draw the scores of the items of this many instances."""
        number = rng.integers(1, 4, size=instances)
        instance = np.repeat(np.arange(instances), number)
        latent = np.sqrt(self.same_instance) * rng.standard_normal(instances)[instance]
        good = 3 + latent + np.sqrt(1 - self.same_instance) * rng.standard_normal(len(instance))
        people = good + 0.7 * rng.standard_normal((2, len(instance)))
        human = np.clip(np.round(people), 1, OPTIONS).mean(axis=0)
        blur = np.array(self.blur)[:, None] * rng.standard_normal((len(self.blur), len(instance)))
        seen = 3 + 1.1 * (good + blur - 3)
        arms = [self._answers(seen, np.argsort(ORDERINGS, axis=1), rng)]
        arms.append(self._answers(seen, np.tile(np.arange(OPTIONS), (ANSWERS, 1)), rng))
        return Scores(instances, instance, human, *arms)

    def _answers(self, seen: Floats, places: Ints, rng: np.random.Generator) -> Ints:
        """Return the options chosen, from 0: (judges, items, answers)."""
        options = np.arange(1, OPTIONS + 1)
        near = -((options - seen[..., None]) ** 2) / 1.4
        liked = np.array(self.liking)[:, places]  # (judges, times, options)
        noise = rng.gumbel(size=(*seen.shape, ANSWERS, OPTIONS))
        return np.argmax(near[:, :, None] + liked[:, None] + noise, axis=-1)


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of one study: items with their `instance` and `human` score, and each judge's options.

    `permuted` and `repeated` have shape (judges, items, answers), options from 0.
    """

    instances: int
    instance: Ints
    human: Floats
    permuted: Ints
    repeated: Ints


def count(scores: Scores) -> Sums:
    """Count a study's answers by instance: selections, and the pairs of scores for correlations."""
    half = np.searchsorted(HALVES, scores.human)
    places = np.argsort(ORDERINGS, axis=1)
    parts: dict[str, NDArray[np.number]] = {"items": _by_instance(scores, np.ones((1, len(half))))}
    selections, tables, spreads = [], {"permutation": [], "repeat": []}, {"permutation": [], "repeat": []}
    for permuted, repeated in zip(scores.permuted, scores.repeated, strict=True):
        cell = permuted * OPTIONS + places[np.arange(ANSWERS), permuted]
        marks = (cell[..., None] == np.arange(OPTIONS**2)).sum(axis=1).T
        selections.append(_by_instance(scores, marks))
        for name, arm in (("permutation", permuted), ("repeat", repeated)):
            cell = arm.sum(axis=1) * len(HALVES) + half
            tables[name].append(_table(scores, cell, len(MEANS) * len(HALVES)))
            spreads[name].append(_by_instance(scores, spread_within(arm + 1.0)[None])[0])
    parts["selections"] = np.array(selections)
    for name in tables:
        parts[f"table_{name}"] = np.array(tables[name])
        parts[f"spread_{name}"] = np.array(spreads[name])
    return Sums(parts, numbers, redrawn)


def _table(scores: Scores, cell: Ints, size: int) -> Ints:
    return np.bincount(cell * scores.instances + scores.instance, minlength=size * scores.instances).reshape(
        size, scores.instances
    )


def _by_instance(scores: Scores, values: NDArray[np.number]) -> NDArray[np.number]:
    totals = np.zeros((len(values), scores.instances), dtype=values.dtype)
    for row, value in zip(totals, values, strict=True):
        row += np.bincount(scores.instance, weights=value, minlength=scores.instances).astype(values.dtype)
    return totals


def numbers(sums: Mapping[str, Floats]) -> Numbers:
    """Return each headline number by judge, shape (..., judges); `share` by judge and position."""
    selections = sums["selections"]
    square = selections.reshape(*selections.shape[:-1], OPTIONS, OPTIONS)
    positions = square.sum(axis=-2)
    shares = rate(positions, positions.sum(axis=-1, keepdims=True))
    by_name = {
        "share": shares.reshape(*shares.shape[:-2], -1),
        "cost": bias_costs(square, ORDERINGS)[..., 0],
        "sd_permutation": rate(sums["spread_permutation"], sums["items"]),
        "sd_repeat": rate(sums["spread_repeat"], sums["items"]),
    }
    a, b = np.repeat(MEANS, len(HALVES)), np.tile(HALVES, len(MEANS))
    for name, statistic in STATISTICS.items():
        for arm in ("permutation", "repeat"):
            by_name[f"{name}_{arm}"] = _each(statistic, a, b, sums[f"table_{arm}"])
        by_name[f"{name}_delta"] = by_name[f"{name}_permutation"] - by_name[f"{name}_repeat"]
    return by_name


def redrawn(total: Mapping[str, Floats], drawn: Mapping[str, Floats]) -> Numbers:
    """Return the draws of the cost of the first ordering, as in the product."""
    square = (OPTIONS, OPTIONS)
    draws = [
        cost_draws(total["selections"][judge].reshape(square), part.reshape(-1, *square), ORDERINGS[:1])[:, 0]
        for judge, part in enumerate(np.moveaxis(drawn["selections"], 1, 0))
    ]
    return {"cost" + GIVEN: np.stack(draws, axis=-1)}


def _each(statistic, a: Floats, b: Floats, tables: Floats) -> Floats:  # type: ignore[no-untyped-def]
    """Compute a correlation judge by judge, over the pairs of scores that occur."""
    values = []
    for judge in range(tables.shape[-2]):
        table = tables[..., judge, :]
        there = np.flatnonzero(table.reshape(-1, table.shape[-1]).any(axis=0))
        values.append(statistic(a[there], b[there], table[..., there]))
    return np.stack(values, axis=-1)
