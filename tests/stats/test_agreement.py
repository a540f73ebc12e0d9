"""Agreement of two sources, at the edges of where it is defined."""

import numpy as np
import pytest

from engine.stats.judges.agreement import (
    balanced_f1,
    cohens_kappa,
    share_equal,
    weighted_pearson,
    weighted_ranks,
    weighted_spearman,
    win_shares,
)

NAN = np.nan


def test_a_tie_is_half_a_win_for_each_source():
    # Rows are the first source: 2 losses, 3 ties, 5 wins; columns the second: 1, 1 and 8.
    table = np.array([[1.0, 0, 1], [0, 1, 2], [0, 0, 5]])

    one, other = win_shares(table)

    assert one == pytest.approx((3 / 2 + 5) / 10)
    assert other == pytest.approx((1 / 2 + 8) / 10)


def test_of_two_classes_the_second_is_the_win():
    one, other = win_shares(np.array([[3.0, 2.0], [1.0, 4.0]]))

    assert (one, other) == (0.5, 0.6)


def test_a_table_without_items_has_no_agreement():
    empty = np.zeros((2, 2))

    values = [share_equal(empty), cohens_kappa(empty), balanced_f1(empty), *win_shares(empty)]

    assert np.isnan(values).all()


def test_kappa_is_undefined_where_both_always_say_the_same_class():
    tables = np.array([[[4.0, 0.0], [0.0, 0.0]], [[0.0, 2.0], [2.0, 0.0]], [[2.0, 0.0], [0.0, 2.0]]])

    np.testing.assert_allclose(cohens_kappa(tables), [NAN, -1, 1])


def test_a_class_that_neither_source_has_leaves_no_mean_f1():
    assert np.isnan(balanced_f1(np.array([[4.0, 0.0], [0.0, 0.0]])))


def test_a_correlation_needs_three_items_and_two_sides_that_vary():
    a, b = np.array([1.0, 2, 4, 7]), np.array([2.0, 1, 5, 6])
    weights = np.array([[1.0, 1, 1, 0], [1, 1, 0.9, 0], [1, 0, 2, 0], [0, 0, 3, 0]])

    r = weighted_pearson(a, b, weights)

    assert r[0] == pytest.approx(np.corrcoef(a[:3], b[:3])[0, 1])
    assert np.isnan(r[1])
    assert r[2] == pytest.approx(1)
    assert np.isnan(r[3])
    assert np.isnan(weighted_pearson(a, np.full(4, 3.0), np.ones(4)))


def test_series_of_small_numbers_still_correlate():
    a, b = np.array([1.0, 2, 4, 7]), np.array([2.0, 1, 5, 6])

    assert weighted_pearson(a * 1e-4, b * 1e-4, np.ones(4)) == pytest.approx(np.corrcoef(a, b)[0, 1])


def test_series_may_differ_by_sample():
    rng = np.random.default_rng(1)
    a, b, weights = rng.random((3, 5)), rng.random((3, 5)), rng.integers(1, 4, (3, 5)).astype(float)

    together = weighted_pearson(a, b, weights)

    for row in range(3):
        assert together[row] == pytest.approx(weighted_pearson(a[row], b[row], weights[row]))


def test_weighted_ranks_are_those_of_repeated_items():
    values = np.array([0.3, 0.1, 0.3, 0.9])

    ranks = weighted_ranks(values, np.array([[1.0, 1, 1, 1], [2, 1, 0, 3]]))

    # .1 is first; .3, .3 share 2 and 3; then .9. Weighted: .1; .3 .3 at 2.5; .9 three times at 4, 5 and 6.
    np.testing.assert_allclose(ranks, [[2.5, 1, 2.5, 4], [2.5, 1, 2.5, 5]])


def test_tables_and_weights_with_leading_axes_are_computed_together():
    rng = np.random.default_rng(2)
    tables = rng.integers(0, 6, (2, 3, 3, 3)).astype(float)
    a, b, weights = (
        rng.random(7),
        rng.integers(0, 3, 7).astype(float),
        rng.integers(0, 4, (2, 3, 7)).astype(float),
    )

    together = [share_equal(tables), cohens_kappa(tables), balanced_f1(tables), *win_shares(tables)]
    correlations = [weighted_pearson(a, b, weights), weighted_spearman(a, b, weights)]

    for lead in np.ndindex(2, 3):
        one, each = tables[lead], weights[lead]
        alone = [share_equal(one), cohens_kappa(one), balanced_f1(one), *win_shares(one)]
        np.testing.assert_allclose([values[lead] for values in together], alone)
        of_one = [weighted_pearson(a, b, each), weighted_spearman(a, b, each)]
        np.testing.assert_allclose([values[lead] for values in correlations], of_one)
