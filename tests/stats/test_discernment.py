"""The part of a judge's number explained by its discernment is subtracted, and its variance added."""

import numpy as np
import pytest

from engine.stats.conditional.discernment import allow_for_discernment, appeal_in_log_odds, mean_appeal


def adjust(placebo, appeal, *, value=0.9, se=0.2, placebo_se=1.0, spread=np.nan):
    placebo = np.array([[np.nan, *placebo]])
    own = np.array([[True, *[False] * (placebo.shape[1] - 1)]])
    error = np.full(placebo.shape, placebo_se)
    return allow_for_discernment(
        np.array([value]), np.array([se]), placebo, error, np.array([appeal]), own, ~own, spread
    )


def test_the_prediction_from_the_slope_of_the_placebos_is_subtracted():
    # on appeals -1, 0, 1 around their mean, 1: products -1/2 + 0 - 1/2 = -1, squares 2, and 1/.5^2 = 4 for
    # the prior on slopes, so the slope is -1/6; its own appeal is 2 below the mean
    adjusted = adjust([0.5, 0.0, -0.5], appeal=[-1.0, 0.0, 1.0, 2.0])

    assert adjusted.slope == pytest.approx([-1 / 6])
    assert adjusted.value == pytest.approx([0.9 - (-1 / 6) * (-2.0)])
    # the slope's variance is 1/6, times the distance 2 squared
    assert adjusted.se == pytest.approx([np.sqrt(0.2**2 + 4 / 6)])


def test_the_spread_of_tastes_adds_to_the_variance_of_the_slope():
    adjusted = adjust([0.5, 0.0, -0.5], appeal=[-1.0, 0.0, 1.0, 2.0], placebo_se=0.6, spread=0.8)

    # each placebo's variance is .36 + .64 = 1, as above
    assert adjusted.se == pytest.approx([np.sqrt(0.2**2 + 4 / 6)])


def test_a_number_is_unchanged_if_its_own_appeal_is_that_of_the_others():
    adjusted = adjust([0.5, 0.0, -0.5], appeal=[1.0, 0.0, 1.0, 2.0])

    assert adjusted.value == pytest.approx([0.9])
    assert adjusted.se == pytest.approx([0.2])


def test_without_a_placebo_the_number_has_the_error_of_a_slope_that_nothing_is_known_of():
    # others' appeals are 1 and 2, their mean 1.5; the slope is 0 with a spread of .5
    adjusted = adjust([np.nan, np.nan], appeal=[-0.5, 1.0, 2.0])

    assert adjusted.value == pytest.approx([0.9])
    assert adjusted.se == pytest.approx([np.sqrt(0.2**2 + (0.5 * 2) ** 2)])


def test_two_placebos_count_as_far_as_they_go():
    # products -.25 - .25 on appeals -1/2, 1/2 around their mean, 1.5; squares 1/2, and 4 for the prior
    adjusted = adjust([0.5, np.nan, -0.5], appeal=[-0.5, 1.0, 0.0, 2.0])

    assert adjusted.slope == pytest.approx([-0.5 / 4.5])
    assert adjusted.se == pytest.approx([np.sqrt(0.2**2 + 2**2 / 4.5)])


@pytest.mark.parametrize("appeal", [[np.nan, 1.0, 2.0], [0.0, np.nan, np.nan]])
def test_it_is_undefined_where_its_own_appeal_or_that_of_others_is_unknown(appeal):
    adjusted = adjust([np.nan, np.nan], appeal)

    assert np.isnan([adjusted.value, adjusted.se, adjusted.slope]).all()


def test_appeal_is_counted_over_judges_outside_both_families():
    # judges a, a2 (relatives), b, c judge themselves as generators, in the same order
    family = np.array([0, 0, 1, 2])
    apart = family[:, None] != family
    number = np.full((4, 4), 10)
    favourable = np.array([[9, 9, 1, 2], [9, 9, 3, 4], [5, 6, 9, 7], [3, 2, 8, 9]])

    odds = appeal_in_log_odds(favourable, number, apart, apart)
    mean = mean_appeal(favourable.astype(float), number, apart, apart)

    assert mean[0] == pytest.approx([8 / 20, 8 / 20, 8 / 10, 7 / 10])  # b and c on a's; c on b's, b on c's
    assert mean[2] == pytest.approx([3 / 10, 2 / 10, 12 / 30, 6 / 20])
    assert odds[0, 0] == pytest.approx(np.log(8.5 / 12.5))


def test_a_generator_without_an_outside_judge_has_no_appeal():
    apart = ~np.eye(2, dtype=bool)

    assert np.isnan(appeal_in_log_odds(np.ones((2, 2), int), np.ones((2, 2), int), apart, apart)[0, 1])


@pytest.mark.parametrize("spread", [np.nan, 0.3])
def test_each_judge_has_the_regression_of_its_own_placebos(spread):
    rng = np.random.default_rng(4)
    placebo, error, appeal = rng.normal(size=(3, 6)), rng.uniform(0.1, 0.5, (3, 6)), rng.normal(size=(3, 6))
    own = np.zeros((3, 6), dtype=bool)
    own[0, [0, 1]] = own[1, 2] = own[2, 3] = True  # the first has two
    placebo[own] = np.nan
    placebo[1, 5], error[0, 4], appeal[2, 0] = np.nan, 0.0, np.nan
    value, se = np.array([0.5, -0.2, 0.9]), np.array([0.2, 0.1, 0.3])

    adjusted = allow_for_discernment(value, se, placebo, error, appeal, own, ~own, spread)

    for j in range(3):
        used = [g for g in range(6) if not np.isnan([placebo[j, g], appeal[j, g]]).any() and error[j, g] > 0]
        weight = 1 / (error[j, used] ** 2 + (0 if np.isnan(spread) else spread**2))
        middle = (weight * appeal[j, used]).sum() / weight.sum()
        apart = appeal[j, used] - middle
        squares = (weight * apart**2).sum() + 1 / 0.5**2
        slope = (weight * apart * placebo[j, used]).sum() / squares
        gap = appeal[j, own[j]].mean() - middle
        assert adjusted.slope[j] == pytest.approx(slope)
        assert adjusted.value[j] == pytest.approx(value[j] - slope * gap)
        assert adjusted.se[j] == pytest.approx(np.sqrt(se[j] ** 2 + gap**2 / squares))


def test_a_judge_without_a_response_of_its_own_has_no_prediction():
    nobody = np.zeros((1, 3), dtype=bool)

    adjusted = allow_for_discernment(
        np.ones(1), np.ones(1), np.ones((1, 3)), np.ones((1, 3)), np.ones((1, 3)), nobody, ~nobody, 0.3
    )

    assert np.isnan([adjusted.value, adjusted.se, adjusted.slope]).all()
