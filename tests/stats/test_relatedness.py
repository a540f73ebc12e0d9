"""How alike two judges err: by hand and against plain loops."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from engine.stats.judges.relatedness import beyond_means, kappa_within_truth, mantel, tree, two_way_margins

PAIRS = list(combinations(range(4), 2))

FIRST, SECOND = (np.array(part) for part in zip(*PAIRS, strict=True))


def test_kappa_counts_agreement_within_each_truth_only():
    # Where the truth is not met: 10 cells, each judge passes 5, both 5: po 1, pe .5. Where it is met: 10
    # cells, each passes all: no disagreement is possible, nothing is added. (10 - 5) / (10 - 5) = 1.
    # The second pair passes 5 each, 2 and 3 of them together: po (2 + 2) / 10, pe .5: (4 - 5) / 5 = -.2.
    counts = np.array([[[10, 5, 5, 5], [10, 10, 10, 10]], [[10, 5, 5, 2], [0, 0, 0, 0]]])

    np.testing.assert_allclose(kappa_within_truth(counts), [1.0, -0.2])


def test_what_each_judge_has_with_all_others_is_taken_away():
    # Judge 0 agrees with everybody by .2 more: nothing is left. Then 2 and 3 agree by .3 more with another.
    # In the residual of six pairs on four judges' means a single pair keeps 1 - 4 / 6 = 1 / 3 of it.
    of_judges = np.array([0.2, 0, 0, 0])
    kappa = of_judges[FIRST] + of_judges[SECOND]

    np.testing.assert_allclose(beyond_means(kappa, FIRST, SECOND, 4), 0, atol=1e-12)
    kappa[-1] += 0.3
    excess = beyond_means(kappa, FIRST, SECOND, 4)
    assert excess[-1] == pytest.approx(0.1)
    assert np.isnan(beyond_means(kappa[:3], FIRST[:3], np.array([1, 2, 1]), 3)).all()


def test_the_tree_joins_first_those_that_err_most_alike():
    excess = np.array([[0, 0.1, 0.5, 0], [0.1, 0, 0, 0.4], [0.5, 0, 0, 0.1], [0, 0.4, 0.1, 0]])

    merges, leaves = tree(excess)

    assert set(merges[0][:2]) == {0, 2}
    assert set(merges[1][:2]) == {1, 3}
    assert {frozenset(leaves[:2]), frozenset(leaves[2:])} == {frozenset({0, 2}), frozenset({1, 3})}
    # Distances are .5 less the excess: 0 and .1, then the mean of .4, .5, .5 and .4 between the two groups.
    np.testing.assert_allclose(np.sort(merges[:, 2]), [0, 0.1, 0.45], atol=1e-12)


def test_margins_leave_out_lenience_and_quality():
    judges, generators = np.arange(5)[:, None] / 10, np.arange(5)[None] / 20

    np.testing.assert_allclose(two_way_margins(judges + generators)[~np.eye(5, dtype=bool)], 0, atol=1e-12)


def test_overrating_that_follows_relatedness_is_found_and_is_unknown_of_four_models():
    draw = np.random.default_rng(1)
    related = draw.normal(size=(8, 8))
    related += related.T
    overrating = related + draw.normal(size=(8, 8)) / 2
    np.fill_diagonal(related, np.nan)

    growth = mantel(overrating, related, np.random.default_rng(0))

    assert growth.n == 56
    assert growth.p <= 0.005
    assert 0 < growth.low < growth.value < growth.high
    assert np.isnan(mantel(overrating[:4, :4], related[:4, :4], draw).p)


def test_kappa_within_truths_equals_loops_over_cells():
    rng = np.random.default_rng(6)
    truth, verdicts = rng.random(60) < 0.4, rng.random((2, 60)) < np.array([0.7, 0.5])[:, None]
    verdicts[1, :20] = verdicts[0, :20]
    counts = [
        [
            mark.sum(),
            (verdicts[0] & mark).sum(),
            (verdicts[1] & mark).sum(),
            (verdicts.all(axis=0) & mark).sum(),
        ]
        for mark in (truth, ~truth)
    ]

    kappa = kappa_within_truth(np.array([counts, np.zeros((2, 4)), [[5, 5, 5, 5], [4, 0, 0, 0]]]))

    above = possible = 0.0
    for mark in (truth, ~truth):
        a, b = verdicts[:, mark]
        chance = a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean())
        above += len(a) * ((a == b).mean() - chance)
        possible += len(a) * (1 - chance)
    assert kappa[0] == pytest.approx(above / possible)
    resamples = np.array([[counts, counts[::-1]], [np.zeros((2, 4)), counts]])[None]
    np.testing.assert_allclose(kappa_within_truth(resamples), [[kappa[[0, 0]], kappa[[1, 0]]]])
    assert np.isnan(kappa[1:]).all()  # without a cell, and where all verdicts within a truth are alike


def test_excesses_are_residuals_of_least_squares_over_the_pairs_that_are_defined():
    kappa = np.random.default_rng(3).random((2, 10))
    first, second = (np.array(part) for part in zip(*combinations(range(5), 2), strict=True))
    kappa[:, 3], kappa[1, 7] = np.nan, np.nan

    excess = beyond_means(kappa, first, second, 6)

    used = [n for n in range(10) if n not in (3, 7)]
    design = np.array([[float(judge in (first[n], second[n])) for judge in range(5)] for n in used])
    for row in range(2):
        fit, *_ = np.linalg.lstsq(design, kappa[row, used], rcond=None)
        np.testing.assert_allclose(excess[row, used], kappa[row, used] - design @ fit)
    assert np.isnan(excess[:, [3, 7]]).all()


def test_pairs_of_only_three_judges_have_no_excess():
    kappa = np.array([0.1, 0.2, np.nan, 0.3, np.nan, np.nan])

    assert np.isnan(beyond_means(kappa, FIRST, SECOND, 4)).all()
    kappa[2] = 0.4
    assert np.isfinite(beyond_means(kappa, FIRST, SECOND, 4)[[0, 1, 2, 3]]).all()


def test_margins_are_residuals_of_least_squares_off_the_diagonal():
    rates = np.random.default_rng(4).random((4, 4))
    rates[0, 2] = np.nan

    margins = two_way_margins(rates)

    cells = [(j, g) for j in range(4) for g in range(4) if j != g and (j, g) != (0, 2)]
    design = np.array(
        [[*(float(j == k) for k in range(4)), *(float(g == k) for k in range(4))] for j, g in cells]
    )
    values = np.array([rates[cell] for cell in cells])
    fit, *_ = np.linalg.lstsq(design, values, rcond=None)
    np.testing.assert_allclose([margins[cell] for cell in cells], values - design @ fit)
    assert np.isnan([margins[0, 2], *np.diag(margins)]).all()


def plain_r(one, two, models):
    """Pearson's r over ordered pairs of models that have both, and their number."""
    pairs = [(one[a, b], two[a, b]) for a in models for b in models if a != b]
    x, y = np.array([pair for pair in pairs if not np.isnan(pair).any()]).T
    return np.corrcoef(x, y)[0, 1], len(x)


def test_growth_equals_loops_over_renamings_and_deletions():
    draw = np.random.default_rng(9)
    related = draw.normal(size=(6, 6))
    overrating = 0.4 * related + draw.normal(size=(6, 6))
    overrating[0, 3] = related[2, 1] = np.nan

    growth = mantel(overrating, related, np.random.default_rng(5))

    r, n = plain_r(overrating, related, range(6))
    rng, extreme = np.random.default_rng(5), 0
    for _ in range(999):
        order = rng.permutation(6)
        extreme += abs(plain_r(overrating, related[order][:, order], range(6))[0]) >= abs(r) - 1e-12
    without = np.arctanh(
        [plain_r(overrating, related, [m for m in range(6) if m != out])[0] for out in range(6)]
    )
    # The variance by deletion is 5 / 6 of the sum of squares: 25 / 6 of the variance that SciPy gives.
    ends = stats.t.interval(0.95, 5, loc=np.arctanh(r), scale=np.sqrt(25 / 6 * stats.tvar(without)))
    assert (growth.value, growth.n) == (pytest.approx(r), n)
    assert growth.p == (1 + extreme) / 1000
    assert (growth.low, growth.high) == pytest.approx(np.tanh(ends))


def test_the_interval_of_growth_lies_within_its_scale():
    draw = np.random.default_rng(2)
    for _ in range(20):
        related = draw.normal(size=(5, 5))
        growth = mantel(1.5 * related + draw.normal(size=(5, 5)), related, draw)

        assert -1 <= growth.low <= growth.value <= growth.high <= 1
    same = mantel(related, related, draw)
    assert (same.value, same.low, same.high) == pytest.approx((1, 1, 1))


def test_growth_needs_five_models_and_numbers_that_vary():
    values = np.random.default_rng(1).normal(size=(5, 5))
    few = np.full((5, 5), np.nan)
    few[0, 1:4] = [0.1, 0.2, 0.4]

    assert np.isfinite(mantel(values, values, np.random.default_rng(0)).p)
    assert np.isnan(mantel(values, np.ones((5, 5)), np.random.default_rng(0)).value)
    assert np.isnan(mantel(np.ones((5, 5)), values, np.random.default_rng(0)).value)
    three = mantel(few, values, np.random.default_rng(0))
    assert np.isnan([three.value, three.low, three.high, three.p]).all()
    assert three.n == 3
