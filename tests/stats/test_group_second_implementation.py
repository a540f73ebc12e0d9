"""Tastes of families and the judges together, against their plain second version."""

import math

import numpy as np
import pytest
from plain.conditional import Estimate, Placebo
from plain.families import blocks, p_families, p_with_tastes, spread_of_families, together, variance_of_judge

from engine.stats.conclusions.group import assignment_p, derangements, group_estimate
from engine.stats.conditional.tastes import Families, family_tastes, placebos_of_families
from engine.stats.intervals.jackknife import Estimates

SHAPES = {
    "eight alone": [1] * 8,
    "three of four": [4] * 3,
    "five of two and one": [2, 2, 2, 2, 2, 1],
    "four judges": [1] * 4,
    "two families": [3, 3],
    "four of unlike sizes": [1, 2, 3, 4],
}


def drawn(sizes, seed, shared=0.4, alone=0.2, lost=0.15):
    """Return placebos of judges who all generate, some of them missing, as arrays and as a list."""
    draw = np.random.default_rng(seed)
    code = np.repeat(np.arange(len(sizes)), sizes)
    n = len(code)
    of_blocks = shared * draw.standard_normal((len(sizes), len(sizes)))
    theta = of_blocks[np.ix_(code, code)] + alone * draw.standard_normal((n, n))
    se = draw.uniform(0.1, 0.3, (n, n))
    theta += se * draw.standard_normal((n, n))
    hidden = (code[:, None] == code) | (draw.random((n, n)) < lost)
    theta, se = np.where(hidden, np.nan, theta), np.where(hidden, np.nan, se)
    names = [f"m{place}" for place in range(n)]
    family = {name: f"F{of}" for name, of in zip(names, code, strict=True)}
    placebos = [
        Placebo(names[j], names[g], theta[j, g], se[j, g]) for j, g in zip(*np.nonzero(~hidden), strict=True)
    ]
    return names, family, placebos, theta, se, Families(code, code)


def same(actual, expected):
    return math.isnan(actual) if expected is None else actual == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("odds", [True, False])
@pytest.mark.parametrize("kind", SHAPES)
def test_what_tastes_add_is_that_of_the_definition(kind, odds):
    for seed, (shared, alone) in enumerate(((0.4, 0.2), (0.0, 0.5), (0.5, 0.0), (0.0, 0.0))):
        names, family, placebos, theta, se, families = drawn(SHAPES[kind], seed, shared, alone)
        expected = spread_of_families(placebos, names, family, odds)

        tastes = family_tastes(theta, se, families, np.ones(len(names), dtype=bool), in_log_odds=odds)

        assert same(tastes.variance, expected.added)
        if expected.added is not None:
            assert tastes.between**2 == pytest.approx(expected.between)
            assert tastes.within**2 == pytest.approx(expected.within)
            assert tastes.freedom == expected.df
            of_each = tastes.variance_of_judges(theta, se)
            for name, variance in zip(names, of_each, strict=True):
                own = [placebo for placebo in placebos if placebo.judge == name]
                assert same(variance, variance_of_judge(own, expected, len(names)))


@pytest.mark.parametrize("kind", ["eight alone", "five of two and one", "four of unlike sizes"])
def test_the_judges_together_are_those_of_the_definition(kind):
    for seed in range(4):
        names, family, placebos, theta, se, families = drawn(SHAPES[kind], seed)
        draw = np.random.default_rng(100 + seed)
        value, error = draw.normal(0.3, 0.4, len(names)), draw.uniform(0.1, 0.4, len(names))
        value[-1] = np.nan
        spread = spread_of_families(placebos, names, family, True)
        numbers = {
            name: Estimate(None if math.isnan(v) else v, e, 20)
            for name, v, e in zip(names, value, error, strict=True)
        }
        if len(set(family.values())) > 7:  # too many derangements for the plain version
            continue
        expected = together(numbers, family, placebos, spread)

        group = group_estimate(value, 1 / (error**2 + spread.added), families.judge)
        means = placebos_of_families(theta, se, families, group.which)
        assigned = assignment_p(group.estimate, means, derangements(len(means), np.random.default_rng(0)))

        assert group.families == expected.families
        assert group.estimate == pytest.approx(expected.estimate)
        assert (group.low, group.high, group.p) == pytest.approx((expected.low, expected.high, expected.p))
        assert assigned.p == pytest.approx(expected.p_families)


def test_derangements_drawn_for_eight_families_approach_all_of_them():
    names, family, placebos, theta, se, families = drawn([1] * 8, 3, lost=0.0)
    means = {family[name]: 0.02 for name in names}

    table = placebos_of_families(theta, se, families, np.arange(8))
    assigned = assignment_p(0.02, table, derangements(8, np.random.default_rng(1)))

    # 14,833 of them; the error of 10,000 draws is .005.
    assert assigned.p == pytest.approx(p_families(means, blocks(placebos, family)), abs=0.02)


def test_p_with_tastes_is_that_of_the_definition():
    own = Estimates(np.array([1.0, -0.4]), np.array([0.5, 0.2]), np.array([30, 12]))

    p = own.with_variance(np.array([0.2, 0.0]), 5.0).p()

    expected = [
        p_with_tastes(Estimate(1.0, 0.5, 30), 0.2, 5.0),
        p_with_tastes(Estimate(-0.4, 0.2, 12), 0.0, 5.0),
    ]
    assert p == pytest.approx(expected)
