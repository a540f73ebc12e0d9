"""Verdicts, outcomes and scores of several judges combined."""

import numpy as np
import pytest

from engine.stats.combined_verdicts import combined_scores, outcome_majority, packed_majority


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
