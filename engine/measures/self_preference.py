"""Self-preference in rubric verdicts: `hspp`, `overestimation`, `accuracy`, `delta`, `agreement-curve`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bitsets import count
from engine.arrays.confusion import Resampled, RubricCounts, combine
from engine.arrays.group_by import filter_mask
from engine.arrays.slice_counts import InstanceCounts
from engine.arrays.view import SliceView
from engine.measures.columns import judge_columns
from engine.measures.ratio_intervals import (
    Name,
    mantel_haenszel_values,
    matched_intervals,
    matched_ratios,
    preference_of_few,
    rates_of_few,
    tails,
)
from engine.measures.rows import FEW, Column, Options, Table, first_reason
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.added_cases import padded_ratio
from engine.stats.ranks import RankedScores, average_rank, pair_order
from engine.stats.ratios import mean_of_defined, rate, ratio
from engine.stats.score_deltas import Deltas, deltas
from engine.stats.self_preference import Relations, self_preference
from engine.stats.system_scores import ScoreKind, system_score

# ------------------------------------------------------------------------------
# `overestimation`: both kinds of error of each judge on each generator (MEASURES section 2).


def overestimation_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each judge and generator with a counted row."""
    counts, models = view.counts, view.study.index.models
    judges, generators = ([models[place] for place in side] for side in (view.judges, view.generators))
    relation = np.where(view.relations.self_mask, "self", np.where(view.relations.family, "family", "other"))
    columns = {
        "judge": Column([judge for judge in judges for _ in generators]),
        "generator": Column(generators * len(judges)),
        "relation": Column(relation.ravel()),
        "rate": _share(view, "over", "failed", "no_unfavourable_reference"),
        "over": Column(counts.over.total.ravel()),
        "n": Column(counts.failed.total.ravel()),
        "under_rate": _share(view, "under", "passed", "no_favourable_reference"),
        "under": Column(counts.under.total.ravel()),
        "under_n": Column(counts.passed.total.ravel()),
        "small": Column(counts.failed.total.ravel() < FEW),
    }
    return Table(columns, counts.present.ravel(), counts.instances, view.left_out)


def _share(view: SliceView, credited: Name, cases: Name, reason: str) -> Column:
    hits, trials = (getattr(view.counts, name) for name in (credited, cases))
    value, draws = combine(rate, hits, trials)
    codes = first_reason((trials.total.ravel() == 0, reason))
    if draws is None:
        return Column(value.ravel(), None, codes)
    few = rates_of_few(view.counts, credited, cases)
    return Column(value.ravel(), draws.reshape(len(draws), -1), codes, few=few)


# ------------------------------------------------------------------------------
# `delta`: how many points a judge lifts each model beyond its leniency (MEASURES section 8).


def delta_table(view: SliceView, _options: Options, *, rankings: bool = True) -> Table:
    """Return a row for each judge and generator; numbers of the judge are on its own row.

    A judge without responses of its own has them on an additional row with generator null. Without `rankings`
    there are neither rank shifts nor pair orders.
    """
    both = view.scored.both
    kind = cast("ScoreKind", view.request.spec.scores)
    parts = (*_common_scores(view, both), both.astype(np.int32))
    sums = [Resampled.over_instances(part, view.weights) for part in parts]

    def estimate(judge: Floats, reference: Floats, number: Floats) -> Deltas:
        judged, true = (system_score(score, number, kind) for score in (judge, reference))
        return deltas(judged, true, view.relations)

    value, draws = combine(estimate, *sums)
    ranks = _rankings(view, both, kind) if rankings else {}
    models = view.study.index.models
    generators = [*(models[g] for g in view.generators), None]
    columns = _own_columns(view, value, draws, both, ranks) | {
        "judge": Column([models[j] for j in view.judges for _ in generators]),
        "generator": Column(generators * len(view.judges), reasons="row_of_the_judge"),
        "n": Column(_widen(sums[2].total, 0)),
    }
    for name, part, scale in (("delta", "centered", 100.0), ("raw_delta", "raw", 1.0)):
        wide_draws = None if draws is None else _widen(getattr(draws, part) * scale, np.nan)
        columns[name] = Column(_widen(getattr(value, part) * scale, np.nan), wide_draws, "no_score_by_both")
    cells = np.asarray(both.any(axis=2))
    bare = np.asarray(cells.any(axis=1) & ~(cells & view.relations.self_mask).any(axis=1))
    keep = np.concatenate([cells, bare[:, None]], axis=1).ravel()
    return Table(columns, keep, int(both.any(axis=(0, 1)).sum()), view.left_out)


def _common_scores(view: SliceView, both: Bools) -> tuple[Floats, Floats]:
    """Return the scores by judge and by reference where both exist, 0 elsewhere."""
    scored = view.scored
    return np.where(both, scored.judge.values, 0.0), np.where(both, scored.reference.values, 0.0)


def _widen(values: NDArray[Any], last: Any) -> NDArray[Any]:
    """Append the additional row of each judge to values of shape (..., judges, generators)."""
    extra = np.full((*values.shape[:-1], 1), last, dtype=values.dtype)
    return np.concatenate([values, extra], axis=-1).reshape(*values.shape[:-2], -1)


def _own_columns(
    view: SliceView, value: Deltas, draws: Deltas | None, both: Bools, ranks: Mapping[str, Resampled]
) -> dict[str, Column]:
    """Return the numbers of each judge, placed on its own row and null on the others."""
    own = np.asarray(view.relations.self_mask & both.any(axis=2))
    place = np.concatenate([own, ~np.asarray(own.any(axis=1))[:, None]], axis=1).ravel()
    width = own.shape[1] + 1
    numbers = {name: (number, "no_instance_with_all_scores") for name, number in ranks.items()}
    for name, scale, missing in (
        ("bonus", 100, "no_own_or_other_scores"),
        ("family_bonus", 100, "no_relatives_or_others"),
        ("leniency", 1, "no_score_by_both"),
    ):
        of_draws = None if draws is None else getattr(draws, name) * scale
        numbers[name] = Resampled(getattr(value, name) * scale, of_draws), missing
    columns = {}
    for name, (number, missing) in numbers.items():
        spread = np.where(place, np.repeat(number.total, width), np.nan)
        codes = first_reason((~place, "on_the_judges_own_row"), (place, missing))
        wide = None
        if number.draws is not None:
            wide = np.full((len(number.draws), len(place)), np.nan)
            wide[:, np.flatnonzero(place)] = number.draws
        columns[name] = Column(spread, wide, codes)
    return columns


def _rankings(view: SliceView, both: Bools, kind: ScoreKind) -> dict[str, Resampled]:
    """Return rank shift and pair order of each judge over instances that it and the reference score fully."""
    has_draws = view.weights is not None and len(both) > 0
    rows = 1 if view.weights is None else 1 + len(view.weights)
    shift, order = (np.full((rows, len(both)), np.nan) for _ in range(2))
    judge, reference = _common_scores(view, both)
    for judges, compared, instances in _judge_groups(both, one_truth=len(view.scored.reference.values) == 1):
        cells = np.ix_(compared, instances)
        weights = None if view.weights is None else view.weights[:, instances]
        truth = _means(reference[judges[0]][cells], weights, kind)
        true_order = RankedScores.of(truth)
        for j in judges:  # one by one: the draws of all of them would not fit the processor's cache
            means = _means(judge[j][cells], weights, kind)
            order[:, j] = pair_order(RankedScores.of(means), true_order)
            for place in np.flatnonzero(view.relations.self_mask[j][compared]):
                shift[:, j] = average_rank(means, int(place)) - average_rank(truth, int(place))
    numbers = {"rank_shift": shift, "pair_order": order}
    return {name: Resampled(rows[0], rows[1:] if has_draws else None) for name, rows in numbers.items()}


def _judge_groups(both: Bools, *, one_truth: bool) -> Iterator[tuple[list[int], Ints, Ints]]:
    """Yield judges that rank the same generators by the same truth, with these and the instances as places.

    Without `one_truth` the reference is each judge's own. Judges with fewer than two generators, or without
    an instance on which all have scores, are left out.
    """
    groups: dict[tuple[Any, ...], list[int]] = {}
    places: dict[tuple[Any, ...], tuple[Ints, Ints]] = {}
    for j, scored in enumerate(both):
        compared = scored.any(axis=1)
        instances = scored[compared].all(axis=0)
        if compared.sum() >= 2 and instances.any():
            key = compared.tobytes(), instances.tobytes(), None if one_truth else j
            groups.setdefault(key, []).append(j)
            places[key] = np.flatnonzero(compared), np.flatnonzero(instances)
    for key, judges in groups.items():
        yield judges, *places[key]


def _means(scores: Floats, weights: Weights | None, kind: ScoreKind) -> Floats:
    """Return the models' mean scores over the instances, then those of each draw: (1 + resamples, models)."""
    number = Resampled.over_instances(np.ones((1, scores.shape[1]), dtype=np.int32), weights)
    total = Resampled.over_instances(scores, weights)
    value, draws = combine(lambda total, number: system_score(total, number, kind), total, number)
    return np.asarray(value[None] if draws is None else np.concatenate([value[None], draws]))


# ------------------------------------------------------------------------------
# `hspp`: self-preference ratios for each judge, and their mean (MEASURES section 2).

RATIOS = ("hspp_self", "hspp_family", "hspp_family_with_self")


def hspp_table(view: SliceView, options: Options) -> Table:
    """Return a row for each judge, and a last one of the means over judges."""
    counts = view.counts
    columns = preference_columns(view, counts)
    if view.weights is not None:
        few, tail = preference_of_few(view, counts), tails(view, counts, columns)
        columns = {
            name: replace(column, few=few.get(name), tail=tail.get(name)) for name, column in columns.items()
        }
    rng = np.random.default_rng(options["seed"])
    columns |= _rubric_ratios(counts, rng) if isinstance(counts, RubricCounts) else _win_shares(view, counts)
    failed, relations = counts.failed.total, view.relations
    masks = {"n_self": relations.self_mask, "n_family": relations.family, "n_other": relations.unrelated_mask}
    columns |= {name: Column((failed * mask).sum(axis=1)) for name, mask in masks.items()}
    columns |= judge_columns(view)
    columns["small"] = Column(list(np.asarray(columns["n_self"].values) < FEW))
    columns["judges"] = Column([None] * len(failed), reasons="row_of_one_judge")
    keep = np.asarray(counts.present.any(axis=1))
    return Table(_with_means(columns, keep), np.append(keep, keep.any()), counts.instances, view.left_out)


def _missing_parts(relations: Relations, failed: Ints, o_other: Floats) -> dict[str, list[tuple[Bools, str]]]:
    """Return for each rate and ratio what may be missing, and its code; `failed` by judge and generator."""

    def lacking(who: Bools, nobody: str, no_failure: str) -> list[tuple[Bools, str]]:
        none_failed = (failed * who).sum(axis=1) == 0
        return [(np.asarray(~who.any(axis=1)), nobody), (np.asarray(none_failed), no_failure)]

    own = lacking(relations.self_mask, "no_own_responses", "no_own_failures")
    family = lacking(relations.family, "no_relatives", "no_failures_of_relatives")
    other = lacking(relations.unrelated_mask, "no_others", "no_failures_of_others")
    together = lacking(relations.family_with_self, "no_failures_of_family", "no_failures_of_family")
    zero = (np.asarray(~(np.nan_to_num(o_other) > 0)), "no_overestimation_of_others")
    return {
        "o_self": own,
        "o_family": family,
        "o_other": other,
        "hspp_self": [*own, *other, zero],
        "hspp_family": [*family, *other, zero],
        "hspp_family_with_self": [*together, *other, zero],
        "difference_self": [*own, *other],
    }


def preference_columns(view: SliceView, counts: RubricCounts | InstanceCounts) -> dict[str, Column]:
    """Return rates and ratios with their draws; undefined ones with the reason."""
    value, draws = combine(
        lambda over, failed: self_preference(over, failed, view.relations), counts.over, counts.failed
    )
    why = _missing_parts(view.relations, counts.failed.total, value.o_other)
    return {
        name: Column(numbers, None if draws is None else getattr(draws, name), first_reason(*why[name]))
        for name, numbers in vars(value).items()
    }


def _rubric_ratios(counts: RubricCounts, rng: np.random.Generator) -> dict[str, Column]:
    size, own, others = counts.matched
    value = ratio(own.total.astype(float), others.total.astype(float))
    draws = None
    if own.draws is not None and others.draws is not None:
        draws = padded_ratio(own.draws, others.draws, rng)
    why = first_reason(
        (size.total == 0, "no_matched_rubrics"), (others.total == 0, "no_overestimation_of_others")
    )
    shares = Column([None] * len(value), reasons="instance_level_only")
    if draws is None:
        matched, mantel_haenszel = Column(value, None, why), Column(mantel_haenszel_values(counts), None, why)
    else:
        of_matched, weighted = matched_ratios(counts).values()
        matched = Column(value, draws, why, few=matched_intervals(of_matched))
        mantel_haenszel = Column(weighted.value, None, why, few=matched_intervals(weighted))
    return {
        "hspp_matched": matched,
        "hspp_mantel_haenszel": mantel_haenszel,
        "n_matched": Column(size.total),
        "l2w_share_self": shares,
        "l2w_share_other": shares,
    }


def _win_shares(view: SliceView, counts: InstanceCounts) -> dict[str, Column]:
    def share(who: Bools) -> Column:
        wins = (counts.to_win.total * who).sum(axis=1)
        return Column(rate(wins, (counts.over.total * who).sum(axis=1)), reasons="no_overestimation")

    nothing = Column([None] * len(view.judges), reasons="rubric_level_only")
    return {
        "hspp_matched": nothing,
        "hspp_mantel_haenszel": nothing,
        "n_matched": Column(np.zeros(len(view.judges), dtype=np.int64)),
        "l2w_share_self": share(view.relations.self_mask),
        "l2w_share_other": share(view.relations.unrelated_mask),
    }


def _with_means(columns: dict[str, Column], keep: Bools) -> dict[str, Column]:
    """Append the row of means over the judges kept; for counts, their sums."""
    defined = int((~np.isnan(np.asarray(columns["hspp_self"].values)[keep])).sum())
    all_columns = {}
    for name, column in columns.items():
        last: Any = {"judges": defined, "small": False}.get(name)
        why, draws = "row_of_means", column.draws
        if name in RATIOS:
            why, last = "no_judge_with_a_ratio", float(mean_of_defined(np.asarray(column.values)[keep]))
        elif name.startswith("n_"):
            last = int(np.asarray(column.values)[keep].sum())
        if draws is not None:
            mean = mean_of_defined(draws[:, keep]) if name in RATIOS else np.full(len(draws), np.nan)
            draws = np.column_stack([draws, mean])
        reasons = [*(column.reason(row) for row in range(len(keep))), why]
        few = column.few
        if few is not None:  # the row of means does not rest on few
            few = few.changed(lambda part: np.append(part, np.zeros(1, part.dtype)))
        tail = None if column.tail is None else np.append(column.tail, np.nan)
        if isinstance(column.values, np.ndarray) and column.values.dtype.kind == "f":
            values: Sequence[Any] | Floats = np.append(column.values, np.nan if last is None else last)
        else:
            values = [*column.values, last]
        all_columns[name] = Column(values, draws, reasons, few=few, tail=tail)
    return all_columns


# ------------------------------------------------------------------------------
# `accuracy`: agreement with the reference on rubrics and on comparisons (MEASURES section 5).


def accuracy_table(view: SliceView, _options: Options) -> Table:
    columns = judge_columns(view) | rubric_accuracy(view) | pair_accuracy(view)
    totals = np.asarray(columns["mra_total"].values) + np.asarray(columns["mipa_total"].values)
    counts = view.counts
    left_out = view.left_out if view.of_single_verdicts else view.at("instance").left_out
    return Table(columns, counts.present.any(axis=1) | (totals > 0), counts.instances, left_out)


def rubric_accuracy(view: SliceView, counts: RubricCounts | None = None) -> dict[str, Column]:
    """Return MRA (RSP equation 6), of `counts` if given; null for judgments of whole responses."""
    if not view.request.of_rubrics:
        return _empty_accuracy("mra", view)
    counts = view.rubric if counts is None else counts
    parts = (counts.correct, counts.counted)
    correct, total = (cells.apply(lambda count: count.sum(axis=-1)) for cells in parts)
    return _accuracy("mra", correct, total, "no_verdict_with_a_reference")


def pair_accuracy(view: SliceView, counts: InstanceCounts | None = None) -> dict[str, Column]:
    """Return MIPA (RSP equation 5), of `counts` if given; null if single verdicts are chosen."""
    if view.of_single_verdicts:
        return _empty_accuracy("mipa", view)
    instance = view.instance if counts is None else counts
    return _accuracy("mipa", instance.correct, instance.counted, "no_comparison_with_a_reference")


def _empty_accuracy(name: str, view: SliceView) -> dict[str, Column]:
    nothing = np.zeros(len(view.judges), dtype=np.int64)
    undefined = Column([None] * len(nothing), reasons="not_of_these_judgments")
    return {name: undefined, f"{name}_correct": Column(nothing), f"{name}_total": Column(nothing)}


def _accuracy(name: str, correct: Resampled, total: Resampled, reason: str) -> dict[str, Column]:
    value, draws = combine(rate, correct, total)
    return {
        name: Column(value, draws, first_reason((total.total == 0, reason))),
        f"{name}_correct": Column(correct.total),
        f"{name}_total": Column(total.total),
    }


# ------------------------------------------------------------------------------
# `agreement-curve`: mean self-preference on rubrics that judges agree on (MEASURES section 6).

THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))


def agreement_curve_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each threshold, at rubric level and then at instance level.

    For agreement on single verdicts there is only the rubric level.
    """
    spec = view.request.spec
    levels = ("rubric", "instance") if spec.level is None else (spec.level,)
    if spec.agreement_of == "verdict" and spec.level is None:
        levels = ("rubric",)
    points = [(level, threshold) for level in levels for threshold in THRESHOLDS]
    views = [_view_above(view, threshold, level) for level, threshold in points]
    everything = _rubric_counts(_view_above(view, None, "rubric"), views[0])
    columns = [preference_columns(sub, sub.counts)["hspp_self"] for sub in views]
    ratios = [np.asarray(column.values, dtype=np.float64) for column in columns]
    draws = [mean_of_defined(column.draws) for column in columns if column.draws is not None]
    shares = [mean_of_defined(rate(_rubric_counts(sub, sub), everything)) for sub in views]
    table = {
        "threshold": Column([threshold for _, threshold in points]),
        "level": Column([level for level, _ in points]),
        "hspp_self_mean": Column(
            np.array([mean_of_defined(values) for values in ratios]),
            np.column_stack(draws) if draws else None,
            "no_judge_with_a_ratio",
        ),
        "judges": Column([int((~np.isnan(values)).sum()) for values in ratios]),
        "rubrics_kept": Column(np.array(shares), reasons="no_rubrics"),
    }
    counts = view.at("rubric").rubric
    keep = np.full(len(points), counts.present.any())
    return Table(table, keep, counts.instances, view.left_out)


def _view_above(view: SliceView, threshold: float | None, level: str) -> SliceView:
    """Return the view with the rubrics of at least this agreement, or with all that other filters keep."""
    spec = replace(view.request.spec, min_agreement=threshold)
    request = replace(view.request, spec=spec, level=level)
    return view.with_mask(filter_mask(view.study, request), request)


def _rubric_counts(view: SliceView, like: SliceView) -> Ints:
    """Count the rubrics with a counted verdict in a view, as the mask of `like` distinguishes them.

    One number if they are kept for all judges alike, else one for each judge; if they are kept for single
    responses, a rubric counts once for each.
    """
    rubric = view.rubric
    planes = rubric.take(rubric.planes.counted)
    axes = like.rubric.shown_mask.shape
    for axis in (0, 1):
        if axes[axis] == 1:
            planes = np.bitwise_or.reduce(planes, axis=axis, keepdims=True)
    return np.asarray(count(planes).sum(axis=1))
