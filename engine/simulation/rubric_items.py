"""Instances and their rubrics as arrays, drawn at random or taken from texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from engine.errors import UsageError
from engine.simulation.design import BiasedRubrics
from engine.simulation.study_tables import Codes, numbered_ids
from engine.stats import Bools, Floats, Ints

THEMES = ("advice", "analysis", "coding", "planning", "science", "summaries", "writing")
AXES = ("accuracy", "completeness", "communication_quality", "context_awareness", "instruction_following")
NEGATIVE_SHARE = 0.2
EXTREME_SHARE = 0.1


@dataclass(frozen=True, eq=False)
class Items:
    """The instances and rubrics of a study, rubrics sorted by instance.

    Shapes: one entry for each of N instances (`instance_ids`, `themes`) or each of K rubrics (the rest).
    `instance` is the index of a rubric's instance; every instance has a rubric. `length` is in characters.
    `criteria` (K), `prompts` and `languages` (N) are empty if the study has no texts.
    """

    instance_ids: Sequence[str]
    themes: Sequence[str]
    instance: Codes
    rubric_ids: Sequence[str]
    points: Floats
    length: Ints
    axis: Sequence[str]
    criteria: Sequence[str] = ()
    prompts: Sequence[str] = ()
    languages: Sequence[str] = ()

    def __post_init__(self) -> None:
        counts = np.bincount(self.instance, minlength=len(self.instance_ids))
        if len(self.instance_ids) == 0 or counts.min() == 0 or np.any(np.diff(self.instance) < 0):
            raise ValueError("criteria must be sorted by question, and every question must have one")

    @cached_property
    def counts(self) -> Ints:
        return np.bincount(self.instance, minlength=len(self.instance_ids)).astype(np.int64)

    @cached_property
    def start(self) -> Ints:
        """The index of each instance's first rubric, shape (N,)."""
        return np.concatenate([[0], np.cumsum(self.counts)[:-1]])

    @cached_property
    def place(self) -> Ints:
        """The 1-based place of each rubric in its instance, shape (K,)."""
        return np.arange(len(self.instance), dtype=np.int64) - self.start[self.instance] + 1

    @cached_property
    def instance_names(self) -> pa.Array:
        return pa.array(self.instance_ids)

    @cached_property
    def rubric(self) -> pa.DictionaryArray:
        return pa.array(self.rubric_ids).dictionary_encode()

    @property
    def negative(self) -> Bools:
        """Whether meeting the rubric is undesirable, shape (K,)."""
        return self.points < 0

    def slice_mask(self, part: BiasedRubrics) -> Bools:
        """Return which rubrics are in a slice, shape (K,)."""
        if part.column == "polarity":
            mask = self.negative if part.value == "negative" else ~self.negative
        elif part.column == "length" and part.value == "extreme":
            low, high = np.quantile(self.length, [EXTREME_SHARE, 1 - EXTREME_SHARE])
            mask = (self.length <= low) | (self.length >= high)
        elif part.column == "length":
            low, high = part.bounds()
            mask = (self.length >= low) & (self.length <= high)
        elif part.column == "theme":
            mask = (np.array(self.themes) == part.value)[self.instance]
        else:
            mask = np.array(self.axis) == part.value
        if not mask.any():
            raise UsageError(f"no criterion is in the slice {str(part)!r}; name one that the items have")
        return np.asarray(mask, dtype=bool)

    def mean_over_instance(self, values: Floats) -> Floats:
        """Average per-rubric values (..., K) within each instance, to shape (..., N)."""
        sums = np.add.reduceat(values, self.start, axis=-1)
        return np.asarray(sums / self.counts)

    def instances_table(self) -> pa.Table:
        columns = {"instance_id": self.instance_names, "theme": pa.array(self.themes)}
        if self.prompts:
            columns["prompt"] = pa.array(self.prompts)
        if self.languages:
            columns["language"] = pa.array(self.languages)
        return pa.table(columns)

    def rubrics_table(self) -> pa.Table:
        columns = {
            "instance_id": self.instance_names.take(pa.array(self.instance)),
            "rubric_id": pa.array(self.rubric_ids),
            "length": pa.array(self.length),
            "points": pa.array(self.points),
            "axis": pa.array(self.axis),
        }
        if self.criteria:
            columns["criterion"] = pa.array(self.criteria)
        return pa.table(columns)


def draw_items(instances: int, rubrics_per_instance: int, rng: np.random.Generator) -> Items:
    """Draw items without texts; UsageError without instances or rubrics.

    Theme, axis, points (1 to 10, a fifth negative) and length (lognormal, 5 to 600) are drawn independently.
    """
    names = numbered_ids("i", instances)
    if rubrics_per_instance < 1:
        raise UsageError(f"criteria per question {rubrics_per_instance!r}: give a whole number from 1")
    count = instances * rubrics_per_instance
    sign = np.where(rng.random(count) < NEGATIVE_SHARE, -1.0, 1.0)
    return Items(
        instance_ids=names,
        themes=[THEMES[index] for index in rng.integers(len(THEMES), size=instances)],
        instance=np.repeat(np.arange(instances, dtype=np.int32), rubrics_per_instance),
        rubric_ids=[f"r{number}" for number in range(1, rubrics_per_instance + 1)] * instances,
        points=sign * rng.integers(1, 11, size=count),
        length=np.clip(rng.lognormal(4.2, 0.8, size=count), 5, 600).astype(np.int64),
        axis=[AXES[index] for index in rng.integers(len(AXES), size=count)],
    )
