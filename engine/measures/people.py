"""Equal quality as people say it, in the place of scores (MEASURES section 9, human check)."""

from dataclasses import dataclass, field

import numpy as np

from engine.cubes.annotations import EQUAL, Task, read_tasks
from engine.cubes.pair_rows import Bools, Floats, Ints
from engine.measures.annotators import people_say_equal
from engine.request import LackingError
from engine.views import View
from engine.views.quality import Quality


@dataclass(frozen=True, eq=False)
class LabelledPairs(Quality):
    """Which responses people call equal: shape (instances, models, models), 1, 0, or NaN for no majority.

    A response has no score of its own here, and no epsilon applies.
    """

    alike: Floats = field(kw_only=True)

    def equal(self, row: Ints, one: Ints, two: Ints, instance: Ints, epsilon: float) -> Bools:  # noqa: ARG002
        """Return which pairs of responses most people call equal."""
        return np.asarray(self.alike[instance, one, two] == 1)

    def unknown(self, row: Ints, one: Ints, two: Ints, instance: Ints) -> Bools:  # noqa: ARG002
        """Return which pairs nobody labelled, or people are evenly divided on."""
        return np.isnan(self.alike[instance, one, two])


def labelled_pairs(view: View) -> LabelledPairs:
    """Return what the study's annotators say of pairs; LackingError where they labelled none.

    Where tasks say different things of one pair, most of them decide.
    """
    study, index = view.study, view.study.index
    every: list[Task] = study.remember("annotations", lambda: read_tasks(study.files, index))
    tasks = [task for task in every if task.kind in EQUAL]
    if not tasks:
        raise LackingError(
            "no annotations say which responses are of equal quality; choose another --quality"
        )
    shape = (index.n_instances, len(index.models), len(index.models))
    says, votes = np.zeros(shape), np.zeros(shape)
    for task in tasks:
        label = people_say_equal(task)
        told = ~np.isnan(label) & (task.instance >= 0) & (task.one >= 0)
        where = task.instance[told], task.one[told], task.two[told]
        np.add.at(says, where, label[told])
        np.add.at(votes, where, 1.0)
    says, votes = (part + part.transpose(0, 2, 1) for part in (says, votes))
    alike = np.where(votes > 0, np.sign(2 * says - votes), np.nan)
    alike = np.where(alike == 0, np.nan, np.maximum(alike, 0))
    return LabelledPairs(np.full((1, len(index.models), index.n_instances), np.nan), alike=alike)
