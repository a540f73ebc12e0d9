"""The order of pairs of models by two sources' scores, against loops over the pairs."""

from itertools import combinations

import numpy as np
import pytest

from engine.stats.scores.ranks import RankedScores, pair_order


def by_loops(judge, reference):
    """The share of pairs whose differences have the same sign; below 1e-9 the sign is 0."""

    def sign(scores, one, two):
        lead = scores[one] - scores[two]
        return 0 if abs(lead) < 1e-9 else np.sign(lead)

    pairs = list(combinations(range(len(judge)), 2))
    return sum(sign(judge, *pair) == sign(reference, *pair) for pair in pairs) / len(pairs)


@pytest.mark.parametrize("generators", [2, 3, 17, 255, 256, 300])
def test_the_share_of_pairs_in_the_same_order_equals_loops_over_the_pairs(generators):
    rng = np.random.default_rng(generators)
    judge, reference = rng.integers(0, max(2, generators // 2), (2, 4, generators)) / 7
    judge = judge + rng.normal(0, 1e-12, judge.shape)  # like sums of floats: ties except for rounding

    share = pair_order(RankedScores.of(judge), RankedScores.of(reference))

    expected = [by_loops(*row) for row in zip(judge, reference, strict=True)]
    assert share == pytest.approx(expected, abs=1e-12)


def test_a_missing_score_makes_the_share_undefined():
    judge, reference = np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]]), np.array([[1.0, 2.0, 3.0]] * 2)

    share = pair_order(RankedScores.of(judge), RankedScores.of(reference))

    assert np.isnan(share[0])
    assert share[1] == 1


def test_one_row_has_one_share():
    share = pair_order(RankedScores.of(np.array([1.0, 2.0, 3.0])), RankedScores.of(np.array([1.0, 3.0, 2.0])))

    assert share.shape == ()
    assert share == pytest.approx(2 / 3)  # 1 below 2 and 1 below 3, but 3 not below 2
