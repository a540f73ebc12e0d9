"""What judges say: verdicts, outcomes of pairs, or scores, by item."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.cubes.item_scores import read_item_scores
from engine.cubes.pairs import PairCube
from engine.cubes.quality import read_quality
from engine.cubes.rows import Selection
from engine.cubes.scores import ScoreCube
from engine.cubes.verdicts import VerdictCube
from engine.sources.values import Ints, Kept, Kind, Values, pair_item, response_item, rubric_item

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

SCORES: tuple[str, ...] = ("score_rubric", "quality")
"""Paradigms whose judgments are scores that no comparison of responses is made of."""


def judged(study: "StudyArrays", selection: Selection, judges: Ints, kind: Kind, kept: Kept) -> Values | None:
    """Return what judges say in a selection, None where its judgments are of another kind.

    Repeats are merged as everywhere. The quality of a response is the mean of its five dimensions; the score
    of a rubric is the mean over the orderings in which it was asked.
    """
    if selection.paradigm in SCORES:
        if kind != "score":
            return None
        read = _of_quality if selection.paradigm == "quality" else _of_options
        return read(study, selection, judges, kept)
    cube = study.cube(selection)
    if isinstance(cube, VerdictCube):
        return _of_verdicts(study, cube, judges, kept) if kind == "verdict" else None
    if isinstance(cube, ScoreCube):
        return _of_scores(study, cube, judges, kept) if kind == "score" else None
    return _of_pairs(study, cube, judges, kept) if kind == "outcome" else None


def _of_verdicts(study: "StudyArrays", cube: VerdictCube, judges: Ints, kept: Kept) -> Values:
    index, rows = study.index, np.flatnonzero(np.isin(cube.judges, judges))
    met, ok = index.layout.unpack(cube.met[rows]), index.layout.unpack(cube.ok[rows]) & kept.rubrics
    ok = ok & kept.generators[cube.generators][:, None]
    judge, generator, rubric = np.nonzero(ok)
    item = rubric_item(index, cube.generators[generator], rubric)
    value = met[judge, generator, rubric].astype(np.float64)
    return Values(item, index.layout.instance_of[rubric], cube.judges[rows][judge], value)


def _of_scores(study: "StudyArrays", cube: ScoreCube, judges: Ints, kept: Kept) -> Values:
    rows = np.flatnonzero(np.isin(cube.judges, judges))
    return _dense(study, cube.scores[rows], cube.judges[rows], cube.generators, kept)


def _of_quality(study: "StudyArrays", selection: Selection, judges: Ints, kept: Kept) -> Values:
    cube = study.remember(("quality", selection), lambda: read_quality(study.files, study.index, selection))
    rows = np.flatnonzero(np.isin(cube.judges, judges))
    return _dense(study, cube.scores[rows], cube.judges[rows], np.arange(len(study.index.models)), kept)


def _dense(study: "StudyArrays", scores: np.ndarray, judges: Ints, generators: Ints, kept: Kept) -> Values:
    """Return scores of whole responses: shape (judges, generators, instances), NaN for none."""
    judge, generator, instance = np.nonzero(~np.isnan(scores))
    item = response_item(study.index, generators[generator], instance)
    told = Values(item, instance, judges[judge], scores[judge, generator, instance])
    return told.where(kept.whole(instance, generators[generator]))


def _of_options(study: "StudyArrays", selection: Selection, judges: Ints, kept: Kept) -> Values:
    scores = study.remember(
        ("item scores", selection), lambda: read_item_scores(study.files, study.index, selection)
    )
    bare = scores.rubric < 0
    of_rubric = rubric_item(study.index, scores.generator, scores.rubric)
    item = np.where(bare, response_item(study.index, scores.generator, scores.instance), of_rubric)
    keep = np.where(bare, kept.whole(scores.instance), np.append(kept.rubrics, False)[scores.rubric])
    keep &= np.isin(scores.judge, judges) & kept.generators[scores.generator]
    return Values(item, scores.instance, scores.judge, scores.score).where(keep)


def _of_pairs(study: "StudyArrays", cube: PairCube, judges: Ints, kept: Kept) -> Values:
    index = study.index
    pairs = cube.outcomes.select(np.isin(cube.outcomes.judge, judges))
    item = pair_item(index, pairs.instance, pairs.generator, pairs.opponent)
    told = pair_item(index, cube.rows.instance, cube.rows.generator, cube.rows.opponent)
    width = len(index.models)
    keys, first = np.unique(told * width + cube.rows.judge, return_index=True)
    turned = cube.rows.turned[first[np.searchsorted(keys, item * width + pairs.judge)]]
    values = Values(item, pairs.instance, pairs.judge, pairs.outcome.astype(np.float64), turned)
    return values.where(kept.whole(pairs.instance, pairs.generator, pairs.opponent))


def of_run(selection: Selection, name: str) -> Selection:
    """Return the selection with the judgments of one run."""
    return replace(selection, runs=(name,))
