"""How many calls may be under way at once: more with each that is accepted, half after a refusal."""

import math

import pytest
from collect.pace_clock import Clock, take_all, warm

from engine.collect.limits.pacing import Pace, WaitReason
from engine.collect.limits.rate_limits import RateLimits


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_only_an_answer_beside_half_of_the_calls_allowed_allows_one_more(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    warm(pace, clock)

    few = [pace.take("m") for _ in range(7)]
    for turn in few:
        pace.end(turn, "answered")
    after_few = pace.state().at_once
    for turn in [pace.take("m") for _ in range(8)]:
        pace.end(turn, "answered")

    assert (after_few, pace.state().at_once) == (16, 17)


def test_growth_is_fast_up_to_64_and_slow_from_there(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    warm(pace, clock)

    rounds = []
    for _ in range(8):
        turns = take_all(pace)
        rounds.append(len(turns))
        for turn in turns:
            pace.end(turn, "answered")

    # Of 16, those beside 8 or more count, the 8th to the 16th: 9 more. From 64 on each adds 1/64.
    assert rounds == [16, 25, 38, 58, 64, 64, 65, 65]


def test_a_call_that_lasts_a_second_counts_as_accepted_once(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    warm(pace, clock)
    turns = take_all(pace)
    waits = [pace.wait_s("m")]
    clock.now += 0.75
    waits.append(pace.wait_s("m"))
    clock.now += 0.25

    more = take_all(pace)

    assert waits == pytest.approx([1.0, 0.25])
    assert len(more) == 9  # as many as of 16 were beside 8 others
    for turn in turns:
        pace.end(turn, "answered")
    assert pace.state().at_once == 25


@pytest.mark.parametrize(("ceiling", "at_once"), [(1, 1), (3, 3), (512, 16)])
def test_a_ceiling_holds_from_the_first_answer(clock: Clock, ceiling: int, at_once: int) -> None:
    pace = Pace("p", ceiling=ceiling, clock=clock)
    warm(pace, clock)

    assert len(take_all(pace)) == at_once
    assert pace.state().at_once == at_once


def test_at_the_ceiling_a_call_waits_until_another_has_ended(clock: Clock) -> None:
    pace = Pace("p", ceiling=1, clock=clock)
    warm(pace, clock)
    pace.take("m")
    clock.now += 1.0

    assert pace.wait_s("m") == math.inf
    state = pace.state()
    assert (state.reason, state.under_way, state.wait_s) == (WaitReason.CEILING, 1, math.inf)
    assert state.ceiling_is_users
    assert not Pace("p", clock=clock).state().ceiling_is_users


def refused(ceiling: int | None, clock: Clock) -> Pace:
    """Return a pace after a refusal, a second's pause, and a probe that was answered at once."""
    pace = Pace("p", ceiling=ceiling, clock=clock)
    warm(pace, clock, latency_s=0.001)
    turns = take_all(pace)
    clock.now += 0.01
    pace.end(turns[0], "refused", RateLimits(wait_s=1.0))
    for turn in turns[1:]:
        pace.end(turn, "answered")
    clock.now += 1.06
    pace.end(pace.take("m"), "answered")
    return pace


def test_after_a_refusal_three_quarters_are_regained_fast(clock: Clock) -> None:
    pace = refused(None, clock)
    halved = pace.state().at_once
    turns = []
    for _ in range(8):
        clock.now += 0.1  # longer than the rate asks for, of 16 calls in about a second
        turns.append(pace.take("m"))

    for turn in turns:
        pace.end(turn, "answered")

    # 5 of 8 had four or more others: four make it 12 of 16, and the fifth adds a twelfth.
    assert (halved, pace.state().at_once) == (8, 12)


def test_a_refusal_leaves_one_call_at_least(clock: Clock) -> None:
    assert refused(1, clock).state().at_once == 1


def test_a_learnt_rate_allows_as_many_calls_at_once_as_it_and_their_duration_need(clock: Clock) -> None:
    pace = Pace("p", ceiling=30, clock=clock)
    warm(pace, clock, latency_s=2.0)
    turns = take_all(pace)
    clock.now += 0.5
    pace.end(turns[0], "refused", RateLimits(wait_s=0.0))
    clock.now += 0.5
    ahead = pace.take("m")
    pace.end(ahead, "passed")

    # 15 accepted and the probe in the second since the first answer: 16 a second, of 2 seconds each, and one.
    assert pace.state().per_second == pytest.approx(16.0)
    assert pace.state().at_once == 30
    clock.now += 2.0
    assert pace.state().per_second == pytest.approx(32.0)


def test_the_duration_of_calls_is_that_of_the_first_and_then_moves_by_a_tenth(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    warm(pace, clock, latency_s=4.0)
    turns = take_all(pace)
    clock.now += 1.0
    pace.end(turns[0], "refused", RateLimits(wait_s=0.0))
    pace.end(turns[1], "answered")  # 1 s: 4 - 3 / 10
    clock.now += 1.0
    pace.end(pace.take("m"), "passed")

    # 15 of 16 and the probe in 2 seconds; 8 a second x 3.7 s and one.
    assert pace.state().at_once == int(8 * 3.7 + 1)
