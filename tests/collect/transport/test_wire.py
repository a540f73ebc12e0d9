"""What is recorded of the network beneath litellm: requests, headers, and how an exchange failed."""

import asyncio

import aiohttp
import pytest

from engine.collect.client.openai_transport import LONGEST_BODY
from engine.collect.client.wire import WIRE, BodyTooLongError, BrokenConnectionError, Wire, open_session

OK = "HTTP/1.1 200 OK\r\nx-ratelimit-remaining-requests: 7\r\n"


def exchange(answer: str | None) -> tuple[Wire, type[Exception] | None, list[int]]:
    """Return what is recorded of a request, how it failed, and the number of requests at each start.

    The server answers so, without a word where `answer` is empty; with None there is no server.
    """
    starts: list[int] = []
    wire = Wire(lambda: starts.append(wire.requests))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write((answer or "").encode())
        writer.close()

    async def request() -> type[Exception] | None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        if answer is None:
            server.close()
            await server.wait_closed()
        WIRE.set(wire)
        try:
            async with open_session(1) as session, session.get(f"http://127.0.0.1:{port}/") as response:
                await response.read()
        except (aiohttp.ClientError, BrokenConnectionError, BodyTooLongError) as error:
            return type(error)
        finally:
            server.close()
        return None

    error = asyncio.run(request())
    return wire, error, starts


def test_an_answer_leaves_its_status_and_its_limits() -> None:
    wire, error, starts = exchange(f"{OK}content-length: 2\r\n\r\nok")

    assert (error, wire.problem, wire.status, wire.unknown_charge) == (None, None, 200, True)
    assert wire.limits.requests.remaining == 7
    assert starts == [1]


@pytest.mark.parametrize(("answer", "unsent"), [("", False), (None, True)])
def test_a_connection_that_breaks_may_have_cost_something_once_the_request_was_sent(
    answer: str | None, unsent: bool
) -> None:
    wire, error, starts = exchange(answer)

    assert (error, wire.problem, wire.status) == (BrokenConnectionError, "broken", None)
    assert (wire.unsent, wire.unknown_charge) == (unsent, not unsent)
    assert starts == [1]


@pytest.mark.parametrize(("more", "problem"), [(0, None), (1, "too long")])
def test_a_body_that_is_stated_to_be_too_long_is_not_read(more: int, problem: str | None) -> None:
    wire, error, _ = exchange(f"{OK}content-length: {LONGEST_BODY + more}\r\n\r\n")

    assert (wire.problem, wire.status) == (problem, 200)
    assert error is (BodyTooLongError if more else aiohttp.ClientPayloadError)


def test_a_session_has_so_many_connections_and_no_time_limit_of_its_own() -> None:
    async def limits() -> tuple[int, float | None]:
        async with open_session(3) as session:
            assert session.connector is not None
            return session.connector.limit, session.timeout.total

    assert asyncio.run(limits()) == (3, None)
