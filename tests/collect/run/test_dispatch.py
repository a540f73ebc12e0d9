"""Which call is made when."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest

from engine.collect.calls import CallRequest, Subject
from engine.collect.dispatch import Dispatch, Lane


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
