"""`familiarity-score`: whether a judge's own responses are likelier to it, and what that explains.

Familiarity is the mean log-probability per token that a response has under the judge (Wataoka et al. 2024).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.arrays.group_by import whole
from engine.arrays.joint_verdicts import circle_of, everybody
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.pair_quality import prefer_variant
from engine.arrays.references import NONE
from engine.arrays.resolve import NoDataError, choose_paradigm
from engine.arrays.view import SliceView
from engine.measures.columns import HANGS, mean_column, studentised, undefined
from engine.measures.mechanism import FEWEST
from engine.measures.outside import left_out_here
from engine.measures.outside_pairs import pair_gaps
from engine.measures.reference_agreement import STATISTICS, correlation
from engine.measures.rows import FEW, Column, Table, first_reason, stack
from engine.measures.self_preference import relatives_of
from engine.schema import TRAITS
from engine.stats.bootstrap import resample
from engine.stats.familiarity import Effects, effects, moments
from engine.stats.outside import error_of_deleting, points_against
from engine.stats.self_preference import rate
from engine.stats.types import Bools, Floats, Ints

_EFFECTS: dict[str, Callable[[Effects], Floats]] = {
    "own_effect": lambda fitted: fitted.own,
    "own_effect_held": lambda fitted: fitted.held,
    "explained": lambda fitted: fitted.explained,
    "familiarity_effect": lambda fitted: fitted.familiarity,
}


@dataclass(frozen=True, eq=False)
class _Cases:
    """Cases of one judge: authorship, familiarity and preference as deviations or differences.

    `of_pairs`: which of two responses comes first in a difference means nothing.
    """

    o: Floats
    f: Floats
    v: Floats
    instance: Ints
    of_pairs: bool = False


_NO_CASES = _Cases(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64))


def familiarity_table(view: SliceView, options: Mapping[str, Any]) -> Table:
    """Return a row for each judge whose familiarity with responses is known.

    `familiarity_gap` is the mean over instances of its own response's mean log-probability less the mean of
    those of generators outside its family. The effects are those of `engine.stats.familiarity` on how far
    its verdicts go beyond those of judges outside the family: its score less their mean on the same response,
    or its vote less theirs on the same pair. `preference_rho` is Spearman's rho of familiarity with that,
    both within instances or pairs, of which each counts both ways round.
    """
    weights = view.weights
    known = view.scored.judge.values
    own, other = view.relations.self_mask, view.relations.unrelated_mask
    mine, others = (_means(known, mask) for mask in (own, other))
    both = ~np.isnan(mine) & ~np.isnan(others)
    number = both.astype(np.int64)
    has_own = np.asarray((~np.isnan(mine)).any(axis=1))
    why = first_reason(
        (~has_own, "no_own_responses"), (np.asarray(~both.any(axis=1)), "no_response_of_others")
    )
    cases = _cases(view, options, known, own | other, own)
    columns = {
        **relatives_of(view),
        "familiarity_gap": mean_column(np.where(both, mine - others, 0.0), number, weights, why),
        "familiarity_own": mean_column(np.where(both, mine, 0.0), number, weights, why),
        "familiarity_other": mean_column(np.where(both, others, 0.0), number, weights, why),
        "n_own": Column(number.sum(axis=1)),
        "n_other": Column((both[:, None] & other[..., None] & ~np.isnan(known)).sum(axis=(1, 2))),
        "preference_rho": stack([_rho(view, each) for each in cases]),
        **_effects(view, cases, has_own),
        "n_cases": Column([len(each.o) for each in cases]),
        "small": Column(list(number.sum(axis=1) < FEW)),
    }
    keep = np.asarray((~np.isnan(known)).any(axis=(1, 2)))
    return Table(columns, keep, int(both.any(axis=0).sum()), left_out_here(view))


def _means(known: Floats, mask: Bools) -> Floats:
    """Return the means over the marked generators of what is known, shape (judges, instances)."""
    there = mask[..., None] & ~np.isnan(known)
    return rate(np.where(there, known, 0.0).sum(axis=1), there.sum(axis=1))


def _rho(view: SliceView, cases: _Cases) -> Column:
    if len(cases.o) < FEWEST:
        return undefined(1, view.weights, "few_cases_to_rank")
    f, v, instance = cases.f, cases.v, cases.instance
    if cases.of_pairs:  # each pair both ways round, so that neither way decides the ranks
        f, v = (np.concatenate([part, -part]) for part in (f, v))
        instance = np.concatenate([instance, instance])
    return correlation(STATISTICS["spearman"], f, v, instance, view.weights)


def _effects(view: SliceView, cases: list[_Cases], has_own: Bools) -> dict[str, Column]:
    """Return the slopes with the errors of deleting one instance at a time."""
    n_instances = view.study.index.n_instances
    by_instance = np.stack([moments(c.o, c.f, c.v, c.instance, n_instances) for c in cases])
    total = by_instance.sum(axis=-1)
    fitted = effects(total)
    without = effects(np.moveaxis(total[..., None] - by_instance, -1, 0))
    of = (by_instance != 0).any(axis=1).sum(axis=-1)
    drawn = None if view.weights is None else effects(resample(by_instance, view.weights))
    filled = (by_instance[:, 0] > 0).sum(axis=-1)
    reasons = first_reason(
        (~has_own, "no_own_responses"),
        (np.array([len(each.o) == 0 for each in cases]), "no_verdict_beside"),
        (total[:, 0] == 0, "no_own_verdict_beside"),
        (np.isnan(fitted.held), "familiarity_follows_authorship"),
    )
    columns = {}
    for name, slope in _EFFECTS.items():
        value = slope(fitted)
        columns[name] = Column(value, reasons=reasons)
        if drawn is not None:
            se = error_of_deleting(value, slope(without), of)
            columns[name] = studentised(value, se, filled - 1, slope(drawn), reasons, HANGS)
    return columns


# ------------------------------------------------------------------------------
# The verdicts beside it: how far a judge goes beyond outside judges, case by case.


def _cases(
    view: SliceView, options: Mapping[str, Any], known: Floats, counted: Bools, own: Bools
) -> list[_Cases]:
    """Return each judge's cases that have a familiarity and a verdict to hold against outside judges'."""
    try:
        beside = _verdicts(view, options["verdicts"])
    except NoDataError:
        return [_NO_CASES] * len(view.judges)
    of = _of_pairs if isinstance(beside.cube, PairCube) else _of_scores
    given = of(view, beside)
    return [given(j, known[j], counted[j], own[j]) for j in range(len(view.judges))]


def _verdicts(view: SliceView, paradigm: str | None) -> SliceView:
    """Return the verdicts of all judges on the same responses; NoDataError where there are none."""
    study = view.study
    spec = replace(
        view.request.spec, paradigm=paradigm, variant=None, level="instance", reference=NONE, judges=()
    )
    chosen = choose_paradigm(study, spec)
    if TRAITS[chosen].of_pairs:
        spec = prefer_variant(study, spec, None, "default", "forced", "forced_tie")
    return everybody(whole(study, spec, None, (chosen,)))


_Making = Callable[[int, Floats, Bools, Bools], _Cases]


def _of_scores(view: SliceView, beside: SliceView) -> _Making:
    """Return what makes cases of scores: deviations from the means of each instance."""
    points = points_against(beside.scored.judge.values, circle_of(beside))
    gaps = np.where(points.number > 0, points.total, np.nan)

    def make(j: int, known: Floats, counted: Bools, own: Bools) -> _Cases:
        beyond = np.full(known.shape, np.nan)
        row = np.flatnonzero(beside.judges == view.judges[j])
        there = np.isin(view.generators, beside.generators)
        if len(row):
            beyond[there] = gaps[row[0], np.searchsorted(beside.generators, view.generators[there])]
        use = counted[:, None] & ~np.isnan(known) & ~np.isnan(beyond)
        use &= use.sum(axis=0) > 1
        author = np.broadcast_to(own[:, None], use.shape).astype(np.float64)
        o, f, v = (_centred(part, use) for part in (author, known, beyond))
        return _Cases(o, f, v, np.nonzero(use)[1])

    return make


def _centred(values: Floats, use: Bools) -> Floats:
    """Return the marked values less the mean of those of their instance (column)."""
    mean = rate(np.where(use, values, 0.0).sum(axis=0), use.sum(axis=0))
    return np.asarray((values - mean)[use])


def _of_pairs(view: SliceView, beside: SliceView) -> _Making:
    """Return what makes cases of votes: the first response of each pair less the second."""
    pairs, gaps = pair_gaps(beside)
    sides = [beside.generators[side] for side in (pairs.first, pairs.second)]
    there = np.isin(sides[0], view.generators) & np.isin(sides[1], view.generators)
    first, second = (np.searchsorted(view.generators, side[there]) for side in sides)
    instance, gaps = pairs.instance[there], gaps[there]

    def make(j: int, known: Floats, counted: Bools, own: Bools) -> _Cases:
        row = np.flatnonzero(beside.judges == view.judges[j])
        if not len(row):
            return _NO_CASES
        f = known[first, instance] - known[second, instance]
        v = gaps[:, row[0]]
        use = counted[first] & counted[second] & ~np.isnan(f) & ~np.isnan(v)
        o = own[first].astype(np.float64) - own[second]
        return _Cases(o[use], f[use], v[use], instance[use], of_pairs=True)

    return make
