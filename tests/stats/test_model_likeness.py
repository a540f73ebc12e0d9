"""The pull of places on scores, and what it says for a rater: by hand and its properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from plain.model_likeness import shrunk

from engine.stats.orders.model_likeness import log_ratios, mean_likelihood, place_evidence, place_pull


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


def plain_pull(chosen, stood):
    """The pull of each position on each score, by loops."""
    n = len(chosen)
    due = {
        (s, q): stood[s, q] * (chosen[s].sum() / stood[s].sum() if stood[s].sum() else 0)
        for s in range(n)
        for q in range(n)
    }
    of_place = shrunk(
        {q: float(chosen[:, q].sum()) for q in range(n)},
        {q: sum(due[s, q] for s in range(n)) for q in range(n)},
        n - 1,
    )
    beyond = shrunk(
        {(s, q): float(chosen[s, q]) for s, q in due},
        {(s, q): value * of_place[q] for (s, q), value in due.items()},
        (n - 1) ** 2,
    )
    return np.array([[of_place[q] * beyond[s, q] for q in range(n)] for s in range(n)])


def test_log_ratios_equal_plain_loops_over_folds_and_scores():
    rng = np.random.default_rng(2)
    shown = rng.integers(0, 30, (3, 4, 4, 4))
    shown[:, 1:, 3] = 1  # hardly any of the fourth score is expected
    shown[:, 0, 1, 1:] = 0  # the rater's second score stood at the first position only
    odds = [[0.7, 0.3, 0.1, 0.1], [0.5, 0.2, 0.2, 0.1], [0.6, 0.1, 0.3, 0.2], [0.3, 0.2, 0.2, 0.1]]
    chosen = rng.binomial(shown, np.array(odds))
    others = np.array([3, 1])

    ratios = log_ratios(chosen, shown, 0, others)

    expected = np.zeros(2)
    own = shown[:, 0].sum(axis=0)
    for place, other in enumerate(others):
        for fold in range(3):
            rest = [f for f in range(3) if f != fold]
            pull = plain_pull(chosen[rest, other].sum(axis=0), shown[rest, other].sum(axis=0))
            for s, q in np.ndindex(4, 4):
                if chosen[fold, 0, s, q]:
                    usual = (own[s] * pull[s]).sum() / own[s].sum()
                    expected[place] += chosen[fold, 0, s, q] * math.log(pull[s, q] / usual)
    np.testing.assert_allclose(ratios, expected)
    assert (np.abs(expected) > 1).all()
    assert mean_likelihood(ratios) == pytest.approx(math.log(np.exp(expected).mean()))


def test_resamples_are_computed_together():
    rng = np.random.default_rng(4)
    shown = rng.integers(1, 9, (2, 3, 3, 2, 2))
    chosen = rng.binomial(shown, 0.5)

    together = log_ratios(chosen, shown, 1, np.array([0, 2]))

    for draw in range(2):
        alone = log_ratios(chosen[draw], shown[draw], 1, np.array([0, 2]))
        np.testing.assert_allclose(together[draw], alone)


def test_a_place_that_no_chance_explains_keeps_nearly_all_of_its_pull():
    # 300 forms: all 100 at the first place are given, none of the other 200.
    pull = place_pull(np.array([[50, 0, 0], [50, 0, 0], [0, 0, 0]]), np.array([[50] * 3, [50] * 3, [0] * 3]))

    # Share 1/3: 33.3 expected at each place; chi-square (66.7^2 + 2 * 33.3^2) / 33.3 = 200 on 2: .99 stays.
    np.testing.assert_allclose(pull[:2, 0], 1 + 2 * 0.99)
    np.testing.assert_allclose(pull[:2, 1:], 0.01)
    np.testing.assert_allclose(pull[2], pull[0])  # never given: the pull of the place alone
