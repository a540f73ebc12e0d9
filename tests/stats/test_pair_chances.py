"""Covariances of verdicts given how many of a cell are favourable, against listing every subset."""

from itertools import combinations

import numpy as np
import pytest

from engine.stats.conditional.conditional_likelihood import Point
from engine.stats.conditional.strata import Strata, Verdicts

JUDGES, GENERATORS = 6, 3


def drawn(weighted=True):
    rng = np.random.default_rng(3)
    present = rng.random((50, JUDGES)) < 0.8
    favourable = present & (rng.random((50, JUDGES)) < 0.4)
    weight = rng.integers(1, 4, 50).astype(float) if weighted else None
    cells = Verdicts(favourable, present, rng.integers(GENERATORS, size=50), np.arange(50), weight)
    strata = Strata.of(cells.without(np.zeros((JUDGES, GENERATORS), dtype=bool)), GENERATORS)
    eta = np.tile([0.3, -0.7, 0.3, 1.1, 0.0, -0.4], (GENERATORS, 1))  # the first and the third are alike
    eta[1, 2] = eta[1, 3] = 0.8
    eta[2, 0] = 1.1
    return strata, eta


def covariance_of(cell, strata, eta):
    """The covariance of one cell's verdicts, from the chances of all subsets of as many judges."""
    present, credited = np.flatnonzero(strata.cells.present[cell]), strata.cells.favourable[cell].sum()
    subsets = np.array(
        [np.isin(np.arange(JUDGES), subset) for subset in combinations(present, credited)], dtype=float
    )
    weight = np.exp(subsets @ eta[strata.cells.generator[cell]])
    weight /= weight.sum()
    mean = weight @ subsets
    return (subsets * weight[:, None]).T @ subsets - np.outer(mean, mean)


def close(expected):
    return pytest.approx(expected, abs=2e-3)  # judges that are alike are moved 1e-5 apart


def test_covariances_of_a_generator_are_those_over_all_subsets():
    strata, eta = drawn()
    pairs = Point(strata, eta).pairs()

    by_generator = np.zeros((GENERATORS, JUDGES, JUDGES))
    for cell, generator in enumerate(strata.cells.generator):
        by_generator[generator] += strata.cells.weight[cell] * covariance_of(cell, strata, eta)

    for g in range(GENERATORS):
        assert pairs.covariance(g) == close(by_generator[g])
    generator, judge = np.array([2, 0, 2, 1]), np.array([0, 4, 5, 3])
    assert pairs.covariances(generator, judge) == close(by_generator[generator, judge])


def test_a_cells_covariance_times_values_is_that_over_all_subsets():
    strata, eta = drawn()
    values = np.random.default_rng(1).normal(size=strata.cells.present.shape)

    product = Point(strata, eta).pairs().times_covariance(values)

    for cell, row in enumerate(values):
        assert product[cell] == close(covariance_of(cell, strata, eta) @ row)


def test_blocks_of_cells_give_what_all_together_do(monkeypatch):
    strata, eta = drawn()
    values = np.random.default_rng(2).normal(size=strata.cells.present.shape)
    together = Point(strata, eta).pairs().times_covariance(values)

    monkeypatch.setattr("engine.stats.conditional.pair_chances._NEAR", 1)

    assert len(values) > 2 * 16  # rows at a time
    np.testing.assert_allclose(Point(strata, eta).pairs().times_covariance(values), together, atol=1e-12)


def test_the_usual_covariance_is_of_judges_that_are_neither_apart_nor_unusual():
    strata, eta = drawn(weighted=False)
    apart = np.zeros((GENERATORS, JUDGES), dtype=bool)
    apart[0, 4] = apart[2, 1] = True
    pairs = Point(strata, eta).pairs()

    covariance = pairs.usual_covariance(apart)

    expected = np.zeros((JUDGES, JUDGES))
    unusual = np.zeros((GENERATORS, JUDGES), dtype=bool)
    unusual[1, [2, 3]] = unusual[2, 0] = True
    for cell, generator in enumerate(strata.cells.generator):
        usual = ~(apart | unusual | pairs.unusual)[generator]
        expected += covariance_of(cell, strata, eta) * np.outer(usual, usual)
    assert (pairs.unusual >= unusual).all()
    assert covariance == close(expected)


def test_judges_that_are_all_alike_share_the_covariance_of_drawing_without_replacement():
    # Two of four: the chance of each is 1/2, of two together 1/6.
    present = np.ones((1, 4), dtype=bool)
    favourable = np.array([[True, True, False, False]])
    strata = Strata.of(Verdicts(favourable, present, np.zeros(1, dtype=int), np.zeros(1, dtype=int)), 1)

    covariance = Point(strata, np.full((1, 4), 0.7)).pairs().covariance(0)

    assert covariance == pytest.approx(np.where(np.eye(4, dtype=bool), 1 / 4, 1 / 6 - 1 / 4), abs=1e-4)
