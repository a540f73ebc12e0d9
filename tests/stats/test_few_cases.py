"""Draws for shares and ratios of few cases, and for costs inflated by chance."""

import numpy as np
import pytest

from engine.stats.intervals.added_cases import padded_change, padded_ratio, padded_share
from engine.stats.intervals.bootstrap import percentile_interval
from engine.stats.intervals.cost_intervals import cost_draws
from engine.stats.orders.option_orders import balanced_orderings, bias_costs

RESAMPLES = 4000


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def counts(*values):
    return np.tile(np.array(values, dtype=float), (RESAMPLES, 1))


def test_a_share_of_1_is_not_certain(rng):
    draws = padded_share(counts(20.0), counts(20.0), 2.0, rng)

    interval = percentile_interval(draws)

    # two misses expected among 24 cases: with 5 misses, seldom exceeded, and two hits 22 / 27 = .81
    assert interval.low[0] == pytest.approx(0.81, abs=0.03)
    assert interval.high[0] == 1.0


def test_with_many_cases_the_added_ones_hardly_matter(rng):
    hits = rng.binomial(20_000, 0.3, size=(RESAMPLES, 1)).astype(float)

    plain, added = (
        percentile_interval(costs)
        for costs in (hits / 20_000, padded_share(hits, np.full_like(hits, 20_000), 2.0, rng))
    )

    assert added.low[0] == pytest.approx(plain.low[0], abs=3e-4)
    assert added.high[0] == pytest.approx(plain.high[0], abs=3e-4)


def test_values_of_one_resample_share_the_added_cases(rng):
    draws = padded_share(counts(3.0, 3.0), counts(9.0, 9.0), 2.0, rng)

    assert (draws[:, 0] == draws[:, 1]).all()
    assert draws[:, 0].std() > 0


def test_a_share_without_trials_stays_undefined(rng):
    assert np.isnan(padded_share(counts(0.0), counts(0.0), 2.0, rng)).all()
    assert np.isnan(padded_change(counts(0.0), counts(0.0), rng)).all()
    assert np.isnan(padded_ratio(counts(2.0), counts(0.0), rng)).all()


def test_added_changes_go_both_ways(rng):
    draws = padded_change(counts(0.0), counts(50.0), rng)

    assert draws.mean() == pytest.approx(0.0, abs=0.003)
    assert draws.std() == pytest.approx(np.sqrt(0.5) / 50.5, rel=0.1)  # a quarter gained, one lost


def test_a_ratio_without_own_hits_may_be_above_0(rng):
    interval = percentile_interval(padded_ratio(counts(0.0), counts(5.0), rng))

    assert interval.low[0] == 0.0
    assert 0.3 < interval.high[0] < 1.0


def selections(shares, number, rng):
    """Selections of five scores at five positions, each score with these shares of positions."""
    return np.array([rng.multinomial(number, shares) for _ in range(5)])


def resampled(choices, number, rng):
    return np.stack([rng.multinomial(number, row / number, size=RESAMPLES) for row in choices], axis=1)


def test_the_interval_of_an_unbiased_judges_cost_reaches_0_despite_chance(rng):
    choices = selections([0.2] * 5, 60, rng)
    orderings = balanced_orderings(5)

    draws = resampled(choices, 60, rng).astype(float)
    interval = percentile_interval(cost_draws(choices, draws, orderings))
    plain = percentile_interval(bias_costs(draws, orderings))

    assert (interval.low == 0).sum() >= 8  # of ten orderings; one in forty is bad luck
    assert plain.low.min() > 5  # percentage points: the percentiles are far from the truth, 0
    assert (interval.high > 0).any()


def test_a_large_and_precise_cost_has_the_percentile_interval(rng):
    choices = selections([0.6, 0.1, 0.1, 0.1, 0.1], 100_000, rng)
    orderings = balanced_orderings(5)[:1]

    draws = resampled(choices, 100_000, rng).astype(float)
    ours, plain = (
        percentile_interval(costs)
        for costs in (cost_draws(choices, draws, orderings), bias_costs(draws, orderings))
    )

    assert ours.low[0] == pytest.approx(plain.low[0], abs=0.1)
    assert ours.high[0] == pytest.approx(plain.high[0], abs=0.1)


def test_a_cost_of_zero_stays_zero():
    choices = np.full((5, 5), 3)

    draws = cost_draws(choices, np.full((10, 5, 5), 3.0), balanced_orderings(5)[:2])

    assert draws.shape == (10, 2)
    assert (draws == 0).all()


def poisson(seed, *means):
    """What a generator of this seed adds in turn, for four resamples."""
    rng = np.random.default_rng(seed)
    return [rng.poisson(mean, 4) for mean in means]


HITS = np.array([[3.0, 0], [5, 2], [4, 1], [0, 0]])
TRIALS = np.array([[8.0, 0], [9, 5], [7, 1], [6, 2]])


def test_a_padded_share_has_hits_and_misses_added():
    hit, miss = poisson(3, 2, 2)

    padded = padded_share(HITS, TRIALS, 2.0, np.random.default_rng(3))

    for row in range(4):
        for column in range(2):
            total = TRIALS[row, column] + hit[row] + miss[row]
            expected = (HITS[row, column] + hit[row]) / total if TRIALS[row, column] else np.nan
            assert padded[row, column] == pytest.approx(expected, nan_ok=True)


def test_a_padded_change_has_a_quarter_gain_and_loss_added():
    gain, loss = poisson(11, 0.25, 0.25)
    net = np.array([1.0, -2, 0, 3])

    padded = padded_change(net, np.array([4.0, 5, 0, 6]), np.random.default_rng(11))

    total = np.array([4, 5, np.nan, 6]) + gain + loss
    np.testing.assert_allclose(padded, (net + gain - loss) / total)
    assert (gain != loss).any()


def test_a_padded_ratio_has_a_case_added_to_each_side():
    one, other = poisson(5, 1, 1)

    padded = padded_ratio(HITS[:, 0], np.array([2.0, 0, 4, 5]), np.random.default_rng(5))

    np.testing.assert_allclose(padded, (HITS[:, 0] + one) / (np.array([2, np.nan, 4, 5]) + other))


def test_the_kth_draw_of_a_cost_is_the_one_under_which_the_observed_has_that_chance():
    # One score, shares .6, .3, .1 at the places in the given order: distances .267, -.033, -.233.
    rng = np.random.default_rng(2)
    selections = np.array([[60, 30, 10], [25, 50, 25], [20, 30, 50]])
    draws = np.stack([[rng.multinomial(100, row / 100) for row in selections] for _ in range(400)])
    ordering = np.array([[0, 1, 2]])

    costs = cost_draws(selections, draws, ordering)[:, 0]

    own = np.array([selections[p, p] / 100 - 1 / 3 for p in range(3)])
    chance = np.array(
        [[draw[p, p] / draw[p].sum() - selections[p, p] / 100 for p in range(3)] for draw in draws]
    )
    observed = np.abs(own).sum()
    assert (np.diff(costs) >= 0).all()
    for k in (20, 100, 200, 300, 380):
        factor = costs[k] / 100 / observed
        tail = (np.abs(factor * own + chance).sum(axis=1) >= observed).mean()
        assert tail == pytest.approx((k + 0.5) / 400, abs=0.06)
