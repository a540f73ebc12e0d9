"""What happens on the network during one call, noted beside litellm, whose errors guess at it.

litellm reads kinds of errors from their words and sends some requests twice. Every request of the shared
session leaves its status, its Retry-After and how it ended in the `Wire` of the task that made it.
"""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Literal

import aiohttp

LONGEST_BODY = 16 * 2**20  # bytes; an answer that announces more is not read


class BrokenConnectionError(Exception):
    """The connection broke; of a kind that litellm has no second try for."""


class BodyTooLongError(Exception):
    """The answer announces more bytes than any answer has."""


@dataclass(slots=True)
class Wire:
    """What is known of the network's side of one attempt.

    `requests` were sent; `status` and `retry_after` are those of the last response's head. `ended` says what
    came of it before or after that head. `on_request` is called as each request leaves.
    """

    on_request: Callable[[], None]
    requests: int = 0
    status: int | None = None
    retry_after: str | None = None
    ended: Literal["broken", "too long"] | None = None

    def sent(self) -> None:
        """Note that a request leaves."""
        self.requests += 1
        self.on_request()


WIRE: ContextVar[Wire | None] = ContextVar("wire", default=None)
"""The attempt that the running task is about."""


def open_session() -> aiohttp.ClientSession:
    """Return a session that notes what its requests meet; the caller bounds how many are open at once."""
    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(_started)
    trace.on_request_end.append(_answered)
    trace.on_request_exception.append(_broken)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=None),
        trace_configs=[trace],
    )


async def _started(
    _: aiohttp.ClientSession, __: SimpleNamespace, ___: aiohttp.TraceRequestStartParams
) -> None:
    if wire := WIRE.get():
        wire.sent()


async def _answered(
    _: aiohttp.ClientSession, __: SimpleNamespace, params: aiohttp.TraceRequestEndParams
) -> None:
    if wire := WIRE.get():
        wire.status = params.response.status
        wire.retry_after = params.response.headers.get("Retry-After")
        if (params.response.content_length or 0) > LONGEST_BODY:
            wire.ended = "too long"
            params.response.close()
            raise BodyTooLongError


async def _broken(
    _: aiohttp.ClientSession, __: SimpleNamespace, params: aiohttp.TraceRequestExceptionParams
) -> None:
    if (wire := WIRE.get()) and isinstance(params.exception, aiohttp.ClientError | OSError):
        wire.ended = wire.ended or "broken"
        raise BrokenConnectionError(str(params.exception)) from params.exception
