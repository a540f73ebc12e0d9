"""What a source says, item by item, and what several people together say."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import StudyIndex
from engine.errors import UsageError
from engine.masks import instance_mask, rubric_mask
from engine.metrics.majority import plurality
from engine.slices import Slice

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Kind = Literal["verdict", "outcome", "score"]

KINDS: tuple[Kind, ...] = ("verdict", "outcome", "score")


@dataclass(frozen=True, eq=False)
class Values:
    """What a source says: one value for each (item, speaker).

    `item` numbers what is spoken of; `speaker` is the judge where a run holds several, else -1. Verdicts
    are 0 or 1, outcomes -1, 0 or 1 seen from the model earlier in the study; `turned` marks the outcomes
    that the source tells from the other side.
    """

    item: Ints
    instance: Ints
    speaker: Ints
    value: Floats
    turned: Bools | None = None

    def where(self, keep: Bools) -> "Values":
        """Return some of the values."""
        kept = {name: None if part is None else part[keep] for name, part in vars(self).items()}
        return Values(**kept)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Kept:
    """What the filters keep: masks over rubrics, instances, and models as judges and as generators.

    `instances` is None where they keep some rubrics of an instance and drop others, so that nothing said of
    whole responses can be kept; `refusal` says so.
    """

    rubrics: Bools
    instances: Bools | None
    judges: Bools
    generators: Bools
    refusal: UsageError | None = None

    @classmethod
    def of(cls, index: StudyIndex, spec: Slice) -> "Kept":
        """Read a slice's filters; UsageError for a value that the study does not know."""
        rubrics = rubric_mask(index, spec)
        judges, generators = (
            np.array([not named or name in named for name in index.models], dtype=bool)
            for named in (spec.judges, spec.generators)
        )
        try:
            return cls(rubrics, instance_mask(index, spec, rubrics), judges, generators)
        except UsageError as refusal:
            return cls(rubrics, None, judges, generators, refusal)

    def whole(self, instance: Ints, *models: Ints) -> Bools:
        """Return which whole responses (or pairs of them) are kept."""
        keep = np.zeros(len(instance), dtype=bool) if self.instances is None else self.instances[instance]
        for model in models:
            keep = keep & self.generators[model]
        return np.asarray(keep)


def rubric_item(index: StudyIndex, generator: Ints, rubric: Ints) -> Ints:
    """Return a number for each response and rubric."""
    return np.asarray(generator * index.n_rubrics + rubric)


def response_item(index: StudyIndex, generator: Ints, instance: Ints) -> Ints:
    """Return a number for each whole response, below 0, so that it is none of a rubric."""
    return np.asarray(-1 - (generator * index.n_instances + instance))


def pair_item(index: StudyIndex, instance: Ints, low: Ints, high: Ints) -> Ints:
    """Return a number for each pair of responses."""
    n = len(index.models)
    return np.asarray((instance * n + low) * n + high)


def majority(values: Values | None) -> Values | None:
    """Return the strict majority on each item; items on which people are divided are left out."""
    if values is None:
        return None
    item, instance, group = _grouped(values)
    share = np.bincount(group, weights=values.value) / np.bincount(group)
    told = Values(item, instance, np.full(len(item), -1), (share > 0.5).astype(np.float64))
    return told.where(share != 0.5)


def most(values: Values) -> Values:
    """Return the outcome that more than half of the people give; items without one are left out."""
    item, instance, group = _grouped(values)
    lead = plurality(group, values.value, len(item))
    votes = np.bincount(group, weights=values.value == lead[group])
    _, first = np.unique(values.item, return_index=True)
    turned = None if values.turned is None else values.turned[first]
    told = Values(item, instance, np.full(len(item), -1), lead, turned)
    return told.where(votes * 2 > np.bincount(group))


def mean(values: Values | None) -> Values | None:
    """Return the mean of the scores of each item."""
    if values is None:
        return None
    item, instance, group = _grouped(values)
    found = np.bincount(group, weights=values.value) / np.bincount(group)
    return Values(item, instance, np.full(len(item), -1), found)


def _grouped(values: Values) -> tuple[Ints, Ints, Ints]:
    item, first, group = np.unique(values.item, return_index=True, return_inverse=True)
    return item, values.instance[first], group.reshape(-1)
