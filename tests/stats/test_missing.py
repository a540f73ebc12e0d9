"""Shares of missing verdicts: at the edges of their rule, and the paired t by SciPy."""

import numpy as np
import pytest
from scipy import stats

from engine.stats.judges.missing import MissingShares, beyond_chance, larger_by_gap


def test_what_was_asked_and_what_has_no_row_are_shares_of_all_cells():
    shares = MissingShares.of(np.array([6, 0]), np.array([3, 0]), np.array([1, 0]))

    np.testing.assert_allclose(shares.missing, [0.3, np.nan])
    np.testing.assert_allclose(shares.absent, [0.1, np.nan])
    np.testing.assert_allclose(shares.together, [0.4, np.nan])


def test_two_points_more_are_a_gap():
    own = MissingShares(np.array([0.05, 0.0499, 0.02, np.nan]), np.array([0.01, 0.01, 0.0, np.nan]))
    other = MissingShares(np.array([0.01, 0.01, 0.03, 0.0]), np.array([0.03, 0.03, 0.0, 0.0]))

    assert larger_by_gap(own, other).tolist() == [True, False, False, False]


def chance(differences, cells=20):
    """Whether shares of missing verdicts that differ by so many of 20 cells differ beyond chance."""
    missing = np.array(differences) + 10
    return beyond_chance(
        missing, np.full(len(missing), cells), np.full(len(missing), 10), np.full(len(missing), 20)
    )


def test_shares_differ_beyond_chance_where_the_paired_t_does():
    for differences in ([1, 2, 0, 3], [2, 2, 1, 3], [-1, -2, -2, -3], [5, -4, 1, 0], [1, 3], [2, 1, 0, 1, 1]):
        p = stats.ttest_1samp(np.array(differences) / 20, 0).pvalue

        assert chance(differences) == (p < 0.05), differences
    assert chance([2, 2, 1, 3])
    assert not chance([1, 2, 0, 3])
    assert not chance([1, 1, 3, 4])  # t = 2.25 / (1.5 / 2) = 3, with 3 degrees of freedom p = .058
    assert not chance([1, 3])


def test_only_instances_with_cells_of_both_kinds_count():
    missing, cells = np.array([2, 2, 1, 3, 0, 9]), np.array([20, 20, 20, 20, 0, 20])
    other_missing, other_cells = np.array([0, 0, 0, 0, 9, 0]), np.array([10, 10, 10, 10, 10, 0])

    assert beyond_chance(missing, cells, other_missing, other_cells)
    assert not beyond_chance(missing[3:], cells[3:], other_missing[3:], other_cells[3:])  # one instance


@pytest.mark.parametrize(
    ("differences", "expected"), [([2, 2], True), ([-2, -2, -2], True), ([0, 0, 0], False)]
)
def test_equal_differences_are_beyond_chance_unless_they_are_zero(differences, expected):
    assert chance(differences) is expected


def test_one_cell_of_either_kind_is_enough_for_an_instance():
    one = np.ones(2, dtype=int)

    assert beyond_chance(one, one, np.zeros(2, dtype=int), one)
