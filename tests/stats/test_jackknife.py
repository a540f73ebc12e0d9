"""Student's t from leaving out one instance at a time, and p-values below the floor of resamples."""

import numpy as np
import pytest
from scipy import stats

from engine.stats.intervals.jackknife import Estimates, leave_one_out, studentised


def mean_of(sums):
    return sums["hits"] / sums["cases"]


def test_the_jackknife_of_a_mean_is_its_t_test():
    rng = np.random.default_rng(1)
    values = rng.uniform(size=(1, 12))
    parts = {"hits": values, "cases": np.ones((1, 12))}

    t = studentised(values.mean(axis=-1), leave_one_out(parts, mean_of), null=0.4, log=False)

    # an even spread has a kurtosis below that of a normal one: all n - 1 degrees of freedom
    expected = stats.ttest_1samp(values[0], 0.4)
    assert t.p[0] == pytest.approx(expected.pvalue)
    assert (t.low[0], t.high[0]) == pytest.approx(tuple(expected.confidence_interval()))


def test_a_ratio_is_studentised_on_the_log():
    # four instances with 2 of 1 each: 8 / 4 becomes 6 / 3 without any of them, nothing varies
    hits, cases = np.array([[2.0, 2, 2, 2]]), np.array([[1.0, 1, 1, 1]])
    same = leave_one_out({"hits": hits, "cases": cases}, mean_of)
    # (1, 1), (3, 1): 4 / 2 becomes 3 and 1; logs 1.0986 and 0, error sqrt(1 / 2 x 2 x .5493^2) = .5493
    other = leave_one_out({"hits": np.array([[1.0, 3]]), "cases": np.array([[1.0, 1]])}, mean_of)

    constant = studentised(np.array([2.0]), same, null=1.0, log=True)
    ratio = studentised(np.array([2.0]), other, null=1.0, log=True)

    assert np.isnan([constant.low, constant.p]).all()
    assert ratio.error == pytest.approx(np.log(3) / 2)
    # t = log 2 / .5493 = 1.2619 with one degree of freedom: p = 1 - 2 arctan(1.2619) / pi
    assert ratio.p == pytest.approx(1 - 2 * np.arctan(np.log(2) / (np.log(3) / 2)) / np.pi)


def test_a_number_undefined_without_some_instance_has_no_interval():
    hits, cases = np.array([[0.0, 2, 0]]), np.array([[1.0, 2, 1]])

    t = studentised(
        np.array([0.5]), leave_one_out({"hits": hits, "cases": cases}, mean_of), null=1.0, log=True
    )

    assert np.isnan([t.low, t.high, t.p, t.error]).all()


def test_a_number_that_depends_on_few_instances_has_few_degrees_of_freedom():
    rng = np.random.default_rng(2)
    even = rng.normal(size=(1, 100))
    uneven = even.copy()
    uneven[0, :3] *= 30
    cases = np.ones((1, 100))

    freedoms = [
        studentised(v.mean(axis=-1), leave_one_out({"hits": v, "cases": cases}, mean_of), null=0.0, log=False)
        for v in (even, uneven)
    ]
    bounded = studentised(
        even.mean(axis=-1),
        leave_one_out({"hits": even, "cases": cases}, mean_of),
        null=0.0,
        log=False,
        instances=7,
    )

    assert freedoms[0].freedom[0] > 50
    assert freedoms[1].freedom[0] < 10
    assert bounded.freedom[0] == 6


def test_two_hundred_judges_can_be_distinguished_beyond_the_floor_of_resamples():
    # one strong judge among 200: at the floor of 1,000 resamples its adjusted p is 200 x 2 / 1001 = .40
    rng = np.random.default_rng(5)
    own = rng.binomial(3, 0.6, (1, 150))
    other = rng.binomial(30, 0.3, (1, 150))
    parts = {"hits": own, "cases": other / 10}

    tail = studentised(
        mean_of({name: part.sum(axis=-1) for name, part in parts.items()}),
        leave_one_out(parts, mean_of),
        null=1.0,
        log=True,
        instances=(own > 0).sum(axis=-1),
    )

    assert 200 * 2 / 1001 > 0.05
    assert 200 * tail.p[0] < 0.05


def test_counts_with_leading_axes_lose_one_cluster_at_a_time():
    rng = np.random.default_rng(3)
    hits, trials = rng.integers(0, 5, (2, 3, 6)), rng.integers(5, 9, (2, 3, 6))

    without = leave_one_out({"hits": hits, "trials": trials}, lambda sums: sums["hits"] / sums["trials"])

    for out in range(6):
        rest = np.arange(6) != out
        expected = hits[..., rest].sum(axis=-1) / trials[..., rest].sum(axis=-1)
        np.testing.assert_allclose(without[out], expected)


def test_an_estimate_needs_a_value_an_error_and_a_degree_of_freedom():
    value = np.array([0.5, np.nan, 0.5, 0.5, 0.5, np.inf])
    se, freedom = np.array([0.2, 0.2, 0.0, np.inf, 0.2, 0.2]), np.array([1, 5, 5, 5, 0, 5])

    estimates = Estimates(value, se, freedom)

    assert estimates.defined.tolist() == [True, False, False, False, False, False]
    assert np.isnan(estimates.p()).tolist() == [False, True, True, True, True, True]
    assert np.isnan(estimates.interval()[0])[:5].tolist() == [False, True, True, True, True]


def test_p_and_intervals_are_students_with_the_variance_of_tastes():
    estimates = Estimates(np.array([0.9, -0.4]), np.array([0.3, 0.4]), np.array([7, 3]))

    p, (low, high) = estimates.p(0.16, null=0.2), estimates.interval(0.16, level=0.9)

    for k, (value, se, freedom) in enumerate(((0.9, 0.3, 7), (-0.4, 0.4, 3))):
        error = np.sqrt(se**2 + 0.16)
        assert p[k] == pytest.approx(2 * stats.t.sf(abs(value - 0.2) / error, freedom))
        reach = stats.t.ppf(0.95, freedom) * error
        assert (low[k], high[k]) == (pytest.approx(value - reach), pytest.approx(value + reach))


def test_an_independent_variance_adds_to_the_error_with_satterthwaites_freedom():
    estimates = Estimates(np.array([1.0, 1.0, 1.0]), np.array([0.5, 0.5, 0.5]), np.array([6, 6, 0]))

    wider = estimates.with_variance(np.array([0.35, 0.0, 0.35]), 4.0)

    # (.25 + .35)^2 / (.25^2 / 6 + .35^2 / 4)
    assert wider.se == pytest.approx([np.sqrt(0.6), 0.5, np.sqrt(0.6)])
    assert wider.freedom == pytest.approx([0.36 / (0.0625 / 6 + 0.1225 / 4), 6, 0])
    assert np.isnan(estimates.with_variance(np.nan, 4.0).p()).all()


def test_the_detectable_value_is_found_with_power_point_8():
    estimates = Estimates(np.array([0.0]), np.array([0.3]), np.array([12]))

    # 2.1788 and .8726 are the quantiles .975 and .8 of t with 12 degrees of freedom.
    assert estimates.detectable(0.07) == pytest.approx((2.178813 + 0.872609) * 0.4, rel=1e-6)
    assert estimates.detectable(np.nan) == pytest.approx((2.178813 + 0.872609) * 0.3, rel=1e-6)


def test_the_cases_needed_are_those_that_show_a_value_or_exclude_a_material_one():
    estimates = Estimates(np.array([1.0, 0.05, 0.2, 0.3]), np.full(4, 0.4), np.full(4, 50))

    times = estimates.times_needed(0.01, 0.25)

    # (1.96 + .8416)^2 = 7.8489: 7.8489 * .16 / (1 - .0785) = 1.363. Of .05 tastes leave nothing to find:
    # (1.96 * .4 / .2)^2 = 15.37; .2 nothing either: (.784 / .05)^2; .3: 1.2558 / (.09 - .0785).
    reach = 7.848880
    expected = [reach * 0.16 / (1 - 0.01 * reach), (0.783986 / 0.2) ** 2, (0.783986 / 0.05) ** 2]
    assert times == pytest.approx([*expected, reach * 0.16 / (0.09 - 0.01 * reach)], rel=1e-4)


def test_without_tastes_the_interval_of_95_percent_has_the_error_alone():
    low, high = Estimates(np.array([0.9]), np.array([0.3]), np.array([7])).interval()

    reach = stats.t.ppf(0.975, 7) * 0.3
    assert (low[0], high[0]) == (pytest.approx(0.9 - reach), pytest.approx(0.9 + reach))


@pytest.mark.parametrize(("instances", "freedom"), [(None, 20 / (73 / 9 - 1)), (3, 2.0), (2, 1.0)])
def test_a_number_that_one_instance_decides_has_few_degrees_of_freedom(instances, freedom):
    # Of ten numbers one differs: kurtosis (n^2 - 3 n + 3) / (n - 1) = 73 / 9, and 2 n / 7.11 = 2.81.
    left_out = np.full((10, 1), 0.5)
    left_out[3] = 0.6

    result = studentised(np.array([0.51]), left_out, null=0.0, log=False, instances=instances)

    assert result.freedom == pytest.approx([freedom])


def test_numbers_that_vary_evenly_have_all_degrees_of_freedom():
    left_out = np.tile([0.4, 0.6], 5)[:, None]

    result = studentised(np.array([0.5]), left_out, null=0.0, log=False)
    of_few = studentised(np.array([0.5]), left_out, null=0.0, log=False, instances=4)
    of_one = studentised(np.array([0.5]), left_out, null=0.0, log=False, instances=1)

    assert (result.freedom.tolist(), of_few.freedom.tolist()) == ([9], [3])
    assert result.error == pytest.approx([np.sqrt(9 / 10 * 10 * 0.01)])
    assert np.isnan([of_one.low, of_one.high, of_one.p]).all()
