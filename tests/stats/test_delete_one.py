"""Means over instances and their errors by deleting one, against loops."""

import numpy as np
import pytest

from engine.stats.intervals.delete_one import deleted_means, error_of_deleting, mean_by_instance

TOTAL = np.array([[2.0, 0, 3, 1.5, 0], [0, 0, 4, 0, 0], [0, 0, 0, 0, 0]])
NUMBER = np.array([[2, 1, 3, 2, 0], [0, 0, 8, 0, 0], [0, 0, 0, 0, 0]])


def test_means_without_each_instance_are_those_of_the_rest():
    value, without = deleted_means(TOTAL, NUMBER)

    np.testing.assert_allclose(value, [6.5 / 8, 0.5, np.nan])
    np.testing.assert_allclose(without[:, 0], [4.5 / 6, 6.5 / 7, 3.5 / 5, 5 / 6, 6.5 / 8])
    np.testing.assert_allclose(without[:, 1], [0.5, 0.5, np.nan, 0.5, 0.5])
    assert np.isnan(without[:, 2]).all()


def test_the_error_counts_the_instances_with_a_case():
    value, error = mean_by_instance(TOTAL, NUMBER)

    changes = np.array([4.5 / 6, 6.5 / 7, 3.5 / 5, 5 / 6]) - 6.5 / 8
    assert value[0] == 6.5 / 8
    assert error[0] == pytest.approx(np.sqrt(3 / 4 * (changes**2).sum()))
    assert np.isnan(error[1:]).all()


@pytest.mark.parametrize(("instances", "expected"), [(0, 0.0), (1, 0.0), (2, np.sqrt(0.05 / 2))])
def test_one_instance_has_no_error(instances, expected):
    error = error_of_deleting(np.array([1.0]), np.array([[1.1], [0.8]]), np.array([instances]))

    assert error == pytest.approx(expected)


def test_changes_by_rounding_alone_are_none():
    value, tiny = np.array([0.5, 200.0]), np.array([[5e-12, 1e-9], [-5e-12, -1e-9]])

    assert error_of_deleting(value, value + tiny, np.array([2, 2])).tolist() == [0, 0]
    assert (error_of_deleting(value, value + 10 * tiny, np.array([2, 2])) > 0).all()
