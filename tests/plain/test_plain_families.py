"""Tastes of families and the judges together, of the plain implementation, by hand arithmetic."""

import math

import numpy as np
import pytest
from scipy import stats

from plain.adjusting import level_of_intervals
from plain.conditional import Estimate, Placebo
from plain.families import (
    Group,
    Spread,
    conclusion_on_group,
    df_with,
    means_of_families,
    p_families,
    p_families_drawn,
    p_with_tastes,
    spread_of_families,
    together,
    variance_of_judge,
)

SIX = {name: name for name in "ABCDEF"}


def placebos_of(values, se=0.1):
    return [Placebo(judge, generator, value, se) for (judge, generator), value in values.items()]


def every_pair(family, value):
    return {(one, two): value(one, two) for one in family for two in family if family[one] != family[two]}


def test_families_of_one_have_one_variance_of_tastes():
    values = every_pair(SIX, lambda one, two: 0.3 if one < two else -0.3)

    spread = spread_of_families(placebos_of(values), list(SIX), SIX, True)

    # 30 placebos of .09 / .01 = 9: (270 - 30) / 3000 = .08, over (5/6)^2; k = 1, so tau_W = 0.
    assert spread.between == pytest.approx(0.08 * 36 / 25)
    assert spread.within == 0
    assert spread.added == pytest.approx(0.08 * 36 / 25 * (6 / 5) ** 2)
    assert spread.df == 25 - 6


def test_tastes_shared_in_families_are_told_from_those_of_single_judges():
    # Six families of two; a block has four placebos: its mean .2, and .1 to either side of it.
    family = {name + number: name for name in "ABCDEF" for number in "12"}

    def value(one, two):
        shared = 0.2 if one[0] < two[0] else -0.2
        return shared + (0.1 if (one[1] == "1") == (two[1] == "1") else -0.1)

    spread = spread_of_families(placebos_of(every_pair(family, value)), list(family), family, True)

    # 120 placebos, half of .3^2 and half of .1^2: mean square .05, M1 = .05 - .01 = .04.
    # 30 blocks of (.2)^2 with variance .0025: M2 = .04 - .0025 = .0375; k = 4.
    within = (0.04 - 0.0375) / (3 / 4) / (11 / 12) ** 2
    between = (0.0375 - 0.0025 / 3) / (5 / 6) ** 2
    assert spread.within == pytest.approx(within)
    assert spread.between == pytest.approx(between)
    assert spread.added == pytest.approx(between * (6 / 5) ** 2 + within * (12 / 11) ** 2)


def test_tastes_of_families_are_at_most_those_of_all_placebos():
    # Blocks of two equal placebos: M1 = .08 and M2 = .09 - .005 = .085 by arithmetic; the smaller counts.
    family = {name + number: name for name in "ABCDEF" for number in "12"}
    values = every_pair(family, lambda one, two: 0.3 if one[0] < two[0] else -0.3)
    halved = {key: value for key, value in values.items() if key[0][1] == key[1][1]}

    spread = spread_of_families(placebos_of(halved), list(family), family, True)

    assert spread.within == 0
    assert spread.between == pytest.approx(0.08 / (5 / 6) ** 2)


def test_few_families_enlarge_what_tastes_add():
    family = {"A": "F", "B": "F", "C": "G", "D": "H", "E": "I"}
    values = every_pair(family, lambda one, two: 0.3 if one < two else -0.3)

    spread = spread_of_families(placebos_of(values), list(family), family, True)

    plain = spread.between * (1 + 1 / 3) ** 2 + spread.within * (1 + 1 / 4) ** 2
    assert spread.added == pytest.approx(plain * 4 / 2)
    assert spread.df == 9 - 4


def test_fewer_than_five_judges_have_an_assumed_spread_of_odds_and_none_of_votes():
    family = dict(zip("ABC", "ABC", strict=True))
    values = every_pair(family, lambda _one, _two: 2.0)

    odds = spread_of_families(placebos_of(values), list(family), family, True)
    votes = spread_of_families(placebos_of(values), list(family), family, False)

    assert odds == Spread(0.34**2, 0.0, 0.34**2 * 1.5**2, math.inf)
    assert votes.added is None


@pytest.mark.parametrize("family", [dict.fromkeys("ABC", "F") | dict.fromkeys("DE", "G"), SIX])
def test_two_families_or_no_placebo_leave_the_spread_unknown(family):
    values = every_pair(family, lambda _one, _two: 0.3) if len(set(family.values())) == 2 else {}

    assert spread_of_families(placebos_of(values), list(family), family, True).added is None


def test_degrees_of_freedom_join_those_of_the_number_and_of_the_tastes():
    # se^2 = T = 1: (2)^2 / (1/20 + 1/5) = 16.
    assert df_with(1.0, 20, 1.0, 5) == pytest.approx(16)
    assert df_with(1.0, 20, 0.0, 5) == 20
    assert p_with_tastes(Estimate(2.0 * math.sqrt(2), 1.0, 20), 1.0, 5) == pytest.approx(
        2 * stats.t.sf(2.0, 16)
    )


def test_a_judge_of_stronger_tastes_has_its_own_variance():
    spread = Spread(0.04, 0.0, 0.04 * 1.2**2)
    own = placebos_of({("A", g): 1.0 for g in "BCDEF"}, se=0.5)

    # Alone: (4 * 5 - 5) / 20 / (5/6)^2 = 1.08; pooled (5 * 1.08 + 5 * .04) / 10 = .56.
    assert variance_of_judge(own, spread, 6) == pytest.approx(0.56 * 1.2**2)
    assert variance_of_judge([], spread, 6) == pytest.approx(0.04 * 1.2**2)
    assert variance_of_judge(own, Spread(), 6) is None


def test_families_count_once_whatever_their_number_of_judges():
    family = {"A": "F", "B": "F", "C": "G", "D": "H", "E": "I"}
    numbers = {
        "A": Estimate(1.0, 0.3, 10),
        "B": Estimate(0.0, 0.4, 10),
        "C": Estimate(0.5, 0.1, 10),
        "D": Estimate(0.3, 0.2, 10),
        "E": Estimate(0.7, 0.2, 10),
    }

    means = means_of_families(numbers, family, 0.07)
    group = together(numbers, family, [], Spread(added=0.07))

    # Weights 1 / (.09 + .07) = 6.25 and 1 / (.16 + .07) = 4.3478.
    theta = 6.25 / (6.25 + 1 / 0.23)
    assert means == {"F": pytest.approx(theta), "G": 0.5, "H": 0.3, "I": 0.7}
    values = [theta, 0.5, 0.3, 0.7]
    assert group.estimate == pytest.approx(np.mean(values))
    result = stats.ttest_1samp(values, 0.0)
    assert group.p == pytest.approx(result.pvalue)
    assert (group.low, group.high) == pytest.approx(tuple(result.confidence_interval()))
    assert group.p_families is None


def test_three_families_give_an_estimate_alone():
    numbers = {name: Estimate(0.5, 0.1, 10) for name in "ABC"}

    assert together(numbers, SIX, [], Spread()) == Group(3, pytest.approx(0.5))


def test_derangements_of_four_families_are_nine():
    means = dict.fromkeys("ABCD", 1.0)
    values = {(one, two): (0.0, 1.0) for one in "ABCD" for two in "ABCD" if one != two}
    high = values | {("A", "B"): (4.0, 1.0)}

    assert p_families(means, values) == 0
    assert p_families(means, high) == pytest.approx(3 / 9)  # the derangements with A on B: 3 of 9
    assert p_families(dict.fromkeys("ABCD", -1.0), high) == 0  # the other side
    assert p_families(means, {}) is None


def test_drawn_derangements_agree_with_all_of_them():
    generator = np.random.default_rng(3)
    names = "ABCDEF"
    means = {name: 0.25 + generator.normal() / 10 for name in names}
    values = {(a, b): (float(generator.normal()) / 2, 1.0) for a in names for b in names if a != b}

    # 265 derangements; 20,000 draws have an error of .0035 at most.
    assert p_families_drawn(means, values, 20_000) == pytest.approx(p_families(means, values), abs=0.012)


@pytest.mark.parametrize(
    ("p", "p_permuted", "checks", "expected"),
    [
        (0.01, 0.01, {}, ("judges_favour_themselves", None)),
        (0.06, 0.01, {}, ("not_shown", "t_test")),
        (0.01, 0.05, {}, ("not_shown", "permutation")),
        (0.01, None, {}, ("not_shown", "no_placebos")),
        (0.01, 0.01, {"discernment": 0.66}, ("not_shown", "discernment")),
        (0.01, 0.01, {"missing_verdicts": 0.05}, ("not_shown", "missing_verdicts")),
        (0.01, 0.01, {"same_items": [0.5, 0.33]}, ("judges_overrate_themselves", "same_items")),
        (0.01, 0.01, {"same_items": [None, 0.34]}, ("judges_favour_themselves", None)),
        (0.01, 0.01, {"shared_taste": 0.6}, ("judges_overrate_themselves", "shared_taste")),
    ],
)
def test_both_tests_and_every_condition_are_needed(p, p_permuted, checks, expected):
    assert conclusion_on_group(Group(5, 0.5, 0.1, 0.9, p, p_permuted), checks) == expected


def test_the_opposite_sign_and_the_families_have_codes_of_their_own():
    against = Group(5, -0.5, -0.9, -0.1, 0.01, 0.01)

    assert conclusion_on_group(against, {})[0] == "judges_disfavour_themselves"
    assert conclusion_on_group(against, {"shared_taste": 0.1})[0] == "judges_underrate_themselves"
    assert conclusion_on_group(against, {}, family=True)[0] == "judges_disfavour_their_families"
    assert conclusion_on_group(Group(3, 0.5), {})[0] == "too_few_families"


def test_intervals_stand_at_the_level_of_the_adjusted_tests():
    # .001 * 5 / 1 = .005 and .02 * 5 / 2 = .05, which is not below .05; so R = 1.
    assert level_of_intervals([0.001, 0.02, 0.2, 0.3, 0.9, None]) == pytest.approx(1 - 0.05 / 5)
    # .012 * 4 / 2 = .024: R = 2.
    assert level_of_intervals([0.001, 0.012, 0.2, 0.3]) == pytest.approx(1 - 0.05 * 2 / 4)
    assert level_of_intervals([0.9, 0.8]) == pytest.approx(1 - 0.05 / 2)
    assert level_of_intervals([None]) == 0.95


def test_an_interval_at_that_level_leaves_the_null_out_where_the_adjusted_p_is_small():
    from plain.resampling import benjamini_hochberg

    generator = np.random.default_rng(5)
    for _study in range(200):
        zs = generator.normal(size=8) * 2
        ps = [float(2 * stats.norm.sf(abs(z))) for z in zs]
        level = level_of_intervals(ps)
        adjusted = benjamini_hochberg(ps)
        if not any(p < 0.05 for p in adjusted):
            level = 1 - 0.05 / len(ps)
        reach = stats.norm.ppf(0.5 + level / 2)
        for z, p in zip(zs, adjusted, strict=True):
            assert (abs(z) > reach) == (p < 0.05)
