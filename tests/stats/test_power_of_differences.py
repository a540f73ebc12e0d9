"""Power of SPB, T, DBG, votes, points, odds and the group: by hand and by drawing such studies."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from engine.errors import UsageError
from engine.stats.conclusions.power_of_differences import (
    MOST,
    VARIANCES,
    WHO,
    AssumedStudy,
    instances_for,
    power_of,
)


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


@pytest.mark.parametrize(("heterogeneity", "questions"), [(0.0, 20), (0.1, 60), (0.1, 100_000)])
def test_the_power_of_the_group_is_the_share_of_simulated_studies_whose_families_differ(
    heterogeneity, questions
):
    design = AssumedStudy("vote_outside", 0.1, judges=5, families=5, heterogeneity=heterogeneity)
    rng = np.random.default_rng(3)
    sampling = np.sqrt(design.variance / questions)

    effects = design.effect + rng.normal(0, heterogeneity, (20_000, 5)) if heterogeneity else 0.1
    significant = stats.ttest_1samp(effects + rng.normal(0, sampling, (20_000, 5)), 0, axis=1).pvalue < 0.05

    # Of 20,000 studies the share has a standard error of .0035 at most.
    assert power_of(design, questions, "group") == pytest.approx(significant.mean(), abs=0.012)


def test_no_number_of_questions_makes_up_for_families_that_differ():
    design = AssumedStudy("vote_outside", 0.1, judges=4, families=4, heterogeneity=0.1)

    with pytest.raises(UsageError, match=r"families that differ by a standard deviation of 0\.1 leave"):
        instances_for(design, who="group")
    alike = replace(design, heterogeneity=0.0)
    assert instances_for(design, who="adjusted") == instances_for(alike, who="adjusted")


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
        ({"effect": 1.01, "measure": "dbg"}, "cannot differ by more than 1; 10 of 100 is 0.1"),
        ({"effect": -101, "measure": "bonus_outside"}, "by more than 100; 10 of 100 is 10"),
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


@pytest.mark.parametrize(("effect", "number"), [(0.1, 10), (0.1, 11), (0.1, 20), (0.1, 57), (0.0002, MOST)])
def test_exactly_the_power_of_a_number_of_instances_takes_that_number(effect, number):
    design = AssumedStudy("vote_outside", effect)

    assert instances_for(design, power_of(design, number)) == number


def test_more_instances_than_any_study_has_are_no_answer():
    design = AssumedStudy("vote_outside", 0.0002)

    with pytest.raises(UsageError, match="no number of questions"):
        instances_for(design, power_of(design, MOST + 1000))


@pytest.mark.parametrize(
    ("measure", "knobs", "expected"),
    [
        # outcomes that differ by 1 on .3 of the pairs vary .3 - .25; a squared mean above .3 leaves nothing
        ("dbg", {"effect": 0.5, "cases": 1.0}, 0.05),
        ("dbg", {"effect": -0.6, "cases": 1.0}, 0.0),
        # the only stranger of two judges is the opponent: one proxy
        ("t", {"effect": 0.1, "judges": 2, "families": 2}, 0.3 * 0.7 * 2),
        # a case in every other instance hangs together with no other: 2 (.15 (1 + 1 / 4))
        ("vote_outside", {"effect": 0.1, "cases": 0.5}, 2 * 0.15 * 1.25),
    ],
)
def test_what_one_instance_adds_at_the_bounds(measure, knobs, expected):
    assert AssumedStudy(measure, **knobs).variance == pytest.approx(expected)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("instances", [40, MOST])
@pytest.mark.parametrize(
    ("measure", "effect", "against"), [("dbg", 0.1, -0.1), ("odds_self", 2.0, 0.5), ("t", 0.1, -0.1)]
)
def test_an_effect_against_oneself_has_the_power_of_one_for(measure, effect, against, instances, who):
    powers = [power_of(AssumedStudy(measure, end, families=6), instances, who) for end in (effect, against)]

    assert powers[0] == pytest.approx(powers[1])


@pytest.mark.parametrize("errors", [0.3, 1.5, 4, 6.9, 7.1, 12, 29, 31])
@pytest.mark.parametrize("families", [4, 12])
def test_the_power_of_the_group_is_the_integral_over_its_error(families, errors):
    # t = (Z + d) / S with S^2 a chi^2 over its freedom: the share beyond the critical value given S, over S.
    design = AssumedStudy("vote_outside", 0.1, judges=families, families=families, cases=1.0)
    instances = (errors / 0.1) ** 2 * design.variance / families
    freedom = families - 1
    spread = np.linspace(0, 8, 20_001)
    density = 2 * freedom * spread * stats.chi2.pdf(freedom * spread**2, freedom)
    reach = stats.t.ppf(0.975, freedom) * spread
    beyond = stats.norm.sf(reach - errors) + stats.norm.cdf(-reach - errors)

    assert power_of(design, instances, "group") == pytest.approx(
        np.trapezoid(beyond * density, spread), abs=1e-5
    )
