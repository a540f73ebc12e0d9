"""Scores by criterion as scores of responses: the mean over a response's criteria (MEASURES section 20).

A score counts as a fraction of its scale: from the lowest to the highest of the options in its row's
ordering, else of those in `rubrics`; without either a score from 0 to 1 is a fraction already. A criterion
with points below 0 is one where lower is better, and counts the other way round.
"""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import pyarrow as pa

from engine.arrays.encoding import encode, numbers
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_rows import (
    OK,
    Failures,
    SelectedRows,
    Selection,
    failed_rows,
    group_rows,
    read_rows,
    select_repeats,
)
from engine.arrays.scores.scores import ScoreCube
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.truths.references import stored_as
from engine.stats import Bools, Floats, Ints
from engine.stats.pairs.quality_baseline import group_means
from engine.store.study_files import StudyFiles
from engine.wording import Wording

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

NO_SCALE = "no_scale"


@dataclass(frozen=True, eq=False)
class CriterionCube(ScoreCube):
    """Scores of responses over some `criteria`: a mask over the keys of `by_criterion`."""

    criteria: Bools
    by_criterion: "CriterionScores"

    def reference(self, study: "StudyArrays", source: str | None, *, complete: bool = True) -> Floats | None:
        """Return a source's scores (1, generators, instances) over the same criteria; None: it has none.

        `complete`: only of answers that it scores on all of these criteria.
        """
        if source is None:
            return None
        key = ("scores of criteria", source, self.by_criterion.selection)
        scores = study.remember(key, lambda: self.by_criterion.reference(study.files, study.index, source))
        if not len(scores.key):
            return None
        models = np.arange(len(study.index.models))
        values = self.by_criterion.mean_over(self.criteria, scores, np.array([-1]), models, complete=complete)
        return values[:, self.generators]


@dataclass(frozen=True, eq=False)
class KeyedScores:
    """Scores as fractions, one for each (judge, generator, criterion); `key` numbers the criterion."""

    judge: Ints
    generator: Ints
    key: Ints
    score: Floats


@dataclass(frozen=True, eq=False)
class CriterionScores:
    """The scores by criterion of one selection.

    A criterion's key is its rubric; scores without a stored rubric have one for the instance, counted from
    the number of rubrics on. `requested` are the keys with any row, whoever judged. The arrays of failures
    are parallel.
    """

    selection: Selection
    n_rubrics: int
    instance_of: Ints  # of each key
    low: Floats  # the scale of each key
    high: Floats
    lower_is_better: Bools
    judges: Ints
    generators: Ints
    requested: Ints
    scores: KeyedScores
    failures: Failures
    failed_keys: Ints

    def cube(self, rubrics: Bools, bare: Bools) -> CriterionCube:
        """Return the mean scores over some rubrics; `bare` (instances,): keep scores without a rubric.

        NoDataError if each of these scores lacks a scale.
        """
        keys = np.concatenate([rubrics, bare])
        values = self.mean_over(keys, self.scores, self.judges, self.generators)
        failures = self.failures.select(keys[self.failed_keys])
        if np.isnan(values).all() and (failures.code == NO_SCALE).any():
            raise NoDataError(
                "these scores by criterion go beyond 0 to 1 and have no scale; import them with ",
                Wording("--set scale=5", "set={'scale': '5'}"),
                " (or what the highest score is), or give `options` in the table `rubrics`",
            )
        some = self.mean_over(keys, self.scores, self.judges, self.generators, complete=False)
        judge, generator, instance = np.nonzero(np.isnan(values) & ~np.isnan(some))
        n = len(judge)
        partial = Failures(
            judge, generator, instance, np.full(n, "incomplete", dtype=object), np.ones(n, dtype=np.int64)
        )
        failures = Failures.concatenate([failures, partial])
        return CriterionCube(self.judges, self.generators, values, failures, keys, self)

    def mean_over(
        self, keys: Bools, scores: KeyedScores, judges: Ints, generators: Ints, *, complete: bool = True
    ) -> Floats:
        """Return mean scores (judges, generators, instances), NaN where one of the criteria has none."""
        n_instances = len(self.instance_of) - self.n_rubrics
        shape = (len(judges), len(generators), n_instances)
        needed = np.bincount(self.instance_of[self.requested[keys[self.requested]]], minlength=n_instances)
        counts = keys[scores.key] & np.isin(scores.key, self.requested)
        instance = self.instance_of[scores.key[counts]]
        where = (
            np.searchsorted(judges, scores.judge[counts]),
            np.searchsorted(generators, scores.generator[counts]),
            instance,
        )
        cell = np.ravel_multi_index(where, shape)
        means = group_means(scores.score[counts], cell, int(np.prod(shape))).reshape(shape)
        if not complete:
            return means
        number = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
        return np.where(number == needed, means, np.nan)

    def reference(self, files: StudyFiles, index: StudyIndex, source: str) -> KeyedScores:
        """Return a source's scores of the responses, the mean over people where it is `human`."""
        columns = ("instance_id", "generator", "rubric_id", "source", "score")
        table = files.table("references", columns)
        names = [name for name in table.column("source").unique().to_pylist() if name is not None]
        wanted = stored_as(source, names)
        generator, _ = index.responses_of(table)
        key, score = index.rubrics_of(table), numbers(table.column("score"))
        of_source = encode(table.column("source"), pa.array(wanted, pa.string())) >= 0
        rows = np.flatnonzero(of_source & (generator >= 0) & (key >= 0) & ~np.isnan(score))
        groups = group_rows(generator[rows], key[rows])
        at = rows[groups.first]
        fraction = self.fraction(key[at], groups.means(score[rows]))
        fits = (fraction >= 0) & (fraction <= 1)
        nobody = np.full(len(at), -1)
        return KeyedScores(nobody[fits], generator[at][fits], key[at][fits], fraction[fits])

    def fraction(self, key: Ints, score: Floats) -> Floats:
        """Return scores as fractions of their scales, one less that where lower is better."""
        fraction = (score - self.low[key]) / (self.high[key] - self.low[key])
        return np.where(self.lower_is_better[key], 1 - fraction, fraction)


def read_criterion_scores(files: StudyFiles, index: StudyIndex, selection: Selection) -> CriterionScores:
    """Read the scores of one selection: repeats of an ordering are averaged, and then the orderings."""
    rows = read_rows(files, index, selection, ("rubric_id", "ordering", "score"))
    rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
    key = np.where(rubric < 0, index.n_rubrics + rows.instance, rubric)
    ends, ordering = _ends(rows)
    scales = _scales(key, ends, _stated_scales(files, index), index.n_instances)
    score = rows.number("score")
    fraction = (score - scales.bottom) / (scales.top - scales.bottom)
    judges, generators = np.unique(rows.judge), np.unique(rows.generator)
    ok, beyond = rows.status == OK, (fraction < 0) | (fraction > 1)
    unscaled = ok & beyond & ~scales.is_known
    off_scale = ok & ((beyond & scales.is_known) | np.isnan(score))
    good = np.flatnonzero(ok & ~unscaled & ~off_scale)
    keys = [part[good] for part in (rows.judge, rows.generator, key)]
    orderings = group_rows(*keys, ordering[good] + 1)
    counting = select_repeats(orderings.of, rows.trial[good], selection.repeats)
    lower_is_better = np.append(index.points < 0, np.zeros(index.n_instances, dtype=bool))
    value = np.where(lower_is_better[key[good]], 1 - fraction[good], fraction[good])
    items = group_rows(*(part[orderings.first] for part in keys))
    judge, generator, criterion = (part[orderings.first][items.first] for part in keys)
    scores = KeyedScores(judge, generator, criterion, items.means(orderings.means(value, counting)))
    again = np.flatnonzero(orderings.sizes > 1)
    failed: list[tuple[Ints, str | None, Ints | None]] = [
        (np.flatnonzero(~ok), None, None),
        (np.flatnonzero(off_scale), "off_scale", None),
        (np.flatnonzero(unscaled), NO_SCALE, None),
        (good[orderings.first[again]], "merged", orderings.sizes[again] - 1),
    ]
    return CriterionScores(
        selection,
        index.n_rubrics,
        np.concatenate([index.layout.instance_of, np.arange(index.n_instances)]),
        scales.low,
        scales.high,
        lower_is_better,
        judges,
        generators,
        np.unique(key),
        scores,
        failed_rows(rows, judges, generators, failed),
        np.concatenate([key[at] for at, _, _ in failed]),
    )


@dataclass(frozen=True, eq=False)
class _Scales:
    """The scale of each row, `bottom` to `top`, and whether that `is_known`; `low` and `high` of each key."""

    bottom: Floats
    top: Floats
    is_known: Bools
    low: Floats
    high: Floats


def _scales(
    key: Ints, ends: tuple[Floats, Floats], stated: tuple[Floats, Floats], n_instances: int
) -> _Scales:
    """Return the scales: those of the rows' orderings, else those that `rubrics` states, else 0 to 1."""
    of_rubric = np.append(~np.isnan(stated[0]), np.zeros(n_instances, dtype=bool))
    low, high = (
        np.append(np.where(np.isnan(end), usual, end), np.full(n_instances, usual))
        for end, usual in zip(stated, (0.0, 1.0), strict=True)
    )
    shown = ~np.isnan(ends[0])
    bottom, top = (np.where(shown, end, of_key[key]) for end, of_key in zip(ends, (low, high), strict=True))
    unstated = shown & ~of_rubric[key]  # a reference's scores have no ordering of their own
    low[key[unstated]], high[key[unstated]] = ends[0][unstated], ends[1][unstated]
    return _Scales(bottom, top, shown | of_rubric[key], low, high)


def _ends(rows: SelectedRows) -> tuple[tuple[Floats, Floats], Ints]:
    """Return the lowest and highest score in each row's ordering, NaN without; and a code of the ordering."""
    column = rows.table.column("ordering")
    texts = column.combine_chunks().cast(pa.string()).unique().drop_null()
    ends = np.array([*map(_scale_of, texts.to_pylist()), (np.nan, np.nan)], dtype=np.float64)
    code = encode(column, texts)
    return (ends[code, 0], ends[code, 1]), code


def _scale_of(ordering: str) -> tuple[float, float]:
    """Return the least and greatest score of an ordering such as `5-4-3-2-1`; NaN if it has no two."""
    try:
        scores = [float(part) for part in ordering.split("-")]
    except ValueError:
        scores = []
    return _span(scores)


def _span(scores: list[float]) -> tuple[float, float]:
    if not scores or not np.isfinite(scores).all() or min(scores) == max(scores):
        return np.nan, np.nan
    return min(scores), max(scores)


def _stated_scales(files: StudyFiles, index: StudyIndex) -> tuple[Floats, Floats]:
    """Return the lowest and highest option that `rubrics` states for each rubric, NaN for none."""
    table = files.table("rubrics", ("instance_id", "rubric_id", "options"))
    column = table.column("options")
    texts = column.combine_chunks().cast(pa.string()).unique().drop_null()
    ends = np.array([*map(_scale_of_options, texts.to_pylist()), (np.nan, np.nan)], dtype=np.float64)
    of_row = ends[encode(column, texts)]
    place = index.rubrics_of(table)
    scales = np.full((2, index.n_rubrics), np.nan)
    scales[:, place] = of_row.T
    return scales[0], scales[1]


def _scale_of_options(text: str) -> tuple[float, float]:
    """Return the least and greatest score of a JSON list of options; NaN if it is none."""
    try:
        options = json.loads(text)
        scores = [float(cast("float", option["score"])) for option in options]
    except (ValueError, TypeError, KeyError, RecursionError):
        scores = []
    return _span(scores)


def every_criterion(cube: CriterionScores) -> CriterionCube:
    """Return the scores over all criteria."""
    rubrics = np.ones(cube.n_rubrics, dtype=bool)
    return cube.cube(rubrics, np.ones(len(cube.instance_of) - cube.n_rubrics, dtype=bool))
