"""Given and expected of the plain implementation, against arithmetic by hand and planted studies."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from plain.given_expected import (
    WEIGHTS,
    Cell,
    Marginal,
    expected_of_group,
    fit,
    given_and_expected,
    less,
    likelihoods,
    own_cells,
    rate,
)

JUDGES = ("J", "A", "B", "C", "D", "E")


def relations_of(families=None):
    families = families or {}
    return {
        (one, two): "self"
        if one == two
        else "family"
        if families.get(one, one) == families.get(two, two)
        else "other"
        for one in JUDGES
        for two in JUDGES
    }


def drawn(cells_each=60, own=0.0, base=None, seed=1, sigma=1.5, mean=None):
    """Cells with a true a_c; every judge passes by its B, J's own by `own` log-odds more."""
    draw = np.random.default_rng(seed)
    base, mean = base or {}, mean or {}
    cells = []
    for generator in JUDGES:
        for _cell in range(cells_each):
            a = mean.get(generator, -0.5) + sigma * draw.standard_normal()
            passed = {
                judge: bool(
                    draw.random() < expit(a + base.get(judge, 0.0) + own * (judge == generator == "J"))
                )
                for judge in JUDGES
            }
            cells.append(Cell(generator, passed))
    return cells


def test_the_integral_of_a_cell_is_that_of_an_adaptive_rule():
    model = Marginal({"J": 0.3, "A": -0.3}, {"J": 0.7}, {}, {"J": -0.4}, 1.3, 0.0)
    cell = Cell("J", {"J": True, "A": False})

    by_grid = float(WEIGHTS @ likelihoods(model, cell, relations_of()))

    def integrand(z):
        a = -0.4 + 1.3 * z
        return norm.pdf(z) * expit(a + 0.3 + 0.7) * (1 - expit(a - 0.3))

    assert by_grid == pytest.approx(quad(integrand, -10, 10)[0], abs=1e-9)


def test_own_cells_need_a_verdict_by_the_judge_and_by_an_outside_one():
    cells = [
        Cell("J", {"J": True, "A": True}),
        Cell("J", {"J": True, "B": True}),  # B is of J's family
        Cell("J", {"A": True}),
        Cell("A", {"J": True, "A": True}),
    ]

    assert own_cells(cells, "J", relations_of({"B": "J"})) == cells[:1]


def test_without_spread_expected_is_given_with_the_odds_taken_away():
    # sigma near 0: every cell has the same a, so that odds of given over odds of expected are the odds_self.
    model = Marginal({"J": 0.0, "A": 0.0}, {"J": 0.0}, {}, {"J": 0.0}, 1e-9, 0.0)
    cells = [Cell("J", {"J": n < 8, "A": n % 2 == 0}) for n in range(10)]

    number = given_and_expected(
        model, cells, "J", relations_of(), math.log(4.0), (math.log(2.0), math.log(8.0))
    )

    # .8 is odds of 4; less odds of 4, 2 and 8: odds of 1, 2 and .5.
    assert number.given == pytest.approx(0.8)
    assert number.expected == pytest.approx(0.5)
    assert (number.low, number.high) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_all_passed_or_an_undefined_odds_expects_nothing():
    model = Marginal({"J": 0.0, "A": 0.0}, {}, {}, {"J": 0.0}, 1.0, 0.0)
    all_passed = [Cell("J", {"J": True, "A": False})] * 3
    some_passed = [*all_passed, Cell("J", {"J": False, "A": False})]

    assert given_and_expected(model, all_passed, "J", relations_of(), 0.5).expected is None
    assert given_and_expected(model, some_passed, "J", relations_of(), None).expected is None
    assert given_and_expected(model, some_passed, "J", relations_of(), None).given == 0.75
    assert given_and_expected(model, [], "J", relations_of(), 0.5).given is None


def test_expected_never_contradicts_the_sign_of_the_odds():
    cells = drawn(20)
    model = fit(cells, JUDGES, relations_of())

    for odds in (-1.0, -0.1, 0.1, 1.0):
        number = given_and_expected(model, cells, "J", relations_of(), odds)
        assert (number.given - number.expected) * odds > 0


@pytest.mark.parametrize("own", [0.0, 1.0])
def test_a_strict_author_that_convinces_everybody_is_expected_to_pass_what_it_would_without_bias(own):
    strict = {"J": -1.0}
    cells = drawn(60, own, strict, mean={"J": 1.0})
    neutral = drawn(60, 0.0, strict, mean={"J": 1.0})
    true = sum(cell.passed["J"] for cell in neutral if cell.generator == "J") / 60

    model = fit(cells, JUDGES, relations_of())
    number = given_and_expected(model, cells, "J", relations_of(), model.own["J"])

    # One study of 60 own cells: the fitted s_J has an error of .35, the rate one of .05.
    assert number.expected == pytest.approx(true, abs=0.12)
    assert model.sigma == pytest.approx(1.5, abs=0.35)
    assert sum(model.base.values()) == pytest.approx(0.0, abs=1e-9)


def test_the_posterior_uses_outside_verdicts_only():
    model = Marginal(dict.fromkeys(JUDGES, 0.0), {}, {}, dict.fromkeys(JUDGES, 0.0), 1.0, 0.0)
    relations = relations_of({"B": "J"})
    without_kin = [Cell("J", {"J": True, "A": True})]
    with_kin = [Cell("J", {"J": False, "A": True, "B": False})]

    one, two = rate(model, without_kin, "J", relations)(0.0), rate(model, with_kin, "J", relations)(0.0)

    assert one == pytest.approx(two)
    # By quadrature: integral of expit(z)^2 / integral of expit(z) = 2 E[expit^2].
    square = quad(lambda z: norm.pdf(z) * expit(z) ** 2, -10, 10)[0]
    assert one == pytest.approx(2 * square, abs=1e-9)


def test_pairs_and_scores_subtract_their_number():
    assert less(0.7, 0.12) == pytest.approx(0.58)
    assert less(0.3, 0.4) == pytest.approx(-0.1)  # beyond the scale, and not clipped
    assert less(None, 0.4) is None


def test_the_group_is_a_mean_over_families_of_their_members():
    def flat(level):
        return lambda d: level + d / 10

    given, expected = expected_of_group(
        {"F": [(flat(0.5), 1.0), (flat(0.3), 3.0)], "G": [(flat(0.2), 0.0)]},
        {"F": [0.6, 0.6], "G": [0.2]},
        0.5,
    )

    # F: (.5 + .05 + .3 + .25) / 2 = .55; G: .2 - .05 = .15.
    assert given == pytest.approx(0.4)
    assert expected == pytest.approx((0.55 + 0.15) / 2)
