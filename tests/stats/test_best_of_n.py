"""What judges pick as the best of several answers: by hand and against plain loops."""

import numpy as np

from engine.stats.best_of_n import pick_shares


def test_equal_best_answers_are_picked_alike_and_an_unscored_one_leaves_no_pick():
    scores = np.array([[0.5, 1.0, np.nan], [0.5, 0.0, 1.0], [0.2, 1.0, 0.0]])
    among = np.array([[True, False, True], [True, True, True], [True, True, True]])

    shares = pick_shares(scores, among)

    np.testing.assert_allclose(shares[:, 0], [0.5, 0.5, 0])
    np.testing.assert_allclose(shares[:, 1], [0, 0, 1])  # the first is none to choose from
    assert np.isnan(shares[:, 2]).all()
