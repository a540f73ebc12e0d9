"""What may explain a preference: ranks in lists, recognition of one's own responses, familiarity."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays.group_by import single_view
from engine.arrays.joint_verdicts import family_masks, with_all_judges
from engine.arrays.judged_pairs import JudgedPairs, judged_pairs, prefer_variant
from engine.arrays.judgment_rows import group_rows
from engine.arrays.left_out import pairs_left_out
from engine.arrays.list_ranks import ListCube
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.references import NONE
from engine.arrays.resolve import NoDataError, choose_paradigm
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.measures.columns import (
    HANGS,
    STATISTICS,
    ByJudge,
    correlation,
    empty_column,
    judge_columns,
    mean_column,
    student_t_column,
)
from engine.measures.outside_judges import relevant_left_out
from engine.measures.outside_pairs import pair_gaps
from engine.measures.rows import FEW, Column, Options, Table, first_reason, stack
from engine.schema import PAIR_PARADIGMS, TRAITS
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints
from engine.stats.bootstrap import resample
from engine.stats.delete_one import error_of_deleting
from engine.stats.familiarity import effects, moments
from engine.stats.outside import outside_means
from engine.stats.outside_scores import points_against
from engine.stats.ratios import rate

# ------------------------------------------------------------------------------
# Shared by several of these measures: no reference.


def without_reference(_study: StudyArrays, spec: Slice, _options: Options, _by: str | None) -> Slice:
    """Return the slice without a reference, as none is needed: nobody has to choose one of several."""
    return replace(spec, reference=NONE) if spec.reference is None else spec


# ------------------------------------------------------------------------------
# `list-ranks`: where a judge ranks its own response among several, and where outside judges rank it.


def list_ranks_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each judge that ranks lists.

    A cell is a response within a list. rank_gap is the mean over the judge's own cells of its rank less the
    mean rank that outside judges give in the cell; pick_gap the same of the share of orders in which the
    response is ranked first.
    """
    cube = view.cube
    assert isinstance(cube, ListCube)  # noqa: S101 - the catalogue allows lists only
    ranked, index = view.ranks, view.study.index
    relatives = view.request.exclusion.relatives
    everyone = np.arange(len(index.models))
    outside = index.relations(everyone, everyone, relatives).unrelated_mask[ranked.judge, ranked.generator]
    cell = group_rows(ranked.instance, ranked.members, ranked.generator).of
    by_others = {name: outside_means(getattr(ranked, name), cell, outside) for name in ("rank", "pick")}
    is_own = (ranked.judge == ranked.generator) & np.isin(ranked.judge, view.judges)
    own = ranked.select(is_own)
    rows = ByJudge(view, np.searchsorted(view.judges, own.judge), own.instance)
    outside_mean = {name: values[is_own] for name, values in by_others.items()}
    has_outside = ~np.isnan(outside_mean["rank"])
    n = rows.counts(has_outside)
    has_own = rows.counts(np.ones(len(has_outside), dtype=bool)).sum(axis=1) > 0
    why = first_reason((~has_own, "no_own_responses"), (n.sum(axis=1) == 0, "no_outside_rank"))
    columns = judge_columns(view)
    for name in ("rank", "pick"):
        values = getattr(own, name)
        columns[f"{name}_own"] = rows.share(values, has_outside, why)
        columns[f"{name}_outside"] = rows.share(outside_mean[name], has_outside, why)
        columns[f"{name}_gap"] = rows.mean(values - np.nan_to_num(outside_mean[name]), has_outside, why)
    columns |= {
        "n": Column(n.sum(axis=1)),
        "n_outside": Column(_outside_counts(view, cell, outside, is_own)),
        "mean_length": rows.share(own.size, has_outside, why),
        "small": Column(list(n.sum(axis=1) < FEW)),
        **_order_columns(view, cube),
    }
    keep = np.isin(view.judges, ranked.judge)
    return Table(columns, keep, len(np.unique(own.instance[has_outside])), view.left_out)


def _outside_counts(view: SliceView, cell: Ints, outside: Bools, is_own: Bools) -> Ints:
    """Return how many outside judges rank a response of each judge shown in one of its own lists."""
    ranked = view.ranks
    return np.array(
        [
            len(np.unique(ranked.judge[outside & np.isin(cell, cell[is_own & (ranked.judge == judge)])]))
            for judge in view.judges
        ],
        dtype=np.int64,
    )


def _order_columns(view: SliceView, cube: ListCube) -> dict[str, Column]:
    first = cube.first.select(view.keeps(cube.first) & np.isin(cube.first.judge, view.judges))
    rows = ByJudge(view, np.searchsorted(view.judges, first.judge), first.instance)
    all_lists = np.ones(len(first.judge), dtype=bool)
    return {
        "first_picked": rows.share(first.pick, all_lists, "no_list"),
        "first_expected": rows.share(1 / first.size, all_lists, "no_list"),
        "n_orders": Column(rows.counts(all_lists).sum(axis=1)),
    }


# ------------------------------------------------------------------------------
# `recognition`: does a judge recognize its own response, and does it prefer what it takes for its own?

FEWEST = 10
"""The fewest pairs for a correlation over pairs."""


def recognition_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each judge asked which of two responses it wrote (Panickssery et al. 2024).

    A pair's score is the probability of the judge's own response over both letters, averaged over both
    orders, if both have one; else the share of its two answers that are right. `preference_rho` is Spearman's
    rho over pairs of the score with the judge's vote for its own response in the same pair: its probability
    in a forced choice, else 1, .5 or 0. NaN with fewer than 10 such pairs.
    """
    cube = view.pair_cube
    pairs = judged_pairs(view, cube.rows, cube.pairs).own()
    resolved = np.isnan(pairs.first)
    right = np.where(resolved, (1 + pairs.value) / 2, (2 + pairs.first + pairs.second) / 4)
    soft = ~np.isnan(pairs.p)
    score = np.where(soft, pairs.p, right)
    rows, all_pairs = ByJudge(view, pairs.row, pairs.instance), np.ones(len(pairs.row), dtype=bool)
    n = rows.counts(all_pairs).sum(axis=1)
    votes = _own_votes(view, pairs)
    masks = [(pairs.row == row) & ~np.isnan(votes) for row in range(len(view.judges))]
    rho = [_rho(view, score[mask], votes[mask], pairs.instance[mask], "few_pairs_to_rank") for mask in masks]
    columns = {
        **judge_columns(view),
        "recognition": rows.mean(score, all_pairs, "no_pairs", 0.5),
        "share_right": rows.share(right, all_pairs, "no_pairs"),
        "contradicted": rows.share(pairs.first != pairs.second, ~resolved, "no_pairs"),
        "n": Column(n),
        "n_soft": Column(rows.counts(soft).sum(axis=1)),
        "preference_rho": stack(rho),
        "n_preference": Column(rows.counts(~np.isnan(votes)).sum(axis=1)),
        "small": Column(list(n < FEW)),
    }
    left_out = pairs_left_out(view, cube)
    return Table(columns, n > 0, len(np.unique(pairs.instance)), left_out)


def _rho(view: SliceView, x: Floats, y: Floats, instance: Ints, too_few: str) -> Column:
    if len(x) < FEWEST:
        return empty_column(1, view.weights, too_few)
    return correlation(STATISTICS["spearman"], x, y, instance, view.weights)


def _own_votes(view: SliceView, pairs: JudgedPairs) -> Floats:
    """Return each judge's vote for its own response in the same pair, NaN where it has none."""
    spec = replace(view.request.spec, paradigm=None, variant=None, reference=NONE)
    spec = prefer_variant(view.study, spec, None, "forced", "default", "forced_tie")
    votes = np.full(len(pairs.row), np.nan)
    try:
        pair_view = single_view(view.study, spec, None, PAIR_PARADIGMS)
    except NoDataError:
        return votes
    own_pairs = judged_pairs(pair_view, pair_view.pair_cube.rows, pair_view.pair_cube.pairs).own()
    vote = np.where(np.isnan(own_pairs.p), (1 + own_pairs.value) / 2, own_pairs.p)

    def keys(of: JudgedPairs) -> Iterator[tuple[int, int, int]]:
        return zip(of.judge.tolist(), of.instance.tolist(), of.other.tolist(), strict=True)

    vote_by_key = dict(zip(keys(own_pairs), vote.tolist(), strict=True))
    return np.array([vote_by_key.get(key, np.nan) for key in keys(pairs)], dtype=np.float64)


# ------------------------------------------------------------------------------
# `familiarity-score`: whether a judge's own responses are likelier to it, and what that explains.
#
# Familiarity is the mean log-probability per token that a response has under the judge (Wataoka et al. 2024).


_EFFECTS = {
    "own_effect": "own",
    "own_effect_held": "held",
    "explained": "explained",
    "familiarity_effect": "familiarity",
}


@dataclass(frozen=True, eq=False)
class _Cases:
    """Cases of one judge: authorship, familiarity and preference as deviations or differences.

    `of_pairs`: the order of the two responses in a difference is arbitrary.
    """

    o: Floats
    f: Floats
    v: Floats
    instance: Ints
    of_pairs: bool = False


_NO_CASES = _Cases(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64))


def familiarity_table(view: SliceView, options: Options) -> Table:
    """Return a row for each judge whose familiarity with responses is known.

    `familiarity_gap` is the mean over instances of its own response's mean log-probability less the mean of
    those of generators outside its family. The effects are those of `engine.stats.self_preference` on how far
    its verdicts go beyond those of judges outside the family: its score less their mean on the same response,
    or its vote less theirs on the same pair. `preference_rho` is Spearman's rho of familiarity with that,
    both within instances, or within pairs, each of which counts both ways round.
    """
    weights = view.weights
    logprobs = view.scored.judge.values
    own, other = view.relations.self_mask, view.relations.unrelated_mask
    own_mean, other_mean = (_means(logprobs, mask) for mask in (own, other))
    both = ~np.isnan(own_mean) & ~np.isnan(other_mean)
    number = both.astype(np.int64)
    has_own = np.asarray((~np.isnan(own_mean)).any(axis=1))
    why = first_reason(
        (~has_own, "no_own_responses"), (np.asarray(~both.any(axis=1)), "no_response_of_others")
    )
    cases = _cases(view, options)
    columns = {
        **judge_columns(view),
        "familiarity_gap": mean_column(np.where(both, own_mean - other_mean, 0.0), number, weights, why),
        "familiarity_own": mean_column(np.where(both, own_mean, 0.0), number, weights, why),
        "familiarity_other": mean_column(np.where(both, other_mean, 0.0), number, weights, why),
        "n_own": Column(number.sum(axis=1)),
        "n_other": Column((both[:, None] & other[..., None] & ~np.isnan(logprobs)).sum(axis=(1, 2))),
        "preference_rho": stack([_rho_of_cases(view, each) for each in cases]),
        **_effects(view, cases, has_own),
        "n_cases": Column([len(each.o) for each in cases]),
        "small": Column(list(number.sum(axis=1) < FEW)),
    }
    keep = np.asarray((~np.isnan(logprobs)).any(axis=(1, 2)))
    return Table(columns, keep, int(both.any(axis=0).sum()), relevant_left_out(view))


def _means(values: Floats, mask: Bools) -> Floats:
    """Return the means over the marked generators of the values there are, shape (judges, instances)."""
    present = mask[..., None] & ~np.isnan(values)
    return rate(np.where(present, values, 0.0).sum(axis=1), present.sum(axis=1))


def _rho_of_cases(view: SliceView, cases: _Cases) -> Column:
    f, v, instance = cases.f, cases.v, cases.instance
    if cases.of_pairs and len(f) >= FEWEST:  # both ways round, so that neither way decides the ranks
        f, v = (np.concatenate([part, -part]) for part in (f, v))
        instance = np.concatenate([instance, instance])
    return _rho(view, f, v, instance, "few_cases_to_rank")


def _effects(view: SliceView, cases: list[_Cases], has_own: Bools) -> dict[str, Column]:
    """Return the slopes with the errors of deleting one instance at a time."""
    n_instances = view.study.index.n_instances
    by_instance = np.stack([moments(c.o, c.f, c.v, c.instance, n_instances) for c in cases])
    total = by_instance.sum(axis=-1)
    estimates = effects(total)
    without = effects(np.moveaxis(total[..., None] - by_instance, -1, 0))
    deletions = (by_instance != 0).any(axis=1).sum(axis=-1)
    draws = None if view.weights is None else effects(resample(by_instance, view.weights))
    clusters = (by_instance[:, 0] > 0).sum(axis=-1)
    reasons = first_reason(
        (~has_own, "no_own_responses"),
        (np.array([len(each.o) == 0 for each in cases]), "no_verdict_beside"),
        (total[:, 0] == 0, "no_own_verdict_beside"),
        (np.isnan(estimates.held), "familiarity_follows_authorship"),
    )
    columns = {}
    for name, slope in _EFFECTS.items():
        value = getattr(estimates, slope)
        columns[name] = Column(value, reasons=reasons)
        if draws is not None:
            se = error_of_deleting(value, getattr(without, slope), deletions)
            columns[name] = student_t_column(value, se, clusters - 1, getattr(draws, slope), reasons, HANGS)
    return columns


# ------------------------------------------------------------------------------
# The verdicts on the same responses: how far a judge goes beyond outside judges, case by case.


def _cases(view: SliceView, options: Options) -> list[_Cases]:
    """Return each judge's cases that have a familiarity and a verdict to compare with outside judges'."""
    study, spec = view.study, view.request.spec
    spec = replace(spec, paradigm=options["verdicts"], variant=None, level="instance")
    spec = replace(spec, reference=NONE, judges=())
    try:
        paradigm = choose_paradigm(study, spec)
        if TRAITS[paradigm].of_pairs:
            spec = prefer_variant(study, spec, None, "default", "forced", "forced_tie")
        beside = with_all_judges(single_view(study, spec, None, (paradigm,)))
    except NoDataError:
        return [_NO_CASES] * len(view.judges)
    cases_of = _pair_cases if isinstance(beside.cube, PairCube) else _score_cases
    return list(cases_of(view, beside))


def _score_cases(view: SliceView, beside: SliceView) -> Iterator[_Cases]:
    """Yield each judge's cases of scores: deviations from the means of each instance."""
    logprobs, own = view.scored.judge.values, view.relations.self_mask
    compared = own | view.relations.unrelated_mask
    points = points_against(beside.scored.judge.values, family_masks(beside))
    gaps = np.where(points.number > 0, points.total, np.nan)
    shared = np.isin(view.generators, beside.generators)
    places = np.searchsorted(beside.generators, view.generators[shared])
    for j, judge in enumerate(view.judges):
        beyond = np.full(logprobs[j].shape, np.nan)
        for row in np.flatnonzero(beside.judges == judge):
            beyond[shared] = gaps[row, places]
        use = compared[j][:, None] & ~np.isnan(logprobs[j]) & ~np.isnan(beyond)
        use &= use.sum(axis=0) > 1
        author = np.broadcast_to(own[j][:, None], use.shape).astype(np.float64)
        o, f, v = (_deviations(part, use) for part in (author, logprobs[j], beyond))
        yield _Cases(o, f, v, np.nonzero(use)[1])


def _deviations(values: Floats, use: Bools) -> Floats:
    """Return the marked values less the mean of those of their instance (column)."""
    mean = rate(np.where(use, values, 0.0).sum(axis=0), use.sum(axis=0))
    return np.asarray((values - mean)[use])


def _pair_cases(view: SliceView, beside: SliceView) -> Iterator[_Cases]:
    """Yield each judge's cases of votes: the first response of each pair less the second."""
    logprobs, own = view.scored.judge.values, view.relations.self_mask
    compared = own | view.relations.unrelated_mask
    pairs, gaps = pair_gaps(beside)
    sides = [beside.generators[side] for side in (pairs.first, pairs.second)]
    shared = np.isin(sides[0], view.generators) & np.isin(sides[1], view.generators)
    first, second = (np.searchsorted(view.generators, side[shared]) for side in sides)
    instance, gaps = pairs.instance[shared], gaps[shared]
    for j, judge in enumerate(view.judges):
        row = np.flatnonzero(beside.judges == judge)
        if not len(row):
            yield _NO_CASES
            continue
        f = logprobs[j, first, instance] - logprobs[j, second, instance]
        v = gaps[:, row[0]]
        use = compared[j, first] & compared[j, second] & ~np.isnan(f) & ~np.isnan(v)
        o = own[j, first].astype(np.float64) - own[j, second]
        yield _Cases(o[use], f[use], v[use], instance[use], of_pairs=True)
