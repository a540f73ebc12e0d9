"""Committees drawn from judges, and how numbers spread over them."""

import numpy as np
import pytest

from engine.stats.judges.subsets import Spread, subsets


@pytest.mark.parametrize(("members", "size", "most"), [(6, 3, 20), (6, 3, 19), (9, 4, 5), (5, 5, 1)])
def test_subsets_are_distinct_and_have_the_given_size(members, size, most):
    marks = subsets(members, size, most, np.random.default_rng(0))

    assert marks.shape == (most, members)
    assert set(marks.sum(axis=1)) == {size}
    assert len(np.unique(marks, axis=0)) == most


def test_a_spread_leaves_out_undefined_numbers():
    spread = Spread()
    spread.add(1.0, np.array([1.0, np.nan]))
    spread.add(float("nan"), np.array([9.0, 9.0]))
    spread.add(4.0, np.array([3.0, np.nan]))

    assert (spread.mean, spread.ends) == (2.5, (1.0, 4.0))
    np.testing.assert_array_equal(spread.draws(2), [2.0, np.nan])


def test_all_subsets_are_listed_in_order_where_there_are_no_more():
    marks = subsets(4, 2, 6, np.random.default_rng(0))

    assert [np.flatnonzero(row).tolist() for row in marks] == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]


def test_a_sample_depends_on_the_generator_alone():
    first, again, other = (subsets(12, 5, 30, np.random.default_rng(seed)) for seed in (1, 1, 2))

    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_spread_of_nothing_is_undefined_and_one_of_numbers_without_draws_has_no_draws():
    nothing, without = Spread(), Spread()
    without.add(2.0, None)

    assert np.isnan([nothing.mean, *nothing.ends, *nothing.draws(2)]).all()
    assert (without.mean, without.ends) == (2.0, (2.0, 2.0))
    assert np.isnan(without.draws(3)).tolist() == [True] * 3


def test_a_resample_has_the_mean_of_the_subsets_in_which_the_number_is_defined():
    spread = Spread()
    spread.add(1.0, np.array([1.0, np.nan, 4.0]))
    spread.add(3.0, np.array([3.0, 0.6, 0.0]))

    assert spread.draws(3).tolist() == [2.0, 0.6, 2.0]
