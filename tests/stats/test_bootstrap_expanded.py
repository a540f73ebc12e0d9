"""Expanded percentile intervals: how many degrees of freedom, how much wider."""

import numpy as np
import pytest

from engine.stats.intervals.bootstrap import bootstrap_p, cluster_weights, percentile_interval
from engine.stats.intervals.bootstrap_expanded import Expansion, degrees_of_freedom, freedom_of_rates


def means(values, resamples, seed=0):
    """The bootstrap draws of the mean of some values, and their weights."""
    weights = cluster_weights(len(values), resamples, np.random.default_rng(seed))
    return (weights @ np.asarray(values, dtype=float))[:, None] / len(values), weights


def test_one_value_in_ten_that_differs_has_under_three_degrees_of_freedom():
    draws, weights = means([1] + [0] * 9, 40_000)

    freedom = degrees_of_freedom(draws, weights)

    # influences .9 and nine of -.1: mean square .09, mean fourth power .0657, kurtosis 8.111;
    # 2 n / (kurtosis - 1) = 20 / 7.111
    assert freedom == pytest.approx([2.8125], rel=0.05)


def test_the_freedom_of_rates_is_that_of_their_influences():
    hits = np.array([[1, 0], [0, 2], [0, 0], [0, 1]] + [[0, 0]] * 4)
    trials = np.array([[1, 2], [1, 2], [1, 1], [1, 1]] + [[1, 0]] * 4)

    freedom = freedom_of_rates(hits, trials, clusters=10)

    # Influences times the number of cases: of 1 in 8, 7/8 and seven of -1/8; of 3 in 6, -1, 1,
    # -1/2 and 1/2. Two of the ten clusters have no case.
    second, fourth = np.array([56 / 64, 2.5]), np.array([(7**4 + 7) / 8**4, 2 + 2 / 16])
    assert freedom == pytest.approx(2 / (fourth / second**2 - 1 / 10))


def test_evenly_split_values_have_all_degrees_of_freedom():
    draws, weights = means([0, 1] * 10, 5_000)

    freedom = degrees_of_freedom(draws, weights)

    # influences of +.5 and -.5 only: kurtosis 1, the variance is known exactly
    assert freedom == pytest.approx([19])


def test_a_number_from_thirty_of_three_thousand_clusters_has_few_degrees_of_freedom():
    values = np.zeros(3000)
    values[:30] = 1
    draws, weights = means(values, 1000)

    freedom = degrees_of_freedom(draws, weights)

    # kurtosis of 30 ones among 3,000: (1 - 3 s (1 - s)) / (s (1 - s)) with s = .01, that is 98.01
    assert freedom == pytest.approx([2 * 3000 / 97.01], rel=0.2)


def test_clusters_without_cases_only_add_noise_to_the_degrees_of_freedom():
    rng = np.random.default_rng(3)
    counted = np.arange(5000) < 100
    cases = rng.integers(1, 4, size=(5000, 60)) * counted[:, None]
    hits = rng.binomial(cases, 0.3)
    weights = cluster_weights(5000, 1000, rng)
    draws = (weights @ hits) / (weights @ cases)

    apart, together = (degrees_of_freedom(draws, weights, marked) for marked in (counted, None))

    # from the influences themselves, (hits - rate cases) / sum of cases: those without cases have none
    influences = (hits - hits.sum(axis=0) / cases.sum(axis=0) * cases) / cases.sum(axis=0)
    second, fourth = (influences**2).sum(axis=0), (influences**4).sum(axis=0)
    exact = 2 / (fourth / second**2 - 1 / 5000)
    errors = [np.abs(np.log(freedom / exact)).mean() for freedom in (apart, together)]
    assert errors[0] < 0.15
    assert errors[0] < errors[1] / 1.5


def test_rounded_draws_give_the_freedom_of_exact_covariances():
    rng = np.random.default_rng(6)
    weights = cluster_weights(300, 1000, rng)
    draws = np.exp(weights @ rng.exponential(size=(300, 40)) / 300) * 10.0 ** rng.integers(-9, 9, 40)
    draws[rng.random(draws.shape) < 0.01] = np.nan

    freedom = degrees_of_freedom(draws, weights)

    # of each number apart, from NumPy's own covariance in double precision with each cluster's weight
    for number, degrees in zip(draws.T, freedom, strict=True):
        filled = np.where(np.isnan(number), np.nanmean(number), number)
        influences = np.array([np.cov(filled, weight, ddof=0)[0, 1] for weight in weights.T])
        noise = filled.var() / 1000
        second = (influences**2).sum() - 300 * noise
        fourth = (influences**4).sum() - 6 * noise * second - 3 * 300 * noise**2
        assert degrees == pytest.approx(2 * second**2 / (fourth - second**2 / 300), rel=1e-4)


def test_the_last_digit_of_draws_does_not_change_the_degrees_of_freedom():
    rng = np.random.default_rng(2)
    weights = cluster_weights(20, 50, rng)
    weights[:, 0] = 1
    weights[:14, 0] = 2  # 64 in all, the most: of 38ths of the largest draw, every second ends in a half unit
    positive = np.append(rng.integers(1, 38, size=24), 38) / 38 * 0.0497
    draws = np.empty((50, 1))
    draws[np.argsort(weights[:, 1]), 0] = np.sort(np.append(positive, -positive))  # one cluster decides
    last_digit = np.spacing(draws) * rng.choice([-1, 1], size=draws.shape)

    freedom = degrees_of_freedom(draws, weights)

    assert weights.sum(axis=0).max() == 64
    assert freedom < 10  # of 19
    assert degrees_of_freedom(draws + last_digit, weights) == pytest.approx(freedom, rel=1e-12)


def test_the_bounds_equal_those_of_a_t_interval():
    draws = np.random.default_rng(3).normal(5, 2, size=(400_000, 1))
    expansion = Expansion(np.array([9.0]), 10)

    interval = expansion.interval(draws)

    # t(9) = 2.2622, times sqrt(10 / 9) = 2.3846; its share in the normal tail is .0085
    assert interval.low == pytest.approx([5 - 2 * 2.3846], abs=0.05)
    assert interval.high == pytest.approx([5 + 2 * 2.3846], abs=0.05)


def test_with_many_degrees_of_freedom_it_is_the_percentile_interval():
    draws = np.random.default_rng(4).exponential(size=(2000, 2))
    expansion = Expansion(np.array([1e6, 1e6]), 10**6)

    expanded, percentile = expansion.interval(draws), percentile_interval(draws)

    assert expanded.low == pytest.approx(percentile.low, abs=1e-3)
    assert expanded.high == pytest.approx(percentile.high, abs=1e-2)
    assert expansion.p(draws, 0.05) == pytest.approx(bootstrap_p(draws, 0.05), rel=1e-3)


@pytest.mark.parametrize("null", [-2.4, -1.5, 0.0, 1.9, 2.6])
def test_the_p_value_is_below_5_percent_where_the_interval_excludes_the_null(null):
    draws = np.random.default_rng(5).normal(size=(4000, 1))
    expansion = Expansion(np.array([6.0]), 12)

    interval, p = expansion.interval(draws), expansion.p(draws, null)

    assert (p < 0.05) == ((interval.low > null) | (interval.high < null))


def test_undefined_draws_count_as_they_do_in_a_percentile_interval():
    draws = np.random.default_rng(6).normal(size=(1000, 3))
    draws[:40, 1] = np.nan
    draws[:60, 2] = np.nan
    weights = cluster_weights(30, 1000, np.random.default_rng(7))

    interval = Expansion.of(draws, weights).interval(draws)

    assert interval.undefined.tolist() == [0, 40, 60]
    assert np.isnan(interval.low).tolist() == [False, False, True]


def test_a_constant_number_has_its_own_value_as_both_bounds():
    draws, weights = means([0] * 12, 200)

    interval = Expansion.of(draws, weights).interval(draws)

    assert interval.low == interval.high == [0]
