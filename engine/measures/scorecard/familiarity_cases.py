"""The verdicts on the same responses: how far a judge goes beyond outside judges, case by case."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays.pairs.judged_pairs import prefer_variant
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.slicing.group_by import single_view
from engine.arrays.slicing.resolve import NoDataError, choose_paradigm
from engine.arrays.truths.references import NONE
from engine.arrays.view import SliceView
from engine.measures.outside.outside_pairs import pair_gaps
from engine.measures.rows import Options
from engine.paradigms import TRAITS
from engine.stats import Bools, Floats, Ints
from engine.stats.outside.outside_scores import points_against
from engine.stats.ratios import rate


@dataclass(frozen=True, eq=False)
class FamiliarityCases:
    """Cases of one judge: authorship, familiarity and preference as deviations or differences.

    `of_pairs`: the order of the two responses in a difference is arbitrary.
    """

    o: Floats
    f: Floats
    v: Floats
    instance: Ints
    of_pairs: bool = False


_NO_CASES = FamiliarityCases(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64))


def cases_of_judge(view: SliceView, options: Options) -> list[FamiliarityCases]:
    """Return each judge's cases that have a familiarity and a verdict to compare with outside judges'."""
    study, spec = view.study, view.request.spec
    spec = replace(spec, paradigm=options["verdicts"], variant=None, level="instance")
    spec = replace(spec, reference=NONE, judges=())
    try:
        paradigm = choose_paradigm(study, spec)
        if TRAITS[paradigm].of_pairs:
            spec = prefer_variant(study, spec, None, "default", "forced", "forced_tie")
        beside = single_view(study, spec, None, (paradigm,)).with_all_judges()
    except NoDataError:
        return [_NO_CASES] * len(view.judges)
    cases_of = _pair_cases if isinstance(beside.cube, PairCube) else _score_cases
    return list(cases_of(view, beside))


def _score_cases(view: SliceView, beside: SliceView) -> Iterator[FamiliarityCases]:
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
        yield FamiliarityCases(o, f, v, np.nonzero(use)[1])


def _deviations(values: Floats, use: Bools) -> Floats:
    """Return the marked values less the mean of those of their instance (column)."""
    mean = rate(np.where(use, values, 0.0).sum(axis=0), use.sum(axis=0))
    return np.asarray((values - mean)[use])


def _pair_cases(view: SliceView, beside: SliceView) -> Iterator[FamiliarityCases]:
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
        yield FamiliarityCases(o[use], f[use], v[use], instance[use], of_pairs=True)
