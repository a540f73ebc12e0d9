"""The votes of a judge and of outside judges on the same pairs (MEASURES section 15)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays.family_masks import family_masks
from engine.arrays.gold_preferences import GoldTruth, stored_preferences
from engine.arrays.judged_pairs import JudgedPairs, judged_pairs
from engine.arrays.left_out import in_slice, pairs_left_out
from engine.arrays.pair_quality import quality_of
from engine.arrays.resolve import NoDataError
from engine.arrays.view import SliceView
from engine.measures.columns import HANGS, student_t_column
from engine.measures.rows import Column, Options, first_reason
from engine.stats import Bools, Floats, Ints
from engine.stats.bootstrap import resample
from engine.stats.delete_one import mean_by_instance
from engine.stats.discernment import mean_appeal
from engine.stats.outside import FamilyMasks, vote_gaps
from engine.stats.outside_scores import Placebos
from engine.stats.ratios import rate
from engine.stats.tastes import Families

_GOLD = {"lost": 0.0, "tied": 0.5, "won": 1.0}


@dataclass(frozen=True, eq=False)
class FamilyGaps:
    """The same number for relatives' responses in the place of a judge's own (MEASURES section 20).

    `judged` marks the judges with a vote or score for one of them, `family` (judges, generators) which they
    are. A judge need not have judged its own.
    """

    value: Floats
    se: Floats
    draws: Floats | None
    instances: Ints
    n_family: Ints
    judged: Bools
    family: Bools
    given: Floats
    why: list[str | None]

    def column(self, *, errors: bool) -> Column:
        if not errors:
            return Column(self.value, reasons=self.why)
        return student_t_column(self.value, self.se, self.instances - 1, self.draws, self.why, HANGS)


def reasons_of_family(
    masks: FamilyMasks, judged: Bools, n_family: Ints, value: Floats, nothing: str
) -> list[str | None]:
    """Return why there is no number of relatives; `nothing`: none of their cases has an outside judge."""
    return first_reason(
        (~masks.has_family, "no_relatives"),
        (~judged, "no_cells_of_relatives"),
        (~masks.has_outside, "no_outside_judge"),
        (n_family == 0, nothing),
        (np.isnan(value), nothing),
    )


@dataclass(frozen=True, eq=False)
class OutsideGaps:
    """A number of votes or points of each judge with its error, draws and placebos, and what it rests on.

    `appeal` is the mean score or vote of other judges for each generator, shape (judges, generators); `own`
    marks which is the judge itself, `present` which judges have a vote or score at all. `given` is the share
    of own cases that it gave: its mean vote, or its mean score of 1, on the cases that count.
    """

    value: Floats
    se: Floats
    draws: Floats | None
    placebos: Placebos
    appeal: Floats
    own: Bools
    why: list[str | None]
    instances: Ints
    n_own: Ints
    n_other: Ints
    n_outside: Ints
    judged: Bools
    n_instances: int
    left_out: Mapping[str, int]
    families: Families
    present: Bools
    given: Floats
    relatives: FamilyGaps

    @property
    def n_judges(self) -> int:
        return int(self.present.sum())


@dataclass(frozen=True, eq=False)
class OncePairs:
    """Each pair once: `votes` for `first`, shape (pairs, judges), and which of them count for either side."""

    instance: Ints
    first: Ints
    second: Ints
    votes: Floats
    for_first: Bools
    for_second: Bools

    def sides(self) -> tuple[tuple[Ints, Ints, Bools], ...]:
        """Return target, opponent and the pairs that count, seen from the first and from the second."""
        return (self.first, self.second, self.for_first), (self.second, self.first, self.for_second)


def vote_outside(view: SliceView, options: Options, filled: tuple[Bools, bool] | None = None) -> OutsideGaps:
    """Return v_J - mean vote of outside judges on J's own pairs; `view` shows all judges.

    `filled` marks judges (judges,) whose own pairs without an outcome count as won, or as lost. NoDataError
    if none of the models shown has an answer in a pair.
    """
    if not len(view.generators):
        raise NoDataError("no pair has an answer of these models")
    cube, masks = view.pair_cube, family_masks(view)
    judged = judged_pairs(view, cube.rows, cube.pairs)
    if filled is not None:
        judged = _fill_own(judged, view, masks, *filled)
    gold = GoldTruth(view) if options["pairs"] in _GOLD else None
    pairs = _once_pairs(view, judged, _side_masks(view, judged, gold, options))
    total, number = _sums(view, pairs, masks, everyone=options["opponents"] == "all")
    value, se = mean_by_instance(total, number)
    own = masks.own
    n_own = np.asarray((number.sum(axis=-1) * own).sum(axis=1))
    has_own, place = own.any(axis=1), (np.arange(len(own)), own.argmax(axis=1))
    left_out = pairs_left_out(view, cube, blame=None if gold is None else gold.blame)
    draws = None
    if view.weights is not None:
        draws = rate(*(resample(part[place], view.weights) for part in (total, number)))
        draws = np.where(has_own, draws, np.nan)
    own_pair = (judged.target == judged.judge) | (judged.other == judged.judge)
    has_judged = np.isin(np.arange(len(own)), judged.row[own_pair])
    return OutsideGaps(
        value=np.where(has_own, value[place], np.nan),
        se=np.where(has_own, se[place], np.nan),
        draws=draws,
        placebos=Placebos(np.where(masks.other, value, np.nan), np.where(masks.other, se, np.nan)),
        appeal=_appeal(pairs, masks),
        own=own,
        why=first_reason(
            (~masks.has_own, "no_own_responses"),
            (~has_judged, "no_own_cells"),
            (~masks.has_outside, "no_outside_judge"),
            (n_own == 0, "no_common_pair"),
        ),
        instances=((number > 0) & own[..., None]).any(axis=1).sum(axis=1),
        n_own=n_own,
        n_other=(number.sum(axis=-1) * masks.other).sum(axis=1),
        n_outside=_outside_counts(pairs, masks, everyone=options["opponents"] == "all"),
        judged=has_judged,
        n_instances=len(np.unique(judged.instance)),
        left_out=left_out,
        families=Families.of(masks),
        present=np.isin(np.arange(len(own)), judged.row),
        given=_own_votes(pairs, masks, everyone=options["opponents"] == "all"),
        relatives=_votes_for_relatives(view, pairs, masks),
    )


def _votes_for_relatives(view: SliceView, pairs: OncePairs, masks: FamilyMasks) -> FamilyGaps:
    """Return the mean of v_J - mean vote of outside judges, over relatives' pairs with other families'."""
    gaps = vote_gaps(pairs.votes, pairs.first, pairs.second, masks)
    judges, n_instances = len(view.judges), view.study.index.n_instances
    size = judges * n_instances
    sums, votes, counted = np.zeros(size), np.zeros(size), np.zeros(size, dtype=np.int64)
    judged = np.zeros(judges, dtype=bool)
    for (target, opponent, counts), sign in zip(pairs.sides(), (1, -1), strict=True):
        near = masks.family[:, target].T & masks.other[:, opponent].T & counts
        judged |= np.asarray((near & ~np.isnan(pairs.votes)).any(axis=0))
        pair, judge = np.nonzero(near & ~np.isnan(gaps))
        cell = judge * n_instances + pairs.instance[pair]
        of_target = pairs.votes[pair, judge] if sign > 0 else 1 - pairs.votes[pair, judge]
        sums += np.bincount(cell, weights=sign * gaps[pair, judge], minlength=size)
        votes += np.bincount(cell, weights=of_target, minlength=size)
        counted += np.bincount(cell, minlength=size)
    total, number = sums.reshape(judges, n_instances), counted.reshape(judges, n_instances)
    value, se = mean_by_instance(total, number)
    draws = None
    if view.weights is not None:
        draws = rate(resample(total, view.weights), resample(number, view.weights))
    n_family = number.sum(axis=1)
    why = reasons_of_family(masks, judged, n_family, value, "no_common_pair")
    given = rate(votes.reshape(judges, n_instances).sum(axis=1), n_family)
    instances = (number > 0).sum(axis=1)
    return FamilyGaps(value, se, draws, instances, n_family, judged, masks.family, given, why)


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
    gold = GoldTruth(view) if options["pairs"] in _GOLD else None
    missing = missing_pairs(view, judged)
    parts = [
        (pairs, *_own_and_other(view, pairs, masks, _side_masks(view, pairs, gold, options)))
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


def _fill_own(
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


def _side_masks(
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


def pair_gaps(view: SliceView) -> tuple[OncePairs, Floats]:
    """Return each pair of a slice once, and each judge's vote for its first response less outside judges'.

    The gaps have shape (pairs, judges), NaN where the judge or all outside judges have no vote.
    """
    judged = judged_pairs(view, view.pair_cube.rows, view.pair_cube.pairs)
    all_pairs = np.ones(len(judged.row), dtype=bool)
    pairs = _once_pairs(view, judged, (all_pairs, all_pairs))
    return pairs, vote_gaps(pairs.votes, pairs.first, pairs.second, family_masks(view))


def _once_pairs(view: SliceView, judged: JudgedPairs, counts: tuple[Bools, Bools]) -> OncePairs:
    places = [np.searchsorted(view.generators, side) for side in (judged.target, judged.other)]
    size = len(view.generators)
    unique, pair = np.unique((judged.instance * size + places[0]) * size + places[1], return_inverse=True)
    pair, shape = pair.reshape(-1), (len(unique), len(view.judges))
    votes, first, second = np.full(shape, np.nan), np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    votes[pair, judged.row] = (1 + judged.value) / 2
    first[pair, judged.row], second[pair, judged.row] = counts
    instance_target, other = np.divmod(unique, size)
    instance, target = np.divmod(instance_target, size)
    return OncePairs(instance, target, other, votes, first, second)


def _sums(view: SliceView, pairs: OncePairs, masks: FamilyMasks, *, everyone: bool) -> tuple[Floats, Ints]:
    """Return sums and numbers of v_J - mean vote outside: (judges, generators, instances), seen from each."""
    gaps = vote_gaps(pairs.votes, pairs.first, pairs.second, masks)
    shape = (len(view.judges), len(view.generators), view.study.index.n_instances)
    total, number = np.zeros(int(np.prod(shape))), np.zeros(int(np.prod(shape)), dtype=np.int64)
    allowed = _allowed(pairs, masks, gaps, everyone=everyone)
    for (target, _, _), counted, sign in zip(pairs.sides(), allowed, (1, -1), strict=True):
        pair, judge = np.nonzero(counted)
        cell = (judge * shape[1] + target[pair]) * shape[2] + pairs.instance[pair]
        total += np.bincount(cell, weights=sign * gaps[pair, judge], minlength=len(total))
        number += np.bincount(cell, minlength=len(number))
    return total.reshape(shape), number.reshape(shape)


def _allowed(pairs: OncePairs, masks: FamilyMasks, gaps: Floats, *, everyone: bool) -> Iterator[Bools]:
    """Yield which gaps count for the first response, and for the second: (pairs, judges)."""
    for target, opponent, counts in pairs.sides():
        allowed = (masks.own | masks.other)[:, target].T & counts & ~np.isnan(gaps)
        unrelated = masks.other[:, opponent].T
        if everyone:  # a placebo says nothing about how a judge treats its own family's responses
            yield allowed & (unrelated | masks.own[:, target].T)
        else:
            yield allowed & unrelated & masks.unrelated[target, opponent][:, None]


def _own_votes(pairs: OncePairs, masks: FamilyMasks, *, everyone: bool) -> Floats:
    """Return each judge's mean vote for its own response in the pairs that count; NaN without one."""
    gaps = vote_gaps(pairs.votes, pairs.first, pairs.second, masks)
    total, number = np.zeros(len(masks.own)), np.zeros(len(masks.own), dtype=np.int64)
    allowed = _allowed(pairs, masks, gaps, everyone=everyone)
    for (target, _, _), counted, votes in zip(
        pairs.sides(), allowed, (pairs.votes, 1 - pairs.votes), strict=True
    ):
        own = counted & masks.own[:, target].T
        total += np.where(own, votes, 0.0).sum(axis=0)
        number += own.sum(axis=0)
    return rate(total, number)


def _appeal(pairs: OncePairs, masks: FamilyMasks) -> Floats:
    """Return the mean vote of other judges for each generator, in pairs of other families that count."""
    total, number = np.zeros(masks.own.shape), np.zeros(masks.own.shape, dtype=np.int64)
    for (target, opponent, counts), votes in zip(pairs.sides(), (pairs.votes, 1 - pairs.votes), strict=True):
        pair, judge = np.nonzero(counts & masks.other[:, opponent].T & ~np.isnan(votes))
        np.add.at(total, (judge, target[pair]), votes[pair, judge])
        np.add.at(number, (judge, target[pair]), 1)
    return mean_appeal(total, number, masks.outside, masks.other)


def _outside_counts(pairs: OncePairs, masks: FamilyMasks, *, everyone: bool) -> Ints:
    """Return how many outside judges voted on a pair of the judge's own that counts for it."""
    has_vote = ~np.isnan(pairs.votes)
    number = np.zeros(len(masks.own), dtype=np.int64)
    for j in range(len(number)):
        first, second = masks.own[j, pairs.first], masks.own[j, pairs.second]
        opponent = np.where(first, pairs.second, pairs.first)
        own = has_vote[:, j] & ((first & pairs.for_first[:, j]) | (second & pairs.for_second[:, j]))
        if not everyone:
            own &= masks.other[j, opponent]
        voters = has_vote & masks.other[:, opponent].T & masks.outside[j]
        number[j] = voters[own].any(axis=0).sum()
    return number
