"""Scores of score rubrics by item, ordering and trial, read and in one slice (MEASURES section 12)."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.confusion import Resampled
from engine.arrays.encoding import encode, numbers
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_rows import OK, SelectedRows, Selection, group_rows, read_rows
from engine.arrays.slicing.resolve import NoDataError, ResolvedSlice, resolve
from engine.arrays.slicing.slice_masks import instance_mask, rubric_mask
from engine.arrays.truths.references import NONE, stored_as
from engine.errors import UsageError
from engine.paradigms import OPTION_PARADIGMS
from engine.schema import STATUSES
from engine.slices import INSTANCE_COLUMNS, Slice
from engine.stats import Bools, Floats, Ints, ParallelArrays, Weights
from engine.stats.orders.option_orders import balanced_orderings
from engine.stats.pairs.quality_baseline import group_means
from engine.store.arrow_types import text_array
from engine.store.study_files import StudyFiles
from engine.wording import option

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


@dataclass(frozen=True)
class Scale:
    """The scores of one list of options, ascending."""

    scores: tuple[float, ...]

    @cached_property
    def orderings(self) -> Ints:
        """The balanced orderings: which score (its place in the scale) is at each position."""
        return balanced_orderings(len(self.scores))

    def write(self, ordering: Ints) -> str:
        return "-".join(f"{self.scores[place]:g}" for place in ordering)


@dataclass(frozen=True, eq=False)
class OptionRows(ParallelArrays):
    """Scores given, repeats over runs merged; arrays of shape (rows,).

    `judge`, `instance`, `generator` and `rubric` (-1: none) are places in the study; `item` numbers the
    last three together. `scale` is a place in the cube's scales, `ordering` one among its balanced
    orderings. `choice` is the score's place in the scale, -1 where runs are divided; `score` the mean.
    `votes` is the number of judgment rows behind each.
    """

    judge: Ints
    instance: Ints
    generator: Ints
    rubric: Ints
    item: Ints
    scale: Ints
    ordering: Ints
    trial: Ints
    choice: Ints
    score: Floats
    votes: Ints


@dataclass(frozen=True, eq=False)
class OptionFailures(ParallelArrays):
    judge: Ints
    instance: Ints
    generator: Ints
    rubric: Ints
    code: NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class OptionCube:
    """The score-rubric judgments of one selection. Scales come by size, then by their scores."""

    scales: tuple[Scale, ...]
    rows: OptionRows
    failures: OptionFailures


def read_options(files: StudyFiles, index: StudyIndex, selection: Selection) -> OptionCube:
    """Read the score-rubric judgments of one selection.

    Rows that are not ok keep their status as the reason; `other_ordering` is an absent or unbalanced
    ordering, `off_scale` a score that is not one of its options.
    """
    rows = read_rows(files, index, selection, ("rubric_id", "ordering", "score"))
    rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
    scales, scale, ordering = _orderings(rows)
    score = rows.number("score")
    choice = _choices(score, scale, scales)
    faults = [rows.status != OK, ordering < 0, choice < 0]
    status = np.array(STATUSES, dtype=object)[rows.status]
    code = np.select(faults, [status, "other_ordering", "off_scale"], "").astype(object)
    bad, good = np.flatnonzero(code != ""), np.flatnonzero(code == "")
    every = OptionFailures(rows.judge, rows.instance, rows.generator, rubric, code)
    all_rows = OptionRows(
        judge=rows.judge,
        instance=rows.instance,
        generator=rows.generator,
        rubric=rubric,
        item=_item(index, rows.instance, rows.generator, rubric),
        scale=scale,
        ordering=ordering,
        trial=rows.trial,
        choice=choice,
        score=score,
        votes=np.ones(len(score), dtype=np.int64),
    )
    return OptionCube(scales, _merge_runs(all_rows.select(good), scales, selection), every.select(bad))


def _item(index: StudyIndex, instance: Ints, generator: Ints, rubric: Ints) -> Ints:
    """Return a number for each (instance, generator, rubric) of the study."""
    return (instance * len(index.models) + generator) * (index.n_rubrics + 1) + rubric + 1


def _orderings(rows: SelectedRows) -> tuple[tuple[Scale, ...], Ints, Ints]:
    """Return the scales and, for each row, its scale and its balanced ordering; -1 where it has none."""
    column = rows.table.column("ordering")
    texts = [text for text in column.unique().to_pylist() if text is not None]
    orders = [_parse(text) for text in texts]
    score_sets = {tuple(sorted(scores)) for scores in orders if scores is not None}
    scales = tuple(Scale(scores) for scores in sorted(score_sets, key=lambda scores: (len(scores), scores)))
    places = {
        tuple(scale.scores[i] for i in ordering): (number, place)
        for number, scale in enumerate(scales)
        for place, ordering in enumerate(scale.orderings)
    }
    nowhere = (-1, -1)
    ordering_of = np.array([*(places.get(order or (), nowhere) for order in orders), nowhere], dtype=np.int64)
    of_row = ordering_of[encode(column, text_array(texts))]
    occurring = np.flatnonzero(np.isin(np.arange(len(scales)), of_row[:, 0]))
    scale = np.where(of_row[:, 0] < 0, -1, np.searchsorted(occurring, of_row[:, 0]))
    return tuple(scales[i] for i in occurring), scale, of_row[:, 1]


def _parse(text: str) -> tuple[float, ...] | None:
    """Return the scores of an ordering such as `5-4-3-2-1`, None if it is invalid or names one twice."""
    try:
        scores = tuple(float(part) for part in text.split("-"))
    except ValueError:
        return None
    return scores if len(set(scores)) == len(scores) and np.isfinite(scores).all() else None


def _choices(score: Floats, scale: Ints, scales: tuple[Scale, ...]) -> Ints:
    """Return the place of each score in its scale, -1 if it is not on it."""
    choice = np.full(len(score), -1, dtype=np.int64)
    for number, options in enumerate(scales):
        rows = np.flatnonzero(scale == number)
        ascending = np.array(options.scores)
        place = np.minimum(np.searchsorted(ascending, score[rows]), len(ascending) - 1)
        choice[rows] = np.where(ascending[place] == score[rows], place, -1)
    return choice


def _merge_runs(rows: OptionRows, scales: tuple[Scale, ...], selection: Selection) -> OptionRows:
    """Merge rows that differ in their run only: the option most of them chose, and the mean score."""
    keys = [np.unique(part, return_inverse=True)[1].reshape(-1) for part in (rows.item, rows.trial)]
    most = max((len(scale.orderings) for scale in scales), default=1)
    groups = group_rows(rows.judge, *keys, rows.scale * most + rows.ordering)
    size = len(groups.first)
    if size == len(rows.judge):
        return rows
    merged = replace(rows.select(groups.first), votes=groups.sizes)
    if selection.repeats == "first":
        return merged
    width = 1 + rows.choice.max()
    counts = np.bincount(groups.of * width + rows.choice, minlength=size * width).reshape(size, width)
    alone = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
    choice = np.where(alone, counts.argmax(axis=1), -1)
    return replace(merged, choice=choice, score=groups.means(rows.score))


@dataclass(frozen=True, eq=False)
class HumanScores:
    """The mean human score of items, numbered as in `OptionRows`; `item` ascends."""

    item: Ints
    score: Floats

    def of(self, item: Ints) -> Floats:
        if not len(self.item):
            return np.full(len(item), np.nan)
        place = np.minimum(np.searchsorted(self.item, item), len(self.item) - 1)
        return np.where(self.item[place] == item, self.score[place], np.nan)


def read_human_scores(files: StudyFiles, index: StudyIndex, source: str | None) -> HumanScores:
    """Return the mean over people of the scores in `references`, or another source's; None has none."""
    table = files.table("references", ("instance_id", "generator", "rubric_id", "source", "score"))
    sources = [text for text in table.column("source").unique().to_pylist() if text is not None]
    names = [] if source is None else stored_as(source, sources)
    score = numbers(table.column("score"))
    keep = (encode(table.column("source"), text_array(names)) >= 0) & ~np.isnan(score)
    generator, instance = index.responses_of(table)
    items = _item(index, instance, generator, index.rubrics_of(table))
    item, group = np.unique(items[keep], return_inverse=True)
    return HumanScores(item, group_means(score[keep], group.reshape(-1), len(item)))


(PARADIGM,) = OPTION_PARADIGMS
ROW_GROUPS = ("run", "variant", "transform", "ordering")
ITEM_GROUPS = ("rubric", "axis", *INSTANCE_COLUMNS)  # `rubric` is the rubric's id


@dataclass(frozen=True, eq=False)
class JudgeScores:
    """One judge's scores on one scale."""

    name: str
    scale: Scale
    rows: OptionRows
    human: Floats  # the human score of each row's item, NaN for none
    n_instances: int
    weights: Weights | None

    def select(self, keep: Bools) -> "JudgeScores":
        return replace(self, rows=self.rows.select(keep), human=self.human[keep])

    @property
    def with_choice(self) -> "JudgeScores":
        """The rows with a chosen option, whose runs are not divided."""
        return self.select(self.rows.choice >= 0)

    @property
    def positions(self) -> Ints:
        """The position of the chosen option, from 0; only for rows with a chosen option."""
        places = np.argsort(self.scale.orderings, axis=1)
        return np.asarray(places[self.rows.ordering, self.rows.choice])

    @property
    def selections(self) -> Resampled:
        """How often each score was chosen at each position, shape (..., scores, positions)."""
        n, rows = len(self.scale.scores), self.with_choice
        cell = (rows.rows.choice * n + rows.positions) * self.n_instances + rows.rows.instance
        counts = np.bincount(cell, minlength=n * n * self.n_instances)
        return Resampled.over_instances(counts.reshape(n, n, self.n_instances), self.weights)


@dataclass(frozen=True, eq=False)
class OptionSlice:
    """The rows that a slice keeps, those that fail, and its defaults resolved."""

    study: "StudyArrays"
    request: ResolvedSlice
    scales: tuple[Scale, ...]
    rows: OptionRows
    failures: OptionFailures
    weights: Weights | None
    value: str | float | None = None  # the value of the group

    def judges(self, rows: OptionRows) -> Iterator[JudgeScores]:
        """Yield each judge's scores on each scale, from the rows given."""
        study, index, source = self.study, self.study.index, self.request.source
        key = ("human scores", source)
        scores = study.remember(key, lambda: read_human_scores(study.files, index, source))
        human, n = scores.of(rows.item), index.n_instances
        for judge, number in product(np.unique(rows.judge), range(len(self.scales))):
            keep = (rows.judge == judge) & (rows.scale == number)
            name, scale = index.models[judge], self.scales[number]
            if keep.any():
                yield JudgeScores(name, scale, rows.select(keep), human[keep], n, self.weights)

    def left_out(self, keep: Bools, selections: bool) -> dict[str, int]:
        """Return the counts of judgment rows: failures by code, rows not kept (other trials), and merged.

        `keep` marks the slice's rows. With `selections`, divided runs leave none.
        """
        counts = dict.fromkeys(("unparsed", "refused", "error", "other_ordering", "off_scale"), 0)
        codes, numbers = np.unique(self.failures.code.astype(str), return_counts=True)
        counts |= dict(zip(codes.tolist(), numbers.tolist(), strict=True))
        entries = self.rows.choice >= 0 if selections else np.ones(len(keep), dtype=bool)
        return counts | {
            "other_trial": int(self.rows.votes[~keep].sum()),
            "merged": int((self.rows.votes - entries)[keep].sum()),
        }

    def filters(self) -> dict[str, Any]:
        """Return all filters that applied; `reference` names whose scores count as people's."""
        filters, other = self.request.filters(), ("level", "scores", "relatives")
        return {name: value for name, value in filters.items() if name not in other}


def option_slices(
    study: "StudyArrays", spec: Slice, by: str | None, weights: Weights | None
) -> list[OptionSlice]:
    """Return the score-rubric judgments that a slice keeps, by group; NoDataError if there are none."""
    if spec.position:
        raise UsageError("this measure compares the positions themselves; leave out ", option("position"))
    if by not in ROW_GROUPS:
        every_row = _slice(study, spec, weights)
        return [every_row] if by not in ITEM_GROUPS else list(_by_column(every_row, by))
    column = "run_id" if by == "run" else by
    slices = []
    for value in study.inventory.values(column, paradigm=PARADIGM):
        setting = getattr(spec, by)
        if value is None or (setting and value != setting and value not in setting):
            continue
        choice: Any = {by: (value,) if by == "run" else value}
        with suppress(NoDataError):
            slices.append(replace(_slice(study, replace(spec, **choice), weights), value=value))
    if not slices:
        raise NoDataError(f"the study has no {PARADIGM} judgments with a {by}")
    return slices


def _slice(study: "StudyArrays", spec: Slice, weights: Weights | None) -> OptionSlice:
    if spec.reference is None:  # whose scores count as people's
        spec = replace(spec, reference="human" if "human" in study.references.sources else NONE)
    request = resolve(study, spec, (PARADIGM,))
    cube: OptionCube = study.remember(
        ("options", request.selection), lambda: read_options(study.files, study.index, request.selection)
    )
    rubrics = rubric_mask(study.index, spec)

    def row_mask(rows: OptionRows | OptionFailures) -> Bools:
        keep = rubrics[rows.rubric] if len(rubrics) else np.zeros(len(rows.rubric), dtype=bool)
        bare = rows.rubric < 0
        if bare.any():
            keep = np.where(bare, instance_mask(study.index, spec, rubrics)[rows.instance], keep)
        for models, names in ((rows.judge, spec.judges), (rows.generator, spec.generators)):
            if names:
                keep = keep & np.isin(models, [study.index.models.index(name) for name in names])
        return keep

    rows, failures = cube.rows.select(row_mask(cube.rows)), cube.failures.select(row_mask(cube.failures))
    return OptionSlice(study, request, cube.scales, rows, failures, weights)


def _by_column(part: OptionSlice, by: str) -> Iterator[OptionSlice]:
    """Yield the slice's groups by a column of rubrics or instances; rows without a value come last."""
    index = part.study.index

    def values(rows: OptionRows | OptionFailures) -> NDArray[np.object_]:
        if by != "rubric":
            return index.texts_of_rows(by, rows.instance, rows.rubric)
        ids = np.array([*index.rubric_ids.to_pylist(), None], dtype=object)
        return ids[rows.rubric]  # the last one for rows without a rubric

    columns = values(part.rows), values(part.failures)
    texts: set[Any] = {text for column in columns for text in column.tolist()}
    for value in [*sorted(text for text in texts if text is not None), *([None] if None in texts else [])]:
        keep, keep_failures = (np.array([text == value for text in column], dtype=bool) for column in columns)
        rows, failures = part.rows.select(keep), part.failures.select(keep_failures)
        yield replace(part, rows=rows, failures=failures, value=value)
