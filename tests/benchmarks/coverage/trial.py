"""Draws many studies from one population, and counts how many of their intervals cover the truth."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.stats.intervals.bootstrap import MOST_UNDEFINED, bootstrap_p, cluster_weights, percentile_interval
from engine.stats.intervals.bootstrap_expanded import Expansion

from . import orders, pair_numbers
from .population import Population
from .rivals import RIVALS
from .statistics import Counts, Numbers, count, ranked, ranked_truth
from .sums import Sums, given_too
from .sums import large_truth as large_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

METHODS = ("percentile", "expanded")
TOLERANCE = 1e-12
LARGE, BATCHES = 1000, 400  # instances in each batch, for truths without a closed form


class Drawn(Protocol):
    """A study's numbers and their draws."""

    def value(self) -> Numbers:
        """Return the numbers of the study."""

    def draws(self, weights: NDArray[np.float32]) -> Numbers:
        """Return the numbers of each resample, on the first axis."""


@dataclass(frozen=True)
class Condition:
    """A population, and the number of instances of each study drawn from it."""

    population: Any
    instances: int

    @classmethod
    def of(cls, instances: int, failures: int) -> "Condition":
        """Return studies in which the models fail .75 to 1.25 times `failures` rubrics."""
        usual = Population()
        share = failures / (instances * usual.rubrics) * np.array([0.75, 1, 1.25, 0.9, 1.1, 1])
        return cls(Population(failure=tuple(float(one) for one in share)), instances)


@dataclass(frozen=True, eq=False)
class Held:
    """Counts of the intervals of one method, by column (one for each number and judge).

    `missing`: the number is undefined or has no interval; the other intervals cover the truth, or are `above`
    or `below` it. `alarms`: the p-value of the truth is below 0.05, a false alarm.
    """

    studies: int
    missing: Ints
    above: Ints
    below: Ints
    alarms: Ints

    def __add__(self, other: "Held") -> "Held":
        """Add the counts of other studies."""
        return Held(*(getattr(self, name) + getattr(other, name) for name in vars(self)))

    def over(self, columns: slice) -> "Held":
        """Return the counts of one number, summed over the judges for which it is ever defined."""
        defined = self.missing[columns] < self.studies
        sums = (
            int(getattr(self, name)[columns][defined].sum())
            for name in ("missing", "above", "below", "alarms")
        )
        return Held(self.studies * int(defined.sum()), *sums)  # type: ignore[arg-type]

    @property
    def tested(self) -> Ints:
        """The number of studies with an interval."""
        return self.studies - self.missing

    @property
    def coverage(self) -> Floats:
        """The share of the intervals that cover the truth."""
        return np.asarray(1 - (self.above + self.below) / np.maximum(self.tested, 1))


@dataclass(frozen=True, eq=False)
class Outcome:
    """The results of a condition: the columns of each number, and the counts of each method."""

    columns: dict[str, slice]
    held: dict[str, Held]

    def __add__(self, other: "Outcome") -> "Outcome":
        """Add other studies of the same condition."""
        return Outcome(self.columns, {name: part + other.held[name] for name, part in self.held.items()})

    def of(self, method: str, number: str) -> Held:
        """Return the counts of the intervals of one number, over judges."""
        return self.held[method].over(self.columns[number])


@dataclass(frozen=True)
class Trial:
    """A trial of a condition with studies of rubrics.

    `comparisons` adds numbers of whole scores, `rivals` the intervals of `rivals`.
    """

    condition: Condition
    resamples: int = 1000
    seed: int = 0
    comparisons: bool = False
    rivals: bool = False

    def truth(self) -> Numbers:
        """Return the true value of every number."""
        known = given_too(self.condition.population.truth())
        return known | large_truth(self.condition.population, self.seed) if self.comparisons else known

    def run(self, studies: range, truth: Numbers) -> Outcome:
        """Draw the studies with these numbers, each from its own seed, and count their intervals.

        They share the resamples, like the slices of one study.
        """
        instances = self.condition.instances
        weights = cluster_weights(
            instances, self.resamples, np.random.default_rng([self.seed, instances, studies.start, 0])
        )
        outcomes = []
        for study in studies:
            rng = np.random.default_rng([self.seed, instances, study, 1])
            outcomes.append(self._outcome(self.draw(rng), truth, weights))
        return sum(outcomes[1:], start=outcomes[0])

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Draw a study and count it."""
        verdicts = self.condition.population.draw(self.condition.instances, rng)
        return count(verdicts, comparisons=self.comparisons)

    def _outcome(self, counts: Drawn, truth: Numbers, weights: NDArray[np.float32]) -> Outcome:
        columns, value = stacked(counts.value(), truth)
        _, draws = stacked(counts.draws(weights), truth)
        _, true = stacked(truth, truth)
        undefined = np.isnan(draws).mean(axis=0) > MOST_UNDEFINED
        missing = np.isnan(value) | np.isnan(true) | undefined
        apart = draws - true  # so that one null value, 0, serves all columns
        expansion = Expansion.of(draws, weights)
        percentile, expanded = percentile_interval(draws), expansion.interval(draws)
        counted = partial(_counted, true=true, missing=missing)
        held = {
            "percentile": counted(percentile.low, percentile.high, p=bootstrap_p(apart, 0.0)),
            "expanded": counted(expanded.low, expanded.high, p=expansion.p(apart, 0.0)),
        }
        if self.rivals:
            _, left_out = stacked(counts.left_out_one_by_one(), truth)  # type: ignore[attr-defined]
            held |= {name: counted(*rival(value, draws, left_out)) for name, rival in RIVALS.items()}
        return Outcome(columns, held)


@dataclass(frozen=True)
class RankTrial(Trial):
    """A trial of numbers of whole scores and ranks: family bonus, leniency, ranks, compared ratios."""

    def truth(self) -> Numbers:
        """Return the truth, which has a closed form."""
        return ranked_truth(self.condition.population)

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Draw a study and count it."""
        return ranked(self.condition.population.draw(self.condition.instances, rng))


@dataclass(frozen=True)
class SummedTrial(Trial):
    """A trial of pairs, or of orders of options; the truth is computed from `batches` thousand instances."""

    batches: int = BATCHES

    def truth(self) -> Numbers:
        """Return the numbers of a very large study."""
        numbers = large_sums(lambda rng: self._counted(LARGE, rng), self.batches, self.seed)
        return pair_numbers.where_smooth(numbers) if "spb" in numbers else numbers

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Draw a study and count it."""
        return self._counted(self.condition.instances, rng)

    def _counted(self, instances: int, rng: np.random.Generator) -> Sums:
        drawn = self.condition.population.draw(instances, rng)
        return orders.count(drawn) if isinstance(drawn, orders.Scores) else pair_numbers.count(drawn)


def large_truth(population: Population, seed: int) -> Numbers:
    """Return the numbers that have no closed form, from 400,000 instances.

    Their error is a thirtieth of the standard error of a study of 400 instances.
    """
    rng = np.random.default_rng([seed, LARGE])
    sums = None
    for _ in range(BATCHES):
        counts = count(population.draw(LARGE, rng), comparisons=True)
        parts = [part.sum(axis=-1, keepdims=True) for part in counts.parts]
        sums = parts if sums is None else [one + two for one, two in zip(sums, parts, strict=True)]
    assert sums is not None
    numbers = Counts(tuple(sums), population.relations).value()
    return {name: numbers[name] for name in ("mipa", "hspp_self_instance")}


def stacked(numbers: Numbers, names: Iterable[str]) -> tuple[dict[str, slice], Floats]:
    """Concatenate the numbers on the last axis; return the columns of each, and the array."""
    columns, start = {}, 0
    for name in names:
        columns[name] = slice(start, start + numbers[name].shape[-1])
        start = columns[name].stop
    return columns, np.concatenate([numbers[name] for name in names], axis=-1)


def _counted(
    low: Floats, high: Floats, true: Floats, missing: NDArray[np.bool_], p: Floats | None = None
) -> Held:
    missing = missing | np.isnan(low) | np.isnan(high)
    above, below = ~missing & (low > true + TOLERANCE), ~missing & (high < true - TOLERANCE)
    alarms = np.zeros_like(missing) if p is None else ~missing & (p < 0.05)
    return Held(1, *(marks.astype(np.int64) for marks in (missing, above, below, alarms)))
