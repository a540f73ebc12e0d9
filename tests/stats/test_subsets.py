"""Committees drawn from judges, and how numbers spread over them."""

import numpy as np
import pytest

from engine.stats.subsets import Spread, subsets


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
