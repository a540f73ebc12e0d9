"""Statistics on arrays: hand arithmetic and properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import resampling as plain

from engine.stats.intervals import adjusted_p, bootstrap
from engine.stats.judges import agreement
from engine.stats.judges.combined_verdicts import combined_scores, majority, pair_agreement, plurality
from engine.stats.pairs.compared_responses import PairOutcomes, compare_levels, compare_pairs
from engine.stats.scores.ranks import RankedScores, average_rank, average_ranks, levels, pair_order
from engine.stats.scores.system_scores import system_score
from engine.stats.self_preference import Relations, self_preference


def test_the_median_of_an_even_number_of_scores_is_the_mean_of_the_middle_two():
    scores = np.array([[0.2, 0.9], [0.4, np.nan], [0.6, 0.1], [1.0, np.nan]])

    combined = combined_scores(scores, "median", 2)

    assert combined == pytest.approx([0.5, 0.5])  # (0.4 + 0.6) / 2 and (0.1 + 0.9) / 2


def test_a_ratio_over_zero_is_undefined_and_never_zero_or_infinite():
    relations = Relations(
        self_mask=np.array([[True, False]]),
        family=np.zeros((1, 2), bool),
        unrelated_mask=np.array([[False, True]]),
    )

    rates = self_preference(np.array([[3, 0]]), np.array([[4, 5]]), relations)

    assert rates.o_self[0] == 3 / 4
    assert rates.o_other[0] == 0
    assert np.isnan(rates.hspp_self[0])
    assert np.isnan(rates.o_family[0])


def test_the_draws_of_a_statistic_equal_the_statistic_of_the_draws():
    rng = np.random.default_rng(0)
    over, failed = rng.integers(0, 5, (4, 3, 3)), rng.integers(5, 9, (4, 3, 3))
    own = np.eye(3, dtype=bool)
    relations = Relations(self_mask=own, family=np.zeros((3, 3), bool), unrelated_mask=~own)

    together = self_preference(over, failed, relations).hspp_self

    for draw in range(4):
        alone = self_preference(over[draw], failed[draw], relations).hspp_self
        np.testing.assert_array_equal(together[draw], alone)


def test_levels_order_scores_and_group_nearly_equal_ones():
    scores = np.array([[0.5], [0.5 + 1e-12], [0.7], [np.nan], [0.1]])

    order = levels(scores)[:, 0]

    assert order[0] == order[1]
    assert order[4] < order[0] < order[2]
    assert order[3] == -1


def test_comparisons_count_losses_judged_ties_and_losses_judged_wins():
    # The reference orders A < B < C; the judge ties A and B, and puts A over C.
    reference = np.array([[[0], [1], [2]]], dtype=np.int32)
    judge = np.array([[[1], [1], [0]]], dtype=np.int32)

    comparisons = compare_levels(judge, reference)

    assert comparisons.lost[0, :, 0].tolist() == [2, 1, 0]
    assert comparisons.to_tie[0, :, 0].tolist() == [1, 0, 0]
    assert comparisons.to_win[0, :, 0].tolist() == [1, 1, 0]
    assert comparisons.won_missed[0, :, 0].tolist() == [0, 1, 2]
    assert (comparisons.correct[0, 0], comparisons.total[0, 0]) == (0, 3)


@given(st.integers(0, 2**32 - 1))
def test_scores_and_their_implied_pairs_give_the_same_counts(seed):
    rng = np.random.default_rng(seed)
    shape = (2, 4, 3)
    judge = rng.integers(-1, 3, shape).astype(np.int32)
    reference = rng.integers(-1, 3, (1, *shape[1:])).astype(np.int32)

    dense = compare_levels(judge, reference)

    cells = [
        (j, x, g, o)
        for j in range(2)
        for x in range(3)
        for g in range(4)
        for o in range(g + 1, 4)
        if min(judge[j, g, x], judge[j, o, x], reference[0, g, x], reference[0, o, x]) >= 0
    ]
    index = np.array(cells, dtype=np.int64).reshape(-1, 4).T
    outcome = np.sign(judge[index[0], index[2], index[1]] - judge[index[0], index[3], index[1]])
    truth = np.sign(reference[0, index[2], index[1]] - reference[0, index[3], index[1]])
    pairs = PairOutcomes(index[0], index[1], index[2], index[3], outcome.astype(np.int8))
    sparse = compare_pairs(pairs, truth.astype(np.int8), shape)
    for name in vars(dense):
        np.testing.assert_array_equal(getattr(dense, name), getattr(sparse, name))


def test_average_ranks_share_the_mean_of_tied_ranks():
    assert average_ranks(np.array([0.9, 0.5, 0.5 + 1e-12, 0.1])).tolist() == [1, 2.5, 2.5, 4]


def test_one_average_rank_equals_that_among_all_and_is_undefined_without_a_score():
    scores = np.array([[0.9, 0.5, 0.5 + 1e-12, 0.1], [0.9, np.nan, 0.5, 0.1]])

    assert [average_rank(scores[:1], place).item() for place in range(4)] == average_ranks(scores[0]).tolist()
    assert np.isnan(average_rank(scores, 0)).tolist() == [False, True]


def test_pair_order_counts_ties_that_agree():
    # Pairs: (0, 1) tied by both, (0, 2) alike, (1, 2) alike.
    truth = RankedScores.of(np.array([0.6, 0.6, 0.2]))

    assert pair_order(RankedScores.of(np.array([1.0, 1.0, 0.0])), truth) == 1
    assert pair_order(RankedScores.of(np.array([1.0, 0.9, 0.0])), truth) == pytest.approx(2 / 3)


def test_a_system_score_is_clipped_only_on_request():
    assert system_score(np.array(-2.0), np.array(4.0), "weighted") == -0.5
    assert system_score(np.array(-2.0), np.array(4.0), "weighted_mean_clipped") == 0


def test_a_majority_needs_more_than_half_of_enough_voters():
    verdict, decided = majority(np.array([2, 2, 1, 0]), np.array([3, 4, 2, 3]), at_least=3)

    assert verdict.tolist() == [True, False, False, False]
    assert decided.tolist() == [True, False, False, True]


def test_a_shared_plurality_is_no_majority():
    group = np.array([0, 0, 0, 1, 1, 2])

    winners = plurality(group, np.array([1.0, 1.0, -1.0, 1.0, 0.0, np.nan]), 3)

    assert winners[0] == 1
    assert np.isnan(winners[1:]).all()


def test_agreement_is_the_share_of_pairs_of_judges_that_agree():
    # Three of four say met: of six pairs, three agree.
    assert pair_agreement(np.array([3]), np.array([4]))[0] == pytest.approx(3 / 6)
    assert np.isnan(pair_agreement(np.array([1]), np.array([1]))[0])


def test_kappa_and_balanced_f1_by_hand():
    # Both met 4, only a 1, only b 2, neither 3.
    table = np.array([[3.0, 2.0], [1.0, 4.0]])

    # expected agreement (5*4 + 5*6) / 100 = .5; F1 of met 8/11, of not met 6/9.
    assert agreement.share_equal(table) == pytest.approx(0.7)
    assert agreement.cohens_kappa(table) == pytest.approx((0.7 - 0.5) / 0.5)
    assert agreement.balanced_f1(table) == pytest.approx((8 / 11 + 6 / 9) / 2)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30))
def test_weights_of_one_give_the_usual_correlations(pairs):
    from scipy import stats

    a, b = np.array(pairs, dtype=float).T
    if len(set(a)) < 2 or len(set(b)) < 2:
        return
    weights = np.ones(len(a))

    assert agreement.weighted_pearson(a, b, weights) == pytest.approx(stats.pearsonr(a, b).statistic)
    assert agreement.weighted_spearman(a, b, weights) == pytest.approx(stats.spearmanr(a, b).statistic)


@given(st.lists(st.integers(0, 3), min_size=4, max_size=12), st.integers(0, 99))
def test_a_weight_equals_repetition(weights, seed):
    from scipy import stats

    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 4, (2, len(weights))).astype(float)
    repeated = np.repeat(a, weights), np.repeat(b, weights)
    if len(repeated[0]) < 3 or len(set(repeated[0])) < 2 or len(set(repeated[1])) < 2:
        return

    correlation = agreement.weighted_spearman(a, b, np.array(weights, dtype=float))

    assert correlation == pytest.approx(stats.spearmanr(*repeated).statistic)


DRAWS = st.lists(st.one_of(st.none(), st.integers(-8, 8)), min_size=1, max_size=60)


@given(DRAWS)
def test_intervals_and_p_values_equal_plain_ones(values):
    draws = np.array([np.nan if value is None else value for value in values], dtype=float)[:, None]

    interval = bootstrap.percentile_interval(draws)
    p = bootstrap.bootstrap_p(draws, 1.0)[0]

    expected = plain.bootstrap_interval(values)
    if expected is None:
        assert np.isnan(interval.low[0])
    else:
        assert (interval.low[0], interval.high[0]) == pytest.approx(expected)
    expected_p = plain.p_value(values, 1.0)
    assert np.isnan(p) if expected_p is None else p == pytest.approx(expected_p)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=20))
def test_adjusted_p_values_equal_plain_ones(ps):
    adjusted = adjusted_p.benjamini_hochberg(np.array([np.nan if p is None else p for p in ps], dtype=float))

    expected = plain.benjamini_hochberg(ps)
    for ours, theirs in zip(adjusted, expected, strict=True):
        assert np.isnan(ours) if theirs is None else ours == pytest.approx(theirs)


def test_holms_rule_by_hand():
    # .01 x 5, .02 x 4, .04 x 3, and none smaller than the one before; the two not given are larger
    adjusted = adjusted_p.holm(np.array([0.02, 0.01, np.nan, 0.04, 0.015]), 5)

    assert adjusted == pytest.approx([0.06, 0.05, np.nan, 0.08, 0.06], nan_ok=True)


def test_resampled_sums_are_the_weighted_sums():
    rng = np.random.default_rng(1)
    per_cluster = rng.integers(0, 9, (2, 3, 50)).astype(np.int32)
    weights = bootstrap.cluster_weights(50, 20, rng)

    sums = bootstrap.resample(per_cluster, weights)

    assert (weights.sum(axis=1) == 50).all()
    np.testing.assert_array_equal(sums, np.einsum("jgx,bx->bjg", per_cluster, weights))


@pytest.mark.parametrize("occupied", [18, 6, 1])
@pytest.mark.parametrize("few", [True, False])
def test_sums_of_any_shape_are_resampled(occupied, few):
    rng = np.random.default_rng(2)
    per_cluster = rng.integers(0, 9, (2, 3, 4, 20))
    per_cluster[..., occupied:] = 0
    if few:
        per_cluster[:, :, rng.random((4, 20)) < 0.95] = 0
    weights = bootstrap.cluster_weights(20, 5, rng)

    for values in (per_cluster, per_cluster / 7, per_cluster * (2**24 + 1)):  # the last two need doubles
        sums = bootstrap.resample(values, weights)
        expected = np.einsum("agkx,bx->bagk", values, weights.astype(float))
        np.testing.assert_allclose(sums, expected, rtol=1e-13)
        assert sums.shape == (5, 2, 3, 4)


def test_a_number_of_many_judges_and_resamples_is_that_of_each():
    rng = np.random.default_rng(6)
    over, failed = rng.integers(0, 4, (2, 3, 4, 5)), rng.integers(0, 6, (2, 3, 4, 5))
    own = np.eye(4, 5, dtype=bool)
    family = np.zeros((4, 5), dtype=bool)
    family[0, 1] = family[1, 0] = True
    relations = Relations(self_mask=own, family=family, unrelated_mask=~own & ~family)

    rates = self_preference(over, failed, relations)

    for draw in np.ndindex(2, 3):
        for j in range(4):
            each = [o / f if f else np.nan for o, f in zip(over[*draw, j], failed[*draw, j], strict=True)]
            parts = [[x for x, m in zip(each, mask[j], strict=True) if m and not np.isnan(x)]
                     for mask in (own, family, ~own & ~family, own | family)]  # fmt: skip
            o_self, o_family, o_other, with_self = (np.mean(part) if part else np.nan for part in parts)
            assert rates.o_self[*draw, j] == pytest.approx(o_self, nan_ok=True)
            assert rates.o_other[*draw, j] == pytest.approx(o_other, nan_ok=True)
            below = o_other if o_other else np.nan
            expected = [o_self / below, o_family / below, with_self / below, o_self - o_other]
            names = ("hspp_self", "hspp_family", "hspp_family_with_self", "difference_self")
            actual = [getattr(rates, name)[*draw, j] for name in names]
            np.testing.assert_allclose(actual, expected)


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_percentiles_interpolate_and_at_most_one_draw_in_twenty_may_be_undefined(level):
    draws = np.random.default_rng(3).normal(size=(40, 4)) ** 3
    draws[[3, 30], 1] = draws[[0, 5, 39], 2] = np.nan
    draws[:, 3] = np.nan

    interval = bootstrap.percentile_interval(draws, level)

    for column in range(2):
        defined = draws[~np.isnan(draws[:, column]), column]
        low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
        assert (interval.low[column], interval.high[column]) == (pytest.approx(low), pytest.approx(high))
    assert np.isnan([interval.low[2:], interval.high[2:]]).all()
    assert interval.undefined.tolist() == [0, 2, 3, 40]


def test_each_column_may_have_its_own_tails():
    draws = np.tile(np.arange(101.0), (2, 1)).T

    interval = bootstrap.percentile_interval(draws, tails=np.array([0.025, 0.1]))

    assert interval.low == pytest.approx([2.5, 10])
    assert interval.high == pytest.approx([97.5, 90])


def test_p_counts_draws_on_both_sides_of_the_null():
    draws = np.array([[0.9, 1.2, np.nan], [1.1, 1.3, np.nan], [1.2, 1.4, np.nan], [1.0, np.nan, np.nan]])

    # Two of four are at or below 1, three at or above: 2 (2 + 1) / 5, at most 1. None of three is: 2 / 4.
    np.testing.assert_allclose(bootstrap.bootstrap_p(draws, 1.0), [1, 2 / 4, np.nan])
    # The tenth of these is .95, but for rounding.
    assert bootstrap.bootstrap_p(np.linspace(0.9, 2, 199)[:, None], 0.95) == pytest.approx(2 * 11 / 200)
