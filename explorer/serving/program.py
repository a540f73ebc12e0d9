"""The program that runs in the browser: Streamlit's files, of which a first view needs a hundred and fifty.

Streamlit opens and reads a file for each request. Those of which it says that they never change are read
once here, and sent from memory after that.
"""

from collections.abc import Iterable
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 32 << 20
"""Most bytes of files in memory; a first view needs 7 MB, and all of Streamlit's files have 25 MB."""

FOR_EVERYBODY = frozenset(("public", "immutable"))
"""What `Cache-Control` says of a file that never changes."""

PARTIAL = ("range", "if-range", "if-none-match", "if-modified-since")
"""Headers of requests for less than a whole file."""

VARYING = ("vary", "set-cookie", "content-encoding", "access-control-allow-origin")
"""Headers of responses that others might get differently."""


class ProgramFiles:
    """The middleware, next to Streamlit."""

    def __init__(self, app: ASGIApp, room: int = MOST_BYTES) -> None:
        self._app = app
        self._room = room
        self._files: dict[str, tuple[Message, Message]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from memory, or pass the request on and store the answer if it never changes."""
        if not _is_for_a_file(scope):
            await self._app(scope, receive, send)
            return
        if scope["path"] not in self._files:
            passing = _Passing(send)
            await self._app(scope, receive, passing.send)
            self._store(scope["path"], passing)
            return
        start, body = self._files[scope["path"]]
        await send({**start, "headers": list(start["headers"])})  # middleware adds to the list
        await send(body)

    def _store(self, path: str, passing: "_Passing") -> None:
        size = sum(map(len, passing.parts))
        if passing.is_complete and size <= self._room and path not in self._files:
            self._room -= size
            body = {"type": "http.response.body", "body": b"".join(passing.parts)}
            self._files[path] = (passing.start, body)


class _Passing:
    """A response on its way to the browser, and its parts if it never changes."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.start: Message = {}
        self.parts: list[bytes] = []
        self.is_complete = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _never_changes(message):
            self.start = {**message, "headers": list(message["headers"])}
        elif message["type"] == "http.response.body" and self.start:
            self.parts.append(message.get("body", b""))
            self.is_complete = not message.get("more_body", False)
        await self._send(message)


def _is_for_a_file(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["method"] != "GET" or scope["query_string"]:
        return False
    return not _has_any(Headers(scope=scope), PARTIAL)


def _never_changes(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    policy = {word.strip() for word in headers.get("cache-control", "").split(",")}
    return start["status"] == HTTPStatus.OK and policy >= FOR_EVERYBODY and not _has_any(headers, VARYING)


def _has_any(headers: Headers, names: Iterable[str]) -> bool:
    return any(name in headers for name in names)
