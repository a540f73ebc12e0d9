"""Orders of score options: hand arithmetic and properties."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from engine.stats.orders.option_orders import (
    balanced_orderings,
    bias_costs,
    cheapest_of_all,
    chi_square,
    correction_weights,
    first_cheapest,
    position_shares,
    shuffle_p,
    shuffled_selections,
    spread_within,
)


def test_five_options_have_ten_balanced_orderings_the_forward_rotations_first():
    orderings = balanced_orderings(5) + 1

    assert ["".join(map(str, ordering)) for ordering in orderings.tolist()] == [
        *("12345", "23451", "34512", "45123", "51234"),
        *("54321", "43215", "32154", "21543", "15432"),
    ]


@given(st.integers(3, 9))
def test_every_score_is_twice_at_each_position(n):
    orderings = balanced_orderings(n)

    counts = [[(orderings[:, position] == score).sum() for position in range(n)] for score in range(n)]
    assert orderings.shape == (2 * n, n)
    assert np.array_equal(counts, np.full((n, n), 2))


def test_two_options_have_two_orderings_and_one_option_has_one():
    assert balanced_orderings(2).tolist() == [[0, 1], [1, 0]]
    assert balanced_orderings(1).tolist() == [[0]]


def test_chi_square_adds_squared_distances_from_equal_counts():
    # Expected 10 each: (25 + 0 + 25) / 10 = 5 with 2 degrees of freedom; P = exp(-5 / 2).
    fit = chi_square(np.array([15, 10, 5]))

    assert float(fit.statistic) == pytest.approx(5)
    assert float(fit.p) == pytest.approx(np.exp(-2.5))


def test_two_positions_have_one_degree_of_freedom():
    # Expected 10 each: (25 + 25) / 10 = 5; with one degree P is that of a normal beyond -sqrt(5) and sqrt(5).
    fit = chi_square(np.array([15, 5]))

    assert float(fit.statistic) == pytest.approx(5)
    assert float(fit.p) == pytest.approx(2 * norm.sf(5**0.5))


def test_chi_square_without_counts_is_undefined():
    fit = chi_square(np.zeros((2, 4)))

    assert np.isnan(fit.statistic).all()
    assert np.isnan(fit.p).all()


def test_the_cost_sums_deviations_at_each_position_and_ignores_unselected_scores():
    # P(p | low) = (3/4, 1/4), P(p | high) = (1/2, 1/2): low at the first position is off by 1/4, high by 0.
    selections = np.array([[3, 1], [2, 2]])
    never = np.array([[3, 1], [0, 0]])

    costs = bias_costs(selections, balanced_orderings(2))

    assert costs.tolist() == [25.0, 25.0]
    assert bias_costs(never, balanced_orderings(2)).tolist() == [25.0, 25.0]


def test_the_first_of_equal_costs_is_recommended():
    assert first_cheapest(np.array([11.5, 7.0 + 1e-8, 7.0, 8.0])) == 1


@given(st.integers(2, 5), st.integers(0, 10_000))
def test_the_search_over_all_orderings_equals_trying_each_one(n, seed):
    selections = np.random.default_rng(seed).integers(0, 6, (n, n))
    every = np.array(list(permutations(range(n))))

    cheapest = cheapest_of_all(selections)

    assert cheapest.tolist() == every[first_cheapest(bias_costs(selections, every))].tolist()


def test_a_score_picked_twice_as_often_as_expected_weighs_half():
    # Of 59 selections of the low score 39 were first. With one more, half at each position: 39.5 / 60
    # instead of 1/2; the high score stood second in 29.5 + 0.5 = 30 of 60.
    selections = np.array([[39, 20], [29.5, 29.5]])

    weights = correction_weights(selections, np.array([0, 1]))

    assert weights == pytest.approx([30 / 39.5, 1.0])


def test_shuffling_keeps_each_items_scores_and_orderings():
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(40), 10)
    ordering, score = np.tile(np.arange(10), 40), rng.integers(0, 5, 400)

    shuffled = shuffled_selections(item, ordering, score, balanced_orderings(5), 50, rng)

    assert (shuffled.sum(axis=2) == np.bincount(score, minlength=5)).all()
    assert shuffled.std(axis=0).max() > 0


def test_the_only_item_whose_scores_vary_is_shuffled():
    # Item 0 has score 0 in both orderings, item 1 a score each: 0 and 1, both first or both second.
    item, ordering, score = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1])

    shuffled = shuffled_selections(item, ordering, score, balanced_orderings(2), 50, np.random.default_rng(1))

    both_ways = {((2, 1), (1, 0)), ((1, 2), (0, 1))}
    assert {tuple(map(tuple, one)) for one in shuffled.tolist()} == both_ways


def test_a_shuffle_that_is_smaller_by_rounding_alone_is_as_large():
    # Itself and the first two of three: 3 of 4.
    assert shuffle_p(np.array(0.1 + 0.2), np.array([0.3, 0.4, 0.2])) == pytest.approx(3 / 4)


def test_only_a_judge_that_always_picks_the_first_option_is_detected():
    orderings = balanced_orderings(5)
    item, ordering = np.repeat(np.arange(12), 10), np.tile(np.arange(10), 12)
    rng = np.random.default_rng(2)

    p_values = {}
    for name, score in (("first", orderings[ordering, 0]), ("steady", item % 5)):
        places = np.argsort(orderings, axis=1)[ordering, score]
        observed = chi_square(np.bincount(places, minlength=5)).statistic
        shuffled = shuffled_selections(item, ordering, score, orderings, 199, rng).sum(axis=1)
        p_values[name] = float(shuffle_p(observed, chi_square(shuffled).statistic))

    assert p_values == {"first": pytest.approx(1 / 200), "steady": 1.0}


def test_the_spread_of_an_item_has_one_fewer_degree_of_freedom():
    assert spread_within(np.array([[1.0, 3.0], [2.0, 2.0]])).tolist() == pytest.approx([2**0.5, 0.0])
    assert np.isnan(spread_within(np.array([[1.0]]))).all()


def test_one_position_has_no_fit():
    fit = chi_square(np.array([[4], [0]]))

    assert np.isnan([fit.statistic, fit.p]).all()
    assert fit.statistic.shape == (2,)


def test_counts_with_leading_axes_are_computed_together():
    selections = np.random.default_rng(4).integers(0, 9, (2, 3, 4, 4))
    selections[0, 1, 2] = 0  # never selected
    orderings = balanced_orderings(4)

    shares, costs = position_shares(selections), bias_costs(selections, orderings)
    fits = chi_square(selections)

    for lead in np.ndindex(2, 3):
        one = selections[lead]
        expected = [[row[p] / row.sum() if row.sum() else np.nan for p in range(4)] for row in one]
        np.testing.assert_allclose(shares[lead], expected)
        np.testing.assert_allclose(costs[lead], bias_costs(one, orderings))
        np.testing.assert_allclose(fits.statistic[lead], chi_square(one).statistic)
        np.testing.assert_allclose(fits.p[lead], chi_square(one).p)
