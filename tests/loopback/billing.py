"""A server that keeps the bill: it charges for every answer that it begins, whether or not it arrives."""

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .http import Connection, Request, reset, send
from .server import Loopback, running

How = Literal["whole", "late", "stream", "stated", "page", "gateway", "silent", "zeros", "half", "reset"]
"""How an answer arrives.

`late`: not before the client leaves. `stream`: in pieces, though nobody asked for that; `stated`: with its
tokens in the last one. `page`: as HTML. `gateway`: a gateway gives up waiting. `silent`: without its tokens;
`zeros`: with zeros for them. `half`: broken off in the middle. `reset`: broken off before it begins.
"""


@dataclass(frozen=True)
class Charged:
    """An answer: its tokens, thinking included, and how it arrives."""

    tokens: int
    how: How = "whole"


Plan = Callable[[int], Charged]
"""The answer to a request by its number, from 0."""


@dataclass
class BillingServer(Loopback):
    """Answers as planned at these dollars per million tokens; `keeps_limit`: `max_tokens` ends an answer."""

    plan: Plan = field(default=lambda _: Charged(300))
    input_usd: float = 2.5
    output_usd: float = 10.0
    keeps_limit: bool = True
    bill: float = 0.0
    dearest: float = 0.0

    async def _call(self, request: Request, connection: Connection) -> bool:
        body = json.loads(request[3])
        answer = self.plan(self.attempts.total())
        self.attempts["call"] += 1
        limit = body.get("max_tokens") if self.keeps_limit else None
        completion = min(answer.tokens, limit or answer.tokens)
        prompt = sum(len(message["content"].split()) for message in body["messages"])
        cost = (prompt * self.input_usd + completion * self.output_usd) / 1e6
        self.bill += cost
        self.dearest = max(self.dearest, cost)
        usage = {"prompt_tokens": prompt, "completion_tokens": completion}
        return await _deliver(answer.how, self.answer(body), usage, connection)


async def _deliver(how: How, text: str, usage: Mapping[str, int], connection: Connection) -> bool:
    writer = connection.writer
    whole: dict[str, Any] = {
        "model": "m-1",
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
    }
    if how == "late":
        await connection.reader.read()  # until the client leaves
        return False
    if how == "reset":
        return reset(writer)
    if how == "gateway":
        await send(writer, 504, b"<html>Gateway Timeout</html>", {"content-type": "text/html"})
    elif how == "page":
        await send(writer, 200, b"<html>Welcome</html>", {"content-type": "text/html"})
    elif how in ("stream", "stated"):
        pieces = [{"choices": [{"delta": {"content": text}}]}]
        pieces += [{"choices": [], "usage": usage}] if how == "stated" else []
        lines = [f"data: {json.dumps(piece)}\n\n" for piece in pieces] + ["data: [DONE]\n\n"]
        await send(writer, 200, "".join(lines).encode(), {"content-type": "text/event-stream"})
    elif how == "half":
        content = json.dumps(whole).encode()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(content) + content[:40])
        await writer.drain()
        return False
    else:
        stated = dict.fromkeys(usage, 0) if how == "zeros" else usage
        content = json.dumps(whole if how == "silent" else whole | {"usage": stated}).encode()
        await send(writer, 200, content)
    return True


@contextlib.contextmanager
def billing(plan: Plan, **settings: Any) -> Iterator[BillingServer]:
    """Run a server that answers as planned until the block ends."""
    with running(BillingServer(plan=plan, **settings)) as server:
        yield server
