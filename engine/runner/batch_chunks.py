"""The calls of a plan cut into batches: of one model, not too many, and no more than the budget allows."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.calls import Request
from engine.judges import BatchError, Batches
from engine.judges.batch_gateway import ENDPOINT
from engine.plan import Plan
from engine.runner.calling import most_usd
from engine.runner.session import Session

BATCH_BYTES = 50_000_000
"""What the lines of a batch weigh at most: a fourth of what providers take."""
_OTHERS_TURN = 200
"""Lines written before other work on the event loop has its turn."""


@dataclass(slots=True)
class Chunk:
    """The calls of one batch with their lines: `most` is what they cost at most, `sent` their parameters."""

    calls: list[tuple[Request, bytes]] = field(default_factory=list)
    most: float = 0.0
    sent: dict[str, Any] = field(default_factory=dict)
    weight: int = 0

    def add(self, request: Request, body: dict[str, Any], most: float) -> None:
        """Add a call."""
        line = _line(request, body)
        self.calls.append((request, line))
        self.most += most
        self.weight += len(line)
        self.sent = {name: value for name, value in body.items() if name not in ("model", "messages")}

    def is_full(self, calls: int) -> bool:
        """Return whether nothing more goes into it, where a batch has so many calls at most."""
        return len(self.calls) >= calls or self.weight >= BATCH_BYTES


class Chunks:
    """Cuts requests, which come model by model, one chunk after the other."""

    def __init__(self, session: Session, batches: Batches, plan: Plan, requests: Iterator[Request]) -> None:
        self._session, self._batches, self._plan, self._requests = session, batches, plan, requests
        self._held: Request | None = None

    async def next(self) -> Chunk | None:
        """Return the next chunk; None where nothing is left, or nothing may be made before others have ended.

        Where the budget allows no call any more, the session is told so. A model that cannot be asked is
        given up.
        """
        session, chunk = self._session, Chunk()
        while not session.over and (request := self._next()) is not None:
            if chunk.calls and request.model != chunk.calls[0][0].model:
                self._held = request
                break
            config = session.config.models[request.model]
            messages = self._plan.messages(request)
            most = most_usd(request, messages, config, session.models.price(request.model))
            leave = session.budget.leave(chunk.most + most)
            if leave != "yes":
                self._held = request
                session.out_of_budget |= leave == "no" and not chunk.calls
                break
            try:
                logprobs = config.logprobs and request.role == "judge"
                chunk.add(request, self._batches.body(request.model, messages, logprobs=logprobs), most)
            except BatchError as error:
                session.give_up(request.model, error.failure.message)
                continue
            if chunk.is_full(session.options.batch_calls):
                break
            if not len(chunk.calls) % _OTHERS_TURN:
                await asyncio.sleep(0)
        return chunk if chunk.calls else None

    def _next(self) -> Request | None:
        held, self._held = self._held, None
        return held or next(self._requests, None)


def _line(request: Request, body: dict[str, Any]) -> bytes:
    """Return a line of a batch's file; answers are told apart by the request's key."""
    line = {"custom_id": request.key, "method": "POST", "url": ENDPOINT, "body": body}
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"
