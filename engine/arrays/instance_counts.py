"""Counts in each instance of a slice; many slices count something in few of a study's instances."""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools


class CountsByInstance(ABC):
    """Counts for each judge and generator shown, from which those of instances without any are left out."""

    @abstractmethod
    def by_instance(self, name: str) -> NDArray[np.integer]:
        """Return a count by its name (`over`) in each instance, shape (judges, generators, instances)."""

    @property
    @abstractmethod
    def counted_instances(self) -> Bools:
        """Which instances have a counted row, shape (instances,)."""

    @property
    def instances(self) -> int:
        """The number of instances with a counted row."""
        return int(np.count_nonzero(self.counted_instances))

    @property
    def counted_or_all(self) -> Bools:
        """Which instances have a counted row; all of them if none has one."""
        counted = self.counted_instances
        return counted if counted.any() else ~counted

    def instances_first(self, name: str) -> NDArray[np.integer]:
        """Return a count in each of `counted_or_all`, shape (those instances, judges, generators)."""
        if name not in self._instances_first:
            self._instances_first[name] = np.moveaxis(self.by_instance(name), -1, 0)[self.counted_or_all]
        return self._instances_first[name]

    @cached_property
    def _instances_first(self) -> dict[str, NDArray[np.integer]]:
        return {}
