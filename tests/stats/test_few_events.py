"""Cases of events: stacked groups, single estimates, and correlation within responses by loops."""

import numpy as np
import pytest

from engine.stats.few_events import (
    Estimate,
    EventCases,
    cases_of_mean,
    cases_of_share,
    cases_of_weights,
    correlation,
    few,
    ratio_of_rates,
)


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
