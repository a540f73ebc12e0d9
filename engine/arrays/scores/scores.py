"""Scores of responses: given directly, asked for as quality, or derived from rubric verdicts."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.bitsets import Words
from engine.arrays.encoding import encode
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_rows import (
    OK,
    Failures,
    Selection,
    failed_rows,
    group_rows,
    read_rows,
    select_repeats,
)
from engine.arrays.pairs.pair_orders import dimension_of
from engine.schema import DIMENSIONS
from engine.stats import Floats, Ints
from engine.stats.pairs.quality_baseline import group_means
from engine.stats.scores.ranks import levels
from engine.stats.scores.system_scores import ScoreKind
from engine.store.study_files import StudyFiles


@dataclass(frozen=True, eq=False)
class ScoreCube:
    """The scores of one selection: shape (judges, generators, instances), NaN where there is none."""

    judges: Ints
    generators: Ints
    scores: Floats
    failures: Failures


def read_scores(files: StudyFiles, index: StudyIndex, selection: Selection) -> ScoreCube:
    """Read the scores of one selection; repeats are averaged, or the first taken."""
    rows = read_rows(files, index, selection, ("score",))
    judges, generators = np.unique(rows.judge), np.unique(rows.generator)
    shape = (len(judges), len(generators), index.n_instances)
    size, good = int(np.prod(shape)), np.flatnonzero(rows.status == OK)
    where = np.searchsorted(judges, rows.judge), np.searchsorted(generators, rows.generator), rows.instance
    cell = np.ravel_multi_index(where, shape)[good]  # no sorting: a large study has millions of scores
    counting = select_repeats(cell, rows.trial[good], selection.repeats)
    scores = group_means(rows.number("score")[good][counting], cell[counting], size)
    votes, row_of = np.bincount(cell, minlength=size), np.zeros(size, dtype=np.int64)
    row_of[cell] = good
    merged = np.flatnonzero(votes > 1)
    unused = [(np.flatnonzero(rows.status != OK), None, None), (row_of[merged], "merged", votes[merged] - 1)]
    return ScoreCube(judges, generators, scores.reshape(shape), failed_rows(rows, judges, generators, unused))


@dataclass(frozen=True, eq=False)
class QualityCube:
    """Mean scores of shape (judges, models, instances), NaN where a dimension is missing."""

    judges: Ints  # positions of models, ascending; so are `rated`
    rated: Ints
    scores: Floats


def read_quality(files: StudyFiles, index: StudyIndex, selection: Selection) -> QualityCube:
    """Read the `quality` rows of one selection; repeats are averaged, or the first taken."""
    rows = read_rows(files, index, selection, ("rubric_id", "score"))
    dimension = dimension_of(rows.table.column("rubric_id"))
    judges = np.unique(rows.judge)
    shape = (len(judges), len(index.models), index.n_instances, len(DIMENSIONS))
    good = np.flatnonzero((rows.status == OK) & (dimension >= 0))
    where = (np.searchsorted(judges, rows.judge), rows.generator, rows.instance, dimension)
    cell = np.ravel_multi_index(tuple(part[good] for part in where), shape)
    counting = select_repeats(cell, rows.trial[good], selection.repeats)
    scores = group_means(rows.number("score")[good][counting], cell[counting], int(np.prod(shape)))
    return QualityCube(judges, np.unique(rows.generator), scores.reshape(shape).mean(axis=-1))


@dataclass(frozen=True, eq=False)
class ItemScores:
    """One score for each judge and item: arrays of shape (scores,); `rubric` is -1 for none."""

    judge: Ints
    instance: Ints
    generator: Ints
    rubric: Ints
    score: Floats


def read_item_scores(files: StudyFiles, index: StudyIndex, selection: Selection) -> ItemScores:
    """Average repeats of one ordering, or take the first, and then the orderings, each counting once."""
    rows = read_rows(files, index, selection, ("rubric_id", "ordering", "score"))
    score = rows.number("score")
    good = np.flatnonzero((rows.status == OK) & ~np.isnan(score))
    rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
    column = rows.table.column("ordering")
    ordering = encode(column, column.combine_chunks().cast("string").unique().drop_null())
    keys = [part[good] for part in (rows.judge, rows.generator, rows.instance, rubric + 1)]
    orderings = group_rows(*keys, ordering[good] + 1)
    counting = select_repeats(orderings.of, rows.trial[good], selection.repeats)
    of_ordering = orderings.means(score[good], counting)
    keys = [part[orderings.first] for part in keys]
    items = group_rows(*keys)
    judge, generator, instance, place = (part[items.first] for part in keys)
    return ItemScores(judge, instance, generator, place - 1, items.means(of_ordering))


@dataclass(frozen=True, eq=False)
class ResponseScores:
    """Scores of shape (judges or 1, generators, instances), NaN where a response has none."""

    values: Floats
    given_levels: NDArray[np.int32] | None = None

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """The scores' order within each instance, see `engine.stats.scores.ranks.levels`."""
        return levels(self.values) if self.given_levels is None else self.given_levels


def score_responses(index: StudyIndex, met: Words, ok: Words, mask: Words, kind: ScoreKind) -> ResponseScores:
    """Score every response over the rubrics in `mask`: (words,), or with axes of judges and generators.

    A response that lacks a verdict on any rubric kept has no score, nor has one of an instance without such a
    rubric; weighted and uniform scores also need a positive rubric.
    """
    layout = index.layout
    negative = layout.pack(index.points < 0)
    n_rubrics = layout.count_by_instance(mask)
    judged = layout.count_by_instance(ok & mask)
    complete = (judged == n_rubrics) & (n_rubrics > 0)
    if kind == "fraction":
        hits = layout.count_by_instance((met ^ negative) & ok & mask)
        values = np.divide(hits, n_rubrics, out=np.full(complete.shape, np.nan), where=complete)
        return ResponseScores(values, np.where(complete, hits, -1))
    points = np.sign(index.points) if kind == "uniform" else index.points
    gained = _sum_points(index, met & ok & mask, points)
    best = _sum_points(index, layout.pack(index.points > 0) & mask, points)
    scorable = complete & (best > 0)
    values = np.divide(gained, best, out=np.full(complete.shape, np.nan), where=scorable)
    return ResponseScores(values if kind == "weighted_mean_clipped" else np.clip(values, 0.0, 1.0))


def _sum_points(index: StudyIndex, words: Words, points: Floats) -> Floats:
    """Add up the points of the marked rubrics of each instance: shape (..., instances)."""
    layout = index.layout
    flat = words.reshape(math.prod(words.shape[:-1]), words.shape[-1])  # -1 fails for a study without rubrics
    starts = np.searchsorted(layout.instance_of, layout.occupied)
    sums = np.zeros((len(flat), index.n_instances))
    for row, bits in zip(sums, flat, strict=True):  # one response row at a time bounds the memory
        gained = np.where(layout.unpack(bits), points, 0.0)
        row[layout.occupied] = np.add.reduceat(gained, starts) if len(starts) else 0.0
    return sums.reshape(*words.shape[:-1], index.n_instances)
