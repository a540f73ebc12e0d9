"""The linearised comparison of a slice with the rest, checked by hand arithmetic and simulation."""

import math

import numpy as np
import pytest

from engine.stats.against_rest import SliceCells, against_rest

OWN, OTHER = np.array([True, False, False]), np.array([False, True, True])


def cells_of(over, failed, slice_of, instance_of, n_instances):
    return SliceCells(
        over=np.array(over), failed=np.array(failed), slice_of=np.array(slice_of),
        instance_of=np.array(instance_of), n_slices=max(slice_of) + 1, n_instances=n_instances,
        own=OWN, other=OTHER,
    )  # fmt: skip


def test_the_difference_is_the_ratio_of_two_ratios():
    cells = cells_of(
        over=[[3, 1, 1], [1, 1, 2], [1, 3, 1]],
        failed=[[4, 4, 4], [4, 4, 4], [4, 4, 4]],
        slice_of=[0, 1, 1],
        instance_of=[0, 1, 2],
        n_instances=3,
    )

    comparison = against_rest(cells)

    # slice 0: O_self 3/4, others 1/4 and 1/4: 3. The rest: O_self 2/8, others 3/8 and 4/8: (1/4)/(7/16) = 4/7
    assert comparison.ratio[0] == pytest.approx(3)
    assert comparison.rest[0] == pytest.approx(4 / 7)
    assert comparison.difference[0] == pytest.approx(21 / 4)
    assert comparison.n_self.tolist() == [4, 8]


def test_the_error_is_that_of_a_small_step_towards_removing_each_instance():
    rng = np.random.default_rng(3)
    over, failed, slices, instances = _study(rng, n_instances=60)
    cells = cells_of(over, failed, slices, instances, 60)

    comparison = against_rest(cells)

    steps = []
    for instance in range(60):  # the derivative of the log difference by the weight of each instance
        lighter = np.where(np.array(instances) == instance, 1 - 1e-6, 1.0)
        moved = _difference(over * lighter, failed * lighter, np.array(slices))
        steps.append((_difference(over, failed, np.array(slices)) - moved) / 1e-6)
    error = math.sqrt(sum(step**2 for step in steps) * 60 / 59)
    from scipy import stats

    reach = stats.t.ppf(0.975, comparison.instances[0] - 1) * error
    assert math.log(comparison.high[0] / comparison.difference[0]) == pytest.approx(reach, rel=1e-4)


def test_two_complementary_slices_have_inverse_differences():
    over, failed, slices, instances = _study(np.random.default_rng(5), n_instances=50)

    comparison = against_rest(cells_of(over, failed, slices, instances, 50))

    assert comparison.p[0] == pytest.approx(comparison.p[1])
    assert comparison.difference[0] * comparison.difference[1] == pytest.approx(1)


def test_a_slice_without_an_own_failure_has_no_difference():
    cells = cells_of(
        over=[[0, 2], [1, 1], [1, 1]],
        failed=[[0, 4], [3, 3], [3, 3]],
        slice_of=[0, 1],
        instance_of=[0, 1],
        n_instances=2,
    )

    comparison = against_rest(cells)

    assert np.isnan(comparison.difference[0])
    assert np.isnan(comparison.p[0])


def test_intervals_hold_the_truth_and_nothing_unplanted_is_claimed():
    rng = np.random.default_rng(11)
    covers = []
    for _ in range(400):
        cells = cells_of(*_study(rng, n_instances=80), 80)
        comparison = against_rest(cells)
        covers.append(comparison.low[0] <= 1 <= comparison.high[0])

    # 95 % of 400 is 380; four standard errors of a share of .95 in 400 are .044.
    assert abs(np.mean(covers) - 0.95) < 0.044


def _study(rng, n_instances):
    """Two slices in each instance, whose rates vary from instance to instance and do not differ."""
    slices, instances = np.tile([0, 1], n_instances), np.repeat(np.arange(n_instances), 2)
    rates = np.repeat(rng.beta(4, 8, n_instances), 2)
    failed = rng.integers(0, 6, (3, 2 * n_instances))
    return rng.binomial(failed, rates), failed, slices.tolist(), instances.tolist()


def _difference(over, failed, slices):
    def log_ratio(marks):
        rates = over[:, marks].sum(axis=1) / failed[:, marks].sum(axis=1)
        return math.log(rates[0] / rates[1:].mean())

    return log_ratio(slices == 0) - log_ratio(slices == 1)


def test_the_error_is_0_if_all_instances_are_identical():
    cells = cells_of(
        over=np.tile([[3, 1], [1, 1], [1, 1]], 20),
        failed=np.full((3, 40), 4),
        slice_of=[0, 1] * 20,
        instance_of=np.repeat(np.arange(20), 2).tolist(),
        n_instances=20,
    )

    comparison = against_rest(cells)

    assert comparison.difference[0] == pytest.approx(3)
    assert np.isnan(comparison.p[0])  # no spread, no test
