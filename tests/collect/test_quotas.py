"""What may be sent: the user's limits, what a provider's headers leave, and a rate that is learned."""

import math

import pytest

from engine.collect.limits.quotas import LearnedRate, Quota, Spacing
from engine.collect.limits.rate_limits import Allowance


def test_requests_are_spaced_evenly_and_later_ones_wait_for_earlier_ones() -> None:
    spacing = Spacing(60)

    assert spacing.wait_s(5.0) == 0
    spacing.take(1, 0.0)
    assert (spacing.wait_s(0.25), spacing.wait_s(1.0), spacing.wait_s(1.5)) == (0.75, 0, 0)
    spacing.take(2, 0.5)  # after the first, at 1
    assert spacing.wait_s(0.5) == pytest.approx(2.5)
    spacing.correct(-1)
    assert spacing.wait_s(0.5) == pytest.approx(1.5)


def test_an_answer_longer_than_expected_delays_the_next_call_by_its_tokens() -> None:
    spacing = Spacing(30)  # one in two seconds

    spacing.take(1, 0.0)
    spacing.correct(3)

    assert spacing.wait_s(0.0) == pytest.approx(2 + 3 * 2)


def test_calls_spaced_more_closely_than_a_loop_wakes_may_catch_up() -> None:
    spacing = Spacing(1200)  # one in .05 s

    spacing.take(1, 10.0)  # as if sent at 9.9
    assert spacing.wait_s(9.9) == pytest.approx(0.05)
    spacing.take(2, 10.0)  # takes .1 s, which a loop can wait for
    assert spacing.wait_s(10.0) == pytest.approx(0.1)


def waits(remaining: float, limit: float | None, reset_s: float | None, **call: float) -> float:
    """Return the wait at 1010 for a call, after 5 of 20 sent since the headers of 1000, the last at 1008."""
    values = {"need": 15.0, "total_sent": 55.0, "last": 1008.0, "now": 1010.0} | call
    return Quota(Allowance(remaining, limit, reset_s), 50.0, 1000.0).wait_s(**values)


@pytest.mark.parametrize(
    ("quota", "call", "seconds"),
    [
        # 15 are left: just enough, spread as 15 x .25 / .75 x 30 s / 15 = 10 s after the last.
        ((20, 100, 30), {}, 8),
        ((20, 100, 30), {"need": 15.1}, 20),  # too much: until the renewal at 1030
        ((20, 100, 30), {"now": 1030.0}, 0),
        ((20, 100, 30), {"now": 1029.5, "need": 16.0}, 0.5),
        ((20, 100, 30), {"last": 999.0}, 0),  # the ten seconds are over
        ((20, 100, 30), {"last": 1029.0, "now": 1029.5}, 0.5),  # no longer than the renewal
        ((45, 100, 30), {}, 0),  # 40 are left, and 25 after it: a quarter of the limit is not touched
        ((45, 100, 30), {"need": 15.5}, 1.875),  # 15.5 / 3 x 30 / 40 = 3.875 s after 1008
        ((20, None, 30), {}, 0),
        ((20, 100, None), {"need": 99.0}, 0),
        # A reset in 90 s is checked after 60: 15 / 3 x 90 / 15 = 30 s after 1050 would be 1080.
        ((20, 100, 90), {"last": 1050.0, "now": 1055.0}, 5),
    ],
)
def test_the_last_quarter_of_a_limit_is_spread_until_it_is_renewed(
    quota: tuple[float, float | None, float | None], call: dict[str, float], seconds: float
) -> None:
    assert waits(*quota, **call) == pytest.approx(seconds)


def test_a_rate_is_what_was_accepted_in_a_cycle_and_doubles_until_the_next_refusal() -> None:
    rate = LearnedRate(10.0)
    assert (rate.per_second(15.0), rate.wait_s(15.0)) == (None, 0)
    for _ in range(6):
        rate.take(11.0)
    assert rate.wait_s(11.0) == 0
    rate.count_refusal()

    rate.end_cycle(20.0)

    # Five in ten seconds: one in two, which doubles in the time of ten calls, 20 s.
    assert rate.per_second(20.0) == pytest.approx(0.5)
    assert rate.per_second(40.0) == pytest.approx(1.0)
    assert (rate.wait_s(20.5), rate.wait_s(23.0)) == (pytest.approx(1.5), 0)
    rate.take(22.0)
    assert rate.wait_s(22.0) == pytest.approx(2 / 2**0.1)
    assert rate.per_second(1e9) == pytest.approx(0.5 * 2**20)


def test_an_earlier_cycle_counts_half() -> None:
    rate = LearnedRate(0.0)
    for _ in range(4):
        rate.take(1.0)
    rate.end_cycle(8.0)
    for _ in range(12):
        rate.take(9.0)

    rate.end_cycle(20.0)

    # 12 + 4 / 2 in 12 + 8 / 2 seconds.
    assert rate.per_second(20.0) == pytest.approx(14 / 16)
    # It doubles in the cycle's 12 s, more than the 11.4 s of ten calls.
    assert rate.per_second(32.0) == pytest.approx(14 / 8)


def test_a_cycle_without_a_call_or_a_time_has_one_call_and_a_thousandth_of_a_second() -> None:
    rate = LearnedRate(5.0)

    rate.end_cycle(5.0)

    assert rate.per_second(5.0) == pytest.approx(1000)
    # It takes at least two seconds to double.
    assert rate.per_second(7.0) == pytest.approx(2000)


def test_slow_calls_catch_up_by_nothing() -> None:
    rate = LearnedRate(0.0)
    rate.take(0.0)
    rate.end_cycle(4.0)  # one in four seconds, which doubles in forty

    rate.take(9.0)

    assert rate.wait_s(9.0) == pytest.approx(4 / 2 ** (5 / 40))


def test_a_first_cycle_has_no_earlier_one_and_its_first_call_does_not_wait() -> None:
    rate = LearnedRate(0.0)

    assert (rate.lasted_s, rate.wait_s(0.0)) == (0, 0)
    rate.end_cycle(0.5)  # no call but the one that was accepted: two a second
    assert rate.per_second(0.5) == pytest.approx(2)
    assert rate.lasted_s == 0.5


def test_fast_calls_may_catch_up_by_a_tenth_of_a_second() -> None:
    rate = LearnedRate(0.0)
    for _ in range(50):
        rate.take(0.5)
    rate.end_cycle(1.0)  # 50 in a second

    rate.take(1.5)

    # A call at 1.5 counts as one at 1.4; the rate has grown by 2 ** (.5 / 2).
    assert rate.wait_s(1.4) == pytest.approx(1 / (50 * 2**0.25))
    assert math.isclose(rate.wait_s(1.5), 0)
