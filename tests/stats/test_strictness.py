"""Scores as judges of equal strictness would give them: hand arithmetic, and a fit by another way."""

import numpy as np
import pytest

from engine.stats.judges.strictness import scores_of_equal_strictness

NONE = np.nan


def test_a_strict_judge_that_is_left_out_of_one_models_scores_lifts_that_model_no_more():
    # B gives .4 less than A to every model, so that no model is liked more by either.
    scores = np.array([[0.9, 0.7, 0.5], [0.5, 0.3, 0.1]])
    without_b_on_the_last = np.array([[True, True, True], [True, True, False]])

    fitted = scores_of_equal_strictness(scores, without_b_on_the_last)

    # The mean over judges would be .7, .5 and .5: a tie for second. A's +.2 is taken from the last one's .5.
    np.testing.assert_allclose(fitted, [0.7, 0.5, 0.3])


def test_where_every_judge_scored_every_model_it_is_the_mean_over_judges():
    scores = np.random.default_rng(1).uniform(size=(5, 4, 3))

    fitted = scores_of_equal_strictness(scores, np.ones((4, 3), dtype=bool))

    np.testing.assert_allclose(fitted, scores.mean(axis=-2))


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_least_squares_fit_of_an_effect_for_each_model_and_judge(seed):
    generator = np.random.default_rng(seed)
    scores = generator.uniform(size=(6, 5))
    among = generator.uniform(size=(6, 5)) < 0.8
    among[0], among[:, 0] = True, True  # all are connected

    fitted = scores_of_equal_strictness(scores, among)

    rows, values = [], []
    for judge, model in zip(*np.nonzero(among), strict=True):
        rows.append(np.concatenate([np.eye(5)[model], np.eye(6)[judge]]))
        values.append(scores[judge, model])
    rows.append(np.concatenate([np.zeros(5), np.full(6, 1e3)]))  # the judges' effects sum to 0
    effects = np.linalg.lstsq(np.array(rows), np.array([*values, 0.0]), rcond=None)[0]
    np.testing.assert_allclose(fitted, effects[:5], atol=1e-6)


def test_models_that_share_no_judge_with_the_others_are_not_compared():
    scores = np.array([[0.9, 0.7, NONE], [0.8, 0.6, NONE], [NONE, NONE, 0.2]])

    fitted = scores_of_equal_strictness(scores, np.ones((3, 3), dtype=bool))

    np.testing.assert_allclose(fitted, [0.85, 0.65, NONE])


def test_without_any_score_there_is_none():
    fitted = scores_of_equal_strictness(np.full((2, 2), NONE), np.ones((2, 2), dtype=bool))

    assert np.isnan(fitted).all()
