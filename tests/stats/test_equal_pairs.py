"""Tests on pairs of equal quality: against SciPy, textbook formulas and by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from engine.stats.pairs.equal_pairs import (
    at_least,
    at_most,
    binomial_p,
    improvement,
    mcnemar_p,
    one_sided_p,
    reduction,
    self_preference_bias,
    significant,
    two_proportion_z,
    two_stage,
)

NAN = np.nan


def arrays(*values):
    return [np.array([value]) for value in values]


def test_bias_is_the_difference_of_two_shares():
    assert self_preference_bias(*arrays(8, 10, 6, 20)).item() == pytest.approx(0.5)
    assert np.isnan(self_preference_bias(*arrays(0, 0, 6, 20))).all()
    assert np.isnan(self_preference_bias(*arrays(8, 10, 0, 0))).all()


def test_z_has_the_pooled_share_of_the_textbook():
    # 40 of 50 against 30 of 60: pooled 70 / 110.
    p = 70 / 110

    z = two_proportion_z(*arrays(40, 50, 30, 60)).item()

    assert z == pytest.approx((0.8 - 0.5) / math.sqrt(p * (1 - p) * (1 / 50 + 1 / 60)))


@pytest.mark.parametrize("counts", [(0, 5, 0, 6), (5, 5, 6, 6), (0, 0, 3, 6), (3, 6, 0, 0)])
def test_z_needs_both_sides_and_choices_that_differ(counts):
    assert np.isnan(two_proportion_z(*arrays(*counts))).all()


def test_p_of_z_is_the_tail_on_its_side():
    np.testing.assert_allclose(
        one_sided_p(np.array([1.644854, -2.326348, 0, NAN])), [0.05, 0.01, 0.5, NAN], 1e-5
    )


@pytest.mark.parametrize(("firm", "n", "null_firm", "m"), [(8, 10, 30, 100), (7, 9, 8, 20)])
def test_a_share_above_the_null_has_the_upper_tail(firm, n, null_firm, m):
    q = null_firm / m
    near = q + 1.959963985 * math.sqrt(q * (1 - q) / m)

    counts = arrays(firm, n, null_firm, m)

    assert binomial_p(*counts, exact=True).item() == pytest.approx(stats.binom.sf(firm - 1, n, q))
    assert binomial_p(*counts).item() == pytest.approx(stats.binom.sf(firm - 1, n, near))


@pytest.mark.parametrize(("firm", "n", "null_firm", "m"), [(1, 10, 45, 100), (2, 9, 14, 20)])
def test_a_share_below_the_null_has_the_lower_tail(firm, n, null_firm, m):
    q = null_firm / m
    near = q - 1.959963985 * math.sqrt(q * (1 - q) / m)

    counts = arrays(firm, n, null_firm, m)

    assert binomial_p(*counts, exact=True).item() == pytest.approx(stats.binom.cdf(firm, n, q))
    assert binomial_p(*counts).item() == pytest.approx(stats.binom.cdf(firm, n, near))


def test_the_end_of_the_null_interval_is_a_share():
    # 9 of 10: .9 + 1.96 * .095 is over 1, where 20 of 20 are certain; 1 of 10: below 0, so are 0 of 20.
    assert binomial_p(*arrays(20, 20, 9, 10)).item() == 1
    assert binomial_p(*arrays(0, 20, 1, 10)).item() == 1


@pytest.mark.parametrize("counts", [(3, 10, 0, 5), (3, 10, 5, 5), (3, 10, 6, 20), (0, 0, 3, 5), (3, 5, 0, 0)])
@pytest.mark.parametrize("exact", [True, False])
def test_there_is_no_binomial_p_without_a_null_share_or_a_difference(counts, exact):
    assert np.isnan(binomial_p(*arrays(*counts), exact=exact)).all()


def test_tails_of_a_binomial_equal_scipys():
    k = np.arange(0, 8)

    np.testing.assert_allclose(at_least(k, np.full(8, 7), 0.3), stats.binom.sf(k - 1, 7, 0.3))
    np.testing.assert_allclose(at_most(k, np.full(8, 7), 0.3), stats.binom.cdf(k, 7, 0.3))
    np.testing.assert_array_equal(at_least(np.array([-1, 8, 0]), np.array([7, 7, 0]), 0.3), [1, 0, NAN])


@pytest.mark.parametrize(
    ("z_p", "binomial", "low", "high", "expected"),
    [
        (0.049, 0.049, -0.1, 0.1, True),
        (0.05, 0.049, -0.1, 0.1, False),
        (0.049, 0.05, -0.1, 0.1, False),
        (0.049, 0.5, 0.01, 0.1, True),
        (0.5, 0.049, -0.1, -0.01, True),
        (0.5, 0.5, 0.01, 0.1, False),
        (0.049, 0.5, 0.0, 0.1, False),
        (0.049, 0.5, -0.1, 0.0, False),
        (0.01, 0.01, 0.1, 0.2, True),
        (NAN, 0.01, NAN, NAN, False),
    ],
)
def test_two_of_three_tests_decide(z_p, binomial, low, high, expected):
    assert significant(*arrays(z_p, binomial, low, high)).tolist() == [expected]


def test_pairs_are_resampled_within_resampled_questions():
    # The first judge chose its own in 2 of 2 pairs of the first question and 0 of 4 of the second; the
    # second has a pair of the second question alone.
    hits, trials = np.array([[2, 0, 0], [0, 1, 0]]), np.array([[2, 4, 0], [0, 1, 0]])
    weights = np.array([[1, 1, 5], [2, 0, 0], [0, 3, 0], [0, 0, 2], [3, 1, 1]])

    shares = two_stage(hits, trials, weights, np.random.default_rng(0))

    np.testing.assert_allclose(shares[:, 0], [2 / 6, 1, 0, NAN, 6 / 10])
    np.testing.assert_allclose(shares[:, 1], [1, NAN, 1, NAN, 1])


def test_a_resampled_pair_is_a_hit_with_the_share_of_its_question():
    shares = two_stage(np.array([[3]]), np.array([[4]]), np.full((2000, 1), 4), np.random.default_rng(1))

    # 16 draws of share 3/4: sd .108, and .0024 of the mean over 2,000.
    assert shares.mean() == pytest.approx(0.75, abs=0.012)
    assert shares.std() == pytest.approx(math.sqrt(0.75 * 0.25 / 16), rel=0.08)


@pytest.mark.parametrize(("gains", "losses"), [(1, 8), (8, 1), (5, 3), (0, 6), (4, 4)])
def test_mcnemars_test_is_the_two_sided_binomial(gains, losses):
    p = mcnemar_p(*arrays(gains, losses)).item()

    assert p == pytest.approx(stats.binomtest(gains, gains + losses, 0.5).pvalue)


def test_mcnemars_test_needs_a_change():
    assert np.isnan(mcnemar_p(*arrays(0, 0))).all()


def test_improvement_is_the_share_of_the_bias_that_is_gone():
    baseline, variant = np.array([-0.2, 0.1, 0.0]), np.array([0.05, -0.3, 0.1])

    np.testing.assert_allclose(reduction(baseline, variant), [0.15, -0.2, -0.1])
    np.testing.assert_allclose(improvement(baseline, variant), [0.75, -2, NAN])
