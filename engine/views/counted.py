"""A number for each cell, and the same number in every bootstrap resample."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.metrics.resampling import resample

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts or sums of shape (...,), and of shape (resamples, ...) where resamples are drawn."""

    total: NDArray[Any]
    draws: Floats | None = None

    @classmethod
    def over_instances(cls, by_instance: NDArray[Any], weights: Weights | None) -> "Counted":
        """Add up the last axis, instances; once as it is and once for each resample."""
        kind = np.int64 if np.issubdtype(by_instance.dtype, np.integer) else np.float64
        total = by_instance.sum(axis=-1, dtype=kind)
        return cls(total, None if weights is None else resample(by_instance, weights))

    def apply(self, function: Callable[[NDArray[Any]], NDArray[Any]]) -> "Counted":
        """Return the function of the value and of the draws; it must leave leading axes alone."""
        return Counted(function(self.total), None if self.draws is None else function(self.draws))


def combine(function: Callable[..., Any], *parts: Counted) -> tuple[Any, Any]:
    """Apply a statistic to the counts and to their draws; the second is None without draws."""
    value = function(*(part.total for part in parts))
    drawn = [part.draws for part in parts]
    if any(draw is None for draw in drawn):
        return value, None
    return value, function(*drawn)
