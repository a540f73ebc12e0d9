"""`corrected`: scores and places of generators, corrected for the judges' errors (MEASURES section 14)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from engine.arrays.scores.unscored_answers import why_no_true_score
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures import entry
from engine.measures.entry import STUDENT, Measure
from engine.measures.rows import Column, Intervals, Options, Table
from engine.stats import Bools, Floats
from engine.stats.ratios import rate
from engine.stats.scores.corrected_scores import Labelled, corrected_shares, places, prediction_powered
from engine.wording import option

_FEWEST = 3
"""The fewest instances with a reference for a correction."""


def corrected_table(view: SliceView, options: Options) -> Table:
    """Return corrected scores, which are cut off at 0 and 1 as the mean that they estimate cannot leave them.

    Their ranks are taken before.
    """
    if view.request.source is None:
        raise NoDataError("the study has no reference to correct with; add one for some of the questions")
    if why_no_true_score(view):
        return Table.of([], 0, view.left_out)
    scores = _Scores.of(view)
    by_rates = options["method"] == "rogan_gladen"
    corrected = _by_rates(view, scores) if by_rates else _by_predictions(scores)
    place, best, worst = (np.full(len(corrected.value), np.nan) for _ in range(3))
    defined = ~np.isnan(corrected.value)
    if defined.any():
        covariance = corrected.covariance
        if covariance is None:
            covariance = np.zeros((defined.sum(), defined.sum()))
        ends = places(corrected.value[defined], covariance, np.random.default_rng(options["seed"]))
        place[defined] = ends.place
        if corrected.covariance is not None:
            best[defined], worst[defined] = ends.low, ends.high
    counts = scores.labelled | scores.unlabelled
    uncorrected = np.full(len(scores.judge), np.nan)
    if counts.any():
        uncorrected = scores.judge[:, counts].mean(axis=1)
    score, low, high = (np.clip(part, 0, 1) for part in (corrected.value, corrected.low, corrected.high))
    interval = Intervals(low, high, low, corrected.unsure)
    columns = {
        "model": Column([view.study.index.models[g] for g in view.generators]),
        "score": Column(score, reasons=corrected.reasons, intervals=interval),
        "rank": Column(place, reasons=corrected.reasons),
        "rank_low": Column(best, reasons=corrected.unsure),
        "rank_high": Column(worst, reasons=corrected.unsure),
        "uncorrected": Column(uncorrected, reasons="no_verdicts"),
        "n_labelled": Column([int(scores.labelled.sum())] * len(scores.has_score)),
        "n_unlabelled": Column([int(scores.unlabelled.sum())] * len(scores.has_score)),
        "labels_to_halve": Column(corrected.labels_to_halve, reasons="labels_do_not_suffice"),
    }
    return Table(columns, scores.has_score, int(counts.sum()), view.left_out)


@dataclass(frozen=True, eq=False)
class _Scores:
    """Mean scores by the judges shown and by the reference, (generators, instances), NaN for none.

    `labelled` and `unlabelled` mark the instances on which every generator shown has a score by a judge, and
    by the reference, or not all by the reference.
    """

    judge: Floats
    reference: Floats
    has_score: Bools
    labelled: Bools
    unlabelled: Bools

    @classmethod
    def of(cls, view: SliceView) -> "_Scores":
        judge = _mean_over_judges(view.scored.judge.values)
        reference = _mean_over_judges(view.scored.reference.values)
        has_score = np.asarray(~np.isnan(judge).all(axis=1))
        scored = np.asarray(~np.isnan(judge[has_score]).any(axis=0) & has_score.any())
        labelled = np.asarray(scored & ~np.isnan(reference[has_score]).any(axis=0))
        return cls(judge, reference, has_score, labelled, scored & ~labelled)


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
    """Return prediction-powered means; if every instance has a reference, its means."""
    size, scored = len(scores.judge), scores.has_score
    n_labelled, n_unlabelled = int(scores.labelled.sum()), int(scores.unlabelled.sum())
    value, low, high, labels_to_halve = (np.full(size, np.nan) for _ in range(4))
    if n_labelled < _FEWEST or not scored.any():
        reasons: list[str | None] = ["too_few_labels"] * size
        return _Corrected(value, low, high, None, labels_to_halve, reasons, "too_few_labels")
    reference = scores.reference[np.ix_(scored, scores.labelled)]
    if n_unlabelled < 2:
        value[scored] = reference.mean(axis=1)
        covariance = np.atleast_2d(np.cov(reference)) / n_labelled
        reach = stdtrit(n_labelled - 1, 0.975) * np.sqrt(np.diag(covariance))
        low[scored], high[scored] = value[scored] - reach, value[scored] + reach
    else:
        judge, alone = (scores.judge[np.ix_(scored, part)] for part in (scores.labelled, scores.unlabelled))
        means = prediction_powered(reference, judge, alone)
        value[scored], low[scored], high[scored] = means.value, means.low, means.high
        labels_to_halve[scored], covariance = means.labels_to_halve, means.covariance
    return _Corrected(value, low, high, covariance, labels_to_halve, [None] * size, "undefined")


def _by_rates(view: SliceView, scores: _Scores) -> _Corrected:
    """Return Rogan and Gladen's shares on the cells without a reference, the mean over the judges shown.

    Each judge has separate rates for its own responses, its relatives' and others'. One judge has an
    interval; the errors of several are not independent, so they have none.
    """
    if not view.request.of_rubrics:
        raise UsageError(
            "method 'rogan_gladen' corrects verdicts on criteria only; leave out ",
            option("method"),
            ", or choose a paradigm of criteria",
        )
    planes, rubric, tally = view.rubric.planes, view.rubric, view.study.index.layout.count_by_instance
    over, failed, under, passed = (
        tally(rubric.take(plane)) for plane in (planes.over, planes.failed, planes.under, planes.passed)
    )
    alone = rubric.take(planes.cube.ok & ~planes.counted)
    judged, favourable = tally(alone), tally(alone & rubric.take(planes.favourable))
    relations = view.relations
    group = np.where(relations.self_mask, 0, np.where(relations.family, 1, 2))
    labelled, unlabelled = scores.labelled, scores.unlabelled
    references = over, failed, passed - under, passed
    shares = [
        corrected_shares(
            favourable[j][:, unlabelled],
            judged[j][:, unlabelled],
            Labelled(*(part[j][:, labelled] for part in references)),
            group[j],
        )
        for j in range(len(view.judges))
    ]
    values = np.stack([share.value for share in shares])
    value = _mean_over_judges(values)
    single = shares[0] if len(shares) == 1 else None
    nothing = np.full(len(value), np.nan)
    own = single.reason if single is not None else np.where(np.isnan(value), "no_rates", "")
    why = own if unlabelled.any() else np.full(len(value), "nothing_unlabelled")
    codes = [str(code) or None for code in why]
    low, high = (nothing, nothing) if single is None else (single.low, single.high)
    return _Corrected(value, low, high, None, nothing, codes, "several_judges")


CORRECTED = Measure(
    name="corrected",
    title="Corrected scores and ranks",
    question="Which model is best once the judges' errors are corrected by questions with a reference?",
    formula=(
        "prediction_powered: mean judge score without a reference + mean of (reference - judge) with one; "
        "rogan_gladen: (share - overestimation) / (sensitivity - overestimation), own and others' apart"
    ),
    paper="none of the papers; Angelopoulos et al. 2023, Rogan and Gladen 1978",
    left_out="questions on which some model has no score from a judge",
    function=corrected_table,
    keys=("model",),
    headline="score",
    chart="corrected",
    paradigms=("single_rubric", "all_rubrics", "direct_assessment"),
    level="instance",
    options=(entry.choice("method", "how scores are corrected", "prediction_powered", "rogan_gladen"),),
    intervals={STUDENT: ("score",)},
    fields=(
        entry.key("model", "the model"),
        entry.share("score", "corrected score"),
        entry.number("rank", "rank by the corrected score; 1 is the highest"),
        entry.number("rank_low", "best rank in the joint 95% confidence set"),
        entry.number("rank_high", "worst rank in the joint 95% confidence set"),
        entry.portion("uncorrected", "mean of the judges' scores"),
        entry.count("n_labelled", "questions with a reference for every model"),
        entry.count("n_unlabelled", "questions scored by judges only"),
        entry.number("labels_to_halve", "additional references needed to halve the interval"),
    ),
)
