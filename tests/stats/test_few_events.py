"""Cases of events: stacked groups, single estimates, and correlation within responses by loops."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm, t

from engine.stats.intervals.bootstrap import cluster_weights, resample
from engine.stats.intervals.few_events import (
    Estimate,
    EventCases,
    cases_of_alike,
    cases_of_mean,
    cases_of_share,
    cases_of_weights,
    correlation,
    difference,
    few,
    ratio_of_rates,
    share,
)

NAN = np.nan


def test_groups_are_stacked_along_a_new_axis():
    one = EventCases(np.array([0.1, 0.2]), np.array([5.0, 7]), 9)
    other = EventCases(np.array([0.3, 0.4]), np.array([1.0, 2]), 9)

    stacked = EventCases.stacked([one, other])

    assert stacked.rate.tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert stacked.number.tolist() == [[5, 7], [1, 2]]
    assert stacked.clusters == 9


def test_estimates_come_apart_along_the_first_axis():
    columns = (np.array([[0.1, 0.2], [0.3, 0.4]]) + shift for shift in (0, 1, 2, 3))
    estimate = Estimate(*columns, "score", np.array([["", "few"], ["none", ""]]))

    first, second = estimate.each()

    assert [part.tolist() for part in (second.value, second.low, second.high, second.p)] == [
        [0.3, 0.4], [1.3, 1.4], [2.3, 2.4], [3.3, 3.4],
    ]  # fmt: skip
    assert (first.method, first.reason.tolist(), second.reason.tolist()) == (
        "score",
        ["", "few"],
        ["none", ""],
    )


@pytest.mark.parametrize(
    ("credited", "cases", "expected"),
    [([5, 5], [10, 10], False), ([4, 5], [10, 10], True), ([5, 6], [10, 10], True), ([5, 5], [10, 9], True)],
)
def test_a_side_with_fewer_than_five_of_either_is_few(credited, cases, expected):
    assert few(np.array(credited), np.array(cases), 5) == expected


def test_the_correlation_within_responses_equals_loops_over_generators_and_clusters():
    rng = np.random.default_rng(5)
    cases = rng.integers(0, 5, (3, 2, 12))
    credited = rng.binomial(cases, rng.beta(1, 1.5, cases.shape))

    actual = correlation(credited, cases)

    for row in range(3):
        within = pairs = 0.0
        for g in range(2):
            p = credited[row, g].sum() / cases[row, g].sum()
            for c in range(12):
                n = cases[row, g, c]
                within += (credited[row, g, c] - p * n) ** 2 - p * (1 - p) * n
                pairs += p * (1 - p) * n * (n - 1)
        assert 0 < within / pairs < 1
        assert actual[row] == pytest.approx(within / pairs)


def test_single_cases_and_unanimous_ones_do_not_correlate():
    single, unanimous = np.ones((1, 6), dtype=int), np.full((1, 6), 3)

    assert correlation(np.array([[1, 0, 1, 0, 0, 1]]), single) == 0
    assert correlation(unanimous, unanimous) == 0
    assert correlation(np.array([[3, 0, 3, 0, 0, 3]]), unanimous) == 1


def stacked_counts(seed=7):
    """Counts with two leading axes: (2, 3, generators, clusters)."""
    rng = np.random.default_rng(seed)
    cases = rng.integers(0, 4, (2, 3, 4, 9))
    return rng.binomial(cases, 0.4), cases


def test_leading_axes_are_computed_together():
    credited, cases = stacked_counts()
    who = np.random.default_rng(1).random((2, 3, 4)) < 0.8
    weights = cases[..., 0, :] * 0.5 + 0.1
    sums = credited[..., 0, :] * 0.5, weights, weights**2 / 2

    together = [
        cases_of_share(credited[..., 0, :], cases[..., 0, :]),
        cases_of_mean(credited, cases, who),
        cases_of_weights(*sums),
    ]
    ratios, correlations = ratio_of_rates(together[0], together[1]), correlation(credited, cases)

    for lead in np.ndindex(2, 3):
        alone = [
            cases_of_share(credited[lead][0], cases[lead][0]),
            cases_of_mean(credited[lead], cases[lead], who[lead]),
            cases_of_weights(*(part[lead] for part in sums)),
        ]
        for every, one in zip(together, alone, strict=True):
            np.testing.assert_allclose([every.rate[lead], every.number[lead]], [one.rate, one.number])
            assert every.clusters == one.clusters == 9
        assert correlations[lead] == pytest.approx(correlation(credited[lead], cases[lead]))
        one = ratio_of_rates(alone[0], alone[1])
        for name in ("value", "low", "high", "p"):
            assert getattr(ratios, name)[lead] == pytest.approx(getattr(one, name), nan_ok=True)
        assert ratios.reason[lead] == one.reason


def test_the_mean_over_generators_is_worth_what_its_variance_over_clusters_says():
    rng = np.random.default_rng(3)
    cases = rng.integers(1, 5, (3, 20))
    credited = rng.binomial(cases, rng.beta(2, 3, (3, 20)))
    who = np.array([True, True, False])

    of_two = cases_of_mean(credited, cases, who)

    rates = credited.sum(axis=1) / cases.sum(axis=1)
    influence = sum((credited[g] - rates[g] * cases[g]) / cases[g].sum() for g in range(2))
    variance = (influence**2).sum() * 20 / 19 / 4
    mean = (rates[0] + rates[1]) / 2
    independent = 4 / (1 / cases[0].sum() + 1 / cases[1].sum())
    assert of_two.rate == pytest.approx(mean)
    assert of_two.number == pytest.approx(min(mean * (1 - mean) / variance, independent))


def test_a_share_is_worth_fewer_cases_the_more_they_hang_together():
    credited, cases = np.array([2, 0, 1]), np.array([3, 1, 2])

    # Six cases, each among (9 + 1 + 4) / 6 of its cluster on the average: 6 / (1 + 1.333 * .25) = 4.5.
    of_share = cases_of_share(credited, cases, np.array(0.25))

    assert (of_share.rate, of_share.number, of_share.clusters) == (0.5, pytest.approx(4.5), 3)
    assert np.isnan(cases_of_share(np.zeros(3, dtype=int), np.zeros(3, dtype=int)).rate)


def fitted(x, n, y, m, own_of, other):
    """The most likely rates that satisfy a null, by a search over the other rate."""
    low, high = other

    def minus(q):
        p = own_of(q)
        terms = ((x, p), (n - x, 1 - p), (y, q), (m - y, 1 - q))
        return -sum(k * np.log(max(rate, 1e-300)) for k, rate in terms if k)

    q = minimize_scalar(minus, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x
    return own_of(q), q


@pytest.mark.parametrize(
    ("x", "n", "y", "m"),
    [(6, 20, 9, 50), (15, 20, 12, 40), (3, 12, 30, 45), (18, 20, 30, 60), (5, 40, 28, 35)],
)
def test_the_ends_of_intervals_are_nulls_at_which_the_score_is_the_quantile(x, n, y, m):
    own, other = (EventCases(np.array([k / of]), np.array([float(of)]), 30) for k, of in ((x, n), (y, m)))
    scale = (n + m) / (n + m - 1)

    gap, ratio = difference(own, other), ratio_of_rates(own, other)

    for end, sign in ((gap.low[0], 1), (gap.high[0], -1)):
        p, q = fitted(x, n, y, m, lambda q, end=end: q + end, (max(0, -end), min(1, 1 - end)))
        variance = (p * (1 - p) / n + q * (1 - q) / m) * scale
        assert (x / n - y / m - end) / np.sqrt(variance) == pytest.approx(sign * 1.959964, abs=2e-5)
    for end, sign in ((ratio.low[0], 1), (ratio.high[0], -1)):
        p, q = fitted(x, n, y, m, lambda q, end=end: q * end, (0, min(1, 1 / end)))
        variance = (p * (1 - p) / n + end**2 * q * (1 - q) / m) * scale
        assert (x / n - end * y / m) / np.sqrt(variance) == pytest.approx(sign * 1.959964, abs=2e-5)
    pooled = (x + y) / (n + m)
    z = (x / n - y / m) / np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m) * scale)
    assert (gap.p[0], ratio.p[0]) == (pytest.approx(2 * norm.sf(abs(z))), pytest.approx(2 * norm.sf(abs(z))))


@pytest.mark.parametrize(
    ("own", "other", "few_expected"), [(0.9, 0.96, True), (0.5, 0.96, False), (0.1, 0.0, True)]
)
def test_too_few_expected_on_either_side_of_the_rates_give_no_interval(own, other, few_expected):
    # Of 10: uncredited 10 x (1 - .93) = .7, or 10 x (1 - .73) = 2.7; credited 10 x .05.
    cases = [EventCases(np.array([rate]), np.array([10.0]), 20) for rate in (own, other)]

    gap = difference(*cases)

    assert gap.reason.tolist() == ["too_few_expected" if few_expected else ""]
    assert np.isnan(gap.low[0]) == few_expected


def test_a_share_has_wilsons_interval_with_a_quantile_of_t():
    cases = EventCases(np.array([0.3, 0.0, 1.0, NAN]), np.array([12.5, 8.0, 30.0, NAN]), 9)

    estimate = share(cases)

    for k, (x, n) in enumerate(((0.3, 12.5), (0.0, 8.0), (1.0, 30.0))):
        z = t.ppf(0.975, min(n, 9) - 1)
        middle, half = x + z**2 / (2 * n), z * np.sqrt(x * (1 - x) / n + z**2 / (4 * n**2))
        ends = (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)
        assert (estimate.low[k], estimate.high[k]) == (
            pytest.approx(0 if x == 0 else ends[0]),
            pytest.approx(1 if x == 1 else ends[1]),
        )
    assert np.isnan([estimate.low[3], estimate.high[3]]).all()
    assert estimate.reason.tolist() == ["", "", "", "no_cases"]
    assert np.isnan(estimate.p).all()


def test_cases_that_are_all_alike_are_worth_the_clusters_that_hold_them():
    weights = cluster_weights(3, 20_000, np.random.default_rng(3))
    number = np.array([[4, 1, 1], [2, 2, 2], [0, 3, 3]])  # of cases in each of three clusters

    cases = cases_of_alike(np.ones(3), number.sum(axis=1), resample(number, weights), 3)

    # Kish: 6^2 / (16 + 1 + 1) = 2, 6^2 / (4 + 4 + 4) = 3 and 6^2 / (9 + 9) = 2.
    assert cases.number == pytest.approx([2, 3, 2], rel=0.02)
    assert cases.clusters == 3
