"""Draws for shares and ratios of few cases, and for costs inflated by chance."""

import numpy as np
import pytest

from engine.stats.added_cases import padded_change, padded_ratio, padded_share
from engine.stats.bootstrap import percentile_interval
from engine.stats.cost_intervals import cost_draws
from engine.stats.option_orders import balanced_orderings, bias_costs

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
