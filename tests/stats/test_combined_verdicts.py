"""Verdicts, outcomes and scores of several judges combined."""

import numpy as np
import pytest

from engine.stats.judges.combined_verdicts import (
    combined_scores,
    majority,
    outcome_majority,
    packed_majority,
    pair_agreement,
    plurality,
)


def test_more_than_half_of_the_voters_decide_an_outcome():
    nan = np.nan
    outcomes = np.array([[1, 1, 1, 1, nan], [1, 0, -1, nan, nan], [-1, 0, 0, nan, 1], [nan, -1, nan, nan, 0]])
    votes = np.array([[True, True, True, True], [True, True, False, False]])

    outcome, decided, divided = outcome_majority(outcomes, votes, np.array([2, 2]))

    # Of all four: 1, 1, -1: 1. 1, 0, 0, -1: two of four are no majority. 1, -1, 0: none. One vote: too few.
    assert outcome.tolist() == [[1, 0, 0, 0, 0], [1, 0, 0, 0, 0]]
    assert decided.tolist() == [[True, False, False, False, False], [True, False, False, False, False]]
    assert divided.tolist() == [[False, True, True, False, True], [False, True, True, False, False]]


@pytest.mark.parametrize("at_least", [1, 2, 3, 5])
def test_the_packed_majority_equals_the_counted_one(at_least):
    rng = np.random.default_rng(at_least)
    ok = rng.random((7, 2, 128)) < 0.6
    met = (rng.random(ok.shape) < 0.5) & ok

    packed = packed_majority(_packed(met), _packed(ok & ~met), at_least)

    ayes, voters = met.sum(axis=0), ok.sum(axis=0)
    enough = voters >= at_least
    expected = (enough & (2 * ayes > voters), enough & (2 * ayes != voters), enough & (2 * ayes == voters))
    for row, plain_row in zip(packed, expected, strict=True):
        np.testing.assert_array_equal(row, _packed(plain_row))


def _packed(values):
    return np.packbits(values, axis=-1, bitorder="little").view(np.uint64)


def test_too_few_scores_give_none():
    scores = np.array([[1.0, 1.0, np.nan], [0.5, np.nan, np.nan], [0.0, 0.0, np.nan], [0.9, np.nan, np.nan]])

    np.testing.assert_allclose(combined_scores(scores, "median", 3), [0.7, np.nan, np.nan])
    np.testing.assert_allclose(combined_scores(scores, "mean", 2), [0.6, 0.5, np.nan])


def test_more_than_half_of_enough_voters_decide_a_verdict():
    ayes, voters = np.array([1, 2, 3, 2, 0, 0, 1]), np.array([1, 5, 5, 4, 2, 0, 2])

    verdict, decided = majority(ayes, voters)
    of_three, decided_of_three = majority(ayes, voters, 3)

    assert verdict.tolist() == [True, False, True, False, False, False, False]
    assert decided.tolist() == [True, True, True, False, True, False, False]
    assert of_three.tolist() == [False, False, True, False, False, False, False]
    assert decided_of_three.tolist() == [False, True, True, False, False, False, False]


def test_one_voter_is_enough_unless_more_are_asked_for():
    ayes, noes = (
        np.array([[0b0011], [0b0101]], dtype=np.uint64),
        np.array([[0b0100], [0b1000]], dtype=np.uint64),
    )

    verdict, decided, divided = packed_majority(ayes, noes)

    # Bit 0: two ayes; 1: one aye; 2: one of each; 3: one no; the rest nobody.
    assert (verdict.item(), decided.item(), divided.item()) == (0b0011, 0b1011, 0b0100)


def test_as_many_voters_as_thirty_are_counted():
    rng = np.random.default_rng(2)
    met = rng.random((30, 1, 64)) < 0.5

    packed = packed_majority(_packed(met), _packed(~met), 30)

    ayes = met.sum(axis=0)
    for row, expected in zip(packed, (ayes > 15, ayes != 15, ayes == 15), strict=True):
        np.testing.assert_array_equal(row, _packed(expected))
    assert (ayes == 15).any()


@pytest.mark.parametrize("how", ["mean", "median"])
def test_scores_of_any_number_of_judges_are_combined(how):
    scores = np.random.default_rng(3).random((5, 6, 4))
    for number in range(6):
        scores[number:, number] = np.nan  # so many scores
    rng = np.random.default_rng(4)
    scores = rng.permuted(scores, axis=0)

    combined = combined_scores(scores, how)

    assert np.isnan(combined[0]).all()
    for number in range(1, 6):
        expected = [getattr(np, how)(column[~np.isnan(column)]) for column in scores[:, number].T]
        np.testing.assert_allclose(combined[number], expected)
    np.testing.assert_array_equal(combined_scores(scores, how, 0), combined)
    assert np.isnan(combined_scores(scores, how, 3)[:3]).all()


def test_one_outcome_is_enough_only_if_one_is_asked_for():
    outcomes = np.array([[1, np.nan], [np.nan, np.nan]])
    votes = np.array([[True, True]] * 3)

    outcome, decided, divided = outcome_majority(outcomes, votes, np.array([0, 1, 2]))

    assert outcome.tolist() == [[1, 0], [1, 0], [0, 0]]
    assert decided.tolist() == [[True, False], [True, False], [False, False]]
    assert not divided.any()


def test_agreement_counts_pairs_on_both_sides():
    # 3 of 5: 3 pairs of ayes and 1 of noes, of 10; 1 of 4: 3 pairs of noes, of 6.
    np.testing.assert_allclose(pair_agreement(np.array([3, 1, 0]), np.array([5, 4, 2])), [0.4, 0.5, 1])


def test_a_plurality_is_the_outcome_that_leads_alone():
    group = np.array([2, 2, 2, 0, 0, 0, 0, 3, 3])
    values = np.array([1, -1, 1, 0, 0, -1, np.nan, -1, 1])

    np.testing.assert_array_equal(plurality(group, values, 5), [0, np.nan, 1, np.nan, np.nan])
