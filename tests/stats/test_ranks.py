"""Ranks of scores, and how far two rankings are apart: by hand and against SciPy."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from engine.stats.ranks import rank_distance, ranks


def test_equal_scores_share_their_mean_rank_and_a_missing_score_has_none():
    places = ranks(np.array([[0.5, 0.9, 0.5, np.nan], [0.1, 0.2, 0.3, 0.4]]))

    assert places[0, :3].tolist() == [2.5, 1.0, 2.5]
    assert np.isnan(places[0, 3])
    assert places[1].tolist() == [4.0, 3.0, 2.0, 1.0]


def test_tau_equals_scipys_and_reversed_pairs_are_counted_singly():
    rng = np.random.default_rng(7)
    first, second = rng.integers(0, 5, (2, 50, 6)) / 4.0

    distance = rank_distance(first, second)

    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        assert distance.tau[k] == pytest.approx(stats.kendalltau(a, b).statistic, nan_ok=True)
        reversals = [(a[i] - a[j]) * (b[i] - b[j]) < 0 for i, j in combinations(range(6), 2)]
        assert distance.flips[k] == sum(reversals)
        moved = np.abs(stats.rankdata(-a) - stats.rankdata(-b))
        assert distance.shift[k] == pytest.approx(moved.mean())


def test_a_model_missing_from_one_ranking_is_left_out():
    distance = rank_distance(np.array([3.0, 2.0, 1.0, np.nan]), np.array([1.0, 2.0, np.nan, 9.0]))

    # Two are left, in the other order: each has moved one place.
    assert (distance.tau, distance.shift, distance.flips) == (-1, 1, 1)


def test_with_one_model_left_the_distance_is_undefined():
    distance = rank_distance(np.array([3.0, np.nan]), np.array([1.0, 2.0]))

    assert np.isnan([distance.tau, distance.shift, distance.flips]).all()
