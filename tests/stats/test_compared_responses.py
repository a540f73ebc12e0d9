"""Comparisons of responses by judges and the reference, against loops over pairs."""

from itertools import permutations

import numpy as np
import pytest

from engine.stats.pairs.compared_responses import PairOutcomes, compare_levels, compare_pairs


def counted(pairs, shape):
    """Counts of pairs (judge, instance, one, other, judged outcome for one, true outcome for one)."""
    names = ("lost", "to_win", "to_tie", "won", "won_missed", "correct", "total")
    counts = {
        name: np.zeros(shape if name not in ("correct", "total") else (shape[0], shape[2])) for name in names
    }
    for j, i, one, other, judged, true in pairs:
        counts["total"][j, i] += 1
        counts["correct"][j, i] += judged == true
        for g, says, is_so in ((one, judged, true), (other, -judged, -true)):
            counts["lost"][j, g, i] += is_so == -1
            counts["to_win"][j, g, i] += is_so == -1 and says == 1
            counts["to_tie"][j, g, i] += is_so == -1 and says == 0
            counts["won"][j, g, i] += is_so == 1
            counts["won_missed"][j, g, i] += is_so == 1 and says != 1
    return counts


def assert_counted(comparisons, expected):
    for name, values in expected.items():
        np.testing.assert_array_equal(getattr(comparisons, name), values, err_msg=name)
    np.testing.assert_array_equal(comparisons.over, expected["to_win"] + expected["to_tie"])


def test_judged_pairs_count_for_both_responses():
    rng = np.random.default_rng(3)
    judge, instance = rng.integers(0, 3, 90), rng.integers(0, 4, 90)
    sides = np.array([rng.permutation(5)[:2] for _ in range(90)])
    outcome, truth = rng.integers(-1, 2, (2, 90)).astype(np.int8)
    pairs = PairOutcomes(judge, instance, sides[:, 0], sides[:, 1], outcome)

    comparisons = compare_pairs(pairs, truth, (3, 5, 4))

    rows = zip(judge, instance, *sides.T, outcome, truth, strict=True)
    assert_counted(comparisons, counted(rows, (3, 5, 4)))


@pytest.mark.parametrize("of_each_judge", [True, False])
def test_levels_are_compared_in_every_pair_that_both_have_scored(of_each_judge):
    rng = np.random.default_rng(4)
    judge = rng.integers(-1, 3, (3, 5, 6))
    reference = rng.integers(-1, 3, (3 if of_each_judge else 1, 5, 6))

    comparisons = compare_levels(judge, reference)

    rows = []
    for j, i in np.ndindex(3, 6):
        levels, truth = judge[j, :, i], reference[j if of_each_judge else 0, :, i]
        for one, other in permutations(range(5), 2):
            if one < other and min(*levels[[one, other]], *truth[[one, other]]) >= 0:
                judged, true = np.sign(levels[one] - levels[other]), np.sign(truth[one] - truth[other])
                rows.append((j, i, one, other, judged, true))
    assert_counted(comparisons, counted(rows, (3, 5, 6)))


def test_many_generators_are_counted_beyond_the_smallest_number_types():
    # 300 generators, all in the same order for the judge and the reference: 44,850 pairs.
    levels = np.arange(300)[None, :, None]

    comparisons = compare_levels(levels, levels)

    assert comparisons.total.tolist() == comparisons.correct.tolist() == [[44_850]]
    assert comparisons.won[0, :, 0].tolist() == list(range(300))
    assert comparisons.lost[0, :, 0].tolist() == list(range(299, -1, -1))
    assert not comparisons.over.any()
