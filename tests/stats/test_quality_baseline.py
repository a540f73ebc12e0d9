"""The evaluator quality baseline on arrays: against SciPy and by hand."""

import numpy as np
import pytest
from scipy import stats

from engine.stats.pairs.quality_baseline import (
    binary_entropy,
    group_means,
    means_of_first,
    paired_t,
    relative_change,
)

NAN = np.nan


def test_entropy_is_in_bits():
    # -.25 log2 .25 - .75 log2 .75 = .5 + .311278
    np.testing.assert_allclose(binary_entropy(np.array([0, 0.5, 0.25, 1.0])), [0, 1, 0.811278, 0], atol=1e-6)


@pytest.mark.parametrize("values", [[0.2, 0.5, -0.1, 0.4], [-0.3, -0.1, 0.2], [0.1, 0.3]])
def test_a_paired_test_is_students(values):
    values = np.array(values)
    squares = ((values - values.mean()) ** 2).sum()

    test = paired_t(np.array([values.sum()]), np.array([squares]), np.array([len(values)]))

    greater = stats.ttest_1samp(values, 0, alternative="greater")
    assert test.se.item() == pytest.approx(stats.sem(values))
    assert test.t.item() == pytest.approx(greater.statistic)
    assert test.p.item() == pytest.approx(greater.pvalue)
    assert test.p_two_sided.item() == pytest.approx(stats.ttest_1samp(values, 0).pvalue)


def test_a_paired_test_needs_two_examples_that_differ():
    test = paired_t(np.array([0.3, 0.0, 0.6]), np.array([0.0, 0.0, 0.0]), np.array([1, 0, 3]))

    np.testing.assert_array_equal(test.se, [NAN, NAN, 0])
    assert np.isnan([test.t, test.p, test.p_two_sided]).all()


def test_a_change_is_in_percent_of_what_was_there():
    change = relative_change(np.array([0.3, -0.1, 0.2]), np.array([0.2, 0.4, 0.0]))

    np.testing.assert_allclose(change, [50, -125, NAN])


def test_groups_have_their_means_and_empty_ones_none():
    means = group_means(np.array([1.0, 2, 6, 5]), np.array([2, 0, 2, 2]), 4)

    np.testing.assert_array_equal(means, [2, NAN, 4, NAN])


def test_means_of_the_first_by_key():
    group = np.array([1, 0, 1, 1, 0])
    keys = np.array([30, 9, 10, 20, 8], dtype=np.uint64)

    means = means_of_first(np.array([3.0, 5, 1, 8, 7]), group, keys, 3)

    # Group 0 in the order of keys: 7, 5. Group 1: 1, 8, 3. Nothing is in group 2.
    np.testing.assert_allclose(means, [[7, 6, NAN], [1, 4.5, 4], [NAN, NAN, NAN]])


def test_without_values_there_is_a_column_of_nothing():
    nothing = np.zeros(0, dtype=np.int64)

    assert np.isnan(means_of_first(np.zeros(0), nothing, nothing.astype(np.uint64), 2)).all()
