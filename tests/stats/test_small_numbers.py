"""Shares, ratios and differences of few cases."""

import numpy as np
import pytest

from engine.stats.intervals.few_events import (
    EventCases,
    _root,
    cases_of_mean,
    cases_of_share,
    cases_of_weights,
    correlation,
    difference,
    few,
    ratio_of_rates,
    share,
)


def independent(credited, cases, clusters=1000):
    """Independent cases."""
    return EventCases(np.array([credited / cases]), np.array([float(cases)]), clusters)


def test_none_of_four_has_an_interval_of_positive_width():
    estimate = share(cases_of_share(np.zeros((1, 4)), np.ones((1, 4))))

    # Wilson with t of 3 degrees of freedom, 3.1824: high = t^2 / n / (1 + t^2 / n) = 10.128 / 14.128
    assert estimate.value == 0
    assert estimate.low == 0
    assert estimate.high == pytest.approx(10.128 / 14.128, abs=1e-4)
    assert estimate.reason == ""


def test_a_share_of_many_independent_cases_has_wilsons_interval():
    # Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263 has .2553 to .3662, 15 of 148 .0624 to
    # .1605
    shares = [share(independent(81, 263, 10**9)), share(independent(15, 148, 10**9))]

    ends = [(estimate.low[0], estimate.high[0]) for estimate in shares]

    # Newcombe takes z = 1.96, here it is a t of 262 and 147 degrees of freedom: a little wider
    assert ends[0] == pytest.approx((0.2553, 0.3662), abs=0.001)
    assert ends[1] == pytest.approx((0.0624, 0.1605), abs=0.001)


def test_the_ratio_and_the_difference_with_few_own_cases_are_not_surely_below():
    own, other = independent(0, 4), independent(30, 100)

    of_ratio, of_difference = ratio_of_rates(own, other), difference(own, other)

    # pooled 30 / 104, error^2 = (30 / 104)(74 / 104)(1 / 4 + 1 / 100)(104 / 103), z = -.3 / .2322 = -1.292
    assert of_ratio.p == pytest.approx(0.1964, abs=0.0005)
    assert of_difference.p == pytest.approx(of_ratio.p)
    assert of_ratio.value == 0
    assert of_ratio.low == 0
    assert 1 < of_ratio.high < 2.5
    assert of_difference.low < -0.3 < 0 < of_difference.high


def test_the_intervals_equal_miettinen_and_nurminens():
    # their example, also Newcombe's (Statistics in Medicine 17, 1998, p. 873 ff.): 56 / 70 - 48 / 80 has
    # .0528 to .3382 by the score interval with the factor N / (N - 1); 9 / 10 - 3 / 10 has .1700 to .8406
    large = difference(independent(56, 70), independent(48, 80))
    small = difference(independent(9, 10), independent(3, 10))

    assert (large.low[0], large.high[0]) == pytest.approx((0.0528, 0.3382), abs=5e-5)
    assert (small.low[0], small.high[0]) == pytest.approx((0.1700, 0.8406), abs=5e-5)


@pytest.mark.parametrize("counts", [(3, 12, 20, 60), (1, 9, 4, 30), (11, 12, 30, 60), (40, 70, 100, 300)])
def test_each_end_is_a_null_value_that_the_score_test_just_rejects(counts):
    a, n, b, m = counts
    own, other = independent(a, n), independent(b, m)

    estimate = ratio_of_rates(own, other)

    for end in (estimate.low[0], estimate.high[0]):
        # the restricted fit by search: the likelihood's maximum along own rate = end x other rate
        q = np.linspace(1e-9, min(1, 1 / end) - 1e-9, 400_001)
        likelihood = (
            a * np.log(end * q) + (n - a) * np.log1p(-end * q) + b * np.log(q) + (m - b) * np.log1p(-q)
        )
        fitted = q[likelihood.argmax()]
        variance = end * fitted * (1 - end * fitted) / n + end**2 * fitted * (1 - fitted) / m
        z = (a / n - end * b / m) / np.sqrt(variance * (n + m) / (n + m - 1))
        assert abs(z) == pytest.approx(1.959964, abs=1e-3)


def test_a_falling_function_is_solved_from_infinite_ends_at_a_jump_or_at_an_end():
    def gap(x):
        with np.errstate(divide="ignore"):
            cubic, logarithm, jump = 2 - x[0] ** 3, -np.log(x[1]), np.where(x[2] < 0.3, 1.0, -2.0)
        return np.stack([cubic, logarithm, jump, 9 - x[3], -9 - x[4], np.full((), np.nan)])

    low, high = np.array([-5.0, 0, 0, 0, 0, 0]), np.array([5.0, 7, 1, 1, 1, 1])

    root = _root(gap, low, high)

    assert root[:3] == pytest.approx([2 ** (1 / 3), 1, 0.3], abs=1e-12)
    assert root[3:].tolist() == [1, 0, 0]  # above 0 everywhere, below it everywhere, undefined


def test_ratio_and_difference_exclude_their_nulls_together():
    rng = np.random.default_rng(3)
    n, m = rng.integers(5, 60, 500).astype(float), rng.integers(20, 200, 500).astype(float)
    own = EventCases(rng.binomial(n.astype(int), 0.3) / n, n, 40)
    other = EventCases(rng.binomial(m.astype(int), 0.2) / m, m, 40)

    r, d = ratio_of_rates(own, other), difference(own, other)

    defined = (r.reason == "") & (d.reason == "")
    outside = (r.low > 1) | (r.high < 1)
    assert defined.sum() > 450
    assert (outside == ((d.low > 0) | (d.high < 0)))[defined].all()
    assert (outside == (r.p < 0.05))[defined].all()


def test_too_low_expected_counts_give_a_reason_instead_of_an_interval():
    # 4 own and 100 others' cases, 3 of 104 credited: .115 own expected
    estimate = ratio_of_rates(independent(0, 4), independent(3, 100))

    assert estimate.reason == "too_few_expected"
    assert estimate.value == 0
    assert np.isnan([estimate.low, estimate.high, estimate.p]).all()


def test_never_credited_others_or_no_cases_leave_the_ratio_undefined():
    zero = ratio_of_rates(independent(4, 8), independent(0, 30))
    nobody = share(cases_of_share(np.zeros((1, 3)), np.zeros((1, 3))))

    assert np.isnan(zero.value)
    assert zero.reason == "no_overestimation_of_others"
    assert np.isnan([nobody.value, nobody.low, nobody.high]).all()
    assert nobody.reason == "no_cases"


def test_the_rule_needs_credited_and_uncredited_cases_on_both_sides():
    credited = np.array([[5, 50], [4, 50], [5, 4], [40, 50]])
    cases = np.array([[10, 90], [10, 90], [10, 90], [44, 90]])

    assert few(credited, cases).tolist() == [False, True, True, True]


def test_identical_verdicts_within_a_response_count_as_one_case():
    # two generators, four instances of three cases each, all credited or none: correlation 1
    cases = np.full((2, 4), 3)
    credited = np.array([[3, 0, 3, 0], [0, 3, 0, 3]])

    together = correlation(credited, cases)
    worth = cases_of_share(credited[0], cases[0], together)

    # by moments: each cluster has (3 - 1.5)^2 = 2.25, less .25 x 3 = 1.5, over .25 x 3 x 2 = 1.5
    assert together == pytest.approx(1.0)
    assert worth.number == pytest.approx(4.0)
    assert worth.rate == pytest.approx(0.5)


def test_single_cases_count_fully():
    cases = np.ones((1, 1, 30))
    credited = cases * (np.arange(30) < 7)

    assert correlation(credited, cases) == 0
    assert cases_of_share(credited[0], cases[0]).number == pytest.approx(30.0)


def test_the_effective_cases_of_a_mean_over_generators_follow_from_its_variance():
    # two generators with 10 and 40 single cases, 2 and 8 credited, nothing shared between instances
    cases = np.zeros((2, 50))
    cases[0, :10] = cases[1, 10:] = 1
    credited = np.zeros((2, 50))
    credited[0, :2] = credited[1, 10:18] = 1

    mean = cases_of_mean(credited, cases, np.array([True, True]))

    # rates .2 and .2; variance (.16 / 10 + .16 / 40) / 4 x 50 / 49 = .005102, so .16 / .005102 cases
    assert mean.rate == pytest.approx(0.2)
    assert mean.number == pytest.approx(0.16 / (0.02 / 4 * 50 / 49))


def test_a_generator_without_cases_is_left_out_of_the_mean():
    cases = np.array([[1, 1, 1, 1], [0, 0, 0, 0]])
    credited = np.array([[1, 0, 0, 0], [0, 0, 0, 0]])

    mean = cases_of_mean(credited, cases, np.array([True, True]))
    nobody = cases_of_mean(credited, cases, np.array([False, True]))

    assert mean.rate == pytest.approx(0.25)
    assert np.isnan([nobody.rate, nobody.number]).all()


def test_a_repeatedly_counted_case_is_one_case():
    # one own verdict weighs 4, four weigh 1: (4 + 4)^2 / (16 + 4) = 3.2 independent cases at most
    weights, squares = np.array([4.0, 1, 1, 1, 1]), np.array([16.0, 1, 1, 1, 1])

    none = cases_of_weights(np.zeros(5), weights, squares)

    assert none.rate == 0
    assert none.number == pytest.approx(3.2)


def test_a_judge_is_compared_with_the_mean_of_its_rates_for_others():
    rng = np.random.default_rng(8)
    cases = rng.integers(0, 4, (3, 4, 40))
    credited = rng.binomial(cases, 0.3)
    own = np.eye(3, 4, dtype=bool)

    own_hits, own_cases = ((counts * own[..., None]).sum(axis=-2) for counts in (credited, cases))
    own_share = cases_of_share(own_hits, own_cases, correlation(credited, cases))
    other_share = cases_of_mean(credited, cases, ~own)
    ratio = ratio_of_rates(own_share, other_share)

    rates = credited.sum(-1) / cases.sum(-1)
    others = [np.mean([rates[j, g] for g in range(4) if g != j]) for j in range(3)]
    assert share(own_share).value == pytest.approx(np.diag(rates))
    assert ratio.value == pytest.approx(np.diag(rates) / others)
    assert difference(own_share, other_share).value == pytest.approx(np.diag(rates) - others)
    others_hits, others_cases = ((counts.sum(-1) * ~own).sum(-1) for counts in (credited, cases))
    assert not few(
        np.stack([own_hits.sum(-1), others_hits], axis=-1),
        np.stack([own_cases.sum(-1), others_cases], axis=-1),
    ).any()
    assert (ratio.low < ratio.value).all()
    assert (ratio.value < ratio.high).all()
