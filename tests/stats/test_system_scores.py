"""Scores of models over complete instances, by hand."""

import numpy as np

from engine.stats.scores.system_scores import complete_scores, system_score

NAN = np.nan


def test_only_instances_with_a_score_of_every_model_that_the_source_scored_are_complete():
    # The first source scored two models, never the third; the second scored none.
    values = np.array([[[0.2, NAN, 0.7, NAN], [0.5, 0.6, 0.1, NAN], [NAN] * 4], [[NAN] * 4] * 3])

    scores = complete_scores(values)

    assert scores.scored.tolist() == [[True, True, False], [False, False, False]]
    assert scores.complete.tolist() == [[True, False, True, False], [False] * 4]
    np.testing.assert_array_equal(scores.values[0], [[0.2, 0, 0.7, 0], [0.5, 0, 0.1, 0], [0, 0, 0, 0]])
    assert not scores.values[1].any()


def test_the_mean_is_clipped_to_a_share_only_for_one_kind():
    totals, counts = np.array([-1.0, 3.0, 5.0, 0.0]), np.array([2, 4, 4, 0])

    np.testing.assert_array_equal(system_score(totals, counts, "weighted"), [-0.5, 0.75, 1.25, NAN])
    np.testing.assert_array_equal(system_score(totals, counts, "weighted_mean_clipped"), [0, 0.75, 1, NAN])
