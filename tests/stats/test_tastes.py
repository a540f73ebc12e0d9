"""What judges like: families, and the style that judges share, against plain loops and by hand."""

import math

import numpy as np
import pytest

from engine.stats.conditional.tastes import (
    Families,
    FamilyTastes,
    allow_for_shared_taste,
    family_tastes,
    placebos_of_families,
    styles_outside,
)
from engine.stats.intervals.jackknife import Estimates
from engine.stats.outside.outside import FamilyMasks

NAN = np.nan


def masks(judges, generators):
    of_judges, of_generators = np.array(list(judges)), np.array(list(generators))
    own = np.eye(len(judges), len(generators), dtype=bool)
    related = of_judges[:, None] == of_generators
    return FamilyMasks(
        own,
        related & ~own,
        ~related,
        of_judges[:, None] != of_judges,
        of_generators[:, None] != of_generators,
    )


def test_families_have_one_number_for_judges_and_generators():
    families = Families.of(masks("FGFH", "FGFKKH"))

    assert families.judge.tolist() == [0, 1, 0, 3]
    of_generators = families.generator.tolist()
    assert of_generators[:3] == [0, 1, 0]
    assert of_generators[5] == 3
    assert of_generators[3] == of_generators[4]  # no judge is of their family
    assert of_generators[3] not in families.judge


@pytest.mark.parametrize(
    ("families", "judges", "assumed", "variance", "freedom"),
    [
        (8, 8, False, (0.3 * 8 / 7) ** 2 + (0.2 * 8 / 7) ** 2, 49 - 8),
        (5, 10, False, ((0.3 * 5 / 4) ** 2 + (0.2 * 10 / 9) ** 2) * 5 / 3, 16 - 5),
        (6, 6, False, (0.3 * 6 / 5) ** 2 + (0.2 * 6 / 5) ** 2, 25 - 6),
        (3, 5, False, ((0.3 * 3 / 2) ** 2 + (0.2 * 5 / 4) ** 2) * 3, 1),
        (2, 5, False, (0.3 * 2) ** 2 + (0.2 * 5 / 4) ** 2, 1),
        (1, 1, False, (0.3 * 2) ** 2 + (0.2 * 2) ** 2, 1),
        (4, 4, True, (0.3 * 4 / 3) ** 2 + (0.2 * 4 / 3) ** 2, math.inf),
    ],
)
def test_tastes_add_what_the_spreads_say_more_with_fewer_than_six_families(
    families, judges, assumed, variance, freedom
):
    tastes = FamilyTastes(0.3, 0.2, families, judges, assumed)

    assert tastes.variance == pytest.approx(variance)
    assert tastes.freedom == freedom


def test_a_judge_with_more_tastes_than_the_rest_has_its_own_variance():
    tastes = FamilyTastes(0.3, 0.4, 7, 9)
    placebo = np.array([[2.0, -2.0, 1.0], [0.1, -0.1, NAN]] + [[NAN] * 3] * 7)
    se = np.full((9, 3), 0.5)

    variance = tastes.variance_of_judges(placebo, se)

    # The first: (9 / .25 - 3) / ((8/9)^2 3 / .25) = 3.48; with five times .09 + .16 in 8: 1.461 x (9/8)^2.
    of_first = (9 / 0.25 - 3) / ((8 / 9) ** 2 * 12)
    assert variance[0] == pytest.approx((3 * of_first + 5 * 0.25) / 8 * (9 / 8) ** 2)
    assert variance[1:] == pytest.approx(tastes.variance)


@pytest.mark.parametrize(
    ("judges", "in_log_odds", "between", "assumed"),
    [(4, True, 0.34, True), (4, False, NAN, False)],
)
def test_of_fewer_than_five_judges_the_published_spread_is_assumed_for_log_odds(
    judges, in_log_odds, between, assumed
):
    families = Families(np.arange(5), np.arange(5))
    present = np.arange(5) < judges

    tastes = family_tastes(np.ones((5, 5)), np.ones((5, 5)), families, present, in_log_odds=in_log_odds)

    assert (tastes.between, tastes.within) == (pytest.approx(between, nan_ok=True), 0)
    assert (tastes.assumed, tastes.families, tastes.judges) == (assumed, 4, 4)


def plain_spreads(placebo, se, family):
    """Return tau_B and tau_W by the formulas of section 16, block by block."""
    n, families = len(family), len(set(family))
    cells = [(j, g) for j in range(n) for g in range(n) if np.isfinite(placebo[j, g]) and se[j, g] > 0]
    blocks = {}
    for j, g in cells:
        blocks.setdefault((family[j], family[g]), []).append((placebo[j, g], se[j, g] ** -2))
    means = [
        (np.average([t for t, _ in each], weights=[w for _, w in each]), sum(w for _, w in each))
        for each in blocks.values()
    ]
    one, two = (
        (sum(w * t**2 for t, w in of) - len(of)) / sum(w for _, w in of)
        for of in ([cell for each in blocks.values() for cell in each], means)
    )
    k, beyond = len(cells) / len(blocks), (1 - 1 / families) ** 2
    if k <= 1.01:
        return math.sqrt(max(one, 0) / beyond), 0.0
    within = (one - two) / (1 - 1 / k) / (1 - 1 / n) ** 2
    between = min((two - max(one - two, 0) / (k - 1)) / beyond, max(one, 0) / beyond)
    return math.sqrt(max(between, 0)), math.sqrt(max(within, 0))


@pytest.mark.parametrize(
    ("family", "doubles", "between", "within", "error"),
    [
        ("abcdef", 6, 0.6, 0.0, 0.2),  # one placebo a block
        ("abcdefghijkll", 1, 0.6, 0.3, 0.2),  # 133 in 132 blocks: as if one in each
        ("abcdefghijkll", 2, 0.6, 0.3, 0.2),
        ("aabbcc", 6, 0.6, 0.3, 0.2),
        ("aabbcc", 6, 0.0, 0.6, 0.2),
        ("aabbcc", 6, 0.6, -1.0, 0.2),  # judges of a family agree by less than their errors
        ("aabbcc", 6, 0.0, 0.0, 0.9),
        ("aabbcc", 6, 0.0, 0.0, 0.01),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_the_spreads_of_tastes_are_those_of_their_formulas(family, doubles, between, within, error, seed):
    rng = np.random.default_rng(seed)
    code = np.array([ord(letter) for letter in family])
    n = len(code)
    of_blocks = {(a, b): rng.normal(0, between) for a in code for b in code}
    placebo = np.array([[of_blocks[a, b] for b in code] for a in code])
    placebo += rng.normal(0, error if within >= 0 else 0.01, (n, n)) + rng.normal(0, max(within, 0), (n, n))
    placebo[code[:, None] == code] = NAN
    if doubles < 6:  # the last judge has so many placebos, and nobody one on its responses
        placebo[-1, doubles:], placebo[:, -1] = NAN, NAN
    se = np.full((n, n), error) * rng.uniform(0.9, 1.1, (n, n))

    tastes = family_tastes(placebo, se, Families(code, code), np.ones(n, dtype=bool), in_log_odds=True)

    assert (tastes.between, tastes.within) == pytest.approx(plain_spreads(placebo, se, code))


@pytest.mark.parametrize("lacking", ["placebos", "errors", "families"])
def test_tastes_are_unknown_without_placebos_or_three_families(lacking):
    code = np.array([0, 0, 1, 1, 1] if lacking == "families" else [0, 1, 2, 2, 2])
    placebo = np.full((5, 5), NAN if lacking == "placebos" else 0.5)
    se = np.full((5, 5), 0.0 if lacking == "errors" else 0.2)

    tastes = family_tastes(placebo, se, Families(code, code), np.ones(5, dtype=bool), in_log_odds=True)

    assert np.isnan([tastes.between, tastes.within, tastes.variance]).all()
    assert not tastes.assumed


def test_three_families_and_five_judges_are_enough():
    code = np.array([0, 1, 2, 2, 2])
    placebo = np.where(code[:, None] == code, NAN, 0.9)

    tastes = family_tastes(
        placebo, np.full((5, 5), 0.2), Families(code, code), np.ones(5, dtype=bool), in_log_odds=True
    )

    assert np.isfinite(tastes.variance)


def test_families_judge_each_other_by_their_weighted_mean():
    families = Families(np.array([4, 4, 7]), np.array([4, 7, 7, 9]))
    placebo = np.array([[NAN, 0.2, 0.5, 9.0], [NAN, 0.8, NAN, 9.0], [-0.3, NAN, NAN, 9.0]])
    se = np.array([[1.0, 0.5, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0.5, 1.0, 1.0, 1.0]])

    means = placebos_of_families(placebo, se, families, np.array([4, 7]))

    # Weights 4, 1 and 1: (.8 + .5 + .8) / 6.
    np.testing.assert_allclose(means, [[NAN, 0.35], [-0.3, NAN]])


def test_placebos_without_an_error_have_no_weight():
    families = Families(np.arange(2), np.arange(2))

    means = placebos_of_families(
        np.array([[NAN, 0.2], [0.4, NAN]]), np.array([[0, 0.0], [1, 0]]), families, np.arange(2)
    )

    np.testing.assert_allclose(means, [[NAN, NAN], [0.4, NAN]])


def test_what_a_shared_taste_explains_is_taken_off():
    own = Estimates(np.array([1.0, 0.5, 0.7, 0.4]), np.array([0.3, 0.2, 0.1, 0.2]), np.array([9, 9, 9, 9]))
    placebo = np.array([[NAN, 0.6, -0.2, 0.9], [0.3, NAN, 0.3, 0.1], [NAN] * 4, [0.2, 0.1, 0.3, NAN]])
    se = np.array([[1.0, 0.5, 1.0, 1.0], [0.2, 1.0, 0.4, 0.0], [1.0] * 4, [1.0] * 4])
    mask = np.eye(4, dtype=bool)
    mask[0, 3] = True  # the first judge has two responses, and a placebo on one of them
    styles = np.array([[1.2, -0.5, 0.7, 0.1], [0.4, 1.5, -1.0, 0.3], [0.1] * 4, [0.2, 0.4, -0.1, NAN]])

    rest = allow_for_shared_taste(own, placebo, se, mask, styles, 0.4)

    for j in (0, 1):
        usable = [g for g in range(4) if not np.isnan(placebo[j, g]) and se[j, g] > 0]
        weight = np.array([se[j, g] ** -2 for g in usable])
        middle = (weight * styles[j, usable]).sum() / weight.sum()
        centred = styles[j] - middle
        squares = (weight * centred[usable] ** 2).sum() + 1 / 0.4**2
        slope = (weight * centred[usable] * placebo[j, usable]).sum() / squares
        of_own = centred[mask[j]].mean()
        assert rest.value[j] == pytest.approx(own.value[j] - slope * of_own)
        assert rest.se[j] == pytest.approx(math.hypot(own.se[j], of_own / math.sqrt(squares)))
    # The third has no placebo, the fourth no style of its own response.
    assert rest.value[2:].tolist() == [0.7, 0.4]
    assert rest.se[2:].tolist() == [0.1, 0.2]
    assert rest.freedom is own.freedom


def test_without_a_style_or_a_response_of_its_own_nothing_is_taken_off():
    own = Estimates(np.array([1.0]), np.array([0.3]), np.array([9]))
    placebo, se = np.array([[0.1, 0.2]]), np.ones((1, 2))

    assert (
        allow_for_shared_taste(own, placebo, se, np.ones((1, 2), dtype=bool), np.full((1, 2), NAN), 0.4)
        is own
    )
    assert allow_for_shared_taste(own, placebo, se, np.zeros((1, 2), dtype=bool), np.ones((1, 2)), 0.4) is own


def plain_style(rows):
    """The first right singular vector of placebos with what is missing filled in by 15 shrunk fits."""
    columns = [g for g in range(rows.shape[1]) if np.isfinite(rows[:, g]).any()]
    known = np.array([row[columns] for row in rows if np.isfinite(row).any()])
    filled, missing = np.nan_to_num(known), np.isnan(known)
    for _ in range(15):
        vector = np.linalg.eigh(filled.T @ filled)[1][:, -1]
        filled[missing] = 0.8 * np.outer(filled @ vector, vector)[missing]
    style = np.full(rows.shape[1], NAN)
    vector = np.linalg.eigh(filled.T @ filled)[1][:, -1]
    style[columns] = vector / vector.std()
    return style


def shared_taste(code, seed, loud=1.0):
    """Placebos of judges that share a style, none on their own families' responses."""
    rng = np.random.default_rng(seed)
    n = len(code)
    placebo = loud * rng.normal(1, 0.3, (n, 1)) * rng.normal(0.3, 1, n) + rng.normal(0, 0.2, (n, n))
    placebo[(code[:, None] == code) | (rng.random((n, n)) < 0.1)] = NAN
    return placebo


def assert_same_style(actual, expected, tolerance):
    sign = np.sign(np.nansum(actual * expected))
    np.testing.assert_allclose(sign * actual, expected, atol=tolerance)


@pytest.mark.parametrize("seed", range(3))
def test_a_style_is_that_of_the_judges_outside_the_family(seed):
    code = np.array([3, 3, 0, 1, 1, 2, 5])
    placebo = shared_taste(code, seed)
    placebo[4] = NAN
    placebo[:, 6] = NAN  # nobody has a placebo on the last
    placebo[2, 0] = 99.0  # has no error: it is none
    se = np.full(placebo.shape, 0.2)
    se[2, 0] = 0.0

    styles = styles_outside(placebo, se, Families(code, code), 0.3)

    known = np.where(se > 0, placebo, NAN)
    for j in range(7):
        assert_same_style(styles[j], plain_style(known[code != code[j]]), 1e-8)
        assert np.nanstd(styles[j]) == pytest.approx(1)
    assert np.isnan(styles[:, 6]).all()


def test_of_more_than_twenty_judges_outside_the_style_is_nearly_that_of_the_decomposition():
    code = np.repeat(np.arange(12), 2)
    placebo = shared_taste(code, 5)

    styles = styles_outside(placebo, np.full(placebo.shape, 0.2), Families(code, code), 0.3)

    for j in range(0, 24, 5):
        assert_same_style(styles[j], plain_style(placebo[code != code[j]]), 1e-6)


def test_of_more_than_twenty_families_what_is_missing_is_filled_in_once():
    code = np.concatenate([np.arange(22), [20]])  # 21 families have placebos
    placebo = shared_taste(code, 6)
    placebo[7], placebo[:, 4] = NAN, NAN

    styles = styles_outside(placebo, np.full(placebo.shape, 0.2), Families(code, code), 0.3)

    rows, columns = [j for j in range(23) if j != 7], [g for g in range(23) if g != 4]
    known = placebo[np.ix_(rows, columns)]
    filled, missing = np.nan_to_num(known), np.isnan(known)
    for _ in range(15):
        vector = np.linalg.eigh(filled.T @ filled)[1][:, -1]
        filled[missing] = 0.8 * np.outer(filled @ vector, vector)[missing]
    for j in range(23):
        outside = filled[code[rows] != code[j]]
        vector = np.linalg.eigh(outside.T @ outside)[1][:, -1]
        assert_same_style(styles[j][columns], vector / vector.std(), 1e-5)
        assert np.isnan(styles[j][4])


@pytest.mark.parametrize("families", [3, 23])
def test_a_style_needs_two_judges_and_two_responses(families):
    code = np.arange(families)
    one_judge, one_response = np.full((2, families, families), NAN)
    one_judge[0], one_response[:, 0] = 0.3, np.linspace(0.1, 0.9, families)
    one_judge[0, 0] = 0.5

    for placebo in (one_judge, one_response):
        styles = styles_outside(placebo, np.ones(placebo.shape), Families(code, code), 0.3)
        assert np.isnan(styles).all()


def test_two_judges_outside_and_two_responses_are_enough_for_a_style():
    # One outside judge likes both responses alike, the other the second alone.
    placebo = np.array([[NAN, NAN, NAN], [0.5, 0.5, NAN], [0.0, 0.5, NAN]])
    code = np.arange(3)

    styles = styles_outside(placebo, np.ones((3, 3)), Families(code, code + 5), 0.3)

    assert_same_style(styles[0], plain_style(placebo[1:]), 1e-12)
    assert abs(styles[0, 1] - styles[0, 0]) == pytest.approx(2)  # two numbers of spread 1 are 2 apart


def test_of_many_families_with_placebos_of_twenty_the_style_is_that_of_the_judges_outside():
    code = np.arange(22)
    placebo = shared_taste(code, 7)
    placebo[:2] = NAN

    styles = styles_outside(placebo, np.ones(placebo.shape), Families(code, code), 0.3)

    for j in (0, 5, 21):
        assert_same_style(styles[j], plain_style(placebo[code != j]), 1e-8)


def test_two_judges_among_many_families_share_a_style_outside_their_own_alone():
    code = np.arange(23)
    placebo = shared_taste(code, 8)
    placebo[2:] = NAN

    styles = styles_outside(placebo, np.ones(placebo.shape), Families(code, code), 0.3)

    assert np.isnan(styles[:2]).all()  # one judge is left
    assert np.isfinite(styles[2:]).any(axis=1).all()


@pytest.mark.parametrize("spread", [0.0, NAN])
def test_without_a_spread_of_tastes_there_is_no_style(spread):
    placebo = shared_taste(np.arange(5), 1)

    assert np.isnan(
        styles_outside(placebo, np.ones((5, 5)), Families(np.arange(5), np.arange(5)), spread)
    ).all()


def test_judges_that_like_all_responses_alike_have_no_style():
    placebo = np.where(np.eye(4, dtype=bool), NAN, 0.5)
    placebo[0, 0] = placebo[1, 1] = 0.5

    styles = styles_outside(
        placebo[:, :2], np.ones((4, 2)), Families(np.array([5, 6, 7, 8]), np.arange(2)), 0.3
    )

    assert np.isnan(styles).all()
