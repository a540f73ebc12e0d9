"""Scores of quality: each judge's mean of the five dimensions (MEASURES section 9)."""

from dataclasses import dataclass

import numpy as np

from engine.cubes.dimensions import DIMENSIONS, dimension_of
from engine.cubes.index import StudyIndex
from engine.cubes.pair_rows import Floats, Ints
from engine.cubes.rows import OK, Selection, first_of_each, read_rows
from engine.store import StudyFiles


@dataclass(frozen=True, eq=False)
class QualityCube:
    """Mean scores of shape (judges, models, instances), NaN where a dimension is missing.

    `judges` and `rated` hold positions of models, ascending.
    """

    judges: Ints
    rated: Ints
    scores: Floats


def read_quality(files: StudyFiles, index: StudyIndex, selection: Selection) -> QualityCube:
    """Read the `quality` rows of one selection; repeats are averaged, or the first taken, as it says."""
    rows = read_rows(files, index, selection, ("rubric_id", "score"))
    dimension = dimension_of(rows.table.column("rubric_id"))
    judges = np.unique(rows.judge)
    shape = (len(judges), len(index.models), index.n_instances, len(DIMENSIONS))
    good = np.flatnonzero((rows.status == OK) & (dimension >= 0))
    where = (np.searchsorted(judges, rows.judge), rows.generator, rows.instance, dimension)
    cell = np.ravel_multi_index(tuple(part[good] for part in where), shape)
    if selection.repeats == "first":
        kept = first_of_each(cell, rows.trial[good])
        cell, good = cell[kept], good[kept]
    size = int(np.prod(shape))
    votes = np.bincount(cell, minlength=size)
    total = np.bincount(cell, weights=rows.number("score")[good], minlength=size)
    scores = np.divide(total, votes, out=np.full(size, np.nan), where=votes > 0)
    return QualityCube(judges, np.unique(rows.generator), scores.reshape(shape).mean(axis=-1))
