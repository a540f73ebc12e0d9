"""Panels of gold judges, and how far a number depends on who they are."""

import numpy as np

from engine.stats.pairs.gold_stress import family_panel, mean_changes, panels_to_try, same_side


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


def test_of_eight_gold_judges_all_panels_are_tried():
    tried = panels_to_try(list("AABBCCDD"))

    assert len(tried) == 255
    assert (tried[0], tried[8], tried[-1]) == ((0,), (0, 1), tuple(range(8)))


def test_a_family_of_all_gold_judges_leaves_no_panel():
    assert panels_to_try(["A"] * 9) == [(g,) for g in range(9)] + [
        tuple(g for g in range(9) if g != out) for out in range(8, -1, -1)
    ] + [tuple(range(9))]  # fmt: skip


def test_a_family_has_its_gold_judges_and_no_family_has_none():
    families = ["A", None, "B", "A", None]

    assert family_panel(families, "A") == (0, 3)
    assert family_panel(families, None) == ()
    assert family_panel(families, "C") == ()


def test_a_change_needs_the_panel_with_and_without_the_gold_judge():
    subsets = [(0,), (1,), (0, 1), (0, 2), (0, 1, 2)]
    values = np.array([[0.1], [0.4], [0.8], [0.3], [np.nan]])

    changes = mean_changes(values, subsets, 4)

    # 0: (0, 1) -> (1,) .4; (0, 2) has no panel without it. 1: (0, 1) -> (0,) .7; all three have no number.
    # 2: (0, 2) -> (0,) .2. Nobody is the fourth.
    np.testing.assert_allclose(changes[:, 0], [0.4, 0.7, 0.2, np.nan])


def test_zero_is_a_side_of_its_own_and_panels_without_a_number_do_not_count():
    values = np.array(
        [[0.1, 0.0, -1, np.nan], [0.0, 0.0, 2, 1], [np.nan, -0.2, np.nan, 1], [0.3, 0.0, 1, np.nan]]
    )

    np.testing.assert_allclose(same_side(values), [2 / 3, 3 / 4, 2 / 3, np.nan])
