"""Counts and sums of a study by instance, and the function that computes its numbers from them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.stats.intervals.bootstrap import resample

Floats = NDArray[np.float64]
Numbers = dict[str, Floats]
GIVEN = ", as given"
REDRAWN = ("hspp_matched", "pir", "null_pir", "spb", "spb_family", "d", "d_change", "reduction", "cost")
"""The numbers whose intervals are not the percentiles of plain resamples (engine/measures/intervals.py)."""

Parts = Mapping[str, NDArray[np.number]]


@dataclass(frozen=True, eq=False)
class Sums:
    """Parts of shape (..., instances); `numbers` takes their sums, with any common leading axes.

    `redrawn` maps the sums and the resampled sums to the draws of the numbers for which the product does not
    use plain resamples, named like the number with `GIVEN` after it.
    """

    parts: Parts
    numbers: Callable[[Mapping[str, Floats]], Numbers]
    redrawn: Callable[[Mapping[str, Floats], Mapping[str, Floats]], Numbers] | None = None

    @property
    def total(self) -> dict[str, Floats]:
        """The parts summed over instances."""
        return {name: part.sum(axis=-1) for name, part in self.parts.items()}

    def value(self) -> Numbers:
        """Return the numbers of the study."""
        return given_too(self.numbers(self.total))

    def draws(self, weights: NDArray[np.float32]) -> Numbers:
        """Return the numbers of each bootstrap resample, on the first axis."""
        drawn = {name: resample(part, weights) for name, part in self.parts.items()}
        plain = given_too(self.numbers(drawn))
        return plain if self.redrawn is None else plain | self.redrawn(self.total, drawn)


def given_too(numbers: Numbers) -> Numbers:
    """Return the numbers, with those of `REDRAWN` also under `GIVEN`: only their intervals differ."""
    return numbers | {name + GIVEN: numbers[name] for name in REDRAWN if name in numbers}


def large_truth(draw: Callable[[np.random.Generator], Sums], batches: int, seed: int) -> Numbers:
    """Return the numbers of `batches` drawn studies pooled together."""
    rng = np.random.default_rng([seed, batches])
    first = draw(rng)
    totals = {name: part.sum(axis=-1) for name, part in first.parts.items()}
    for _ in range(batches - 1):
        for name, part in draw(rng).parts.items():
            totals[name] = totals[name] + part.sum(axis=-1)
    return given_too(first.numbers(totals))
