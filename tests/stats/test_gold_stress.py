"""Panels of gold judges, and how far a number depends on who they are."""

import numpy as np

from engine.stats.gold_stress import mean_changes, panels_to_try, same_side


def test_of_more_than_eight_gold_judges_each_alone_all_and_all_but_one_or_a_family_are_tried():
    families = [None, "F", "F", *"GHIJKL"]

    tried = panels_to_try(families)

    everyone = tuple(range(9))
    assert tried[:9] == [(g,) for g in everyone]
    assert tried[-1] == everyone
    assert (0, 3, 4, 5, 6, 7, 8) in tried  # without family F
    assert len(tried) == 9 + 1 + 9 + 1


def test_a_gold_judge_matters_by_what_its_leaving_changes():
    # Panels of two: {0}, {1}, {0, 1}. 0 leaves {0, 1}: |.3 - .1| = .2; 1 leaves it: |.3 - .4| = .1.
    values = np.array([[0.4, np.nan], [0.1, 0.2], [0.3, 0.2]])

    changes = mean_changes(values, [(0,), (1,), (0, 1)], 2)

    np.testing.assert_allclose(changes, [[0.2, 0.0], [0.1, np.nan]])
    np.testing.assert_allclose(same_side(values - 0.2), [2 / 3, 1.0])
