"""The pairs with a judge's own response: those that it judged, those that it lacks, and which count."""

from dataclasses import dataclass, replace

import numpy as np

from engine.arrays.left_out import in_slice
from engine.arrays.pairs.judged_pairs import JudgedPairs, judged_pairs
from engine.arrays.pairs.pair_quality import quality_of
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.truths.gold_preferences import GoldTruth, stored_preferences
from engine.arrays.view import SliceView
from engine.measures.rows import Options
from engine.stats import Bools, Floats
from engine.stats.outside.outside import FamilyMasks
from engine.stats.ratios import rate

_GOLD = {"lost": 0.0, "tied": 0.5, "won": 1.0}

Thrice = tuple[JudgedPairs, JudgedPairs, JudgedPairs]
"""Pairs with an outcome, pairs asked without one, and pairs that only other judges have a row for."""


@dataclass(frozen=True, eq=False)
class OwnPairs:
    """The pairs that each judge judged and those it lacks, and the share of gold ties, shape (judges,).

    `own` are its own pairs (of the kind that counts, with an opponent outside its family), `other` those
    without its response. `tie_share` is among its own pairs that have a gold vote.
    """

    own: Thrice
    other: Thrice
    tie_share: Floats


def own_pairs(view: SliceView, options: Options) -> OwnPairs:
    """Return which of their pairs the judges judged and which they lack; `view` shows all judges."""
    cube, masks = view.pair_cube, family_masks(view)
    judged = judged_pairs(view, cube.rows, cube.pairs)
    gold = gold_rule(view, options)
    missing = missing_pairs(view, judged)
    parts = [
        (pairs, *_own_and_other(view, pairs, masks, counting_sides(view, pairs, gold, options)))
        for pairs in (judged, missing, absent_pairs(view, judged, missing, masks))
    ]
    preferences = stored_preferences(view.study, view.request.selection.transform)
    if gold is None and (preferences.counting or view.request.source is not None):
        gold = GoldTruth(view)  # says which pairs are ties, not which count
    ties = np.full(len(view.judges), np.nan)
    if gold is not None:
        win = gold.votes(judged.row, judged.instance, judged.target, judged.other).win
        marks = (win == 0.5, ~np.isnan(win))
        number = len(view.judges)
        of_own = (_own_and_other(view, judged, masks, (each, each))[0] for each in marks)
        ties = rate(*(np.bincount(judged.row[own], minlength=number) for own in of_own))
    judged_of, missing_of, absent_of = (
        (pairs.select(own), pairs.select(other)) for pairs, own, other in parts
    )
    own_of, other_of = zip(judged_of, missing_of, absent_of, strict=True)
    return OwnPairs(own_of, other_of, ties)


def absent_pairs(
    view: SliceView, judged: JudgedPairs, missing: JudgedPairs, masks: FamilyMasks
) -> JudgedPairs:
    """Return the pairs that other judges judged, on whose instance a judge has rows, but none for the pair.

    A pair with the judge's own response must have been judged by a judge of another family.
    """
    size, number = len(view.generators), len(view.judges)
    both = JudgedPairs.concatenate([judged, missing])
    sides = np.sort(
        np.stack([np.searchsorted(view.generators, side) for side in (both.target, both.other)]), axis=0
    )
    keys, pair = np.unique((both.instance * size + sides[0]) * size + sides[1], return_inverse=True)
    pair = pair.reshape(-1)
    requested, has = (np.zeros((len(keys), number), dtype=bool) for _ in range(2))
    requested[pair, both.row] = True
    has[pair[: len(judged.row)], judged.row] = True
    instance, rest = np.divmod(keys, size * size)
    first, second = np.divmod(rest, size)
    on_instance = np.zeros((view.study.index.n_instances, number), dtype=bool)
    on_instance[both.instance, both.row] = True
    related = np.asarray(~masks.other[:, first] | ~masks.other[:, second]).T
    by_outside = (has.astype(np.float64) @ masks.outside.T.astype(np.float64)) > 0
    judged_by_another = np.where(related, by_outside, np.asarray(has.any(axis=1))[:, None])
    place, row = np.nonzero(~requested & on_instance[instance] & judged_by_another)
    nothing = np.full(len(row), np.nan)
    of_models = view.generators[first[place]], view.generators[second[place]]
    return JudgedPairs(row, view.judges[row], instance[place], *of_models, *[nothing] * 5)


def missing_pairs(view: SliceView, judged: JudgedPairs) -> JudgedPairs:
    """Return the pairs of a slice with a judgment and no outcome; `judged` are those with one."""
    failures = view.pair_cube.failures
    keep = in_slice(view, failures)
    size = len(view.study.index.models)
    shape = (size, view.study.index.n_instances, size, size)
    parts = (failures.judge, failures.instance, failures.generator, failures.opponent)
    keys = np.unique(np.ravel_multi_index(tuple(part[keep] for part in parts), shape))
    resolved = [
        np.ravel_multi_index((judged.judge, judged.instance, *sides), shape)
        for sides in ((judged.target, judged.other), (judged.other, judged.target))
    ]
    judge, instance, target, other = np.unravel_index(keys[~np.isin(keys, np.concatenate(resolved))], shape)
    nothing = np.full(len(judge), np.nan)
    row = np.searchsorted(view.judges, judge)
    return JudgedPairs(row, judge, instance, target, other, nothing, nothing, nothing, nothing, nothing)


def _own_and_other(
    view: SliceView, pairs: JudgedPairs, masks: FamilyMasks, counts: tuple[Bools, Bools]
) -> tuple[Bools, Bools]:
    """Mark the judges' own pairs, with opponents outside their families, and those without their response."""
    target, other = (np.searchsorted(view.generators, side) for side in (pairs.target, pairs.other))
    row = pairs.row
    own = masks.own[row, target] & masks.other[row, other] & counts[0]
    own |= masks.own[row, other] & masks.other[row, target] & counts[1]
    return own, ~masks.own[row, target] & ~masks.own[row, other]


def fill_own(
    judged: JudgedPairs, view: SliceView, masks: FamilyMasks, judges: Bools, won: bool
) -> JudgedPairs:
    """Return the judged pairs with those that some judges lack of their own filled in as won, or as lost."""
    missing = missing_pairs(view, judged)
    lacking = JudgedPairs.concatenate([missing, absent_pairs(view, judged, missing, masks)])
    target, other = (np.searchsorted(view.generators, side) for side in (lacking.target, lacking.other))
    own = masks.own[lacking.row, target]
    keep = judges[lacking.row] & (own | masks.own[lacking.row, other])
    filled = replace(lacking, value=np.where(own == won, 1.0, -1.0)).select(keep)
    return JudgedPairs(
        **{name: np.concatenate([part, vars(filled)[name]]) for name, part in vars(judged).items()}
    )


def gold_rule(view: SliceView, options: Options) -> GoldTruth | None:
    """Return the gold votes if they say which pairs count, None if all do or those of equal quality."""
    return GoldTruth(view) if options["pairs"] in _GOLD else None


def counting_sides(
    view: SliceView, pairs: JudgedPairs, gold: GoldTruth | None, options: Options
) -> tuple[Bools, Bools]:
    """Return which judged pairs count for the target, and which for the other response."""
    if options["pairs"] == "all":
        all_pairs = np.ones(len(pairs.row), dtype=bool)
        return all_pairs, all_pairs
    if gold is None:
        quality = quality_of(view, options)
        equal = quality.equal(pairs.row, pairs.target, pairs.other, pairs.instance, options["epsilon"])
        return equal, equal
    win = gold.votes(pairs.row, pairs.instance, pairs.target, pairs.other).win
    gold_vote = _GOLD[options["pairs"]]
    return win == gold_vote, win == 1 - gold_vote
