"""Power of SPB, T, DBG, votes, points, odds and the group: by hand and by drawing such studies."""

import numpy as np
import pytest
from scipy import stats

from engine.errors import UsageError
from engine.stats.power_of_differences import VARIANCES, AssumedStudy, instances_for, power_of


def test_a_difference_of_two_shares_has_the_textbook_number():
    # .5 against .3, one pair an instance: (.25 + .21) (1.95996 + .84162)^2 / .2^2 = 90.26.
    design = AssumedStudy("spb", 0.2, cases=1.0)

    assert instances_for(design) == 91
    assert power_of(design, 91) == pytest.approx(0.803, abs=0.002)


@pytest.mark.parametrize(
    ("measure", "effect", "expected"),
    [
        ("spb", 0.1, (0.4 * 0.6 + 0.3 * 0.7) * 1.3 / 4),
        ("t", 0.1, 0.3 * 0.7 * (1 + 1 / 3) * 1.3 / 4),
        ("dbg", 0.1, (0.3 - 0.01) * 1.3 / 4),
        ("vote_outside", 0.1, 0.15 * 1.25 * 1.3 / 4),
        ("bonus_outside", 5.0, 225 * 1.25**2),
        ("odds_self", 2.0, 1.25 / (0.21 * 4 / 5) * 1.3 / 4),
    ],
)
def test_what_one_instance_adds_is_that_of_the_definition(measure, effect, expected):
    # Six judges of three families: four strangers, so four cases, which vary 1 + 3 * .1 times as much.
    assert AssumedStudy(measure, effect).variance == pytest.approx(expected)


def test_t_is_tested_on_one_side_and_others_on_two():
    one, two = AssumedStudy("t", 0.1, cases=1.0), AssumedStudy("dbg", 0.1, cases=1.0)

    assert power_of(one, 100) == pytest.approx(stats.norm.cdf(0.1 / (one.variance / 100) ** 0.5 - 1.644854))
    z = 0.1 / (two.variance / 100) ** 0.5
    both = stats.norm.sf(1.959964 - z) + stats.norm.sf(1.959964 + z)
    assert power_of(two, 100) == pytest.approx(both, rel=1e-6)
    assert power_of(two, 100, "adjusted") < power_of(two, 100)


def test_the_group_has_the_power_of_a_t_test_over_families():
    design = AssumedStudy("odds_self", 1.5, judges=8, families=8, tastes=0.34, cases=1.0)
    draw = np.random.default_rng(1)
    sd = ((0.34 * 8 / 7) ** 2 + design.variance / 60) ** 0.5

    values = draw.normal(np.log(1.5), sd, (20_000, 8))

    detected = (stats.ttest_1samp(values, 0, axis=1).pvalue < 0.05).mean()
    assert power_of(design, 60, "group") == pytest.approx(detected, abs=0.012)


def test_votes_drawn_as_assumed_are_found_as_often():
    design = AssumedStudy("vote_outside", 0.12, rate=0.4, cases=1.0, clustering=0.0)
    draw, detected = np.random.default_rng(2), 0
    # Two judges differ on 2 c (1 - c) of pairs with chance c: on 4 of 5 pairs c = .5, on the others 1.
    for _study in range(1500):
        chance = np.where(draw.random(150) < 0.8, 0.5, 1.0)
        own_votes = (draw.random(150) < chance).astype(float)
        outside = (draw.random((4, 150)) < chance).mean(axis=0)
        gap = own_votes - outside + 0.12
        detected += abs(gap.mean()) / (gap.std(ddof=1) / 150**0.5) > 1.96

    assert power_of(design, 150) == pytest.approx(detected / 1500, abs=0.035)


def test_more_tastes_than_a_family_can_tell_have_no_number_of_instances():
    design = AssumedStudy("odds_self", 1.5, judges=4, families=4, tastes=0.5)

    with pytest.raises(UsageError, match=r"no number of questions has power 0\.8: tastes of 0\.5 leave"):
        instances_for(design, who="group")


@pytest.mark.parametrize("measure", VARIANCES)
@pytest.mark.parametrize("who", ["judge", "adjusted", "group"])
def test_the_number_of_instances_is_the_first_with_the_power(measure, who):
    design = AssumedStudy(
        measure, 1.6 if measure == "odds_self" else 4 if measure == "bonus_outside" else 0.1, families=6
    )

    number = instances_for(design, 0.8, who)

    assert power_of(design, number, who) >= 0.8
    assert number == 10 or power_of(design, number - 1, who) < 0.8


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        ({"effect": 0.0}, "effect 0.0 is none; give a number other than 0"),
        ({"measure": "odds_self", "effect": 1.0}, "effect 1.0 is none; give odds such as 2"),
        ({"rate": 1.0}, "rate 1.0: give a share"),
        ({"families": 9}, "families 9 with judges 6"),
        ({"effect": 0.8}, "beside rate 0.3 is no share"),
        ({"measure": "pir"}, "measure 'pir' is unknown; choose from: spb, t"),
        ({"cases": 0.0}, "cases 0.0: give a number above 0"),
    ],
)
def test_assumptions_that_cannot_be_are_refused(knobs, message):
    with pytest.raises(UsageError) as refusal:
        AssumedStudy(**{"measure": "spb", "effect": 0.1, **knobs})

    assert message in str(refusal.value)


def test_the_group_needs_four_families():
    with pytest.raises(UsageError, match="the judges together are tested with 4 or more"):
        power_of(AssumedStudy("spb", 0.1), 100, "group")


@pytest.mark.parametrize("families", [4, 5, 8, 12, 40])
def test_the_power_of_the_group_is_a_share_and_rises_to_one(families: int) -> None:
    design = AssumedStudy("vote_outside", 0.1, judges=40, families=families)

    powers = [power_of(design, questions, "group") for questions in np.geomspace(1, 1e7, 200)]

    assert all(0 <= share <= 1 for share in powers)  # SciPy's distribution is nan far out in a tail
    assert powers == sorted(powers)
    assert powers[-1] == 1


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        ({"judges": 1, "families": 1}, "judges 1"),
        ({"families": 1}, "families 1: a family is compared"),
        ({"effect": 1.01, "measure": "dbg"}, "cannot differ by more"),
        ({"rate": 0.0}, "rate 0.0"),
        ({"effect": -0.3}, "beside rate 0.3 is no share"),
        ({"spread": 0.0}, "spread 0.0"),
        ({"cases": float("inf")}, "cases inf"),
        ({"clustering": 1.0}, "clustering 1.0"),
        ({"clustering": -0.1}, "clustering -0.1"),
        ({"tastes": -0.1}, "tastes -0.1"),
        ({"tastes": float("inf")}, "tastes inf"),
        ({"measure": "odds_self", "effect": 0.0}, "effect 0.0 is none"),
        ({"measure": "odds_self", "effect": float("inf")}, "effect inf is none"),
        ({"effect": float("inf")}, "effect inf is none"),
    ],
)
def test_assumptions_beyond_their_bounds_are_refused(knobs, message):
    with pytest.raises(UsageError) as refusal:
        AssumedStudy(**{"measure": "spb", "effect": 0.1, **knobs})

    assert message in str(refusal.value)


def test_the_bounds_of_assumptions_are_allowed_where_they_are_included():
    AssumedStudy("t", 0.1, judges=2, families=2, clustering=0.0, tastes=0.0)
    AssumedStudy("dbg", 1.0)
    AssumedStudy("dbg", -1.0)
    AssumedStudy("odds_self", 0.5)


@pytest.mark.parametrize(("judges", "families", "strangers"), [(6, 3, 4), (7, 3, 4), (2, 2, 1), (5, 5, 4)])
def test_strangers_are_those_outside_one_of_the_largest_families(judges, families, strangers):
    design = AssumedStudy("spb", 0.1, judges=judges, families=families)

    assert (design.strangers, design.in_instance) == (strangers, strangers)


@pytest.mark.parametrize("power", [0.05, 1.0])
def test_a_power_out_of_range_is_refused(power):
    with pytest.raises(UsageError, match="power"):
        instances_for(AssumedStudy("spb", 0.1), power)
