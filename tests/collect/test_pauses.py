"""When calls go on after a refusal: as the provider asks, else by probe calls at likely moments."""

import math

import pytest
from collect.pace_clock import Clock, end_at_once, warm

from engine.collect.limits.pacing import Pace, WaitReason
from engine.collect.limits.rate_limits import Allowance, RateLimits


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> Pace:
    """Return a pace whose first call was answered at once, at 0."""
    pace = Pace("p", clock=clock)
    warm(pace, clock, latency_s=0.0)
    return pace


@pytest.mark.parametrize(
    ("refused_at", "wait_s"),
    [
        (0.25, 0.5),
        (0.75, 0.3),  # a second after the first call has passed, with a margin of 0.05
        (9.75, 0.3),
        (59.75, 0.3),
        (60.05, 0.5),
        (30.0, 0.5),
    ],
)
def test_a_probe_is_sent_after_half_a_second_or_when_a_usual_window_is_over(
    pace: Pace, clock: Clock, refused_at: float, wait_s: float
) -> None:
    clock.now = refused_at

    end_at_once(pace, "refused")

    assert pace.wait_s("m") == pytest.approx(wait_s)
    assert pace.state().reason == WaitReason.REFUSED


@pytest.mark.parametrize(
    ("probed_at", "wait_s"),
    [(102.25, 0.75), (131.0, 31 / 3), (280.0, 60.0), (700.0, 60.0)],
)
def test_the_longer_a_pause_lasts_the_rarer_are_its_probes_up_to_one_a_minute(
    pace: Pace, clock: Clock, probed_at: float, wait_s: float
) -> None:
    clock.now = 100.0
    end_at_once(pace, "refused")
    clock.now = probed_at

    end_at_once(pace, "refused")

    assert pace.wait_s("m") == pytest.approx(wait_s)  # a third of the pause


@pytest.mark.parametrize(
    ("refused_at", "wait_s"),
    [
        (26.0, 0.05),  # a second after 25, with the margin
        (27.0, 8.05),  # ten seconds after it
        (36.0, 14.05),  # as long as the cycle before it
        (51.0, 25.0),  # as the rate spaces calls; the end of a minute is later than that
    ],
)
def test_after_a_cycle_a_probe_waits_for_the_learnt_spacing_or_the_end_of_a_window(
    pace: Pace, clock: Clock, refused_at: float, wait_s: float
) -> None:
    clock.now = 1.0
    end_at_once(pace, "refused")
    clock.now = 25.0
    end_at_once(pace, "answered")  # one call in 25 seconds: the rate, and the length of the cycle
    clock.now = refused_at

    end_at_once(pace, "refused")

    assert pace.wait_s("m") == pytest.approx(wait_s)


def test_a_probe_refused_with_a_time_that_was_too_short_waits_half_a_second(pace: Pace, clock: Clock) -> None:
    clock.now = 30.0
    end_at_once(pace, "refused", RateLimits(wait_s=0.0))
    first = pace.wait_s("m")
    clock.now = 31.0

    end_at_once(pace, "refused", RateLimits(wait_s=0.0))

    assert (first, pace.wait_s("m")) == (pytest.approx(0.05), pytest.approx(0.5))
    assert pace.state().reason == WaitReason.ASKED_TO_WAIT


def test_the_longest_of_several_pauses_counts(pace: Pace, clock: Clock) -> None:
    clock.now = 30.0
    turns = [pace.take("m") for _ in range(3)]

    for turn, wait_s in zip(turns, (5.0, 9.0, 2.0), strict=True):
        pace.end(turn, "refused", RateLimits(wait_s=wait_s))

    assert pace.wait_s("m") == pytest.approx(9.05)
    assert pace.refusals == 3


@pytest.mark.parametrize(
    ("requests", "tokens", "wait_s"),
    [
        (Allowance(0.5, 10, 30.0), Allowance(1, 100, 50.0), 30.05),  # tokens are left
        (Allowance(0, 10, 20.0), Allowance(0, 100, 25.0), 25.05),
        (Allowance(0, 10, 20.0), Allowance(0, 100, 90.0), 60.05),  # a minute at most
        (Allowance(0, 10, None), None, 0.5),
        (None, Allowance(0, 100, 7.0), 7.05),
    ],
)
def test_a_refusal_with_an_exhausted_allowance_waits_until_it_is_renewed(
    pace: Pace, clock: Clock, requests: Allowance | None, tokens: Allowance | None, wait_s: float
) -> None:
    clock.now = 30.0

    end_at_once(pace, "refused", RateLimits(None, requests, tokens))

    assert pace.wait_s("m") == pytest.approx(wait_s)


def test_only_the_first_refusal_of_a_burst_decides_by_its_allowance(pace: Pace, clock: Clock) -> None:
    clock.now = 30.0
    first, second = pace.take("m"), pace.take("m")

    pace.end(first, "refused")
    pace.end(second, "refused", RateLimits(requests=Allowance(0, 10, 40.0)))

    assert pace.wait_s("m") == pytest.approx(0.5)


def test_a_probe_counts_as_accepted_by_half_of_an_earlier_refusals_time_at_least(
    pace: Pace, clock: Clock
) -> None:
    clock.now = 30.0
    turn = pace.take("m")
    clock.now = 30.4
    pace.end(turn, "refused", RateLimits(wait_s=0.0))
    clock.now = 31.0
    end_at_once(pace, "refused", RateLimits(wait_s=0.0))  # refused at once
    clock.now = 32.0

    pace.take("m")

    assert pace.state().reason == WaitReason.NO_ANSWER_YET
    assert pace.wait_s("m") == pytest.approx(1.5 * 0.2 + 0.05)


def test_a_call_sent_before_the_pause_does_not_end_it(pace: Pace, clock: Clock) -> None:
    clock.now = 30.0
    early, refused = pace.take("m"), pace.take("m")
    clock.now = 30.1
    pace.end(refused, "refused", RateLimits(wait_s=5.0))

    pace.end(early, "answered")

    assert pace.state().reason == WaitReason.ASKED_TO_WAIT
    clock.now = 36.0
    pace.take("m")
    assert pace.state().reason == WaitReason.NO_ANSWER_YET  # still one at a time


def test_a_server_error_may_ask_for_a_minute_at_most(pace: Pace, clock: Clock) -> None:
    clock.now = 30.0

    end_at_once(pace, "passed", RateLimits(wait_s=100.0))

    assert pace.wait_s("m") == 60
    assert pace.state().reason == WaitReason.ASKED_TO_WAIT
    assert pace.refusals == 0


@pytest.mark.parametrize(("seconds", "words"), [
    (900.0, None),
    (900.5, "p asks to wait 16 minutes; run the command again afterwards"),
])  # fmt: skip
def test_a_time_beyond_the_patience_is_a_final_refusal(pace: Pace, seconds: float, words: str | None) -> None:
    end_at_once(pace, "refused", RateLimits(wait_s=seconds))

    assert pace.final_refusal == words


def test_refusals_for_longer_than_the_patience_are_final_unless_a_call_was_accepted(
    pace: Pace, clock: Clock
) -> None:
    other = Pace("q", clock=clock)
    for each in (pace, other):
        end_at_once(each, "refused")
    clock.now = 500.0
    end_at_once(other, "passed")
    clock.now = 900.0
    for each in (pace, other):
        end_at_once(each, "refused")
    before = pace.final_refusal
    clock.now = 900.5

    for each in (pace, other):
        end_at_once(each, "refused")

    assert before is None
    assert pace.final_refusal == (
        "p has refused every call for 16 minutes; run the command again later, or ask the provider for a "
        "higher limit"
    )
    assert other.final_refusal is None


def test_an_older_calls_headers_do_not_replace_a_newer_ones(pace: Pace, clock: Clock) -> None:
    clock.now = 30.0
    older, newer = pace.take("m"), pace.take("m")

    pace.end(newer, "answered", RateLimits(requests=Allowance(0, 10, 20.0)))
    pace.end(older, "answered", RateLimits(requests=Allowance(9, 10, 20.0)))

    assert pace.wait_s("m") == pytest.approx(20.0)
    assert math.isclose(pace.wait_s("other"), 0)
