"""The votes of a judge and of outside judges on the same pairs (MEASURES section 15)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from engine.arrays.left_out import pairs_left_out
from engine.arrays.pairs.judged_pairs import JudgedPairs, judged_pairs
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.view import SliceView
from engine.measures.columns import HANGS, student_t_column
from engine.measures.pairs.own_pairs import counting_sides, fill_own, gold_rule
from engine.measures.rows import Column, Options, first_reason
from engine.stats import Bools, Floats, Ints
from engine.stats.conditional.discernment import mean_appeal
from engine.stats.conditional.tastes import Families
from engine.stats.intervals.bootstrap import resample
from engine.stats.intervals.delete_one import mean_by_instance
from engine.stats.outside.outside import FamilyMasks, vote_gaps
from engine.stats.outside.outside_scores import Placebos
from engine.stats.ratios import rate


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
        judged = fill_own(judged, view, masks, *filled)
    gold = gold_rule(view, options)
    sides = counting_sides(view, judged, gold, options)
    pairs = _once_pairs(view, judged, sides)
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
    own_sides = judged.target == judged.judge, judged.other == judged.judge
    counts = (own_sides[0] & sides[0]) | (own_sides[1] & sides[1])
    has_judged, has_counting = (
        np.isin(np.arange(len(own)), judged.row[marks]) for marks in (own_sides[0] | own_sides[1], counts)
    )
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
            (~has_counting, "no_pair_that_counts"),
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


def own_sides(pairs: OncePairs, masks: FamilyMasks, *, everyone: bool) -> tuple[Bools, Bools]:
    """Return which pairs count for a judge's own response, the first or the second: (pairs, judges)."""
    gaps = vote_gaps(pairs.votes, pairs.first, pairs.second, masks)
    allowed = _allowed(pairs, masks, gaps, everyone=everyone)
    first, second = (
        counted & masks.own[:, target].T
        for (target, _, _), counted in zip(pairs.sides(), allowed, strict=True)
    )
    return first, second


def _own_votes(pairs: OncePairs, masks: FamilyMasks, *, everyone: bool) -> Floats:
    """Return each judge's mean vote for its own response in the pairs that count; NaN without one."""
    total, number = np.zeros(len(masks.own)), np.zeros(len(masks.own), dtype=np.int64)
    own_of = own_sides(pairs, masks, everyone=everyone)
    for own, votes in zip(own_of, (pairs.votes, 1 - pairs.votes), strict=True):
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
