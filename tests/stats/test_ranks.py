"""Ranks of scores, and how far two rankings are apart: by hand and against SciPy."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from engine.stats.scores.ranks import (
    RankedScores,
    average_rank,
    average_ranks,
    levels,
    pair_order,
    rank_distance,
    ranks,
)


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


def drawn(shape, seed=1, missing=0.0):
    """Scores with many ties, with leading axes."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, shape) / 4
    return np.where(rng.random(shape) < missing, np.nan, scores)


def test_levels_rank_the_distinct_scores_of_each_instance():
    scores = drawn((2, 3, 5, 4), missing=0.2)

    order = levels(scores)

    for lead in np.ndindex(2, 3):
        for i in range(4):
            column = scores[(*lead, slice(None), i)]
            distinct = sorted(set(column[~np.isnan(column)]))
            expected = [distinct.index(score) if score in distinct else -1 for score in column]
            assert order[(*lead, slice(None), i)].tolist() == expected


def test_average_ranks_equal_scipys():
    scores = drawn((2, 3, 5))
    scores[..., 0] += 1e-12  # rounding

    rank = average_ranks(scores)

    np.testing.assert_array_equal(rank, stats.rankdata(-scores.round(9), axis=-1))
    for place in range(5):
        np.testing.assert_array_equal(average_rank(scores, place), rank[..., place])
    scores[1, 2, 3] = np.nan
    assert np.isnan(average_rank(scores, 0)).tolist() == [[False] * 3, [False, False, True]]


def test_ranks_with_missing_scores_equal_scipys_without_them():
    scores = drawn((2, 3, 6), seed=2, missing=0.3)

    rank = ranks(scores)

    for lead in np.ndindex(2, 3):
        scored = ~np.isnan(scores[lead])
        np.testing.assert_array_equal(rank[lead][scored], stats.rankdata(-scores[lead][scored]))
        assert np.isnan(rank[lead][~scored]).all()


def test_the_share_of_pairs_in_the_same_order_has_the_shape_of_the_rows():
    judge, reference = drawn((2, 3, 5), seed=3), drawn((2, 3, 5), seed=4)
    judge[1, 1, 4] = reference[0, 2, 0] = np.nan

    share = pair_order(RankedScores.of(judge), RankedScores.of(reference))

    for lead in np.ndindex(2, 3):
        a, b = judge[lead], reference[lead]
        alike = [np.sign(a[i] - a[j]) == np.sign(b[i] - b[j]) for i, j in combinations(range(5), 2)]
        missing = np.isnan([a, b]).any()
        assert share[lead] == pytest.approx(np.nan if missing else np.mean(alike), nan_ok=True)


def test_distances_with_leading_axes_and_missing_scores_equal_scipys():
    one, other = drawn((2, 3, 6), seed=5, missing=0.15), drawn((2, 3, 6), seed=6, missing=0.15)

    distance = rank_distance(one, other)

    for lead in np.ndindex(2, 3):
        both = ~np.isnan(one[lead]) & ~np.isnan(other[lead])
        a, b = one[lead][both], other[lead][both]
        assert distance.tau[lead] == pytest.approx(stats.kendalltau(a, b).statistic, nan_ok=True)
        moved = np.abs(stats.rankdata(-a) - stats.rankdata(-b))
        assert distance.shift[lead] == pytest.approx(moved.mean())
        reversals = [(a[i] - a[j]) * (b[i] - b[j]) < 0 for i, j in combinations(range(len(a)), 2)]
        assert distance.flips[lead] == sum(reversals)


def test_two_models_have_a_distance_and_a_source_that_ties_them_no_tau():
    distance = rank_distance(np.array([0.1, 0.4]), np.array([0.3, 0.3 + 1e-10]))

    assert np.isnan(distance.tau)
    assert (distance.shift, distance.flips) == (0.5, 0)
    assert rank_distance(np.array([0.1, 0.4]), np.array([0.3, 0.5])).tau == 1
