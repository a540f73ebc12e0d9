"""Correlations with their draws."""

import numpy as np
import pytest

from engine.measures.columns import STATISTICS, correlation, difference
from engine.stats.intervals.bootstrap import cluster_weights


@pytest.mark.parametrize("name", STATISTICS)
def test_weighting_items_once_gives_the_same_draws_as_weighting_each(name):
    rng = np.random.default_rng(1)
    instance = rng.integers(0, 20, 300)
    a = rng.integers(1, 6, 300).astype(float)
    b = a + rng.integers(-2, 3, 300) / 3
    weights = cluster_weights(20, 40, rng)

    column = correlation(STATISTICS[name], a, b, instance, weights)

    each = STATISTICS[name](a, b, weights[:, instance].astype(float))
    assert column.draws[:, 0] == pytest.approx(each)


def test_a_difference_is_undefined_for_the_reason_of_its_undefined_side():
    rising = correlation(STATISTICS["pearson"], np.arange(4.0), np.arange(4.0), np.arange(4), None)
    flat = correlation(STATISTICS["pearson"], np.ones(4), np.arange(4.0), np.arange(4), None)

    result = difference(rising, flat)

    assert np.isnan(result.values[0])
    assert result.reason(0) == "fewer_than_3_items_or_a_constant_side"
