"""Scores of rubrics by item, whatever the ordering of their options (MEASURES section 14)."""

from dataclasses import dataclass

import numpy as np

from engine.cubes.arrow import encode
from engine.cubes.index import StudyIndex
from engine.cubes.pair_rows import Floats, Ints, group_rows
from engine.cubes.rows import OK, Selection, first_of_each, read_rows
from engine.store import StudyFiles


@dataclass(frozen=True, eq=False)
class ItemScores:
    """One score for each judge and item: arrays of shape (scores,); `rubric` is -1 for none."""

    judge: Ints
    instance: Ints
    generator: Ints
    rubric: Ints
    score: Floats


def read_item_scores(files: StudyFiles, index: StudyIndex, selection: Selection) -> ItemScores:
    """Read the score-rubric judgments of one selection.

    Repeats of one ordering are averaged, or the first taken, as the selection says; then the orderings are
    averaged, each counting once.
    """
    rows = read_rows(files, index, selection, ("rubric_id", "ordering", "score"))
    score = rows.number("score")
    good = np.flatnonzero((rows.status == OK) & ~np.isnan(score))
    rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
    column = rows.table.column("ordering")
    ordering = encode(column, column.combine_chunks().cast("string").unique().drop_null())
    keys = [part[good] for part in (rows.judge, rows.generator, rows.instance, rubric + 1)]
    asked = group_rows(*keys, ordering[good] + 1)
    each, used = score[good], np.arange(len(good))
    if selection.repeats == "first":
        used = first_of_each(asked.of, rows.trial[good])
    size = len(asked.first)
    total = np.bincount(asked.of[used], weights=each[used], minlength=size)
    of_ordering = total / np.bincount(asked.of[used], minlength=size)
    judge, generator, instance, place = (part[asked.first] for part in keys)
    items = group_rows(judge, generator, instance, place)
    mean = np.bincount(items.of, weights=of_ordering) / np.maximum(items.sizes, 1)
    first = items.first
    return ItemScores(judge[first], instance[first], generator[first], place[first] - 1, mean)
