"""Scores given to whole responses, as dense arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import StudyIndex
from engine.cubes.rows import OK, Failures, Selection, first_of_each, read_rows
from engine.schema import STATUSES
from engine.store import StudyFiles

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoreCube:
    """The scores of one selection: shape (judges, generators, instances), NaN where there is none."""

    judges: Ints
    generators: Ints
    scores: Floats
    failures: Failures


def read_scores(files: StudyFiles, index: StudyIndex, selection: Selection) -> ScoreCube:
    """Read the scores of one selection; repeats are averaged, or the first taken, as it says."""
    rows = read_rows(files, index, selection, ("score",))
    judges, generators = np.unique(rows.judge), np.unique(rows.generator)
    shape = (len(judges), len(generators), index.n_instances)
    where = (
        np.searchsorted(judges, rows.judge),
        np.searchsorted(generators, rows.generator),
        rows.instance,
    )
    cell = np.ravel_multi_index(where, shape)
    good = np.flatnonzero(rows.status == OK)
    first_only = selection.repeats == "first"
    used = good[first_of_each(cell[good], rows.trial[good])] if first_only else good
    size = int(np.prod(shape))
    votes = np.bincount(cell[used], minlength=size)
    total = np.bincount(cell[used], weights=rows.number("score")[used], minlength=size)
    scores = np.divide(total, votes, out=np.full(size, np.nan), where=votes > 0)
    failed = np.flatnonzero(rows.status != OK)
    extra = np.bincount(cell[good], minlength=size) - 1
    merged = np.flatnonzero(extra > 0)
    places = np.concatenate([cell[failed], merged])
    judge, generator, instance = np.unravel_index(places, shape)
    codes = np.concatenate(
        [np.array(STATUSES, dtype=object)[rows.status[failed]], np.full(len(merged), "merged", object)]
    )
    counts = np.concatenate([np.ones(len(failed), dtype=np.int64), extra[merged]])
    return ScoreCube(
        judges=judges,
        generators=generators,
        scores=scores.reshape(shape),
        failures=Failures(judge, generator, instance, codes, counts),
    )
