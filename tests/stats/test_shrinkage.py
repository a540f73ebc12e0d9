"""Estimates shrunk towards their mean, and those that cannot be."""

import numpy as np
import pytest

from engine.stats.intervals.shrinkage import shrink

NAN = np.nan


def test_what_has_no_error_stays_undefined_and_takes_no_part():
    estimate, se = np.array([0.2, NAN, 1.4, 0.5, 9.0]), np.array([0.2, 0.1, 0.4, NAN, 0.0])

    shrunken = shrink(estimate, se)

    # w 25 and 6.25: mean .44; Q = 25 * .24^2 + 6.25 * .96^2 = 7.2; scale 31.25 - 664.0625 / 31.25 = 10.
    spread = (7.2 - 1) / 10
    total = np.array([1 / (0.04 + spread), 1 / (0.16 + spread)])
    centre = (total * [0.2, 1.4]).sum() / total.sum()
    expected = [centre + spread / (spread + v) * (x - centre) for x, v in ((0.2, 0.04), (1.4, 0.16))]
    np.testing.assert_allclose(shrunken, [expected[0], NAN, expected[1], NAN, NAN])


@pytest.mark.parametrize("estimate", [[NAN, NAN], [], [0.3, NAN]])
def test_nothing_or_one_estimate_is_not_shrunk(estimate):
    estimate = np.array(estimate, dtype=float)

    np.testing.assert_array_equal(shrink(estimate, np.full(len(estimate), 0.1)), estimate)
