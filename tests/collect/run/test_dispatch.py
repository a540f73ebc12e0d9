"""Which call is made when."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest
from virtual_time import run_virtual

from engine.collect.calls import CallRequest, Subject
from engine.collect.dispatch.scheduling import Dispatch, Lane


def requests(model: str, each: int) -> Iterator[CallRequest]:
    for number in range(each):
        yield CallRequest("judge", model, "single_rubric", "default", Subject(f"i{number}", "g"))


def lanes(models: str, each: int, **limits: int) -> list[Lane]:
    return [Lane(model, requests(model, each), lambda _request: True, limits.get(model)) for model in models]


def making(calls: list[CallRequest], wait: Callable[[CallRequest], Awaitable[None]]) -> Callable[..., object]:
    def begin(request: CallRequest) -> Callable[[], Awaitable[None]]:
        async def make() -> None:
            await wait(request)
            calls.append(request)

        return make

    return begin


async def turn(_: CallRequest) -> None:
    await asyncio.sleep(0)


def test_every_request_is_made_once_whatever_the_order_of_the_plan() -> None:
    calls: list[CallRequest] = []

    asyncio.run(Dispatch(lanes("abc", 700), 7, making(calls, turn)).run())  # type: ignore[arg-type]

    assert len(calls) == len({request.key for request in calls}) == 2100


def test_a_hanging_model_does_not_delay_the_others() -> None:
    calls: list[CallRequest] = []

    async def run() -> int:
        async def wait(request: CallRequest) -> None:
            if request.model == "a":
                await asyncio.Event().wait()

        dispatch = Dispatch(lanes("ab", 50, a=3), 8, making(calls, wait))  # type: ignore[arg-type]
        running = asyncio.create_task(dispatch.run())
        while len(calls) < 50:
            await asyncio.sleep(0)
        dispatch.stop()
        await running
        return await dispatch.finish(0.0, asyncio.Event())

    given_up = asyncio.run(run())

    assert {request.model for request in calls} == {"b"}
    assert given_up == 3


def test_an_exception_in_a_call_stops_the_whole_run() -> None:
    async def broken(_: CallRequest) -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        asyncio.run(Dispatch(lanes("a", 5), 2, making([], broken)).run())  # type: ignore[arg-type]


def test_requests_are_taken_from_the_plan_only_as_calls_start() -> None:
    requested = 0
    most = 0

    def counting_requests() -> Iterator[CallRequest]:
        nonlocal requested
        for request in requests("a", 1000):
            requested += 1
            yield request

    calls: list[CallRequest] = []

    async def wait(_: CallRequest) -> None:
        nonlocal most
        most = max(most, requested - len(calls))
        await asyncio.sleep(0)

    lane = Lane("a", counting_requests(), lambda _request: True)
    asyncio.run(Dispatch([lane], 10, making(calls, wait)).run())  # type: ignore[arg-type]

    assert most <= 11


def test_the_model_with_the_fewest_calls_under_way_is_called_next() -> None:
    begun_calls: list[str] = []

    async def run() -> None:
        release = asyncio.Event()

        def begin(request: CallRequest) -> Callable[[], Awaitable[None]]:
            begun_calls.append(request.model)
            return lambda: wait(request)

        async def wait(_: CallRequest) -> None:
            if len(begun_calls) == 6:
                release.set()
            await release.wait()

        await Dispatch(lanes("ab", 3), 6, begin).run()

    asyncio.run(run())

    assert begun_calls == ["a", "b", "a", "b", "a", "b"]


def test_a_model_has_no_more_calls_under_way_than_its_limit_and_all_no_more_than_theirs() -> None:
    most: dict[str, int] = {"a": 0, "b": 0, "all": 0}
    now = {"a": 0, "b": 0, "all": 0}

    async def wait(request: CallRequest) -> None:
        for name in (request.model, "all"):
            now[name] += 1
            most[name] = max(most[name], now[name])
        await asyncio.sleep(0)
        for name in (request.model, "all"):
            now[name] -= 1

    asyncio.run(Dispatch(lanes("ab", 20, a=2), 5, making([], wait)).run())  # type: ignore[arg-type]

    assert most == {"a": 2, "b": 3, "all": 5}


def test_a_call_without_room_waits_until_another_has_ended() -> None:
    under_way, begun_calls = 0, 0

    def begin(_: CallRequest) -> Callable[[], Awaitable[None]] | None:
        nonlocal begun_calls
        if under_way:
            return None
        begun_calls += 1
        return make

    async def make() -> None:
        nonlocal under_way
        under_way += 1
        await asyncio.sleep(0)
        under_way -= 1

    asyncio.run(Dispatch(lanes("a", 4), 3, begin).run())

    assert begun_calls == 4


def test_a_dropped_model_is_called_no_more_and_its_requests_remain() -> None:
    calls: list[CallRequest] = []
    dispatch = Dispatch(lanes("ab", 5), 1, making(calls, turn))  # type: ignore[arg-type]

    def begin(request: CallRequest) -> object:
        if len(calls) == 2:
            dispatch.drop("a")
        return making(calls, turn)(request)

    dispatch.begin = begin  # type: ignore[assignment]
    asyncio.run(dispatch.run())

    dropped = [request.subject.instance_id for request in dispatch.remaining_requests(dropped=True)]
    numbers = [request.subject.instance_id for request in calls if request.model == "a"]
    assert sorted(numbers + dropped) == [f"i{number}" for number in range(5)]
    assert 0 < len(numbers) < 4
    assert sum(request.model == "b" for request in calls) == 5
    assert list(dispatch.remaining_requests(dropped=False)) == []
    assert list(dispatch.remaining_requests(dropped=True)) == []  # they are yielded once


def test_after_a_stop_the_wanted_requests_remain_with_the_one_that_was_next() -> None:
    lane = Lane("a", requests("a", 6), lambda request: request.subject.instance_id != "i3")

    def begin(request: CallRequest) -> None:
        if request.subject.instance_id == "i0":
            dispatch.stop()

    dispatch = Dispatch([lane], 2, begin)  # type: ignore[arg-type]
    asyncio.run(dispatch.run())

    left = [request.subject.instance_id for request in dispatch.remaining_requests(dropped=False)]
    assert left == ["i0", "i1", "i2", "i4", "i5"]


def test_other_work_goes_on_while_many_unwanted_requests_are_skipped() -> None:
    seen: list[int] = []
    skipped = 0

    def is_wanted(_: CallRequest) -> bool:
        nonlocal skipped
        skipped += 1
        return False

    async def run() -> None:
        lane = Lane("a", requests("a", 1_200), is_wanted)
        running = asyncio.create_task(Dispatch([lane], 2, making([], turn)).run())  # type: ignore[arg-type]
        while not running.done():
            seen.append(skipped)
            await asyncio.sleep(0)

    asyncio.run(run())

    assert seen == [0, 500, 1_000, 1_200]


def test_a_model_without_room_waits_until_it_is_woken() -> None:
    calls: list[CallRequest] = []
    has_room = False

    async def run() -> list[int]:
        nonlocal has_room
        lane = Lane("a", requests("a", 2), lambda _request: True, has_room=lambda: has_room)
        dispatch = Dispatch([lane], 2, making(calls, turn))  # type: ignore[arg-type]
        running = asyncio.create_task(dispatch.run())
        for _ in range(5):
            await asyncio.sleep(0)
        before = len(calls)
        has_room = True
        dispatch.wake()
        await running
        return [before, len(calls)]

    assert asyncio.run(run()) == [0, 2]


@pytest.mark.parametrize(("hurries", "seconds"), [(False, 5.0), (True, 2.0)])
def test_calls_under_way_have_some_seconds_to_end_unless_there_is_a_hurry(
    hurries: bool, seconds: float
) -> None:
    async def run() -> tuple[int, float]:
        async def wait(request: CallRequest) -> None:
            await asyncio.sleep(1.0 if request.model == "a" else 100.0)

        loop, hurry = asyncio.get_running_loop(), asyncio.Event()
        dispatch = Dispatch(lanes("abc", 1), 3, making([], wait))  # type: ignore[arg-type]
        running = asyncio.create_task(dispatch.run())
        await asyncio.sleep(0.5)
        dispatch.stop()
        await running
        if hurries:
            loop.call_later(2.0, hurry.set)
        began = loop.time()
        return await dispatch.finish(5.0, hurry), loop.time() - began

    assert run_virtual(run()) == (2, pytest.approx(seconds))


def test_the_first_error_of_several_calls_ends_the_run() -> None:
    async def broken(request: CallRequest) -> None:
        await asyncio.sleep(1.0 if request.model == "b" else 0.5)
        raise ValueError(request.model)

    with pytest.raises(ValueError, match=r"^a$"):
        run_virtual(Dispatch(lanes("ab", 1), 2, making([], broken)).run())  # type: ignore[arg-type]
