"""A server of text completions that gives the probabilities of the tokens that may come next."""

import contextlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .http import Connection, Request, send
from .server import Loopback, running

Next = Callable[[str, str], Mapping[str, float]]
"""The probabilities of the tokens after a model's prompt."""


@dataclass
class Continuations(Loopback):
    """Answers each text completion with the likeliest token; records what it was sent, and where.

    A `silent` one gives no probabilities, and one with `most` refuses more alternatives than that.
    """

    after: Next = field(default=lambda _model, _prompt: {" A": 0.6, " B": 0.3})
    silent: bool = False
    most: int = 20
    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    async def _call(self, request: Request, connection: Connection) -> bool:
        _, path, _, content = request
        body = json.loads(content)
        self.paths.append(path)
        self.bodies.append(body)
        self.attempts["call"] += 1
        if body.get("logprobs", 0) > self.most:
            words = f"Invalid value for 'logprobs': must be at most {self.most}"
            await send(connection.writer, 400, json.dumps({"error": {"message": words}}).encode())
            return True
        tokens = self.after(body["model"], body["prompt"])
        best = max(tokens, key=tokens.__getitem__)
        top = {token: math.log(share) for token, share in tokens.items()}
        logprobs = {
            "tokens": [best],
            "token_logprobs": [top[best]],
            "top_logprobs": [top],
            "text_offset": [0],
        }
        choice = {"index": 0, "text": best, "finish_reason": "length"}
        usage = {"prompt_tokens": 1000, "completion_tokens": 1, "total_tokens": 1001}
        answer = {"id": "x", "object": "text_completion", "created": 1, "model": "m-1", "usage": usage}
        answer |= {"choices": [choice | {"logprobs": None if self.silent else logprobs}]}
        await send(connection.writer, 200, json.dumps(answer).encode())
        return True


@contextlib.contextmanager
def continuing(after: Next | None = None, **settings: Any) -> Iterator[Continuations]:
    """Run such a server until the block ends."""
    if after is not None:
        settings["after"] = after
    with running(Continuations(**settings)) as server:
        yield server
