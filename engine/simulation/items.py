"""Instances and their rubrics as arrays: what is drawn at random, and what texts give."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine.errors import UsageError
from engine.simulation.design import Slice

THEMES = ("advice", "analysis", "coding", "planning", "science", "summaries", "writing")
AXES = (
    "accuracy",
    "completeness",
    "communication_quality",
    "context_awareness",
    "instruction_following",
)
NEGATIVE_SHARE = 0.2
EXTREME_SHARE = 0.1

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The instances and rubrics of a study, rubrics sorted by instance.

    Shapes: one entry for each of N instances (`instance_ids`, `themes`) or each of K rubrics (the rest).
    `instance` is the index of a rubric's instance, `start` (N) that of each instance's first rubric,
    `place` the rubric's 1-based place among those of its instance. Every instance has a rubric.
    `length` is in characters. `criteria` (K), `prompts` and `languages` (N) are empty where the study
    has no texts.
    """

    instance_ids: Sequence[str]
    themes: Sequence[str]
    instance: npt.NDArray[np.int32]
    rubric_ids: Sequence[str]
    points: npt.NDArray[np.float64]
    length: npt.NDArray[np.int64]
    axis: Sequence[str]
    criteria: Sequence[str] = ()
    prompts: Sequence[str] = ()
    languages: Sequence[str] = ()

    def __post_init__(self) -> None:
        counts = np.bincount(self.instance, minlength=len(self.instance_ids))
        if len(self.instance_ids) == 0 or counts.min() == 0 or np.any(np.diff(self.instance) < 0):
            raise ValueError("rubrics must be sorted by instance, and every instance must have one")

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """How many rubrics each instance has, shape (N,)."""
        return np.bincount(self.instance, minlength=len(self.instance_ids)).astype(np.int64)

    @property
    def start(self) -> npt.NDArray[np.int64]:
        """The index of each instance's first rubric, shape (N,)."""
        return np.concatenate([[0], np.cumsum(self.counts)[:-1]])

    @property
    def place(self) -> npt.NDArray[np.int64]:
        """The 1-based place of each rubric in its instance, shape (K,)."""
        return np.arange(len(self.instance), dtype=np.int64) - self.start[self.instance] + 1

    @property
    def negative(self) -> Mask:
        """Whether meeting the rubric is undesirable, shape (K,)."""
        return self.points < 0

    def chosen(self, part: Slice) -> Mask:
        """Return which rubrics lie in a slice, shape (K,); UsageError where none does."""
        if part.column == "polarity":
            mask = self.negative if part.value == "negative" else ~self.negative
        elif part.column == "length":
            mask = self._by_length(part)
        elif part.column == "theme":
            mask = (np.array(self.themes) == part.value)[self.instance]
        else:
            mask = np.array(self.axis) == part.value
        if not mask.any():
            raise UsageError(f"no rubric lies in the slice {str(part)!r}; name one that the items have")
        return np.asarray(mask, dtype=bool)

    def _by_length(self, part: Slice) -> Mask:
        if part.value == "extreme":
            low, high = np.quantile(self.length, [EXTREME_SHARE, 1 - EXTREME_SHARE])
            return np.asarray((self.length <= low) | (self.length >= high))
        low, high = part.bounds()
        return np.asarray((self.length >= low) & (self.length <= high))

    def mean_over_instance(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Average per-rubric values (..., K) within each instance, to shape (..., N)."""
        sums = np.add.reduceat(values, self.start, axis=-1)
        return np.asarray(sums / self.counts)

    def instances_table(self) -> pa.Table:
        """Return the table `instances`."""
        columns = {"instance_id": pa.array(self.instance_ids), "theme": pa.array(self.themes)}
        if self.prompts:
            columns["prompt"] = pa.array(self.prompts)
        if self.languages:
            columns["language"] = pa.array(self.languages)
        return pa.table(columns)

    def rubrics_table(self) -> pa.Table:
        """Return the table `rubrics`."""
        columns = {
            "instance_id": pa.array(self.instance_ids).take(pa.array(self.instance)),
            "rubric_id": pa.array(self.rubric_ids),
            "length": pa.array(self.length),
            "points": pa.array(self.points),
            "axis": pa.array(self.axis),
        }
        if self.criteria:
            columns["criterion"] = pa.array(self.criteria)
        return pa.table(columns)


def draw_items(instances: int, rubrics_per_instance: int, rng: np.random.Generator) -> Items:
    """Draw items without texts.

    Theme, axis, points (1 to 10, a fifth of them negative) and length (lognormal, 5 to 600 characters) are
    drawn independently. Raises UsageError for fewer than one instance or rubric.
    """
    for name, value in (("instances", instances), ("rubrics per instance", rubrics_per_instance)):
        if value < 1:
            raise UsageError(f"{name} {value!r}: give a whole number from 1")
    count = instances * rubrics_per_instance
    sign = np.where(rng.random(count) < NEGATIVE_SHARE, -1.0, 1.0)
    width = len(str(instances))
    return Items(
        instance_ids=[f"i{number:0{width}d}" for number in range(1, instances + 1)],
        themes=[THEMES[index] for index in rng.integers(len(THEMES), size=instances)],
        instance=np.repeat(np.arange(instances, dtype=np.int32), rubrics_per_instance),
        rubric_ids=[f"r{number}" for number in range(1, rubrics_per_instance + 1)] * instances,
        points=sign * rng.integers(1, 11, size=count),
        length=np.clip(rng.lognormal(4.2, 0.8, size=count), 5, 600).astype(np.int64),
        axis=[AXES[index] for index in rng.integers(len(AXES), size=count)],
    )
