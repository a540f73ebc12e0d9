"""The values of a source, item by item: people together, and judges."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_rows import Selection
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.scores.scores import ScoreCube, read_item_scores, read_quality
from engine.arrays.slicing.slice_masks import instance_mask, rubric_mask
from engine.errors import UsageError
from engine.paradigms import TRAITS
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.judges.combined_verdicts import plurality
from engine.stats.pairs.quality_baseline import group_means

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


Kind = Literal["verdict", "outcome", "score"]
KINDS: tuple[Kind, ...] = ("verdict", "outcome", "score")


@dataclass(frozen=True, eq=False)
class RatedValues(ParallelArrays):
    """The values of a source, one for each (item, rater).

    `item` numbers what is judged; `rater` is the judge if a run holds several, else -1. Verdicts are 0 or 1,
    outcomes -1, 0 or 1 seen from the model earlier in the study; `swapped` marks the outcomes that the source
    gives from the other side.
    """

    item: Ints
    instance: Ints
    rater: Ints
    value: Floats
    swapped: Bools | None = None


@dataclass(frozen=True, eq=False)
class SourceFilter:
    """What the filters keep: masks over rubrics, instances, and models as judges and as generators.

    `instances` is None, and `refusal` the error, if they keep only some rubrics of an instance: then no value
    of a whole response can be kept.
    """

    rubrics: Bools
    instances: Bools | None
    judges: Bools
    generators: Bools
    refusal: UsageError | None = None

    @classmethod
    def of(cls, index: StudyIndex, spec: Slice) -> "SourceFilter":
        """Read a slice's filters; UsageError for a value that the study does not know."""
        rubrics = rubric_mask(index, spec)
        judges, generators = (
            np.array([not names or name in names for name in index.models], dtype=bool)
            for names in (spec.judges, spec.generators)
        )
        try:
            return cls(rubrics, instance_mask(index, spec, rubrics), judges, generators)
        except UsageError as refusal:
            return cls(rubrics, None, judges, generators, refusal)

    def responses(self, instance: Ints, *models: Ints) -> Bools:
        """Return which whole responses (or pairs of them) are kept."""
        keep = np.zeros(len(instance), dtype=bool) if self.instances is None else self.instances[instance]
        for model in models:
            keep = keep & self.generators[model]
        return np.asarray(keep)


def rubric_item(index: StudyIndex, generator: Ints, rubric: Ints) -> Ints:
    return np.asarray(generator * index.n_rubrics + rubric)


def response_item(index: StudyIndex, generator: Ints, instance: Ints) -> Ints:
    """Return a number for each whole response, below 0, so that it differs from those of rubrics."""
    return np.asarray(-1 - (generator * index.n_instances + instance))


def pair_item(index: StudyIndex, instance: Ints, low: Ints, high: Ints) -> Ints:
    n = len(index.models)
    return np.asarray((instance * n + low) * n + high)


def majority(values: RatedValues) -> RatedValues:
    """Return the strict majority on each item; items on which people are divided are left out."""
    share = mean(values)
    return replace(share, value=(share.value > 0.5).astype(np.float64)).select(share.value != 0.5)


def plurality_of(values: RatedValues) -> RatedValues:
    """Return the outcome that more than half of the people give; items without one are left out."""
    items, group = _by_item(values)
    lead = plurality(group, values.value, len(items.item))
    votes = np.bincount(group, weights=values.value == lead[group])
    return replace(items, value=lead).select(votes * 2 > np.bincount(group))


def mean(values: RatedValues) -> RatedValues:
    """Return the mean of the scores of each item."""
    items, group = _by_item(values)
    return replace(items, value=group_means(values.value, group, len(items.item)))


def _by_item(values: RatedValues) -> tuple[RatedValues, Ints]:
    """Return one entry for each item, without a rater, and the place of each value's item."""
    _, first, group = np.unique(values.item, return_index=True, return_inverse=True)
    return replace(values.select(first), rater=np.full(len(first), -1)), group.reshape(-1)


SCORES = tuple(name for name, of in TRAITS.items() if of.gives == "score" and not of.comparable)
"""Paradigms whose judgments are scores that are not used to compare responses."""


def judge_values(
    study: "StudyArrays", selection: Selection, judges: Ints, kind: Kind, source_filter: SourceFilter
) -> RatedValues | None:
    """Return judges' values in a selection, None if its judgments are of another kind.

    Repeats are merged as usual. The quality of a response is the mean of its five dimensions; the score of a
    rubric is the mean over the orderings in which it was asked.
    """
    paradigm, index = selection.paradigm, study.index
    if paradigm in SCORES and kind != "score":
        return None
    if paradigm in SCORES and TRAITS[paradigm].subject != "dimension":
        return _of_options(study, selection, judges, source_filter)
    if paradigm in SCORES:
        rated = study.remember(("quality", selection), lambda: read_quality(study.files, index, selection))
        everyone = np.arange(len(index.models))
        return _of_scores(index, rated.judges, everyone, rated.scores, judges, source_filter)
    match kind, study.cube(selection):
        case "verdict", VerdictCube() as cube:
            return _of_verdicts(study, cube, judges, source_filter)
        case "score", ScoreCube() as cube:
            return _of_scores(index, cube.judges, cube.generators, cube.scores, judges, source_filter)
        case "outcome", PairCube() as cube:
            return _of_pairs(study, cube, judges, source_filter)
    return None


def _of_verdicts(
    study: "StudyArrays", cube: VerdictCube, judges: Ints, source_filter: SourceFilter
) -> RatedValues:
    index, rows = study.index, np.flatnonzero(np.isin(cube.judges, judges))
    met, ok = index.layout.unpack(cube.met[rows]), index.layout.unpack(cube.ok[rows]) & source_filter.rubrics
    ok = ok & source_filter.generators[cube.generators][:, None]
    judge, generator, rubric = np.nonzero(ok)
    item = rubric_item(index, cube.generators[generator], rubric)
    value = met[judge, generator, rubric].astype(np.float64)
    return RatedValues(item, index.layout.instance_of[rubric], cube.judges[rows][judge], value)


def _of_scores(
    index: StudyIndex, raters: Ints, rated: Ints, scores: Floats, judges: Ints, source_filter: SourceFilter
) -> RatedValues:
    """Return the scores of responses by `judges`; `scores` is (raters, rated, instances), NaN for none."""
    rows = np.flatnonzero(np.isin(raters, judges))
    judge, place, instance = np.nonzero(~np.isnan(scores[rows]))
    row, generator = rows[judge], rated[place]
    item = response_item(index, generator, instance)
    values = RatedValues(item, instance, raters[row], scores[row, place, instance])
    return values.select(source_filter.responses(instance, generator))


def _of_options(
    study: "StudyArrays", selection: Selection, judges: Ints, source_filter: SourceFilter
) -> RatedValues:
    index, key = study.index, ("item scores", selection)
    scores = study.remember(key, lambda: read_item_scores(study.files, index, selection))
    bare = scores.rubric < 0
    of_rubric = rubric_item(index, scores.generator, scores.rubric)
    item = np.where(bare, response_item(index, scores.generator, scores.instance), of_rubric)
    rubrics = np.append(source_filter.rubrics, False)[scores.rubric]
    keep = np.where(bare, source_filter.responses(scores.instance), rubrics)
    keep &= np.isin(scores.judge, judges) & source_filter.generators[scores.generator]
    return RatedValues(item, scores.instance, scores.judge, scores.score).select(keep)


def _of_pairs(study: "StudyArrays", cube: PairCube, judges: Ints, source_filter: SourceFilter) -> RatedValues:
    index = study.index
    pairs = cube.outcomes.select(np.isin(cube.outcomes.judge, judges))
    item = pair_item(index, pairs.instance, pairs.generator, pairs.opponent)
    items = pair_item(index, cube.rows.instance, cube.rows.generator, cube.rows.opponent)
    width = len(index.models)
    keys, first = np.unique(items * width + cube.rows.judge, return_index=True)
    swapped = cube.rows.swapped[first[np.searchsorted(keys, item * width + pairs.judge)]]
    values = RatedValues(item, pairs.instance, pairs.judge, pairs.outcome.astype(np.float64), swapped)
    return values.select(source_filter.responses(pairs.instance, pairs.generator, pairs.opponent))
