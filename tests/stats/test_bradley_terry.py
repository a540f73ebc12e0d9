"""Bradley-Terry strengths: by hand and against an optimizer."""

import numpy as np
import pytest
from scipy.optimize import minimize

from engine.stats.pairs.bradley_terry import bradley_terry


def test_strengths_of_two_models_follow_from_the_votes_plus_half_a_vote_each_way():
    # Wins 3 to 1; by symmetry p_1 = 1 / p_0. At the estimate the wins of 0 equal those expected:
    # 3.5 = 4 p / (p + 1/p) + p / (p + 1), solved by p = 1.5898.
    strengths = bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]]))

    p = np.exp(strengths[0])
    assert strengths[0] == pytest.approx(-strengths[1])
    assert 4 * p / (p + 1 / p) + p / (p + 1) == pytest.approx(3.5)


def test_strengths_equal_the_maximum_likelihood_found_by_an_optimizer():
    rng = np.random.default_rng(5)
    wins = rng.integers(0, 9, (5, 5)) * (1 - np.eye(5))

    def minus_likelihood(theta):
        pairs = np.log1p(np.exp(theta[None, :] - theta[:, None]))
        prior = 0.5 * (np.log1p(np.exp(-theta)) + np.log1p(np.exp(theta)))
        return (wins * pairs).sum() + prior.sum()

    best = minimize(minus_likelihood, np.zeros(5), tol=1e-10).x

    np.testing.assert_allclose(bradley_terry(wins), best, atol=1e-6)


def test_a_model_without_votes_has_no_strength_and_one_that_always_won_has_one():
    wins = np.zeros((3, 3))
    wins[0, 1] = 4

    strengths = bradley_terry(np.stack([wins, wins.T]))

    assert np.isnan(strengths[:, 2]).all()
    assert strengths[0, 0] > 0 > strengths[0, 1]
    np.testing.assert_allclose(strengths[0, :2], strengths[1, 1::-1])


def test_steps_too_long_at_first_still_end_at_the_maximum_likelihood():
    # A chain in which each model beats the next throughout: Newton's first step would be 4.
    wins = np.diag([1000.0] * 5, 1)

    strengths = bradley_terry(wins)

    # At the maximum each model's wins, with half a vote against strength 1, are those expected.
    share = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    games = wins + wins.T
    expected = (games * share).sum(axis=1) + 1 / (1 + np.exp(-strengths))
    np.testing.assert_allclose(wins.sum(axis=1) + 0.5, expected, atol=1e-6)
    assert (np.diff(strengths) < -4).all()


def test_one_tie_is_enough_for_a_strength():
    wins = np.zeros((3, 3))
    wins[0, 1] = wins[1, 0] = 0.5

    np.testing.assert_allclose(bradley_terry(wins), [0, 0, np.nan], atol=1e-9)
