"""The effects of authorship and familiarity: least squares by NumPy, and where they cannot be separated."""

import numpy as np
import pytest

from engine.stats.pairs.familiarity import effects, moments


def cases(seed=2, n=30):
    rng = np.random.default_rng(seed)
    o = rng.integers(0, 3, n) / 2.0
    f = o + rng.normal(size=n)
    return o, f, 0.7 * o - 0.4 * f + rng.normal(size=n), rng.integers(0, 4, n)


def test_slopes_are_those_of_least_squares():
    o, f, v, instance = cases()

    slopes = effects(moments(o, f, v, instance, 4).sum(axis=1))

    (held, familiarity), *_ = np.linalg.lstsq(np.stack([o, f], axis=1), v, rcond=None)
    (own,), *_ = np.linalg.lstsq(o[:, None], v, rcond=None)
    assert (slopes.own, slopes.held, slopes.familiarity) == pytest.approx((own, held, familiarity))
    assert slopes.explained == pytest.approx(own - held)


def test_moments_are_summed_by_instance():
    o, f, v = np.array([1.0, 2, 3]), np.array([5.0, 7, 11]), np.array([13.0, 17, 19])

    sums = moments(o, f, v, np.array([2, 0, 2]), 4)

    assert sums[:, 0].tolist() == [4, 14, 49, 34, 119]
    assert sums[:, 2].tolist() == [1 + 9, 5 + 33, 25 + 121, 13 + 57, 65 + 209]
    assert not sums[:, [1, 3]].any()


def test_without_an_own_response_nothing_is_defined():
    slopes = effects(np.array([[0, 0, 4.0, 0, 2.0], [1.0, 0, 4, 3, 2]]))

    assert np.isnan([slopes.own[0], slopes.held[0], slopes.familiarity[0]]).all()
    assert (slopes.own[1], slopes.held[1], slopes.familiarity[1]) == (3, 3, 0.5)


def test_authorship_that_always_goes_with_familiarity_is_not_separated_from_it():
    o = np.array([0.0, 1, 1, 0])

    slopes = effects(moments(o, 3 * o, np.array([0.2, 0.5, 0.9, 0.1]), np.zeros(4, dtype=int), 1).sum(axis=1))

    assert slopes.own == pytest.approx(0.7)
    assert np.isnan([slopes.held, slopes.familiarity, slopes.explained]).all()
