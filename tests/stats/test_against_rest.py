"""The linearised comparison of a slice with the rest, checked by hand arithmetic and simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from engine.stats.outside.against_rest import SliceCells, against_rest

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
    assert np.isnan([comparison.low[0], comparison.high[0]]).all()


RELATED_OWN, RELATED_OTHER = (
    np.array([False, True, False, False, False]),
    np.array([True, False, True, False, True]),
)


def with_a_relative(over, failed, slice_of, instance_of, n_slices, n_instances):
    """Cells of a judge in second place, whose relative is in fourth; the rest are of other families."""
    return SliceCells(
        np.array(over), np.array(failed), np.array(slice_of), np.array(instance_of), n_slices, n_instances,
        RELATED_OWN, RELATED_OTHER,
    )  # fmt: skip


def log_difference(cells, weight, one_slice):
    """Log of the slice's ratio less that of the rest, generators without failures left out, by loops."""
    logs = []
    for inside in (True, False):
        rates = []
        for over, failed in zip(cells.over, cells.failed, strict=True):
            sums = np.zeros(2)
            for place, of in enumerate(cells.slice_of):
                if (of == one_slice) == inside:
                    sums += weight[cells.instance_of[place]] * np.array([over[place], failed[place]])
            rates.append(sums[0] / sums[1] if sums[1] > 0 else None)
        others = [rates[g] for g in (0, 2, 4) if rates[g] is not None]
        logs.append(math.log(rates[1] / (sum(others) / len(others))))
    return logs[0] - logs[1]


@pytest.mark.parametrize("seed", range(4))
def test_intervals_and_p_are_students_over_the_instances_of_the_thinner_side(seed):
    rng = np.random.default_rng(seed)
    places = [(s, i) for i in range(9) for s in range(3) if s != 0 or i in (1, 4, 6, 7)]
    slice_of, instance_of = (np.array(part) for part in zip(*places, strict=True))
    failed = rng.integers(0, 5, (5, len(places)))
    failed[1] = np.where(slice_of == 0, 3, failed[1])  # own failures in every cell of the thin slice
    failed[0, slice_of == 0] = 0
    failed[4] = np.where((slice_of == 2) & (instance_of > 0), 0, failed[4])
    over = np.maximum(rng.binomial(failed, 0.6), (failed > 0) & (instance_of < 2))
    cells = with_a_relative(over, failed, slice_of, instance_of, 3, 9)

    comparison = against_rest(cells)

    for one_slice in range(3):
        step, influences = 1e-5, []
        for instance in range(9):
            ends = []
            for change in (step, -step):
                weight = np.ones(9)
                weight[instance] += change
                ends.append(log_difference(cells, weight, one_slice))
            influences.append((ends[0] - ends[1]) / (2 * step))
        error = math.sqrt(sum(each**2 for each in influences) * 9 / 8)
        own = {(s, i) for s, i, n in zip(slice_of, instance_of, failed[1], strict=True) if n > 0}
        thinner = min(len({i for s, i in own if (s == one_slice) == inside}) for inside in (True, False))
        value = log_difference(cells, np.ones(9), one_slice)
        reach = stats.t.ppf(0.975, thinner - 1) * error
        assert comparison.instances[one_slice] == thinner
        assert math.log(comparison.difference[one_slice]) == pytest.approx(value)
        assert math.log(comparison.low[one_slice]) == pytest.approx(value - reach, rel=1e-5)
        assert math.log(comparison.high[one_slice]) == pytest.approx(value + reach, rel=1e-5)
        p = 2 * stats.t.sf(abs(value) / error, thinner - 1)
        assert comparison.p[one_slice] == pytest.approx(p, rel=1e-4)


def test_two_instances_are_enough_for_an_interval_and_one_with_own_failures_is_not():
    # Slice 0 has own failures on both instances, slice 1 on both, slice 2 on the second alone.
    cells = with_a_relative(
        over=[[1, 2, 2, 1, 1], [2, 1, 1, 3, 2], [1, 1, 2, 1, 2], [1, 0, 1, 0, 1], [2, 1, 1, 1, 1]],
        failed=[[4, 3, 4, 3, 3], [3, 4, 2, 4, 3], [4, 5, 3, 4, 3], [2, 2, 2, 2, 2], [3, 3, 4, 3, 5]],
        slice_of=[0, 0, 1, 1, 2], instance_of=[0, 1, 0, 1, 1], n_slices=3, n_instances=2,
    )  # fmt: skip

    comparison = against_rest(cells)

    influences = []
    for instance in range(2):
        weights = np.ones((2, 2))
        weights[:, instance] += (1e-5, -1e-5)
        influences.append(
            (log_difference(cells, weights[0], 0) - log_difference(cells, weights[1], 0)) / 2e-5
        )
    reach = stats.t.ppf(0.975, 1) * math.sqrt(2 * sum(each**2 for each in influences))
    assert comparison.instances.tolist() == [2, 2, 1]
    assert math.log(comparison.high[0] / comparison.difference[0]) == pytest.approx(reach, rel=1e-5)
    assert np.isfinite(comparison.difference[2])
    assert np.isnan([comparison.low[2], comparison.high[2], comparison.p[2]]).all()


def test_a_single_own_failure_moves_the_difference():
    # O_self 1/1 against 1/2 in slice 0; 1/2 against 1/2 in the rest: the difference is 2.
    cells = cells_of(
        over=[[1, 0, 1], [1, 0, 1], [1, 0, 1]], failed=[[1, 0, 2], [1, 1, 2], [1, 1, 2]],
        slice_of=[0, 0, 1], instance_of=[0, 1, 0], n_instances=2,
    )  # fmt: skip

    comparison = against_rest(cells)

    assert comparison.difference[0] == pytest.approx(2)
    assert comparison.n_self.tolist() == [1, 2]
    assert comparison.instances.tolist() == [1, 1]
