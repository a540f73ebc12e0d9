"""How alike two judges err: by hand and against plain loops."""

from itertools import combinations

import numpy as np
import pytest

from engine.stats.relatedness import beyond_means, kappa_within_truth, mantel, tree, two_way_margins

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
