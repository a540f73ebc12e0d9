"""Cases of events: stacked groups, single estimates, and correlation within responses by loops."""

import numpy as np
import pytest

from engine.stats.few_events import Estimate, EventCases, correlation, few


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
