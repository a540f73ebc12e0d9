"""`corrected`: scores and places of generators, corrected for the judges' errors by what has a reference."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from engine.arrays.resolve import NoDataError
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures.rows import Column, Stated, Table
from engine.slices import Slice
from engine.stats.corrected import Labelled, corrected_shares, places, prediction_powered
from engine.stats.self_preference import rate
from engine.stats.types import Bools, Floats

_FEWEST = 3
"""Instances with a reference below which nothing is corrected."""


def prepare_corrected(
    _study: StudyArrays, spec: Slice, _options: Mapping[str, Any], _by: str | None
) -> Slice:
    """Return the slice at the level of instances, where responses have scores."""
    return replace(spec, level="instance")


def corrected_table(view: SliceView, options: Mapping[str, Any]) -> Table:
    """Return a row for each generator that the judges shown have scored."""
    if view.request.source is None:
        raise NoDataError("the study has no reference to correct with; add one for some of the instances")
    scores = _Scores.of(view)
    by_rates = options["method"] == "rogan_gladen"
    corrected = _by_rates(view, scores) if by_rates else _by_predictions(scores)
    rng = np.random.default_rng(options["seed"])
    ranks = _ranks(corrected, rng)
    models = view.study.index.models
    columns = {
        "model": Column([models[g] for g in view.generators]),
        "score": Column(
            corrected.value,
            reasons=corrected.reasons,
            stated=Stated(corrected.low, corrected.high, corrected.low, corrected.unsure),
        ),
        "rank": Column(ranks[0], reasons=corrected.reasons),
        "rank_low": Column(ranks[1], reasons=corrected.unsure),
        "rank_high": Column(ranks[2], reasons=corrected.unsure),
        "uncorrected": Column(scores.uncorrected, reasons="no_verdicts"),
        "n_labelled": Column([int(scores.labelled.sum())] * len(scores.shown)),
        "n_unlabelled": Column([int(scores.unlabelled.sum())] * len(scores.shown)),
        "labels_to_halve": Column(corrected.labels_to_halve, reasons="labels_do_not_suffice"),
    }
    instances = int((scores.labelled | scores.unlabelled).sum())
    return Table(columns, scores.shown, instances, view.left_out)


@dataclass(frozen=True, eq=False)
class _Scores:
    """Mean scores by the judges shown and by the reference, (generators, instances), NaN for none.

    `labelled` and `unlabelled` mark the instances on which every generator shown has a score by a judge, and
    all have one by the reference, or not all.
    """

    judge: Floats
    reference: Floats
    shown: Bools
    labelled: Bools
    unlabelled: Bools

    @classmethod
    def of(cls, view: SliceView) -> "_Scores":
        """Return the scores of a slice."""
        judge = _mean_over_judges(view.scored.judge.values)
        reference = _mean_over_judges(view.scored.reference.values)
        shown = np.asarray(~np.isnan(judge).all(axis=1))
        scored = np.asarray(~np.isnan(judge[shown]).any(axis=0) & shown.any())
        labelled = np.asarray(scored & ~np.isnan(reference[shown]).any(axis=0))
        return cls(judge, reference, shown, labelled, scored & ~labelled)

    @property
    def uncorrected(self) -> Floats:
        """The mean of the judges' scores on these instances."""
        counts = self.labelled | self.unlabelled
        if not counts.any():
            return np.full(len(self.judge), np.nan)
        return np.asarray(self.judge[:, counts].mean(axis=1))


def _mean_over_judges(scores: Floats) -> Floats:
    return rate(np.nansum(scores, axis=0), (~np.isnan(scores)).sum(axis=0))


@dataclass(frozen=True, eq=False)
class _Corrected:
    """Corrected scores, shape (generators,), with their covariance where that is known."""

    value: Floats
    low: Floats
    high: Floats
    covariance: Floats | None
    labels_to_halve: Floats
    reasons: list[str | None]
    unsure: str


def _by_predictions(scores: _Scores) -> _Corrected:
    """Return prediction-powered means; where every instance has a reference, its means."""
    size, shown = len(scores.judge), scores.shown
    number, more = int(scores.labelled.sum()), int(scores.unlabelled.sum())
    value, low, high, further = (np.full(size, np.nan) for _ in range(4))
    if number < _FEWEST or not shown.any():
        reasons: list[str | None] = ["too_few_labels"] * size
        return _Corrected(value, low, high, None, further, reasons, "too_few_labels")
    reference = scores.reference[np.ix_(shown, scores.labelled)]
    if more < 2:
        value[shown] = reference.mean(axis=1)
        covariance = np.atleast_2d(np.cov(reference)) / number
        reach = stdtrit(number - 1, 0.975) * np.sqrt(np.diag(covariance))
        low[shown], high[shown] = value[shown] - reach, value[shown] + reach
    else:
        judge, alone = (scores.judge[np.ix_(shown, part)] for part in (scores.labelled, scores.unlabelled))
        means = prediction_powered(reference, judge, alone)
        value[shown], low[shown], high[shown] = means.value, means.low, means.high
        further[shown], covariance = means.labels_to_halve, means.covariance
    return _Corrected(value, low, high, covariance, further, [None] * size, "undefined")


def _by_rates(view: SliceView, scores: _Scores) -> _Corrected:
    """Return Rogan and Gladen's shares on the cells without a reference, the mean over the judges shown.

    Each judge's rates are those of its own responses, its relatives' and others' apart. One judge has an
    interval; the errors of several are not independent, so that they have none.
    """
    if not view.request.of_rubrics:
        raise UsageError(
            "method 'rogan_gladen' corrects rubric verdicts only; leave out --method, or choose a "
            "rubric paradigm"
        )
    planes, rubric, tally = view.rubric.planes, view.rubric, view.study.index.layout.count_by_instance
    over, failed, under, passed = (
        tally(rubric.take(plane)) for plane in (planes.over, planes.failed, planes.under, planes.passed)
    )
    alone = rubric.take(planes.cube.ok & ~planes.counted)
    judged, favourable = tally(alone), tally(alone & rubric.take(planes.favourable))
    relations = view.relations
    group = np.where(relations.self_mask, 0, np.where(relations.family, 1, 2))
    some, bare = scores.labelled, scores.unlabelled
    shares = [
        corrected_shares(
            favourable[j][:, bare],
            judged[j][:, bare],
            Labelled(over[j][:, some], failed[j][:, some], (passed - under)[j][:, some], passed[j][:, some]),
            group[j],
        )
        for j in range(len(view.judges))
    ]
    values = np.stack([share.value for share in shares])
    value = _mean_over_judges(values)
    single = shares[0] if len(shares) == 1 else None
    nothing = np.full(len(value), np.nan)
    why = "nothing_unlabelled" if not bare.any() else "no_rates"
    codes: list[str | None] = [why if missing else None for missing in np.isnan(value).tolist()]
    low, high = (nothing, nothing) if single is None else (single.low, single.high)
    return _Corrected(value, low, high, None, nothing, codes, "several_judges")


def _ranks(corrected: _Corrected, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return each generator's place, 1 the highest, with its best and worst; NaN where there is none."""
    place, best, worst = (np.full(len(corrected.value), np.nan) for _ in range(3))
    known = ~np.isnan(corrected.value)
    if not known.any():
        return place, best, worst
    size = int(known.sum())
    covariance = np.zeros((size, size)) if corrected.covariance is None else corrected.covariance
    ends = places(corrected.value[known], covariance, rng)
    place[known] = ends.place
    if corrected.covariance is not None:
        best[known], worst[known] = ends.low, ends.high
    return place, best, worst
