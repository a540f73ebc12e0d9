"""The parts of votes and points against outside judges, by hand."""

import numpy as np
import pytest

from engine.measures.outside.outside_pairs import OncePairs, _allowed, _appeal, _outside_counts, _own_votes
from engine.measures.outside.outside_points import _near_copies, _own_scores
from engine.measures.outside.outside_points import _outside_counts as _outside_counts_of_scores
from engine.stats.outside.outside import FamilyMasks
from engine.stats.outside.outside_scores import Points

FAMILIES = np.array(["F", "F", "G", "H"])  # J and K are relatives, A and B alone
UNRELATED = FAMILIES[:, None] != FAMILIES
OWN = np.eye(4, dtype=bool)
MASKS = FamilyMasks(OWN, ~UNRELATED & ~OWN, UNRELATED, UNRELATED, UNRELATED)
J, K, A, B = range(4)
NAN = np.nan


def pairs_of(*rows, for_first=True, for_second=True):
    """Return pairs of (instance, first, second, votes for the first by J, K, A and B)."""
    instance, first, second, votes = (np.array(part) for part in zip(*rows, strict=True))
    shape = votes.shape
    return OncePairs(
        instance, first, second, votes.astype(float),
        np.full(shape, for_first), np.full(shape, for_second),
    )  # fmt: skip


def test_a_pair_is_seen_from_either_side():
    pairs = pairs_of((0, J, A, (1, NAN, 0, 0.5)), for_second=False)

    (first, second, counts), (second_as_target, other, none) = pairs.sides()

    assert (first.tolist(), second.tolist()) == ([J], [A])
    assert (second_as_target.tolist(), other.tolist()) == ([A], [J])
    assert counts.all()
    assert not none.any()


def test_a_judges_own_votes_are_those_in_pairs_with_other_families_that_others_judged_too():
    pairs = pairs_of(
        (0, J, A, (1, NAN, NAN, 0)),  # J for its own, B against
        (1, A, J, (0.25, NAN, NAN, 1)),  # J gives its own .75
        (2, J, B, (1, NAN, NAN, NAN)),  # nobody outside both families has judged it
        (3, J, K, (0, NAN, 1, NAN)),  # an opponent of its family
    )

    own = _own_votes(pairs, MASKS, everyone=False)
    of_all = _own_votes(pairs, MASKS, everyone=True)

    assert own[J] == pytest.approx((1 + 0.75) / 2)
    assert np.isnan(own[[K, A]]).all()
    assert of_all[J] == pytest.approx((1 + 0.75 + 0) / 3)


def test_pairs_of_which_only_one_side_counts_are_counted_from_that_side():
    rows = ((0, J, A, (1, NAN, NAN, 0)), (1, A, J, (0.25, NAN, NAN, 1)))

    from_first = _own_votes(pairs_of(*rows, for_second=False), MASKS, everyone=False)
    from_second = _own_votes(pairs_of(*rows, for_first=False), MASKS, everyone=False)

    assert (from_first[J], from_second[J]) == (1, 0.75)


def test_a_placebo_counts_only_with_opponents_of_neither_family():
    pairs = pairs_of((0, A, B, (1, 0, NAN, NAN)), (1, A, K, (1, 1, 0, 0)))
    gaps = np.full((2, 4), 0.5)

    from_first, from_second = _allowed(pairs, MASKS, gaps, everyone=False)
    of_all, of_all_from_second = _allowed(pairs, MASKS, gaps, everyone=True)

    # J and K may be asked about A and B; A and B themselves about their own answer alone.
    assert from_first[0].tolist() == [True, True, True, False]
    assert from_second[0].tolist() == [True, True, False, True]
    # A against K: a placebo of J and K would be held against their own family; B's is of neither.
    assert from_first[1].tolist() == [False, False, True, True]
    # From K's side it is K's own, and a placebo of B; A does not hold K against itself.
    assert from_second[1].tolist() == [False, True, False, True]
    # With all opponents a placebo is still never held against the judge's own family.
    assert of_all[1].tolist() == [False, False, True, True]
    assert of_all_from_second[1].tolist() == [False, True, False, True]
    undefined = np.full((2, 4), NAN)
    assert not any(each.any() for each in _allowed(pairs, MASKS, undefined, everyone=True))


def test_appeal_is_the_mean_vote_of_judges_outside_both_families():
    pairs = pairs_of((0, A, B, (1, 0.5, NAN, NAN)), (1, B, A, (0.25, NAN, NAN, NAN)))

    appeal = _appeal(pairs, MASKS)

    # A's answer has the votes 1 and .75 of J and .5 of K, of whom neither counts for the other.
    assert appeal[[A, B], [A, A]].tolist() == pytest.approx([0.75, 0.75])
    assert np.isnan(appeal[[J, K], [A, A]]).all()


def test_outside_judges_are_those_with_a_vote_on_a_pair_of_its_own_that_counts():
    pairs = pairs_of(
        (0, J, A, (1, 1, NAN, 0)),
        (1, B, J, (1, NAN, 0, NAN)),
        (2, J, K, (1, 1, 1, 1)),
    )

    strangers, everyone = (_outside_counts(pairs, MASKS, everyone=way) for way in (False, True))

    # J's: B on x0, A on x1 (each beside an opponent of a third family); K is a relative.
    assert (strangers[J], everyone[J]) == (2, 2)
    assert strangers[K] == 0  # its only pair is with a relative's answer
    no_side = pairs_of((0, J, A, (1, 1, NAN, 0)), for_first=False)
    assert _outside_counts(no_side, MASKS, everyone=True)[J] == 0


def scores_of(*rows):
    """Return scores (judges, generators, instances)."""
    return np.array(rows, dtype=float)


def test_outside_judges_of_scores_are_those_who_scored_an_own_answer_that_it_scored():
    judged = np.zeros((4, 4, 2), dtype=bool)
    judged[J, J] = [True, False]
    judged[K, J] = [True, True]
    judged[A, J] = [True, False]
    judged[B, J] = [False, True]

    # A alone has scored the answer that J did; K is of its family.
    assert _outside_counts_of_scores(judged, OWN, UNRELATED).tolist() == [1, 0, 0, 0]


def test_own_scores_are_those_that_an_outside_judge_gave_too():
    scores, number = np.full((4, 4, 3), NAN), np.zeros((4, 4, 3), dtype=np.int64)
    scores[J, J] = [0.5, 1.0, 0.25]
    number[J, J] = [2, 1, 0]
    scores[J, A], number[J, A] = 0.75, 1

    own = _own_scores(scores, Points(scores, number), OWN)

    assert own[J] == pytest.approx((0.5 + 1) / 2)
    assert np.isnan(own[[K, A, B]]).all()


@pytest.mark.parametrize(("number", "copied"), [(20, True), (19, False)])
def test_answers_with_the_same_twenty_scores_are_near_copies_if_these_differ(number, copied):
    scores = np.full((4, 4, 20), NAN)
    values = np.arange(number) % 2
    for generator in (J, A):
        scores[J, generator, :number] = values
    scores[J, B, :number] = 1 - values

    copies = _near_copies(scores, MASKS)
    alike = np.where(np.isnan(scores), NAN, 0.5)

    assert np.argwhere(copies).tolist() == ([[J, A], [A, J]] if copied else [])
    assert not _near_copies(alike, MASKS).any()
