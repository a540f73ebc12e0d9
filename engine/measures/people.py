"""Equal quality as people say it, in the place of scores (MEASURES section 9, human check)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.cubes.annotations import EQUAL, Task, read_tasks
from engine.cubes.pair_rows import Bools, Floats, Ints
from engine.measures.annotators import people_say_equal
from engine.metrics.raters import majority_of_two
from engine.request import LackingError
from engine.views import View
from engine.views.quality import Quality, quality_of

_DIRECTED = ("equal_pair", "preference")
"""The kinds that say which of two responses is better: labels 0 and 2 of three."""


@dataclass(frozen=True, eq=False)
class LabelledPairs(Quality):
    """What people say of pairs, by instance and both models: shape (instances, models, models).

    `alike` is 1 where most call them equal, 0 where most do not, NaN without a majority. `leads` is 1 where
    most call the first model's better, -1 where most call the second's so, else 0. A response has no score
    of its own here, and neither epsilon nor gap applies.
    """

    alike: Floats = field(kw_only=True)
    leads: Ints = field(kw_only=True)

    def equal(self, row: Ints, one: Ints, two: Ints, instance: Ints, epsilon: float) -> Bools:  # noqa: ARG002
        """Return which pairs of responses most people call equal."""
        return np.asarray(self.alike[instance, one, two] == 1)

    def better(self, row: Ints, one: Ints, two: Ints, instance: Ints, gap: float) -> Ints:  # noqa: ARG002
        """Return which response of each pair most people call the better one."""
        found: Ints = self.leads[instance, one, two]
        return found

    def unknown(self, row: Ints, one: Ints, two: Ints, instance: Ints) -> Bools:  # noqa: ARG002
        """Return which pairs nobody labelled, or people are evenly divided on."""
        return np.asarray(np.isnan(self.alike[instance, one, two]) & (self.leads[instance, one, two] == 0))


def quality_of_pairs(view: View, options: Mapping[str, Any]) -> Quality:
    """Return what says which responses are equal and which are better, as the option `quality` has it.

    Raises as `quality_of` and `labelled_pairs` do.
    """
    return labelled_pairs(view) if options["quality"] == "human" else quality_of(view, options)


def labelled_pairs(view: View) -> LabelledPairs:
    """Return what the study's annotators say of pairs; LackingError where they labelled none.

    Which are equal comes from equal pairs and clusters, which one is better from equal pairs and
    preferences. Where tasks say different things of one pair, most of them decide.
    """
    study, index = view.study, view.study.index
    every: list[Task] = study.remember("annotations", lambda: read_tasks(study.files, index))
    if not any(task.kind in (*EQUAL, *_DIRECTED) for task in every):
        raise LackingError(
            "no annotations say which responses are of equal quality; choose another --quality"
        )
    size = (index.n_instances, len(index.models), len(index.models))
    equal, votes = np.zeros(size), np.zeros(size)
    leads = np.zeros(size)
    for task in every:
        if task.kind in EQUAL:
            _add(equal, task, label := people_say_equal(task))
            _add(votes, task, np.where(np.isnan(label), np.nan, 1.0))
        if task.kind in _DIRECTED:
            _add(leads, task, people_say_better(task))
    equal, votes = (part + part.transpose(0, 2, 1) for part in (equal, votes))
    alike = np.where(votes > 0, np.sign(2 * equal - votes), np.nan)
    alike = np.where(alike == 0, np.nan, np.maximum(alike, 0))
    return LabelledPairs(
        np.full((1, len(index.models), index.n_instances), np.nan),
        alike=alike,
        leads=np.sign(leads - leads.transpose(0, 2, 1)).astype(np.int64),
    )


def people_say_better(task: Task) -> Floats:
    """Return for each pair 1 where its first model's response is the better one, -1 where the second's is.

    As it was settled, else as most people say; 0 where they call them equal or are evenly divided.
    """
    settled = np.where(task.settled >= 0, task.settled - 1.0, np.nan)
    first, second = (majority_of_two(task.labels, label) == 1 for label in (2, 0))
    return np.where(np.isnan(settled), first.astype(np.float64) - second, settled)


def _add(total: Floats, task: Task, values: Floats) -> None:
    """Add what a task says of its pairs to an array by instance and both models."""
    told = ~np.isnan(values) & (task.instance >= 0) & (task.one >= 0)
    np.add.at(total, (task.instance[told], task.one[told], task.two[told]), values[told])
