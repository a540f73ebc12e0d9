"""Scores of score rubrics by item, ordering and trial (MEASURES section 12)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.cubes.arrow import encode, numbers, text_array
from engine.cubes.index import StudyIndex
from engine.cubes.rows import OK, Rows, Selection, read_rows
from engine.metrics.orders import balanced_orderings
from engine.schema import STATUSES
from engine.store import StudyFiles

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scale:
    """The scores of one list of options, ascending."""

    scores: tuple[float, ...]

    @cached_property
    def orderings(self) -> Ints:
        """The balanced orderings: which score (its place in the scale) stands where."""
        return balanced_orderings(len(self.scores))

    def write(self, ordering: Ints) -> str:
        """Return an ordering as it is stored, `5-4-3-2-1`."""
        return "-".join(f"{self.scores[place]:g}" for place in ordering)


@dataclass(frozen=True, eq=False)
class OptionRows:
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

    def select(self, keep: NDArray[np.bool_] | Ints) -> "OptionRows":
        """Return some of the rows."""
        return OptionRows(**{name: values[keep] for name, values in vars(self).items()})


@dataclass(frozen=True, eq=False)
class OptionFailures:
    """Rows that no measure of order can take, and why."""

    judge: Ints
    instance: Ints
    generator: Ints
    rubric: Ints
    code: NDArray[np.object_]

    def select(self, keep: NDArray[np.bool_]) -> "OptionFailures":
        """Return some of the rows."""
        return OptionFailures(**{name: values[keep] for name, values in vars(self).items()})


@dataclass(frozen=True, eq=False)
class OptionCube:
    """The score-rubric judgments of one selection. Scales come by size, then by their scores."""

    scales: tuple[Scale, ...]
    rows: OptionRows
    failures: OptionFailures


def read_options(files: StudyFiles, index: StudyIndex, selection: Selection) -> OptionCube:
    """Read the score-rubric judgments of one selection.

    Rows that are not ok keep their status as the reason; an ordering that is absent or not balanced is
    `other_ordering`, a score that is none of the ordering's options `off_scale`.
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
    failures = OptionFailures(
        rows.judge[bad], rows.instance[bad], rows.generator[bad], rubric[bad], code[bad]
    )
    whole = OptionRows(
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
    return OptionCube(scales, _merge_runs(whole.select(good), scales, selection), failures)


def _item(index: StudyIndex, instance: Ints, generator: Ints, rubric: Ints) -> Ints:
    """Return a number for each (instance, generator, rubric) of the study."""
    return (instance * len(index.models) + generator) * (index.n_rubrics + 1) + rubric + 1


def _orderings(rows: Rows) -> tuple[tuple[Scale, ...], Ints, Ints]:
    """Return the scales and, for each row, its scale and its balanced ordering; -1 where it has none."""
    column = rows.table.column("ordering")
    texts = [text for text in column.unique().to_pylist() if text is not None]
    read = [_parse(text) for text in texts]
    known = {tuple(sorted(scores)) for scores in read if scores is not None}
    scales = tuple(Scale(scores) for scores in sorted(known, key=lambda scores: (len(scores), scores)))
    places = {
        tuple(scale.scores[i] for i in ordering): (number, place)
        for number, scale in enumerate(scales)
        for place, ordering in enumerate(scale.orderings)
    }
    nowhere = (-1, -1)
    found = np.array([*(places.get(scores or (), nowhere) for scores in read), nowhere], dtype=np.int64)
    mine = found[encode(column, text_array(texts))]
    used = np.flatnonzero(np.isin(np.arange(len(scales)), mine[:, 0]))
    renumbered = np.searchsorted(used, mine[:, 0])
    scale = np.where(mine[:, 0] < 0, -1, renumbered)
    return tuple(scales[i] for i in used), scale, mine[:, 1]


def _parse(text: str) -> tuple[float, ...] | None:
    """Return the scores of an ordering such as `5-4-3-2-1`, None where it is none or names one twice."""
    try:
        scores = tuple(float(part) for part in text.split("-"))
    except ValueError:
        return None
    return scores if len(set(scores)) == len(scores) and np.isfinite(scores).all() else None


def _choices(score: Floats, scale: Ints, scales: tuple[Scale, ...]) -> Ints:
    """Return the place of each score in its scale, -1 where it is not one of it."""
    choice = np.full(len(score), -1, dtype=np.int64)
    for number, options in enumerate(scales):
        here = np.flatnonzero(scale == number)
        ascending = np.array(options.scores)
        place = np.minimum(np.searchsorted(ascending, score[here]), len(ascending) - 1)
        choice[here] = np.where(ascending[place] == score[here], place, -1)
    return choice


def _merge_runs(rows: OptionRows, scales: tuple[Scale, ...], selection: Selection) -> OptionRows:
    """Merge rows that differ in their run only: the option most of them chose, and the mean score."""
    keys = [np.unique(part, return_inverse=True)[1].reshape(-1) for part in (rows.item, rows.trial)]
    most = max((len(scale.orderings) for scale in scales), default=1)
    shown = rows.scale * most + rows.ordering
    cell = rows.judge
    for part in (*keys, shown):
        cell = cell * (1 + (part.max() if len(part) else 0)) + part
    _, first, group, votes = np.unique(cell, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(cell):
        return rows
    merged = vars(rows.select(first)) | {"votes": votes}
    if selection.repeats == "first":
        return OptionRows(**merged)
    group, size = group.reshape(-1), len(first)
    width = 1 + rows.choice.max()
    counts = np.bincount(group * width + rows.choice, minlength=size * width).reshape(size, width)
    lead = counts.max(axis=1)
    alone = (counts == lead[:, None]).sum(axis=1) == 1
    merged["choice"] = np.where(alone, counts.argmax(axis=1), -1)
    merged["score"] = np.bincount(group, weights=rows.score, minlength=size) / votes
    return OptionRows(**merged)


@dataclass(frozen=True, eq=False)
class HumanScores:
    """The mean human score of items, numbered as in `OptionRows`; `item` ascends."""

    item: Ints
    score: Floats

    def of(self, item: Ints) -> Floats:
        """Return the score of each item, NaN where there is none."""
        if not len(self.item):
            return np.full(len(item), np.nan)
        place = np.minimum(np.searchsorted(self.item, item), len(self.item) - 1)
        return np.where(self.item[place] == item, self.score[place], np.nan)


def read_human_scores(files: StudyFiles, index: StudyIndex, source: str | None) -> HumanScores:
    """Return the mean over people of the scores that `references` hold, or those of another source.

    None has none.
    """
    table = files.table("references", ("instance_id", "generator", "rubric_id", "source", "score"))
    stored = [text for text in table.column("source").unique().to_pylist() if text is not None]
    wanted = [name for name in stored if name == source or (source == "human" and name.startswith("human:"))]
    score = numbers(table.column("score"))
    here = (encode(table.column("source"), text_array(wanted)) >= 0) & ~np.isnan(score)
    instance = encode(table.column("instance_id"), index.instances)
    generator = encode(table.column("generator"), index.model_names)
    rubric = index.rubric_positions(instance, table.column("rubric_id"))
    item, group = np.unique(_item(index, instance, generator, rubric)[here], return_inverse=True)
    group = group.reshape(-1)
    total = np.bincount(group, weights=score[here], minlength=len(item))
    return HumanScores(item, total / np.bincount(group, minlength=len(item)))
