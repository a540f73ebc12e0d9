"""The marginal fit with families, verdicts missing and verdicts alike, against a plain sum over cells."""

from dataclasses import replace

import numpy as np
import pytest
from plain.given_expected import Cell, given_and_expected, rate
from plain.given_expected import fit as plain_fit
from plain.given_expected import own_cells as plain_own_cells
from scipy.special import expit

from engine.stats.conditional.counted_cells import CellPatterns, OwnCells
from engine.stats.conditional.given_and_expected import expectations
from engine.stats.conditional.marginal_fit import _inverse, beginning, fit_marginal

NAMES, FAMILY = "abcde", "FFGHI"
RELATIONS = {
    (j, g): "self" if j == g else "family" if FAMILY[NAMES.index(j)] == FAMILY[NAMES.index(g)] else "other"
    for j in NAMES
    for g in NAMES
}
OWN = np.eye(5, dtype=bool)
RELATED = (np.array(list(FAMILY))[:, None] == list(FAMILY)) & ~OWN


def drawn(seed=4, every=False, silent=None, number=30):
    """Verdicts on cells of five judges that answer, as rows of patterns and as plain cells."""
    rng = np.random.default_rng(seed)
    rows, cells, favourable = [], [], np.zeros((5, 5))
    for g in range(5):
        level = rng.normal(-0.5 + 0.3 * g, 1.2, number)[:, None] + np.array([0.0, -0.6, 0.4, 0.8, -0.2])
        level = level + 0.9 * OWN[:, g] + 0.5 * RELATED[:, g]
        present = rng.random(level.shape) < 0.85
        present[:, g] &= g != silent
        passed = (rng.random(level.shape) < expit(level)) & present
        if every and g == 2:
            passed[:, 2] = present[:, 2]  # the third judge passes all of its own
        favourable[g] = passed.sum(axis=0)
        for here, verdicts in zip(present, passed, strict=True):
            rows.append((g, here, verdicts.sum()))
            cells.append(Cell(NAMES[g], {NAMES[j]: bool(verdicts[j]) for j in np.flatnonzero(here)}))
    generator, present, credited = (np.array(part) for part in zip(*rows, strict=True))
    return CellPatterns(generator, present, credited, np.ones(len(rows)), favourable), cells


def own_cells(cells, judge):
    """What judges outside its family say of a judge's own cells, one row a cell."""
    outside = [j for j in range(5) if FAMILY[j] != FAMILY[judge]]
    rows = []
    for cell in cells:
        there = np.array([j in outside and NAMES[j] in cell.passed for j in range(5)])
        if cell.generator == NAMES[judge] and NAMES[judge] in cell.passed and there.any():
            credited = sum(cell.passed[NAMES[j]] for j in np.flatnonzero(there))
            rows.append((judge, there, credited, cell.passed[NAMES[judge]]))
    generator, present, credited, given = (np.array(part) for part in zip(*rows, strict=True))
    return OwnCells(generator, present, credited, np.ones(len(rows)), float(given.mean()))


def close(one, other):
    for name, tolerance in (("mean", 1e-4), ("strictness", 1e-4), ("own", 1e-3), ("family", 1e-3)):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=tolerance, err_msg=name)
    assert one.spread == pytest.approx(other.spread, rel=1e-4)


def test_own_and_family_terms_are_those_of_the_plain_fit_and_so_is_what_is_expected():
    patterns, cells = drawn()

    fit = fit_marginal(patterns, OWN, RELATED)
    expected = expectations(fit, [own_cells(cells, j) for j in range(5)])

    plain = plain_fit(cells, NAMES, RELATIONS)
    assert fit.spread == pytest.approx(plain.sigma, rel=0.01)
    np.testing.assert_allclose(fit.strictness, [plain.base[name] for name in NAMES], atol=0.02)
    np.testing.assert_allclose(fit.own, [plain.own[name] for name in NAMES], atol=0.03)
    np.testing.assert_allclose(fit.family, [plain.family.get(name, 0.0) for name in NAMES], atol=0.03)
    np.testing.assert_allclose(fit.mean, [plain.mean[name] for name in NAMES], atol=0.02)
    assert fit.family[2:].tolist() == [0, 0, 0]
    number = np.array([0.8, 0.4, -0.2, 0.5, 0.3])
    for j, name in enumerate(NAMES):
        of_judge = given_and_expected(plain, cells, name, RELATIONS, number[j])
        assert expected.given[j] == pytest.approx(of_judge.given)
        assert expected.expected(number)[j] == pytest.approx(of_judge.expected, abs=0.005)
        level, weight = fit.rates(j, own_cells(cells, j))
        own = plain_own_cells(cells, name, RELATIONS)
        at = rate(plain, own, name, RELATIONS)
        for shift in (0.0, 0.7):
            assert weight @ expit(level + shift) == pytest.approx(at(shift), abs=0.005)


def test_a_fit_ends_in_the_same_place_wherever_it_begins():
    patterns, _ = drawn()
    anew = fit_marginal(patterns, OWN, RELATED)
    nearly, _ = drawn(seed=9)

    rough = beginning(patterns, np.array([0.5, -0.5, 1.0, 1.0, 0.0]), np.full(5, np.nan), np.full(5, 2.0))
    assert rough.strictness == pytest.approx([0.1, -0.9, 0.6, 0.6, -0.4])
    assert (rough.own.tolist(), rough.family.tolist()) == ([0] * 5, [2.0] * 5)
    passed, judged = patterns.favourable.sum(axis=1), patterns.judged.sum(axis=1)
    assert rough.mean == pytest.approx(np.log((passed + 0.5) / (judged - passed + 0.5)))

    close(fit_marginal(patterns, OWN, RELATED, rough), anew)
    close(fit_marginal(patterns, OWN, RELATED, fit_marginal(nearly, OWN, RELATED)), anew)
    close(fit_marginal(patterns, OWN, RELATED, anew), anew)


def test_generators_computed_one_at_a_time_give_the_same_fit(monkeypatch):
    patterns, _ = drawn()
    together = fit_marginal(patterns, OWN, RELATED)

    monkeypatch.setattr("engine.stats.conditional.marginal_fit._MOST_NODES", 1)

    close(fit_marginal(patterns, OWN, RELATED), together)


@pytest.mark.parametrize("none", [True, False])
def test_a_judge_that_passes_all_or_none_of_its_own_is_where_the_ridge_holds_it(none):
    patterns, _ = drawn(every=True)
    if none:  # every verdict reversed
        passed = np.where(patterns.present, 1, 0).sum(axis=1) - patterns.credited
        patterns = replace(patterns, credited=passed, favourable=patterns.judged - patterns.favourable)

    fit = fit_marginal(patterns, OWN, RELATED)

    assert (fit.own[2] < -5) if none else (fit.own[2] > 5)
    assert (np.abs(np.delete(fit.own, 2)) < 4).all()
    # There sum over its cells of the chance of the other verdict = ridge * s.
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    level = fit.mean[2] + fit.strictness[2] + fit.own[2] + fit.spread * nodes
    missed = weights @ expit(level if none else -level) / weights.sum()
    assert 0.2 < patterns.judged[2, 2] * missed / (1e-4 * abs(fit.own[2])) < 5


def test_a_judge_without_verdicts_on_its_own_has_no_term():
    patterns, _ = drawn(silent=3)

    fit = fit_marginal(patterns, OWN, RELATED)

    assert fit.own[3] == 0
    assert (np.delete(fit.own, 3) != 0).all()


def test_an_inverse_holds_terms_without_information_and_refuses_what_is_not_positive():
    rng = np.random.default_rng(3)
    root = rng.normal(size=(4, 4)) * [1e-3, 1, 10, 1e3]
    score = rng.normal(size=4)

    assert _inverse(root.T @ root)(score) == pytest.approx(np.linalg.solve(root.T @ root, score), rel=1e-5)
    alike = _inverse(np.ones((2, 2)))(np.array([1.0, 1.0]))
    assert alike == pytest.approx([0.5, 0.5], rel=1e-6)  # of many solutions the even one
    assert _inverse(np.diag([2.0, 0.0]))(np.array([1.0, 0.0])) == pytest.approx([0.5, 0.0])
    with pytest.raises(np.linalg.LinAlgError):
        _inverse(np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize(
    ("verdicts", "spread"),
    [
        ([(1, 0), (0, 1), (0, 1), (0, 1)] * 5, 1e-3),  # judges who contradict each other: cells do not differ
        ([(0, 0), (1, 1)] * 10, 50.0),  # judges who always agree: cells differ without end
    ],
)
def test_the_spread_of_cells_stays_within_its_bounds(verdicts, spread):
    number, none = len(verdicts), np.zeros((2, 1), dtype=bool)
    credited, favourable = np.sum(verdicts, axis=1), np.sum(verdicts, axis=0, dtype=float)[None]
    present = np.ones((number, 2), dtype=bool)
    patterns = CellPatterns(np.zeros(number, dtype=int), present, credited, np.ones(number), favourable)

    fit = fit_marginal(patterns, none, none)

    assert fit.spread == pytest.approx(spread)
    if spread < 1:  # without any, the level of each judge is the logit of its rate, 1/4 and 3/4
        assert expit(fit.mean[0] + fit.strictness) == pytest.approx([1 / 4, 3 / 4], abs=1e-4)
