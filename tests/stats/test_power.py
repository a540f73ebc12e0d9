"""How many instances a study needs: the formula, by hand and on studies drawn under its assumptions."""

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from engine.errors import UsageError
from engine.stats.conclusions.power import (
    TARGETS,
    Assumptions,
    _draw,
    instances_needed,
    power_at,
    power_curve,
    simulated_power,
    study_of,
)
from engine.stats.self_preference import Relations

BY_HAND = Assumptions(
    1.5, judges=4, families=4, failure_rate=0.5, overestimation=0.4, rubrics_per_instance=2
)  # fmt: skip


def test_a_case_worked_out_by_hand():
    assumed = replace(BY_HAND, clustering=0.0)

    needed = instances_needed(assumed, 0.8)

    # one failure in each response, three strangers: O_self .6 and O_other .4 differ by .2, with variance
    # .6 x .4 + .4 x .6 / 3 = .32 over one instance; (1.960 + .8416)^2 x .32 / .2^2 = 62.8
    assert needed.instances == 63
    assert needed.own_failures == 63
    assert needed.responses == 63 * 4 * 4
    assert needed.verdicts == 63 * 4 * 4 * 2
    assert power_at(assumed, 63) == pytest.approx(norm.cdf(0.2 / sqrt(0.32 / 63) - 1.96), abs=1e-4)


def test_clustering_by_hand():
    loose = Assumptions(1.5, failure_rate=0.2, rubrics_per_instance=6, clustering=0.0)
    tight = replace(loose, clustering=0.25)

    ratio = instances_needed(tight, 0.9).instances / instances_needed(loose, 0.9).instances

    # beside a failure, each of 5 other rubrics fails with chance .2 + .25 x .8 = .4: two on average;
    # the variance grows by 1 + .25 x 2
    assert ratio == pytest.approx(1.5, abs=0.02)


@pytest.mark.parametrize(
    "assumed",
    [
        Assumptions(1.5),
        Assumptions(0.6),
        Assumptions(1.4, clustering=0.4),
        Assumptions(2.0, judges=3, generators=8, families=5),
        Assumptions(1.7, failure_rate=0.06, judges=8),
        Assumptions(2.5, overestimation=0.1, rubrics_per_instance=2, failure_rate=0.4),
    ],
)
def test_the_computed_instances_give_the_requested_power_in_simulations(assumed):
    needed = instances_needed(assumed, 0.8)

    simulated = simulated_power(assumed, needed.instances, 100, np.random.default_rng(11), resamples=200)

    # three standard errors of 100 studies of a judge would be .12; each has three judges or more
    assert simulated == pytest.approx(0.8, abs=0.1)


@pytest.mark.parametrize("target", ["judge", "adjusted"])
def test_half_power_is_computed_as_well_as_high_power(target):
    assumed = Assumptions(1.3, judges=4, families=2)
    needed = instances_needed(assumed, 0.5, target)

    simulated = simulated_power(
        assumed, needed.instances, 150, np.random.default_rng(12), target=target, resamples=200
    )

    assert needed.power == pytest.approx(0.5, abs=0.02)
    assert simulated == pytest.approx(0.5, abs=0.11)


def test_the_mean_over_judges_has_at_least_the_computed_power():
    assumed = Assumptions(1.2)
    needed = instances_needed(assumed, 0.8, "mean")

    simulated = simulated_power(
        assumed, needed.instances, 150, np.random.default_rng(13), target="mean", resamples=200
    )

    # means of ratios are biased upwards, which helps to detect an effect above 1 (docs/intervals.md)
    assert 0.75 < simulated < 0.9


def test_with_a_negligible_effect_power_is_the_rate_of_false_alarms():
    assert power_at(Assumptions(1 + 1e-9), 200) == pytest.approx(0.05, abs=1e-4)


def test_power_grows_along_the_curve_and_reaches_the_target():
    curve = power_curve(Assumptions(1.2))

    powers = [point.power for point in curve]
    assert powers == sorted(powers)
    assert powers[-1] >= 0.99
    assert curve[0].instances == 10


def test_a_curve_at_given_instances_has_those_sizes():
    assumed = Assumptions(1.3)

    curve = power_curve(assumed, [50, 100], "mean")

    assert curve == [study_of(assumed, number, "mean") for number in (50, 100)]


def test_the_mean_over_one_judge_needs_what_the_judge_needs():
    alone = Assumptions(1.2, judges=1, generators=6)

    assert len({instances_needed(alone, 0.8, target).instances for target in TARGETS}) == 1


def test_more_judges_need_more_instances_after_adjustment_but_fewer_for_their_mean():
    judge, adjusted, mean = (instances_needed(Assumptions(1.2), 0.8, target).instances for target in TARGETS)

    assert mean < judge < adjusted


def test_a_single_judge_needs_no_adjustment():
    assumed = Assumptions(1.3, judges=1, generators=5)

    assert instances_needed(assumed, 0.8, "adjusted") == instances_needed(assumed, 0.8, "judge")


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"effect": 1.0}, "effect 1.0"),
        ({"effect": -2.0}, "effect -2.0"),
        ({"effect": float("nan")}, "effect nan"),
        ({"effect": 4.0}, "below 3.33"),
        ({"judges": 0}, "judges 0"),
        ({"generators": 3}, "models 3"),
        ({"families": 7}, "families 7"),
        ({"families": 1}, "families 1"),
        ({"failure_rate": 0.0}, "failure_rate 0.0"),
        ({"overestimation": 1.0}, "overestimation 1.0"),
        ({"rubrics_per_instance": 0.5}, "rubrics_per_instance 0.5"),
        ({"clustering": 1.0}, "clustering 1.0"),
    ],
)
def test_an_impossible_assumption_is_refused_by_name(wrong, name):
    with pytest.raises(UsageError, match=name):
        Assumptions(**({"effect": 1.2} | wrong))


@pytest.mark.parametrize("power", [0.05, 1.0, float("nan")])
def test_an_impossible_power_is_refused(power):
    with pytest.raises(UsageError, match="power"):
        instances_needed(Assumptions(1.2), power)


def test_the_mean_and_the_adjusted_number_by_hand():
    assumed = replace(BY_HAND, clustering=0.0)

    # On the log scale one judge varies by .4 / .6 + .6 / .4 / 3 = 1.1667, the mean of four by a quarter.
    assert power_at(assumed, 50, "mean") == pytest.approx(
        norm.cdf(log(1.5) / sqrt(1.166667 / 4 / 50) - 1.959964), abs=1e-6
    )
    # .05 / 4 in two tails: 2.4977
    z = 0.2 / sqrt(0.32 / 50)
    assert power_at(assumed, 50, "adjusted") == pytest.approx(
        norm.cdf(z - 2.497705) + norm.cdf(-z - 2.497705)
    )


def test_an_effect_below_1_counts_like_one_above():
    assumed = Assumptions(
        0.5, judges=4, families=4, failure_rate=0.5, overestimation=0.4, rubrics_per_instance=2
    )

    # O_self .2: .2 x .8 + .24 / 3 = .24; one failure an instance, .5 + .05 beside it: 1 + .1 x .55
    z = 0.2 / sqrt(0.24 * 1.055 / 40)
    assert power_at(assumed, 40) == pytest.approx(norm.cdf(z - 1.959964) + norm.cdf(-z - 1.959964))


@pytest.mark.parametrize(
    ("generators", "families", "strangers"), [(None, 3, 4), (7, 3, 4), (8, 3, 5), (6, 6, 5), (6, 2, 3)]
)
def test_a_judge_of_the_largest_family_has_the_fewest_strangers(generators, families, strangers):
    assert Assumptions(1.5, generators=generators, families=families).strangers == strangers


def test_a_size_counts_calls_verdicts_and_own_failures():
    assumed = Assumptions(1.5, judges=2, generators=3, families=2, rubrics_per_instance=2.5, failure_rate=0.3)

    size = study_of(assumed, 7)

    assert (size.instances, size.responses) == (7, 7 * 3 * 2)
    assert size.verdicts == 105  # 42 * 2.5
    assert size.own_failures == pytest.approx(7 * 2.5 * 0.3)
    assert size.power == power_at(assumed, 7)
    assert study_of(assumed, 1).instances == 1
    with pytest.raises(UsageError, match="questions 0"):
        study_of(assumed, 0)


def test_a_curve_has_25_sizes_from_10_to_at_least_20():
    long, short = power_curve(Assumptions(1.1)), power_curve(Assumptions(20.0, overestimation=0.04))

    assert len(long) == 25
    assert long[-1].instances == instances_needed(Assumptions(1.1), 0.99).instances
    assert [size.instances for size in short] == list(range(10, 21))


def test_ten_instances_are_needed_however_large_the_effect():
    assert instances_needed(Assumptions(20.0, overestimation=0.04), 0.8).instances == 10


def test_the_least_of_every_assumption_is_allowed():
    Assumptions(1.2, judges=1, generators=2, families=2, rubrics_per_instance=1, clustering=0)
    Assumptions(1.2, judges=2, families=2)
    Assumptions(1.2, judges=3, generators=3, families=3)
    with pytest.raises(UsageError, match="one model"):
        Assumptions(1.2, judges=1, families=2)
    with pytest.raises(UsageError, match="is not a probability"):
        Assumptions(2.0, overestimation=0.5)
    with pytest.raises(UsageError, match="effect inf"):
        Assumptions(float("inf"))
    with pytest.raises(UsageError, match=r"clustering -0\.1"):
        Assumptions(1.2, clustering=-0.1)
    with pytest.raises(UsageError, match="rubrics_per_instance inf"):
        Assumptions(1.2, rubrics_per_instance=float("inf"))


def test_studies_are_drawn_with_the_rates_and_correlations_assumed():
    assumed = Assumptions(
        1.8, judges=2, generators=4, families=2, failure_rate=0.4, rubrics_per_instance=5.4, clustering=0.3
    )
    relations = Relations(
        self_mask=np.eye(2, 4, dtype=bool),
        family=np.zeros((2, 4), bool),
        unrelated_mask=~np.eye(2, 4, dtype=bool),
    )

    over, failed = _draw(assumed, relations, 20_000, np.random.default_rng(3))

    # Five rubrics a response: mean 2, variance 5 x .24 (1 + 4 x .3).
    assert failed.shape == (4, 20_000)
    assert over.shape == (2, 4, 20_000)
    np.testing.assert_allclose(failed.mean(axis=1), 2.0, atol=0.05)
    np.testing.assert_allclose(failed.var(axis=1), 5 * 0.24 * 2.2, rtol=0.05)
    rates = over.sum(axis=2) / failed.sum(axis=1)
    np.testing.assert_allclose(rates, [[0.54, 0.3, 0.3, 0.3], [0.3, 0.54, 0.3, 0.3]], atol=0.015)
    # Of five failures of a stranger's response 1.5 are credited, with variance 5 x .21 (1 + 4 x .3).
    assert over[0, 2, failed[2] == 5].var() == pytest.approx(5 * 0.21 * 2.2, rel=0.12)


def test_without_clustering_rubrics_are_independent():
    assumed = Assumptions(1.8, judges=2, families=2, failure_rate=0.4, rubrics_per_instance=5, clustering=0.0)
    own = np.eye(2, dtype=bool)

    _, failed = _draw(assumed, Relations(own, np.zeros((2, 2), bool), ~own), 20_000, np.random.default_rng(4))

    np.testing.assert_allclose(failed.var(axis=1), 5 * 0.24, rtol=0.04)
