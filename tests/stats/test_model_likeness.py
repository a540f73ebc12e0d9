"""The pull of places on scores, and what it says for a rater: by hand and its properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.stats.model_likeness import log_ratios, mean_likelihood, place_evidence, place_pull


def test_pull_is_observed_over_expected_as_far_as_it_is_beyond_chance():
    # Each of two scores stands 10 times at each place, and is given 8 times at the first, 2 at the second.
    # Its share is 10 / 20, so 5 are expected everywhere; of a place 10, observed 16 and 4: chi-square
    # 36 / 10 + 36 / 10 = 7.2 on 1 degree of freedom; 1 - 1 / 7.2 of the .6 stays: 1 +- .516667. Beyond that a
    # score has 8 of 7.58 and 2 of 2.42: chi-square .19, below 1, so nothing stays.
    chosen, shown = np.array([[8, 2], [8, 2]]), np.full((2, 2), 10)

    pull = place_pull(chosen, shown)

    np.testing.assert_allclose(pull, [[1 + 0.6 * (1 - 1 / 7.2), 1 - 0.6 * (1 - 1 / 7.2)]] * 2)


def test_forms_add_up_their_log_ratios_and_models_are_averaged():
    # A rater held against the pull above: 3 forms at the first place, 1 at the second, both shown equally.
    # Against a model without a pull each form says nothing.
    own, none = np.array([[2, 1], [1, 0]]), np.zeros((2, 2))
    drawn, steady = np.array([[8, 2], [8, 2]]), np.full((2, 2), 5)
    chosen = np.array([[own, none, none], [none, drawn, steady]])
    shown = np.array([[none + 2, none, none], [none, none + 10, none + 10]])
    by_hand = 3 * math.log(1.5166667) + math.log(0.4833333)

    ratios = log_ratios(chosen, shown, 0, np.array([1, 2]))

    np.testing.assert_allclose(ratios, [by_hand, 0], atol=1e-6)
    assert mean_likelihood(ratios) == pytest.approx(math.log((math.exp(by_hand) + 1) / 2))


def test_a_score_that_stood_at_one_place_only_is_no_evidence():
    evidence = place_evidence(np.array([[1.5, 0.5], [1.5, 0.5]]), np.array([[4, 0], [2, 2]]))

    assert evidence[0, 0] == 0
    np.testing.assert_allclose(evidence[1], np.log([1.5, 0.5]))


counts = arrays(np.int64, (3, 4, 3, 3), elements=st.integers(0, 6))


@given(chosen=counts, more=counts)
def test_nothing_is_held_against_its_own_rows_nor_against_others_on_its_questions(chosen, more):
    shown = chosen + more
    others = np.array([1, 2, 3])
    chosen[1:, 0] = shown[1:, 0] = 0  # the rater's forms are all of the first part

    before = log_ratios(chosen, shown, 0, others)
    chosen[0, 1:], shown[0, 1:] = more[0, 1:], chosen[0, 1:] + more[0, 1:]

    assert np.isfinite(before).all()
    np.testing.assert_array_equal(log_ratios(chosen, shown, 0, others), before)
    twice = np.array([2, 1, 1, 1])[:, None, None]
    np.testing.assert_allclose(log_ratios(chosen * twice, shown * twice, 0, others), 2 * before)


@given(chosen=counts, more=counts, order=st.permutations(range(3)))
def test_renaming_the_scores_changes_nothing(chosen, more, order):
    shown, others = chosen + more, np.array([1, 2, 3])

    renamed = log_ratios(chosen[:, :, order], shown[:, :, order], 0, others)

    np.testing.assert_allclose(renamed, log_ratios(chosen, shown, 0, others), atol=1e-9)
