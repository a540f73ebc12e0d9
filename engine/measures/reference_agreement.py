"""How far sources agree, and `corrected`: scores corrected for a judge's known errors."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy.special import stdtrit

from engine.arrays.item_values import KINDS, SCORES, Kind, SourceFilter, Values
from engine.arrays.resolve import NoDataError, resolve
from engine.arrays.sources import OTHERS, Sources
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.measures.columns import NO_CORRELATION, empty_column
from engine.measures.rows import Column, Intervals, Options, Table
from engine.schema import COMPARABLE
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, Weights, agreement
from engine.stats.bootstrap import resample
from engine.stats.corrected_scores import Labelled, corrected_shares, places, prediction_powered
from engine.stats.ratios import rate

# ------------------------------------------------------------------------------
# `reference-agreement`: how far two sources agree, item by item (MEASURES section 14).

_CHUNK = 1 << 22
"""Weights times items in memory at a time when correlations are drawn."""


_FIELDS = (
    *("agreement", "kappa", "balanced_f1", "win_rate_a", "win_rate_b", "spearman", "pearson"),
    *("mean_difference", "median_difference", "sd_difference", "within"),
)
"""The numbers, each of one kind of value only."""


@dataclass(frozen=True, eq=False)
class Joint:
    """The items that two sources share, shape (items,): instances, both values, place in the second."""

    instance: Ints
    a: Floats
    b: Floats
    place: Ints


def reference_agreement_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> Table:
    """Return a row for each pair of sources and kind of value that both have.

    Without `a` and `b`: every two references that are stored, and each person against the others' majority.
    """
    source_filter = SourceFilter.of(study.index, spec)
    sources = sources_of(study, spec, source_filter)
    rows = []
    for (a, b), kind in product(_pairs(sources, options["a"], options["b"]), KINDS):
        first, second = sources.read(a, kind, against=b), sources.read(b, kind, against=a)
        joint = None if first is None or second is None else join(first, second)
        if joint is not None and len(joint.a):
            rows.append(_row(study, sources, a, b, kind, joint, weights))
    if not rows:
        if source_filter.refusal is not None:
            raise source_filter.refusal
        raise NoDataError("no two of these sources cover the same item")
    return Table.of(rows, study.index.n_instances)


def sources_of(study: StudyArrays, spec: Slice, source_filter: SourceFilter) -> Sources:
    """Return the sources of a slice: those of the judges from the first paradigm that it has."""
    selection = None
    try:
        unreferenced = Slice.of(**spec.filters() | {"reference": None})
        selection = resolve(study, unreferenced, (*COMPARABLE, *SCORES)).selection
    except (NoDataError, UsageError) as error:
        if not isinstance(error, NoDataError) and (spec.paradigm or spec.variant):
            raise
    return Sources(study, selection, source_filter)


def _pairs(sources: Sources, a: str | None, b: str | None) -> Iterator[tuple[str, str]]:
    names = sources.names()
    for name in (a, b):
        if name is not None and name not in names:
            raise unknown("source", name, names)
    if a is not None and b is not None:
        yield a, b
        return
    single = [name for name in names if not name.startswith(("judge:", "run:")) and name != OTHERS]
    names_apart = [name for name in single if sources.is_stored(name)]
    fixed = a if a is not None else b
    if fixed is not None:
        yield from ((fixed, name) for name in names_apart if name != fixed)
        return
    yield from combinations(names_apart, 2)
    if OTHERS in names:
        yield from ((name, OTHERS) for name in sources.people())


def join(first: Values, second: Values) -> Joint:
    """Bring both to their common items; for two runs each judge is compared with itself.

    Outcomes are seen from the side that `first` gives them from.
    """
    keys = (first.item, second.item)
    if (first.rater >= 0).any() and (second.rater >= 0).any():
        width = 1 + max(first.rater.max(), second.rater.max())
        keys = (first.item * width + first.rater, second.item * width + second.rater)
    if len(np.unique(keys[1])) < len(keys[1]):  # the source with several goes first
        joint = join(replace(second, swapped=None), first)
        side = _side(first, joint.place)
        return Joint(joint.instance, side * joint.b, side * joint.a, joint.place)
    order = np.argsort(keys[1])
    place = np.minimum(np.searchsorted(keys[1][order], keys[0]), len(order) - 1)
    matched = keys[1][order][place] == keys[0]
    at = order[place][matched]
    side = _side(first, np.flatnonzero(matched))
    return Joint(first.instance[matched], side * first.value[matched], side * second.value[at], at)


def _side(values: Values, rows: Ints) -> Floats | float:
    """Return the factor that turns outcomes to the side from which the source gives them."""
    return 1.0 if values.swapped is None else np.where(values.swapped[rows], -1.0, 1.0)


def _row(
    study: StudyArrays, sources: Sources, a: str, b: str, kind: Kind, joint: Joint, weights: Weights | None
) -> dict[str, Column]:
    columns = {name: Column([value]) for name, value in (("a", a), ("b", b), ("kind", kind))}
    columns["n"] = Column([len(joint.a)])
    columns |= dict.fromkeys(_FIELDS, empty_column(1, weights, "of_another_kind"))
    if kind == "score":
        distance = np.abs(joint.a - joint.b)
        within = [float((distance <= step + 1e-9).mean()) for step in agreement.STEPS]
        spread = float(distance.std(ddof=1)) if len(distance) > 1 else None
        return columns | {
            "spearman": correlation_of(joint, weights, agreement.weighted_spearman),
            "pearson": correlation_of(joint, weights, agreement.weighted_pearson),
            "mean_difference": Column([float(distance.mean())]),
            "median_difference": Column([float(np.median(distance))]),
            "sd_difference": Column([spread], reasons="one_item"),
            "within": Column([[*within, 1.0]]),
        }
    table = table_of(study, joint, 2 if kind == "verdict" else 3, weights)
    columns["agreement"] = statistic_column(agreement.share_equal, *table)
    columns["kappa"] = statistic_column(agreement.cohens_kappa, *table)
    for name, wins in zip(("win_rate_a", "win_rate_b"), agreement.win_shares(table[0]), strict=True):
        columns[name] = Column([float(wins)])
    if kind == "verdict":
        if "human" in (a, b) and a != b:
            other = sources.read(b if a == "human" else a, kind, against="human")
            if other is not None:
                table = table_of(study, join(sources.persons(), other), 2, weights)
        columns["balanced_f1"] = statistic_column(agreement.balanced_f1, *table)
    return columns


def table_of(
    study: StudyArrays, joint: Joint, classes: int, weights: Weights | None
) -> tuple[Floats, Floats | None]:
    """Return the joint counts of the classes, and their draws."""
    low = 0 if classes == 2 else -1
    kind = ((joint.a - low) * classes + (joint.b - low)).astype(np.int64)
    instances = study.index.n_instances
    cells = np.bincount(kind * instances + joint.instance, minlength=classes * classes * instances)
    by_instance = cells.reshape(classes, classes, -1)
    draws = None if weights is None else resample(by_instance, weights)
    return by_instance.sum(axis=-1).astype(np.float64), draws


def statistic_column(statistic: Any, table: Floats, draws: Floats | None) -> Column:
    """Return a number of joint counts, with its draws."""
    value_draws = None if draws is None else statistic(draws)[:, None]
    return Column([float(statistic(table))], value_draws, "undefined_for_these_counts")


def correlation_of(joint: Joint, weights: Weights | None, statistic: Any) -> Column:
    """Return a correlation of the two sources' scores, with its draws."""
    value = float(statistic(joint.a, joint.b, np.ones(len(joint.a))))
    if weights is None:
        return Column([value], reasons=NO_CORRELATION)
    step = max(1, _CHUNK // max(len(joint.a), 1))
    parts = [
        statistic(joint.a, joint.b, weights[i : i + step][:, joint.instance].astype(np.float64))
        for i in range(0, len(weights), step)
    ]
    return Column([value], np.concatenate(parts)[:, None], NO_CORRELATION)


# ------------------------------------------------------------------------------
# `corrected`: scores and places of generators, corrected for the judges' errors by instances with a
# reference.


_FEWEST = 3
"""The fewest instances with a reference for a correction."""


def corrected_table(view: SliceView, options: Options) -> Table:
    if view.request.source is None:
        raise NoDataError("the study has no reference to correct with; add one for some of the instances")
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
    interval = Intervals(corrected.low, corrected.high, corrected.low, corrected.unsure)
    columns = {
        "model": Column([view.study.index.models[g] for g in view.generators]),
        "score": Column(corrected.value, reasons=corrected.reasons, intervals=interval),
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
