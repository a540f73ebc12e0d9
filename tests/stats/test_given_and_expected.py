"""Given and expected: the model's likelihood by direct integration, and judges whose bias is known."""

import numpy as np
import pytest
from plain.given_expected import Cell
from plain.given_expected import fit as plain_fit
from scipy import integrate
from scipy.special import expit

from engine.stats.conditional.counted_cells import CellPatterns, OwnCells
from engine.stats.conditional.given_and_expected import Expectations, expectations
from engine.stats.conditional.marginal_fit import fit_marginal


def drawn(bias, strict=0.0, cells=4_000, judges=5, seed=1, convincing=0.0):
    """Draw verdicts of as many judges as generators; the first adds `bias` on its own, `strict` on all."""
    rng = np.random.default_rng(seed)
    strictness = np.zeros(judges)
    strictness[0] = strict
    verdicts = np.zeros((judges, cells, judges), dtype=bool)  # generators, cells, judges
    chances = np.zeros((judges, cells, judges))
    for g in range(judges):
        level = rng.normal(-1.0 + convincing * (g == 0), 1.2, cells)[:, None] + strictness
        chances[g] = expit(level)
        own = bias * (np.arange(judges) == 0) * (g == 0)
        verdicts[g] = rng.random((cells, judges)) < expit(level + own)
    return verdicts, chances


def patterns(verdicts):
    generators, _, judges = verdicts.shape
    rows = []
    for g in range(generators):
        totals, counts = np.unique(verdicts[g].sum(axis=1), return_counts=True)
        rows += [(g, total, count) for total, count in zip(totals, counts, strict=True)]
    generator, credited, count = (np.array(part) for part in zip(*rows, strict=True))
    present = np.ones((len(rows), judges), dtype=bool)
    return CellPatterns(generator, present, credited, count.astype(float), verdicts.sum(axis=1).astype(float))


def own_cells(verdicts):
    judges = verdicts.shape[2]
    outside = np.arange(judges) != 0
    totals, counts = np.unique(verdicts[0][:, outside].sum(axis=1), return_counts=True)
    present = np.tile(outside, (len(totals), 1))
    given = float(verdicts[0][:, 0].mean())
    return OwnCells(np.zeros(len(totals), dtype=int), present, totals, counts.astype(float), given)


@pytest.mark.parametrize(("bias", "strict", "convincing"), [(0, 0, 0), (1, 0, 0), (0, -1.5, 2), (1, 1.5, 2)])
def test_the_expected_share_is_that_of_a_judge_as_strict_without_the_bias(bias, strict, convincing):
    verdicts, chances = drawn(bias, strict, convincing=convincing)
    own = np.eye(5, dtype=bool)

    fit = fit_marginal(patterns(verdicts), own, np.zeros_like(own))
    first = expectations(fit, [own_cells(verdicts)])

    # chances of the own cells without the bias; 4,000 cells: the standard error of a share is below .008
    assert first.given == pytest.approx(verdicts[0][:, 0].mean())
    assert first.expected(np.array([bias])) == pytest.approx(chances[0][:, 0].mean(), abs=0.025)
    assert first.expected(np.zeros(1)) == pytest.approx(first.given, abs=1e-9)


def test_the_fit_has_no_slope_by_direct_integration():
    verdicts, _ = drawn(1.0, cells=150, judges=3)
    own = np.eye(3, dtype=bool)
    fit = fit_marginal(patterns(verdicts), own, np.zeros_like(own))

    def loss(shift, strictness):
        """Minus the log-likelihood with the own term of the first judge, and its strictness, shifted."""
        total = 0.0
        for g in range(3):
            eta = fit.mean[g] + fit.strictness + np.array([strictness, 0, 0]) + own[:, g] * fit.own
            eta = eta + np.array([shift * own[0, g], 0, 0])
            for verdict, count in zip(*np.unique(verdicts[g], axis=0, return_counts=True), strict=True):

                def density(z, eta=eta, verdict=verdict):
                    p = expit(eta + fit.spread * z)
                    return np.exp(-z * z / 2) * np.prod(np.where(verdict, p, 1 - p))

                total -= count * np.log(integrate.quad(density, -8, 8)[0] / np.sqrt(2 * np.pi))
        return total + 1e-4 * ((fit.own[0] + shift) ** 2) / 2

    middle = loss(0.0, 0.0)
    for shift, strictness in ((0.05, 0.0), (-0.05, 0.0), (0.0, 0.05), (0.0, -0.05)):
        assert loss(shift, strictness) > middle


@pytest.mark.parametrize(("spread", "seed"), [(0.1, 10), (1.0, 11), (3.0, 9)])
def test_where_a_fifth_of_the_verdicts_is_missing_the_fit_is_the_plain_one(spread, seed):
    rng = np.random.default_rng(seed)
    judges, names, rows, cells = 4, "abcd", [], []
    favourable = np.zeros((judges, judges))
    for g in range(judges):
        level = rng.normal(-1.0, spread, 20)[:, None] + np.array([0.0, -3.0, 1.5, 3.0])
        level[:, g] += 1.0
        present = rng.random(level.shape) < 0.8
        passed = (rng.random(level.shape) < expit(level)) & present
        favourable[g] = passed.sum(axis=0)
        for here, verdicts in zip(present, passed, strict=True):
            rows.append((g, here, verdicts.sum()))
            cells.append(Cell(names[g], {names[j]: bool(verdicts[j]) for j in np.flatnonzero(here)}))
    generator, present, credited = (np.array(part) for part in zip(*rows, strict=True))
    own = np.eye(judges, dtype=bool)
    relations = {(j, g): "self" if j == g else "other" for j in names for g in names}

    one = CellPatterns(generator, present, credited, np.ones(len(rows)), favourable)
    fit, plain = fit_marginal(one, own, np.zeros_like(own)), plain_fit(cells, names, relations)

    assert fit.spread == pytest.approx(plain.sigma, rel=0.01)
    assert fit.strictness == pytest.approx([plain.base[name] for name in names], rel=0.01, abs=0.01)


def test_differences_and_ratios_are_taken_off_what_was_given():
    assert Expectations(np.array([0.6]), "votes").expected(np.array([0.15])) == pytest.approx(0.45)
    assert Expectations(np.array([0.7]), "points").expected(np.array([5.0])) == pytest.approx(0.65)
    assert Expectations(np.array([0.6]), "ratio").expected(np.log([1.5])) == pytest.approx(0.4)


def test_what_was_passed_always_or_never_has_no_expectation():
    verdicts, _ = drawn(0.0, cells=200)
    verdicts[0][:, 0] = True
    own = np.eye(5, dtype=bool)

    first = expectations(fit_marginal(patterns(verdicts), own, np.zeros_like(own)), [own_cells(verdicts)])

    assert first.given == 1
    assert np.isnan(first.expected(np.array([0.5])))
