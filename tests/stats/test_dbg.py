"""The DBG score on arrays, by hand."""

import math

import numpy as np
import pytest

from engine.stats.pairs.dbg import agreed_gold, bias_of_subsets, like_length, mean_gold, panels

NAN = np.nan


def test_panels_are_all_subsets_smallest_first():
    assert panels(3) == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert panels(1) == [(0,)]
    assert panels(0) == []


def test_the_mean_gold_vote_decides_by_its_side_of_one_half():
    votes = [
        [1, 0, NAN],
        [1, 0.5, NAN],
        [0, 0.5, 0.5],
        [NAN, NAN, NAN],
        [NAN, 1, NAN],
        [0.1, 0.8, 0.6 + 1e-12],
    ]

    outcome = mean_gold(np.array(votes, dtype=float))

    np.testing.assert_array_equal(outcome, [0.5, 1, 0, NAN, 1, 0.5])


def test_gold_judges_agree_if_two_name_the_winner_and_more_than_name_the_other():
    votes = [
        [1, 1, 0, NAN], [0, 0, 1, 0.5], [1, 0.5, NAN, NAN], [1, 1, 0, 0], [0.5, 0.5, 0.5, 1],
        [0, 0, NAN, NAN], [1, 1, 1, 0], [NAN, NAN, NAN, NAN],
    ]  # fmt: skip

    np.testing.assert_array_equal(agreed_gold(np.array(votes)), [1, 0, NAN, NAN, NAN, 0, 1, NAN])


def test_the_bias_is_the_mean_of_wins_less_gold_wins_under_every_panel():
    win = np.array([1.0, 0.0, 1.0])
    votes = np.array([[0, 1], [1, NAN], [0.5, 0]])
    rows = np.array([0, 0, 0]), np.array([1, 1, 2])  # all together, and by opponent; nobody is in row 3

    biases = bias_of_subsets(win, votes, rows, 4)

    # The first: gold 0, 1, .5: 1, -1, .5. The second: 1, none, 0: 0 and 1. Both: .5, 1, 0: .5, -1, 1.
    expected = [[0.5 / 3, 0, 0.5, NAN], [0.5, 0, 1, NAN], [0.5 / 3, -0.25, 1, NAN]]
    np.testing.assert_allclose(biases, expected)


def test_the_rule_decides_which_pairs_count():
    votes = np.array([[0, 0], [1, 0], [1, 1]], dtype=float)

    biases = bias_of_subsets(np.array([1.0, 0.5, 0.5]), votes, (np.array([0, 0, 0]),), 1, agreed_gold)

    # One alone never agrees with another; both do on the first (1 - 0) and on the third (.5 - 1).
    np.testing.assert_allclose(biases[:, 0], [NAN, NAN, 0.25])


def test_without_gold_judges_there_is_no_panel():
    assert bias_of_subsets(np.ones(2), np.zeros((2, 0)), (np.zeros(2, dtype=int),), 3).shape == (0, 3)


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [(10, 20, True), (20, 10, True), (10, 21, False), (21, 10, False), (7, 7, True), (NAN, 5, False)],
)
def test_lengths_are_alike_up_to_the_log_of_their_ratio(one, two, alike):
    assert like_length(np.array([one]), np.array([two]), math.log(2)).tolist() == [alike]
