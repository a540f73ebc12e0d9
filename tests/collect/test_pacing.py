"""The pace of a provider: learnt from refusals and headers, shared by all calls, on a given clock."""

import asyncio

import pytest
from collect.pace_clock import Clock, take_all, warm
from loopback import serving
from loopback.limits import Bucket, Fixed, Limiter, Says, Sliding
from loopback.pacing import ask_in_turns, simulate
from virtual_time import run_virtual

from engine.collect.limits.pacing import START, Pace, WaitReason
from engine.collect.limits.rate_limits import Allowance, RateLimits
from engine.collect.limits.turns import LimitLastsError, Turns


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_each_models_first_calls_go_one_at_a_time_until_one_is_answered(clock: Clock) -> None:
    pace = Pace("p", clock=clock)

    first = take_all(pace, "a")
    other = take_all(pace, "b")
    pace.end(first[0], "passed")  # an error of 400 says nothing about the next
    next_turns = take_all(pace, "a")
    pace.end(next_turns[0], "answered")
    many = take_all(pace, "a")

    assert [len(first), len(other), len(next_turns)] == [1, 1, 1]
    assert len(many) == START - 1  # beside that of the other model
    assert pace.wait_s("b") == 1.0  # b waits with the rest, until those count as taken
    assert pace.state().reason == WaitReason.SLOW_START


def test_concurrency_grows_with_each_answer_up_to_the_ceiling(clock: Clock) -> None:
    pace = Pace("p", ceiling=20, clock=clock)
    warm(pace, clock)

    for turn in take_all(pace):
        pace.end(turn, "answered")

    assert len(take_all(pace)) == 20
    assert pace.state().reason == WaitReason.CEILING
    assert "concurrency" in pace.state().words


@pytest.mark.parametrize("outcome", ["passed", "lost"])
def test_only_refusals_slow_the_calls_down(clock: Clock, outcome: str) -> None:
    pace = Pace("p", clock=clock)
    warm(pace, clock)

    for turn in take_all(pace):
        pace.end(turn, outcome)  # type: ignore[arg-type]

    assert len(take_all(pace)) == START


def test_a_refusal_halves_the_concurrency_and_a_burst_of_them_counts_once(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    warm(pace, clock)

    for turn in take_all(pace):
        pace.end(turn, "refused")

    assert pace.refusals == START
    assert pace.state().at_once == START // 2


def test_a_pause_holds_all_calls_and_ends_with_one_probe_call(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    warm(pace, clock, "a")
    warm(pace, clock, "b")
    turn = pace.take("a")
    clock.now += 0.1

    pace.end(turn, "refused", RateLimits(wait_s=7.0))
    waits = [pace.wait_s("a"), pace.wait_s("b")]
    words = pace.state().words
    clock.now += 7.06
    ahead = take_all(pace, "b")
    clock.now += 0.05
    still = pace.state().reason
    pace.end(ahead[0], "answered")

    assert waits == pytest.approx([7.05, 7.05])
    assert words == "paused for 8 seconds, as the provider asks (1 refusal)"
    assert len(ahead) == 1
    assert still == WaitReason.NO_ANSWER_YET
    clock.now += 10
    assert pace.wait_s("a") == 0


def test_a_probe_call_that_outlasts_the_last_refusal_ends_the_pause(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    warm(pace, clock)
    turn = pace.take("m")
    clock.now += 0.2  # refused after 0.2 s: taken after 1.5 times that, and a margin of 0.05
    pace.end(turn, "refused", RateLimits(wait_s=1.0))
    clock.now += 1.1

    take_all(pace)

    assert pace.wait_s("m") == pytest.approx(0.35)
    clock.now += 0.36
    assert pace.state().reason == WaitReason.LEARNED


def test_a_server_error_can_request_a_pause_without_lowering_the_concurrency(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    warm(pace, clock)

    pace.end(pace.take("m"), "passed", RateLimits(wait_s=3.0))

    assert pace.wait_s("m") == pytest.approx(3.0)
    assert pace.state().at_once == START


def test_the_users_requests_and_tokens_a_minute_are_spaced_evenly(clock: Clock) -> None:
    requests = Pace("p", requests_per_minute=120, clock=clock)  # one each 0.5 s
    tokens = Pace("p", tokens_per_minute=6_000, clock=clock)  # 100 a second
    warm(requests, clock)
    warm(tokens, clock)
    clock.now += 10

    requests.take("m")
    long = tokens.take("m", 300)
    waits = [requests.wait_s("m"), tokens.wait_s("m", 300)]
    tokens.end(long, "answered", tokens=100)  # it was shorter than expected: 200 tokens are 2 s

    assert waits == pytest.approx([0.5, 3.0])
    assert tokens.wait_s("m", 300) == pytest.approx(1.0)
    assert tokens.state().reason == WaitReason.USER_TOKENS


def test_the_remaining_limit_in_the_headers_is_spread_once_three_quarters_are_used(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    turn = pace.take("m")

    pace.end(turn, "answered", RateLimits(requests=Allowance(remaining=11, limit=40, reset_s=9.0)))
    pace.take("m")  # 10 are left, a quarter of 40
    pace.take("m")  # less than that: spread

    # 9 left over 9 s, three times as fast as evenly: a third of a second
    assert pace.wait_s("m") == pytest.approx(1 / 3)
    assert pace.state().reason == WaitReason.HEADERS


def test_calls_wait_for_the_reset_of_an_exhausted_limit(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    turn = pace.take("m")

    pace.end(turn, "answered", RateLimits(tokens=Allowance(remaining=100, limit=10_000, reset_s=20.0)))

    assert pace.wait_s("m", tokens=500) == pytest.approx(20.0)
    clock.now += 20.1
    assert pace.wait_s("m", tokens=500) == 0


def test_one_models_headers_do_not_hold_back_another_model(clock: Clock) -> None:
    pace = Pace("p", clock=clock)
    warm(pace, clock, "b")

    pace.end(pace.take("a"), "answered", RateLimits(requests=Allowance(0, 10, 30.0)))

    assert pace.wait_s("a") == pytest.approx(30.0)
    assert pace.wait_s("b") == 0


LIMITS = [
    (Sliding(40, 10), Sliding(40, 10)),
    (Fixed(40, 10), Fixed(40, 10)),
    (Fixed(40, 10, 5), Fixed(40, 10, 5)),
    (Bucket(40, 4), Bucket(40, 4)),
]


@pytest.mark.parametrize("says", ["nothing", "retry-after"])
@pytest.mark.parametrize("latency_s", [0.05, 1.0, 2.0])
@pytest.mark.parametrize("limit", range(len(LIMITS)))
def test_200_calls_under_40_in_10_seconds_are_answered_with_few_refusals_near_the_ideal_time(
    limit: int, latency_s: float, says: Says
) -> None:
    limiter, ideal = fresh(limit)

    paced = simulate(lambda clock: Pace("p", clock=clock), limiter, ideal, latency_s=latency_s, says=says)

    assert paced.answered == 200
    assert paced.refused <= 100
    assert paced.times_ideal <= 1.3


def fresh(limit: int) -> tuple[Limiter, Limiter]:
    run, ideal = ([Sliding(40, 10), Fixed(40, 10), Fixed(40, 10, 5), Bucket(40, 4)][limit] for _ in range(2))
    return run, ideal


def test_an_unannounced_limit_of_60_a_minute_loses_no_call() -> None:
    paced = simulate(
        lambda clock: Pace("p", clock=clock), Sliding(60, 60, strict=True), Sliding(60, 60), latency_s=0.3
    )

    assert paced.answered == 200
    assert paced.refused <= 100


def test_calls_wait_for_their_turn_on_a_virtual_clock() -> None:
    async def main() -> tuple[int, int, float]:
        loop = asyncio.get_running_loop()
        turns = Turns(Pace("p", clock=loop.time))
        limiter = Sliding(40, 10)
        refused = 0

        async def call() -> None:
            nonlocal refused
            while True:
                turn = await turns.turn("m")
                await asyncio.sleep(0.1)
                if limiter.admits(loop.time()):
                    break
                refused += 1
                turns.end(turn, "refused")
            await asyncio.sleep(1)
            turns.end(turn, "answered")

        await asyncio.gather(*(call() for _ in range(200)))
        return turns.pace.state().under_way, refused, loop.time()

    under_way, refused, seconds = run_virtual(main())

    assert under_way == 0
    assert refused <= 100
    assert seconds <= 1.3 * 42


def test_a_cancelled_call_gives_its_turn_back() -> None:
    async def main() -> tuple[int, bool]:
        turns = Turns(Pace("p", ceiling=1, clock=asyncio.get_running_loop().time))
        first = await turns.turn("m")
        second, third = (asyncio.create_task(turns.turn("m")) for _ in range(2))
        await asyncio.sleep(0)
        was_full = not turns.has_room("m")
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        turns.end(first, "answered")
        turns.end(await third, "answered")
        return turns.pace.state().under_way, was_full

    assert run_virtual(main()) == (0, True)


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        (RateLimits(wait_s=86_400.0), "openai asks to wait 24 hours; run the command again afterwards"),
        (RateLimits(), "openai has refused every call for"),
    ],
)
def test_a_limit_that_outlasts_the_patience_ends_the_wait_with_a_message(
    headers: RateLimits, words: str
) -> None:
    async def main() -> list[BaseException | None]:
        turns = Turns(Pace("openai", patience_s=900, clock=asyncio.get_running_loop().time))

        async def call() -> None:
            while True:
                turn = await turns.turn("m")
                await asyncio.sleep(0.1)
                turns.end(turn, "refused", headers)

        return await asyncio.gather(*(call() for _ in range(5)), return_exceptions=True)

    errors = run_virtual(main())

    assert all(isinstance(error, LimitLastsError) for error in errors)
    assert str(errors[0]).startswith(words)


def test_a_sent_call_lets_another_one_start() -> None:
    async def main() -> list[bool]:
        turns = Turns(Pace("p", ceiling=1, clock=asyncio.get_running_loop().time))
        heard = []
        turns.on_room = lambda: heard.append(turns.has_room("m"))
        first = await turns.turn("m")
        waiting = [asyncio.create_task(turns.turn("m")) for _ in range(2)]
        await asyncio.sleep(0)
        heard.append(turns.has_room("m"))
        turns.end(first, "answered")
        turns.end(await waiting[0], "answered")
        turns.end(await waiting[1], "answered")
        return heard

    assert run_virtual(main()) == [True, False, True, True]


def test_a_server_with_a_limit_answers_all_paced_calls() -> None:
    with serving(limit=Sliding(20, 0.2), says="retry-after") as server:
        asyncio.run(ask_in_turns(server.url, Turns(Pace("p")), 60))

    assert server.answers.total() == 60
    assert server.calls - 60 <= 30
