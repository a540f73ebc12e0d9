"""What happens on the network during one call, recorded here since litellm's errors only guess at it."""

import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

import aiohttp

from engine.collect.client.openai_transport import LATE_STATUSES, LONGEST_BODY, NOT_SENT
from engine.collect.limits.rate_limits import NO_LIMITS, RateLimits, rate_headers


class BrokenConnectionError(Exception):
    """The connection broke; a type of error that litellm does not retry."""


class BodyTooLongError(Exception): ...


@dataclass(slots=True)
class Wire:
    """The network's side of one attempt.

    `requests` is the number sent; `status` and `limits` come from the last response's headers. `problem` is
    how the exchange failed, if it did; `unsent`: before the request was sent. `on_request` is called when
    each request is sent.
    """

    on_request: Callable[[], None]
    requests: int = 0
    status: int | None = None
    limits: RateLimits = NO_LIMITS
    problem: Literal["broken", "too long"] | None = None
    unsent: bool = False

    @property
    def unknown_charge(self) -> bool:
        """Whether a call that failed may have cost something."""
        is_cut_off = self.problem == "broken" and self.status is None and not self.unsent
        return is_cut_off or self.status == 200 or self.status in LATE_STATUSES


WIRE: ContextVar[Wire | None] = ContextVar("wire", default=None)
"""The attempt of the running task."""


def open_session(connections: int) -> aiohttp.ClientSession:
    """Return a session of at most `connections` at once, which records its requests in `WIRE`."""
    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(_on_start)
    trace.on_request_end.append(_on_end)
    trace.on_request_exception.append(_on_exception)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=connections),
        timeout=aiohttp.ClientTimeout(total=None),
        trace_configs=[trace],
    )


async def _on_start(*_: object) -> None:
    if wire := WIRE.get():
        wire.requests += 1
        wire.on_request()


async def _on_end(_: object, __: object, params: aiohttp.TraceRequestEndParams) -> None:
    if wire := WIRE.get():
        wire.status = params.response.status
        wire.limits = rate_headers(params.response.headers, time.time())
        if (params.response.content_length or 0) > LONGEST_BODY:
            wire.problem = "too long"
            params.response.close()
            raise BodyTooLongError


async def _on_exception(_: object, __: object, params: aiohttp.TraceRequestExceptionParams) -> None:
    if (wire := WIRE.get()) and isinstance(params.exception, aiohttp.ClientError | OSError):
        wire.problem, wire.unsent = "broken", isinstance(params.exception, NOT_SENT)
        raise BrokenConnectionError(str(params.exception)) from params.exception
