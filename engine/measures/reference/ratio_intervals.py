"""Intervals for few cases, and p-values below the floor of resamples, for `hspp` and `overestimation`.

MEASURES section 17; docs/intervals.md says how often these intervals cover the truth, and percentiles do not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from engine.arrays.bits.confusion import RubricCounts
from engine.arrays.slicing.slice_counts import InstanceCounts
from engine.arrays.view import SliceView
from engine.measures.rows import Column, FewCases
from engine.stats import Bools, Floats, Ints
from engine.stats import self_preference as metrics
from engine.stats.intervals import few_events, jackknife
from engine.stats.intervals.bootstrap import is_smallest_p

FEWEST_INSTANCES = 60
"""Instances below which the intervals for few cases are used throughout (docs/intervals.md)."""

Counts = RubricCounts | InstanceCounts
Name = Literal["over", "failed", "under", "passed"]

NULLS = {"hspp_self": 1.0, "hspp_family": 1.0, "hspp_family_with_self": 1.0, "difference_self": 0.0}
"""The tested numbers of `hspp`, and the value that would mean no self-preference."""

_GROUPS: dict[str, tuple[str, ...]] = {
    "o_self": ("o_self",),
    "o_family": ("o_family",),
    "o_other": ("o_other",),
    "hspp_self": ("o_self", "o_other"),
    "hspp_family": ("o_family", "o_other"),
    "hspp_family_with_self": ("with_self", "o_other"),
    "difference_self": ("o_self", "o_other"),
}
"""The groups of responses whose cases each number of `hspp` uses."""

_RATIOS = ("hspp_self", "hspp_family", "hspp_family_with_self")


def preference_of_few(view: SliceView, counts: Counts) -> dict[str, FewCases]:
    """Return which judges' rates and ratios of `hspp` rest on few cases, and their intervals; {} if none."""
    relations = view.relations
    groups = {
        "o_self": relations.self_mask,
        "o_family": relations.family,
        "o_other": relations.unrelated_mask,
        "with_self": relations.family_with_self,
    }
    sums = {
        name: [(part.total * who).sum(axis=1) for part in (counts.over, counts.failed)]
        for name, who in groups.items()
    }
    rests_on_few = {}
    for field, names in _GROUPS.items():
        credited, cases = (np.stack([sums[name][part] for name in names], axis=-1) for part in (0, 1))
        rests_on_few[field] = few_events.few(credited, cases)
    small_study = counts.instances < FEWEST_INSTANCES
    rows = np.flatnonzero(small_study | np.any(list(rests_on_few.values()), axis=0))
    if not len(rows):
        return {}
    over, failed = (part[rows] for part in _by_instance(counts, "over", "failed"))
    own = groups["o_self"][rows]
    own_over, own_failed = ((part * own[..., None]).sum(axis=-2) for part in (over, failed))
    with np.errstate(divide="ignore", invalid="ignore"):
        within = few_events.correlation(over, failed)
        parts: dict[str, few_events.EventCases] = {
            name: few_events.cases_of_mean(over, failed, who[rows])
            for name, who in groups.items()
            if name != "o_self"
        }
        parts["o_self"] = few_events.cases_of_share(own_over, own_failed, within)
        # The ratios together: their bisections take almost as long for one as for all.
        own_sides = few_events.EventCases.stacked([parts[_GROUPS[field][0]] for field in _RATIOS])
        ratios = few_events.ratio_of_rates(own_sides, parts["o_other"])
        numbers = dict(zip(_RATIOS, ratios.each(), strict=True))
        numbers |= {name: few_events.share(parts[name]) for name in ("o_self", "o_family", "o_other")}
        numbers["difference_self"] = few_events.difference(parts["o_self"], parts["o_other"])
    return {
        field: _spread(estimate, rests_on_few[field], rows, small_study=small_study)
        for field, estimate in numbers.items()
    }


def tails(view: SliceView, counts: Counts, columns: Mapping[str, Column]) -> dict[str, Floats]:
    """Return for the tested numbers a p-value of Student's t where that of the resamples is at its floor.

    Shape (judges,), NaN elsewhere; from leaving out one instance at a time (`stats.intervals.few_events`).
    """
    at_floor = {name: np.zeros(len(view.judges), dtype=bool) for name in NULLS}
    for name, null in NULLS.items():
        draws = columns[name].draws
        if draws is not None:
            at_floor[name] = is_smallest_p(draws, null)
    values = {name: np.full(len(view.judges), np.nan) for name in NULLS}
    judges = np.flatnonzero(np.any(list(at_floor.values()), axis=0))
    if not len(judges):
        return values
    of_judges = _by_instance(counts, "over", "failed", judges=judges)
    for judge, over, failed in zip(judges, *of_judges, strict=True):
        relations = metrics.Relations(*(mask[[judge]] for mask in vars(view.relations).values()))
        thinner = int(failed[relations.self_mask[0]].any(axis=0).sum())
        names = [name for name in NULLS if at_floor[name][judge]]
        parts = {"over": over[None], "failed": failed[None]}
        left_out = jackknife.leave_one_out(parts, partial(_statistics, names=names, relations=relations))
        for name, each in zip(names, np.moveaxis(left_out, -1, 0), strict=True):
            value = np.asarray(columns[name].values, dtype=np.float64)[[judge]]
            test = jackknife.studentised(
                value, each, null=NULLS[name], log=NULLS[name] == 1.0, instances=max(thinner, 1)
            )
            values[name][judge] = test.p[0]
    return values


def _statistics(sums: Mapping[str, Floats], *, names: Sequence[str], relations: metrics.Relations) -> Floats:
    numbers = metrics.self_preference(sums["over"], sums["failed"], relations)
    return np.stack([getattr(numbers, name) for name in names], axis=-1)


def rates_of_few(counts: Counts, credited: Name, cases: Name) -> FewCases | None:
    """Return which cells (judges x generators, in rows) rest on few cases, and their intervals."""
    hits, trials = (getattr(counts, name).total for name in (credited, cases))
    rests_on_few = few_events.few(hits[..., None], trials[..., None])
    small_study = counts.instances < FEWEST_INSTANCES
    if not (small_study or rests_on_few.any()):
        return None
    each, of = _by_instance(counts, credited, cases)
    within = np.repeat(few_events.correlation(each, of)[:, None], hits.shape[1], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        cell = few_events.share(few_events.cases_of_share(each, of, within))
    arrays = {name: part.ravel() for name, part in vars(cell).items() if name != "method"}
    rows = np.arange(hits.size)
    return _spread(replace(cell, **arrays), rests_on_few.ravel(), rows, small_study=small_study)


def _by_instance(counts: Counts, *names: Name, judges: Ints | None = None) -> list[Ints]:
    """Return counts of all judges or some, shape (judges, generators, instances with a counted verdict)."""
    shown = slice(None) if judges is None else judges
    parts = (counts.instances_first(name)[:, shown] for name in names)
    return [np.moveaxis(part, 0, -1).astype(np.int64, order="C") for part in parts]


def _spread(estimate: few_events.Estimate, rests_on_few: Bools, rows: Ints, *, small_study: bool) -> FewCases:
    """Return the estimates of some rows among all rows."""
    low, high, p = (np.full(len(rests_on_few), np.nan) for _ in range(3))
    low[rows], high[rows], p[rows] = estimate.low, estimate.high, estimate.p
    reasons = np.zeros(len(rests_on_few), dtype=estimate.reason.dtype)
    reasons[rows] = estimate.reason
    replaced = np.ones(len(rests_on_few), dtype=bool) if small_study else rests_on_few
    return FewCases(replaced, rests_on_few, low, high, p, reasons)
