"""Means over studies that differ: by hand, against a plain second version, and at their limits."""

import numpy as np
import pytest
from plain.random_effects import pooled

from engine.stats.intervals.random_effects import random_effects

T_975 = {2: 12.706204736, 3: 4.302652730, 4: 3.182446305, 8: 2.364624252}
"""Student's t at .975 by the number of studies, from a printed table."""


def test_two_equally_exact_studies_have_their_middle_and_the_spread_beyond_chance():
    # (0.0 - 0.2)^2 + (0.4 - 0.2)^2 = 0.08 over error^2 + tau^2 is 1 at tau^2 = 0.08 - 0.01.
    result = random_effects(np.array([0.0, 0.4]), np.array([0.1, 0.1]))

    assert result.mean == pytest.approx(0.2)
    assert result.tau == pytest.approx(0.07**0.5)
    # The weights are 1 / 0.08 each: half the width is t sqrt(0.08 / 2) = 12.706 * 0.2.
    assert (result.low, result.high) == pytest.approx((0.2 - 2.5412409, 0.2 + 2.5412409), abs=1e-6)


def test_studies_that_agree_have_no_spread_and_an_interval_no_narrower_than_chance():
    result = random_effects(np.array([0.2, 0.2, 0.2]), np.array([0.1, 0.1, 0.1]))

    assert result.tau == 0
    assert result.high - result.mean == pytest.approx(T_975[3] * 0.1 / 3**0.5)


def test_one_study_says_nothing_of_others():
    result = random_effects(np.array([0.3]), np.array([0.05]))

    assert (result.mean, result.low, result.high, result.tau, result.n) == (0.3, None, None, None, 1)


@pytest.mark.parametrize("n", T_975)
@pytest.mark.parametrize("spread", [0.0, 0.02, 0.5])
def test_it_is_that_of_the_plain_second_version(n, spread):
    draw = np.random.default_rng([n, round(1000 * spread)])
    errors = draw.uniform(0.02, 0.2, n)
    values = 0.1 + spread * draw.standard_normal(n) + errors * draw.standard_normal(n)

    result = random_effects(values, errors)

    expected = pooled(values.tolist(), errors.tolist(), T_975[n])
    assert (result.mean, result.low, result.high, result.tau) == pytest.approx(expected, abs=1e-6)


def test_order_and_unit_of_studies_change_nothing():
    draw = np.random.default_rng(5)
    values, errors = draw.normal(size=6), draw.uniform(0.1, 1, 6)

    first = random_effects(values, errors)
    turned = random_effects(100 * values[::-1], 100 * errors[::-1])

    assert 100 * first.mean == pytest.approx(turned.mean)
    assert 100 * (first.tau or 0) == pytest.approx(turned.tau, abs=1e-4)


@pytest.mark.parametrize("errors", [[], [0.1, 0.0], [0.1, float("nan")]])
def test_what_has_no_error_is_refused(errors):
    with pytest.raises(ValueError, match="standard errors above 0"):
        random_effects(np.zeros(len(errors)), np.array(errors, dtype=float))
