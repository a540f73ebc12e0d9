"""The judges together, by hand: few families, families alike, and assignments that cannot be compared."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from engine.stats.conclusions.group import (
    assignment_p,
    derangements,
    given_or_replaced,
    group_estimate,
    mean_over_families,
    share_left,
)

NAN = np.nan


def test_families_are_weighted_within_and_plain_between():
    value = np.array([0.2, 0.6, 0.3, 0.1, NAN, -0.1, 9, 9, 9])
    weight = np.array([3.0, 1, 2, 5, 1, 4, 0, NAN, -1])
    family = np.array([0, 0, 1, 2, 2, 3, 4, 0, 1])

    group = group_estimate(value, weight, family)

    of_family = np.array([0.3, 0.3, 0.1, -0.1])  # (3 * .2 + .6) / 4
    test = stats.ttest_1samp(of_family, 0)
    interval = test.confidence_interval()
    np.testing.assert_allclose(group.of_family, of_family)
    assert (group.which.tolist(), group.families, group.tested) == ([0, 1, 2, 3], 4, True)
    assert group.estimate == pytest.approx(0.15)
    assert group.p == pytest.approx(test.pvalue)
    assert (group.low, group.high) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_three_families_have_a_mean_and_no_test():
    group = group_estimate(np.array([0.2, 0.3, 0.7]), np.ones(3), np.arange(3))

    assert group.estimate == pytest.approx(0.4)
    assert np.isnan([group.low, group.high, group.p]).all()
    assert not group.tested


def test_without_a_judge_there_is_no_mean():
    group = group_estimate(np.array([NAN, 0.2]), np.array([1.0, 0.0]), np.arange(2))

    assert np.isnan([group.estimate, group.low, group.high, group.p]).all()
    assert group.families == 0


@pytest.mark.parametrize(("value", "p"), [(0.25, 0.0), (0.0, 1.0)])
def test_families_that_are_all_alike_are_certain(value, p):
    group = group_estimate(np.full(4, value), np.ones(4), np.arange(4))

    assert (group.estimate, group.low, group.high, group.p) == (value, value, value, p)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7])
def test_derangements_of_few_families_are_all_of_them(size):
    expected = {each for each in permutations(range(size)) if all(a != b for a, b in enumerate(each))}

    rows = derangements(size, np.random.default_rng(0))

    assert {tuple(row) for row in rows} == expected
    assert len(rows) == len(expected)


def test_of_eight_families_ten_thousand_derangements_are_drawn():
    rows = derangements(8, np.random.default_rng(0))

    assert rows.shape == (10_000, 8)
    assert (np.sort(rows, axis=1) == np.arange(8)).all()
    assert not (rows == np.arange(8)).any()


PLACEBOS = np.array([[NAN, 0.1, 0.4], [0.2, NAN, NAN], [0.3, 0.0, NAN]])


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        (0.15, 1.0),
        (0.2, 0.5),  # 0 -> 1, 1 -> 2, 2 -> 0: .1 and .3, mean .2; 0 -> 2, 1 -> 0, 2 -> 1: .4, .2, 0, mean .2
        (-0.1, 0.0),
    ],
)
def test_families_are_assigned_to_each_others_responses(estimate, expected):
    placebos = PLACEBOS.copy()
    placebos[0, 2] = 0.4 if estimate != 0.2 else 0.3  # the second mean is then .167

    assigned = assignment_p(estimate, placebos, derangements(3, np.random.default_rng(0)))

    assert (assigned.p, assigned.number) == (expected, 2)


def test_below_zero_a_mean_at_least_as_low_is_as_far():
    placebos = -PLACEBOS

    assert assignment_p(-0.2, placebos, derangements(3, np.random.default_rng(0))).p == 1.0
    assert assignment_p(-0.21, placebos, derangements(3, np.random.default_rng(0))).p == 0.0


def test_an_assignment_without_any_placebo_does_not_count():
    placebos = np.array([[NAN, NAN, 0.5], [0.1, NAN, NAN], [NAN, 0.6, NAN]])

    assigned = assignment_p(0.4, placebos, derangements(3, np.random.default_rng(0)))

    # 0 -> 1, 1 -> 2, 2 -> 0 has none; the other has .5, .1 and .6.
    assert (assigned.p, assigned.number) == (1.0, 1)


@pytest.mark.parametrize(
    ("estimate", "placebos"),
    [(0.1, np.full((3, 3), NAN)), (NAN, PLACEBOS), (0.1, np.array([[0.3]])), (0.1, np.zeros((0, 0)))],
)
def test_without_placebos_or_an_estimate_there_is_no_share(estimate, placebos):
    assigned = assignment_p(estimate, placebos, derangements(3, np.random.default_rng(0))[:, : len(placebos)])

    assert np.isnan(assigned.p)
    assert assigned.number == 0


def test_two_families_have_one_assignment():
    placebos = np.array([[NAN, 0.2], [0.4, NAN]])

    assigned = assignment_p(0.3, placebos, derangements(2, np.random.default_rng(0)))

    assert (assigned.p, assigned.number) == (1.0, 1)


def test_what_is_left_is_a_share_of_the_estimate():
    value, family = np.array([0.1, 0.3, 0.4]), np.array([0, 0, 1])

    # (.1 + 3 * .3) / 4 = .25 and .4: mean .325
    assert share_left(0.65, value, np.array([1.0, 3, 2]), family) == pytest.approx(0.5)


def test_what_is_unknown_of_a_judge_changes_nothing():
    replaced = given_or_replaced(np.array([0.1, 0.2, NAN]), np.array([NAN, 0.5, 0.3]))

    assert replaced.tolist() == [0.1, 0.5, 0.3]


def test_families_count_once_however_many_judges_they_have():
    value, family = np.array([0.1, 0.3, 0.6, NAN, 0.9]), np.array([0, 0, 1, 1, 2])
    counted = np.array([True, True, True, True, False])

    assert mean_over_families(value, family, counted) == pytest.approx((0.2 + 0.6) / 2)
    assert np.isnan(mean_over_families(value, family, np.zeros(5, dtype=bool)))
