"""Shares with Wilson's interval."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from engine.stats.intervals.wilson import wilson


def test_an_interval_by_hand():
    # k = 1, n = 4, z = 1.959964, z^2 = 3.841459: middle (1 + 1.920729) / 7.841459 = 0.372473,
    # half 1.959964 / 7.841459 * sqrt(1 * 3 / 4 + 0.960365) = 0.249949 * 1.307809 = 0.326886.
    interval = wilson(1, 4)

    assert interval.value == pytest.approx(0.25)
    assert interval.low == pytest.approx(0.045587, abs=2e-6)
    assert interval.high == pytest.approx(0.699359, abs=2e-6)


@given(n=st.integers(1, 3000), share=st.floats(0, 1))
def test_the_interval_equals_scipys_and_contains_the_share(n, share):
    k = round(share * n)

    interval = wilson(k, n)

    other = binomtest(k, n).proportion_ci(method="wilson")
    assert interval.low == pytest.approx(other.low, abs=1e-12)
    assert interval.high == pytest.approx(other.high, abs=1e-12)
    assert interval.low - 1e-12 <= interval.value <= interval.high + 1e-12


def test_zero_failures_do_not_prove_a_rate_of_zero():
    interval = wilson([0, 10], [10, 10])

    assert interval.low[0] == 0
    assert interval.high[0] == pytest.approx(0.2775, abs=1e-4)  # z^2 / (n + z^2)
    assert interval.high[1] == 1


def test_without_cases_there_is_no_share():
    interval = wilson(np.array([0]), np.array([0]))

    assert all(math.isnan(float(number[0])) for number in (interval.value, interval.low, interval.high))
