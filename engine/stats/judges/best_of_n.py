"""What judges pick as the best of several answers, as when their verdicts are used as a reward.

Only the order of a judge's scores matters for what it picks, so that a judge which is lenient or strict
throughout picks like any other. What remains is which answers it sets above others.
"""

from dataclasses import dataclass

import numpy as np

from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.outside.outside import FamilyMasks
from engine.stats.ratios import rate
from engine.stats.scores.ranks import TOLERANCE


@dataclass(frozen=True, eq=False)
class JudgesPicks:
    """What each judge picks: sums over its choices in each instance, shape (judges, instances).

    A choice is a set of answers with the judge's own among them. `choices` counts them, `answers` adds up
    their answers, and `better` counts those in which the reference scores another answer above the judge's
    own; `own` adds up the probability that it picks its own in these. `lost` is what the best answer scores
    by the reference above the one picked, `lost_to_own` the part lost by picking its own.

    The rest compares it with outside judges, each on the choice without answers of that judge's family, as a
    mean over them: in the `beside` choices in which another answer is better, `own_beside` and `own_outside`
    are the probabilities that it and they pick the judge's own; in the `compared` choices, better or not,
    `cost` is what it loses more than they do.
    """

    choices: Ints
    answers: Ints
    better: Ints
    own: Floats
    lost: Floats
    lost_to_own: Floats
    beside: Ints
    own_beside: Floats
    own_outside: Floats
    compared: Ints
    cost: Floats

    @classmethod
    def none(cls, judges: int, instances: int) -> "JudgesPicks":
        """Return those of no choice."""
        shape = (judges, instances)
        counts, sums = (np.zeros((11, *shape), dtype=kind) for kind in (np.int64, np.float64))
        of_counts = ("choices", "answers", "better", "beside", "compared")
        names = enumerate(cls.__dataclass_fields__)
        return cls(**{name: counts[n] if name in of_counts else sums[n] for n, name in names})


def pick_shares(scores: Floats, among: Bools) -> Floats:
    """Return the probability that each answer is picked: the best by its score, of equal ones each alike.

    `scores` and the result have shape (generators, instances), as has `among`, which marks the answers to
    choose from. NaN for all answers of an instance where one of them has no score, or where there is none.
    """
    unscored = (among & np.isnan(scores)).any(axis=0) | ~among.any(axis=0)
    of_those = np.where(among & ~np.isnan(scores), scores, -np.inf)
    best = among & (of_those >= of_those.max(axis=0, initial=-np.inf) - TOLERANCE)
    return np.where(unscored, np.nan, best / np.maximum(best.sum(axis=0), 1))


@dataclass(frozen=True, eq=False)
class JudgePick:
    """What one judge picks in each instance: whether another answer is `better`, and NaN without a pick."""

    own: Floats
    better: Bools
    lost: Floats
    lost_to_own: Floats

    @classmethod
    def of(cls, scores: Floats, truth: Floats, among: Bools, own: int) -> "JudgePick":
        shares = pick_shares(scores, among)
        best = np.where(among, truth, -np.inf).max(axis=0, initial=-np.inf)
        best[~among.any(axis=0)] = np.nan
        behind = best - truth[own]
        picked = np.where(among, shares * truth, 0.0).sum(axis=0)
        return cls(shares[own], behind > TOLERANCE, best - picked, shares[own] * behind)


def picks_of_scores(scores: Floats, truth: Floats, masks: FamilyMasks) -> JudgesPicks:
    """Return what judges pick by scores (judges, generators, instances); a choice is all that is scored.

    `truth` are the reference's scores, (judges or 1, generators, instances). An answer without either score
    is none to choose from; an outside judge counts only where it scored all of them.
    """
    picks = JudgesPicks.none(scores.shape[0], scores.shape[2])
    for j in np.flatnonzero(masks.has_own).tolist():
        true, own = truth[j if len(truth) > 1 else 0], int(masks.own[j].argmax())
        among = ~np.isnan(scores[j]) & ~np.isnan(true)
        among &= among[own] & (among.sum(axis=0) > 1)
        pick = JudgePick.of(scores[j], true, among, own)
        picks.choices[j], picks.answers[j] = among.any(axis=0), among.sum(axis=0)
        picks.better[j] = pick.better
        picks.own[j] = np.where(pick.better, pick.own, 0.0)
        picks.lost[j] = np.where(among.any(axis=0), pick.lost, 0.0)
        picks.lost_to_own[j] = np.where(among.any(axis=0), pick.lost_to_own, 0.0)
        _compare_with_outside(picks, j, scores, true, among, masks)
    return picks


def _compare_with_outside(
    picks: JudgesPicks, j: int, scores: Floats, truth: Floats, among: Bools, masks: FamilyMasks
) -> None:
    own, size = int(masks.own[j].argmax()), scores.shape[2]
    of_judge: dict[bytes, JudgePick] = {}
    beside, compared = np.zeros(size), np.zeros(size)
    own_beside, own_outside, cost = np.zeros(size), np.zeros(size), np.zeros(size)
    for b in np.flatnonzero(masks.outside[j]).tolist():
        fewer = among & masks.other[b][:, None]
        fewer &= fewer.sum(axis=0) > 1
        key = masks.other[b].tobytes()
        if key not in of_judge:  # it depends on the outside judge's family alone
            of_judge[key] = JudgePick.of(scores[j], truth, fewer, own)
        mine = of_judge[key]
        theirs = JudgePick.of(scores[b], truth, fewer, own)
        both = ~np.isnan(theirs.own) & ~np.isnan(mine.own)
        worse = both & mine.better
        beside += worse
        compared += both
        own_beside += np.where(worse, mine.own, 0.0)
        own_outside += np.where(worse, theirs.own, 0.0)
        cost += np.where(both, mine.lost - theirs.lost, 0.0)
    picks.beside[j], picks.compared[j] = beside > 0, compared > 0
    picks.own_beside[j], picks.own_outside[j] = (
        np.nan_to_num(rate(part, beside)) for part in (own_beside, own_outside)
    )
    picks.cost[j] = np.nan_to_num(rate(cost, compared))


@dataclass(frozen=True, eq=False)
class PairChoices(ParallelArrays):
    """Judges' choices between their own answer and another, shape (pairs,).

    `votes` (1, .5 or 0) are for their own; so is the mean vote of `outside` judges, NaN for none, and the
    `truth`, the gold vote.
    """

    judge: Ints
    instance: Ints
    votes: Floats
    outside: Floats
    truth: Floats


def picks_of_pairs(pairs: PairChoices, judges: int, instances: int) -> JudgesPicks:
    """Return what judges pick of their own pairs, which all have a gold vote."""
    shape = (judges, instances)

    def added(values: Floats) -> Floats:
        cell = pairs.judge * instances + pairs.instance
        return np.bincount(cell, values, judges * instances).astype(np.float64).reshape(shape)

    def counted(marks: Bools) -> Ints:
        return added(marks.astype(np.float64)).astype(np.int64)

    better, beside = pairs.truth < 0.5, ~np.isnan(pairs.outside)
    lost, lost_outside = (
        np.abs(2 * pairs.truth - 1) * np.where(better, votes, 1 - votes)
        for votes in (pairs.votes, pairs.outside)
    )
    every = counted(np.ones(len(better), dtype=bool))
    return JudgesPicks(
        choices=every,
        answers=2 * every,
        better=counted(better),
        own=added(better * pairs.votes),
        lost=added(lost),
        lost_to_own=added(better * lost),
        beside=counted(better & beside),
        own_beside=added((better & beside) * pairs.votes),
        own_outside=added(np.where(better & beside, pairs.outside, 0.0)),
        compared=counted(beside),
        cost=added(np.where(beside, lost - lost_outside, 0.0)),
    )
