"""Ratios over rubrics that a judge's own response and others' failed."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from engine.stats.intervals.few_events import SCORE, cases_of_weights, ratio_of_rates
from engine.stats.outside.matched_rubrics import T_ON_THE_LOG, matched_parts, matched_ratio, matched_terms

# Five rubrics in three instances: own credited, own failed, others credited, others failed.
OWN_CREDITED = np.array([1, 0, 1, 1, 1], dtype=bool)
OWN_FAILED = np.array([1, 1, 1, 0, 1], dtype=bool)
OTHER_CREDITED = np.array([1, 0, 2, 1, 0])
OTHER_FAILED = np.array([1, 2, 3, 4, 0])
INSTANCE = np.array([0, 0, 1, 1, 2])

plain_parts = partial(matched_parts, mantel_haenszel=False)
mantel_haenszel_parts = partial(matched_parts, mantel_haenszel=True)


def test_mantel_and_haenszel_by_hand():
    parts = mantel_haenszel_parts(OWN_CREDITED, OWN_FAILED, OTHER_CREDITED, OTHER_FAILED, INSTANCE, 3)

    ratio = matched_ratio(parts)

    # the last two are no matched rubrics. own: 1 x 1/2 + 0 x 2/3 + 1 x 3/4 = 1.25;
    # others: 1 x 1/2 + 0 x 1/3 + 2 x 1/4 = 1
    assert parts.own == pytest.approx([0.5, 0.75, 0])
    assert parts.other == pytest.approx([0.5, 0.5, 0])
    assert parts.weights == pytest.approx([1 / 2 + 2 / 3, 3 / 4, 0])
    assert parts.own_squares == pytest.approx([1 / 4 + 4 / 9, 9 / 16, 0])
    assert parts.other_squares == pytest.approx([1 / 4 + 2 / 9, 3 / 16, 0])
    assert ratio.value == pytest.approx(1.25)
    assert (ratio.rubrics, ratio.instances) == (3, 2)


def test_the_matched_ratio_by_hand():
    parts = plain_parts(OWN_CREDITED, OWN_FAILED, OTHER_CREDITED, OTHER_FAILED, INSTANCE, 3)

    # MEASURES section 2: over pairs (G, rubric) own 1 + 0 + 3, others 1 + 0 + 2
    assert matched_ratio(parts).value == pytest.approx(4 / 3)
    assert (parts.n_own, parts.n_other) == (3, 6)
    assert (parts.credited_own, parts.credited_other) == (2, 3)


def test_many_rubrics_failed_by_few_outweigh_one_failed_by_many():
    # twenty rubrics that one other failed, credited alike; one that forty failed, only the own one credited
    own_credited = np.array([True, False] * 10 + [True])
    other_credited = np.array([1, 0] * 10 + [0])
    other_failed = np.array([1] * 20 + [40])
    place = np.arange(21)
    everywhere = np.ones(21, dtype=bool)

    weighted = matched_ratio(
        mantel_haenszel_parts(own_credited, everywhere, other_credited, other_failed, place, 21)
    )
    plain = matched_ratio(plain_parts(own_credited, everywhere, other_credited, other_failed, place, 21))

    assert plain.value == pytest.approx((10 + 40) / 10)
    assert weighted.value == pytest.approx((10 / 2 + 40 / 41) / (10 / 2))


def test_judges_are_counted_separately():
    rng = np.random.default_rng(4)
    own_failed = rng.random((3, 60)) < 0.5
    other_failed = rng.integers(0, 4, (3, 60))
    own_credited = rng.random((3, 60)) < 0.4
    other_credited = rng.binomial(other_failed, 0.4)
    place = np.repeat(np.arange(20), 3)

    every = matched_ratio(
        mantel_haenszel_parts(own_credited, own_failed, other_credited, other_failed, place, 20)
    )

    for one in range(3):
        alone = mantel_haenszel_parts(
            own_credited[one], own_failed[one], other_credited[one], other_failed[one], place, 20
        )
        ratio = matched_ratio(alone)
        assert ratio.value == pytest.approx(every.value[one])
        assert ratio.low == pytest.approx(every.low[one])
        assert ratio.method == every.method[one]


def test_few_credited_failures_have_the_few_cases_interval_and_many_a_t_interval():
    rng = np.random.default_rng(6)
    size = 300
    failed, other_failed = np.ones((2, size), dtype=bool), np.full((2, size), 3)
    credited = rng.random((2, size)) < 0.4
    credited[0] = np.arange(size) < 3
    other_credited = rng.binomial(other_failed, 0.1)

    ratio = matched_ratio(
        mantel_haenszel_parts(credited, failed, other_credited, other_failed, np.arange(size), size)
    )

    assert ratio.method.tolist() == [SCORE, T_ON_THE_LOG]
    assert ratio.high[0] < 1 < ratio.low[1]
    assert (ratio.p < 0.05).all()


def test_without_matched_rubrics_or_credited_others_there_is_no_ratio():
    failed = np.array([[False] * 6, [True] * 6])
    credited = np.array([[False] * 6, [True] * 6])

    ratio = matched_ratio(
        mantel_haenszel_parts(
            credited, failed, np.zeros((2, 6), dtype=int), np.full((2, 6), 2), np.arange(6), 6
        )
    )

    assert np.isnan(ratio.value).all()
    assert np.isnan([ratio.low, ratio.high, ratio.p]).all()
    assert ratio.reason.tolist() == ["no_matched_rubrics", "no_overestimation_of_others"]


def test_equal_judging_gives_1_whoever_failed():
    rng = np.random.default_rng(9)
    other_failed = rng.integers(1, 5, 400)
    good = rng.random(400) < 0.5  # the judge credits all failures of a rubric or none

    ratio = matched_ratio(
        mantel_haenszel_parts(
            good, np.ones(400, dtype=bool), other_failed * good, other_failed, np.arange(400) // 4, 100
        )
    )

    assert ratio.value == pytest.approx(1.0)


def test_the_terms_of_own_failures_add_up_to_both_ratios():
    own_credited, other_credited, other_failed = (
        np.array([True, False, True]),
        np.array([1, 0, 2]),
        np.array([1, 2, 3]),
    )

    terms = matched_terms(own_credited, other_credited, other_failed)

    # n, n a and c; by Mantel and Haenszel n a / (n + 1) and c / (n + 1)
    np.testing.assert_allclose(
        terms, [[1, 2, 3], [1, 0, 3], [1, 0, 2], [1 / 2, 0, 3 / 4], [1 / 2, 0, 2 / 4]]
    )  # fmt: skip
    matched = OWN_FAILED & (OTHER_FAILED > 0)
    for make, (hits, trials) in ((plain_parts, (1, 2)), (mantel_haenszel_parts, (3, 4))):
        parts = make(OWN_CREDITED, OWN_FAILED, OTHER_CREDITED, OTHER_FAILED, INSTANCE, 3)
        of_all = matched_terms(OWN_CREDITED[matched], OTHER_CREDITED[matched], OTHER_FAILED[matched]).sum(
            axis=1
        )
        assert of_all[hits] / of_all[trials] == pytest.approx(matched_ratio(parts).value)


@pytest.mark.parametrize("mantel_haenszel", [True, False])
def test_ratios_with_leading_axes_are_computed_together(mantel_haenszel):
    rng = np.random.default_rng(8)
    own_failed, other_failed = rng.random((2, 3, 60)) < 0.6, rng.integers(0, 5, (2, 3, 60))
    own_credited, other_credited = rng.random((2, 3, 60)) < 0.4, rng.binomial(other_failed, 0.3)
    counts = own_credited, own_failed, other_credited, other_failed
    make = partial(matched_parts, mantel_haenszel=mantel_haenszel)
    place = np.arange(60) // 4

    together = matched_ratio(make(*counts, place, 15))

    for lead in np.ndindex(2, 3):
        one = matched_ratio(make(*(part[lead] for part in counts), place, 15))
        for name in ("value", "low", "high", "p", "rubrics", "instances"):
            assert getattr(together, name)[lead] == pytest.approx(getattr(one, name)), name
        assert (together.method[lead], together.reason[lead]) == (one.method, one.reason)


@pytest.mark.parametrize(
    ("instances", "alike"), [(12, 0.5), (12, 1.0), (12, 0.0), (7, 0.9), (5, 0.9), (3, 0.9)]
)
def test_few_cases_are_worth_more_where_easy_rubrics_are_easy_for_both_sides(instances, alike):
    rng = np.random.default_rng(instances)
    failed, other_failed = np.ones(instances, dtype=bool), np.full(instances, 2)
    easy = np.arange(instances) % 3 == 0
    own = np.where(rng.random(instances) < alike, easy, rng.random(instances) < 0.4)
    others = np.where(rng.random(instances) < alike, 2 * easy, rng.integers(0, 3, instances))
    others[1] = 1  # not all alike
    parts = mantel_haenszel_parts(own, failed, others, other_failed, np.arange(instances), instances)

    ratio = matched_ratio(parts)

    sides = []
    for credited, squares in ((parts.own, parts.own_squares), (parts.other, parts.other_squares)):
        cases = cases_of_weights(credited, parts.weights, squares)
        sides.append((cases, credited - cases.rate * parts.weights))
    (own_cases, a), (other_cases, b) = sides
    gain = sum(x**2 + y**2 for x, y in zip(a, b, strict=True)) / sum(
        (x - y) ** 2 for x, y in zip(a, b, strict=True)
    )
    worth = 1 + max(0, 1 - 5 / instances) * (min(max(gain, 1), 2) - 1)
    expected = ratio_of_rates(
        *(replace(each, number=each.number * worth) for each in (own_cases, other_cases))
    )
    assert ratio.method == (SCORE if expected.reason == "" else "")
    for name in ("low", "high", "p"):
        assert getattr(ratio, name) == pytest.approx(getattr(expected, name), nan_ok=True)
