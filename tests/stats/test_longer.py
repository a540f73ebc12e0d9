"""How often the longer of two answers is preferred, against loops."""

from itertools import combinations

import numpy as np

from engine.stats.pairs.longer import longer_in_scores, longer_in_votes


def test_scores_of_pairs_of_unequal_length_equal_loops():
    rng = np.random.default_rng(8)
    scores, lengths = rng.integers(0, 3, (3, 5, 7)) / 2.0, rng.integers(10, 13, (5, 7)).astype(float)
    scores[rng.random(scores.shape) < 0.1], lengths[rng.random(lengths.shape) < 0.1] = np.nan, np.nan
    scores[0, 1] = scores[0, 0] + 1e-12  # rounding: a tie
    own = np.eye(3, 5, dtype=bool)

    votes = longer_in_scores(scores, lengths, own)

    for j, x in np.ndindex(3, 7):
        expected = np.zeros(4)
        for a, b in combinations(range(5), 2):
            short, long = sorted((a, b), key=lambda g: lengths[g, x])
            if not (lengths[long, x] > lengths[short, x]) or np.isnan(scores[j, [a, b], x]).any():
                continue
            gap = scores[j, long, x] - scores[j, short, x]
            share = 0.5 if abs(gap) < 1e-9 else float(gap > 0)
            others = j not in (a, b)
            expected += (1, share, others, share * others)
        actual = [part[j, x] for part in (votes.pairs, votes.longer, votes.others, votes.others_longer)]
        np.testing.assert_allclose(actual, expected, err_msg=f"{j} {x}")
    assert votes.pairs.dtype == votes.others.dtype == np.int64


def test_votes_go_to_the_longer_answer():
    votes = np.array([1.0, 1, 0, 0, 0.5, 1, 1])
    target = np.array([9.0, 3, 9, 3, 9, 5, np.nan])
    other = np.array([3.0, 9, 3, 9, 3, 5, 5])

    np.testing.assert_array_equal(longer_in_votes(votes, target, other), [1, 0, 0, 1, 0.5, np.nan, np.nan])
