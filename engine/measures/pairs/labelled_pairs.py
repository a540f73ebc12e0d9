"""Equal quality by people's labels, in place of scores (MEASURES section 9, human check)."""

from dataclasses import dataclass, field

import numpy as np

from engine.arrays.label_table import EQUAL, LabelTable, read_tasks
from engine.arrays.pairs.pair_quality import Quality, quality_of
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.view import SliceView
from engine.measures.quality.annotators import people_say_equal
from engine.measures.rows import Options
from engine.stats import Bools, Floats, Ints
from engine.stats.judges import several_raters
from engine.wording import option

_DIRECTED = ("equal_pair", "preference")
"""The kinds that say which of two responses is better: labels 0 and 2 of three."""


@dataclass(frozen=True, eq=False)
class LabelledPairs(Quality):
    """People's labels of pairs, by instance and both models: shape (instances, models, models).

    `alike` is 1 where most call them equal, 0 where most do not, NaN without a majority. `leads` is 1 where
    most call the first model's better, -1 where most call the second's so, else 0. A response has no score
    of its own here, and neither epsilon nor gap applies.
    """

    alike: Floats = field(kw_only=True)
    leads: Ints = field(kw_only=True)

    def equal(self, row: Ints, one: Ints, two: Ints, instance: Ints, epsilon: float) -> Bools:  # noqa: ARG002
        return np.asarray(self.alike[instance, one, two] == 1)

    def better(self, row: Ints, one: Ints, two: Ints, instance: Ints, gap: float) -> Ints:  # noqa: ARG002
        return np.asarray(self.leads[instance, one, two])

    def unknown(self, row: Ints, one: Ints, two: Ints, instance: Ints) -> Bools:  # noqa: ARG002
        return np.asarray(np.isnan(self.alike[instance, one, two]) & (self.leads[instance, one, two] == 0))


def quality_of_pairs(view: SliceView, options: Options) -> Quality:
    """Return which responses are equal and which are better, by the option `quality`."""
    return labelled_pairs(view) if options["quality"] == "human" else quality_of(view, options)


def labelled_pairs(view: SliceView) -> LabelledPairs:
    """Return the annotators' labels of the study's pairs; NoDataError if there are none.

    Which are equal comes from equal pairs and clusters, which one is better from equal pairs and preferences.
    If tasks disagree on a pair, the majority of them decides.
    """
    study, index = view.study, view.study.index
    tasks: list[LabelTable] = study.remember("annotations", lambda: read_tasks(study.files, index))
    if not any(task.kind in (*EQUAL, *_DIRECTED) for task in tasks):
        problem = "no labels say which answers are of equal quality"
        raise NoDataError(f"{problem}; choose another ", option("quality"))
    size = (index.n_instances, len(index.models), len(index.models))
    equal, votes, leads = (np.zeros(size) for _ in range(3))
    for task in tasks:
        if task.kind in EQUAL:
            label = people_say_equal(task)
            _add(equal, task, label)
            _add(votes, task, np.where(np.isnan(label), np.nan, 1.0))
        if task.kind in _DIRECTED:  # 1 where most call the first better, -1 the second, 0 where neither
            adjudicated = np.where(task.adjudicated >= 0, task.adjudicated - 1.0, np.nan)
            first, second = (several_raters.majority_of_two(task.labels, label) == 1 for label in (2, 0))
            better = np.where(np.isnan(adjudicated), first.astype(np.float64) - second, adjudicated)
            _add(leads, task, better)
    equal, votes = (part + part.transpose(0, 2, 1) for part in (equal, votes))
    alike = np.where(votes > 0, np.sign(2 * equal - votes), np.nan)
    alike = np.where(alike == 0, np.nan, np.maximum(alike, 0))
    return LabelledPairs(
        np.full((1, len(index.models), index.n_instances), np.nan),
        alike=alike,
        leads=np.sign(leads - leads.transpose(0, 2, 1)).astype(np.int64),
    )


def _add(total: Floats, task: LabelTable, values: Floats) -> None:
    labelled = ~np.isnan(values) & (task.instance >= 0) & (task.one >= 0)
    np.add.at(total, (task.instance[labelled], task.one[labelled], task.two[labelled]), values[labelled])
