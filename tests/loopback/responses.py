"""A server that answers with a test's responses, one after the other, whatever the request."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .http import Connection, Request, send
from .server import Loopback, running


@dataclass(frozen=True)
class Response:
    """A response: its status, its body (bytes as they are, anything else as JSON) and its headers."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class ResponseServer(Loopback):
    """Answers each call with the next response, repeating the last one; records what it was sent."""

    responses: list[Response] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    heads: list[Mapping[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    async def _call(self, request: Request, connection: Connection) -> bool:
        _, path, headers, body = request
        self.paths.append(path)
        self.heads.append(headers)
        self.bodies.append(json.loads(body))
        self.attempts["call"] += 1
        response = self.responses.pop(0) if len(self.responses) > 1 else self.responses[0]
        await send(connection.writer, response.status, response.content, response.headers)
        return True


@contextlib.contextmanager
def giving(*responses: Response) -> Iterator[ResponseServer]:
    """Run a server that gives these responses until the block ends."""
    with running(ResponseServer(responses=list(responses))) as server:
        yield server


def completion_with(
    message: Mapping[str, Any] | None = None, *, finish_reason: Any = "stop", **fields: Any
) -> dict[str, Any]:
    """Return a completion with this message; `usage` is 10 and 20 tokens unless it is given."""
    choice = {"index": 0, "message": message or {"role": "assistant", "content": "Yes."}}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "m-1",
        "choices": [choice | {"finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30},
    } | fields
