import numpy as np
import pytest

from engine.simulation.study_tables import CHOICE_NAMES, draw_status
from engine.simulation.verdict_draws import VerdictChoice, draw_favourable, draw_orders, draw_outcomes


def outcome_of(first, second):
    """MEASURES section 4, one pair: a winner beats a tie, two different winners are a tie."""
    sign = {"generator": 1, "opponent": -1, "tie": 0}
    total = sign[first] + sign[second]
    return (total > 0) - (total < 0)


@pytest.mark.parametrize("first_bias", [0.0, 0.3, 1.0])
def test_the_two_orders_always_resolve_to_the_outcome_drawn(first_bias):
    outcome = np.repeat([-1, 0, 1], 500)

    choices = draw_orders(outcome, first_bias, np.random.default_rng(1))

    pairs = zip(*choices.T, strict=True)
    assert [outcome_of(CHOICE_NAMES[a], CHOICE_NAMES[b]) for a, b in pairs] == outcome.tolist()


def test_a_judge_biased_to_the_first_shown_flips_only_that_way():
    choices = draw_orders(np.zeros(2000, dtype=int), 1.0, np.random.default_rng(2))

    generator_first, opponent_first = choices.T
    flips = generator_first != opponent_first
    assert 800 < flips.sum() < 1200
    assert set(generator_first[flips].tolist()) == {VerdictChoice.GENERATOR}
    assert set(opponent_first[flips].tolist()) == {VerdictChoice.OPPONENT}


def test_an_overestimated_loss_is_a_win_as_often_as_a_tie():
    lost = np.full(40_000, -1)

    outcome = draw_outcomes(lost, np.full(40_000, 0.4), np.full(40_000, 0.1), np.random.default_rng(3))

    # standard error of a share near 0.2 over 40,000 is 0.002
    assert np.mean(outcome == 1) == pytest.approx(0.2, abs=0.008)
    assert np.mean(outcome == 0) == pytest.approx(0.2, abs=0.008)


def test_the_overestimation_rate_is_that_of_the_losing_response():
    won = np.full(1000, 1)

    outcome = draw_outcomes(won, np.full(1000, 0.9), np.zeros(1000), np.random.default_rng(4))

    assert set(outcome.tolist()) == {1}


def test_equals_win_in_proportion_to_their_chances():
    equal = np.zeros(40_000, dtype=int)

    outcome = draw_outcomes(equal, np.full(40_000, 0.3), np.full(40_000, 0.1), np.random.default_rng(5))

    # 0.6 are decided, three quarters of them for the generator
    assert np.mean(outcome == 1) == pytest.approx(0.45, abs=0.01)
    assert np.mean(outcome == -1) == pytest.approx(0.15, abs=0.01)


def test_rubric_verdicts_err_at_the_given_rates():
    truth = np.repeat([True, False], 40_000)

    verdicts = draw_favourable(truth, np.full(80_000, 0.3), np.full(80_000, 0.1), np.random.default_rng(6))

    assert verdicts[:40_000].mean() == pytest.approx(0.9, abs=0.01)
    assert verdicts[40_000:].mean() == pytest.approx(0.3, abs=0.01)


def test_missing_verdicts_occur_at_the_requested_shares():
    status = draw_status(50_000, unparsed=0.05, refused=0.02, rng=np.random.default_rng(7))

    assert np.bincount(status, minlength=3) / 50_000 == pytest.approx([0.93, 0.05, 0.02], abs=0.005)
