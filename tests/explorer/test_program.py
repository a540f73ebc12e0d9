"""The program's files: read once, then sent from memory; whatever may change is left to Streamlit."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from explorer.serving.doorkeeper import Doorkeeper
from explorer.serving.program import MOST_BYTES, ProgramFiles

FOREVER = {"Cache-Control": "public, immutable, max-age=31536000"}


class Service:
    """A service whose files have the headers given to it; it counts how often it is asked."""

    def __init__(
        self, headers: Mapping[str, str] = FOREVER, status: int = HTTPStatus.OK, room: int = MOST_BYTES
    ) -> None:
        self.status, self.n_requests = status, 0
        self.headers = [(name.lower().encode(), text.encode()) for name, text in headers.items()]
        self.app = ProgramFiles(self._answer, room)

    async def _answer(self, scope: Scope, _receive: Receive, send: Send) -> None:
        self.n_requests += 1
        name = scope["path"].removeprefix("/").encode()
        await send({"type": "http.response.start", "status": self.status, "headers": list(self.headers)})
        await send({"type": "http.response.body", "body": b"text of ", "more_body": True})
        if name != b"broken.js":
            await send({"type": "http.response.body", "body": name})

    def request(self, path: str = "a.js", method: str = "GET", query: str = "", **headers: str) -> Any:
        """Return the status, the headers and the text of an answer."""
        return answer_of(self.app, path, method, query, headers)


def answer_of(app: ASGIApp, path: str, method: str, query: str, headers: Mapping[str, str]) -> Any:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    raw = [(b"host", b"localhost"), *((key.encode(), text.encode()) for key, text in headers.items())]
    scope = {"type": "http", "method": method, "path": f"/{path}", "query_string": query.encode()}
    asyncio.run(app(scope | {"headers": raw}, receive, send))
    start, *bodies = sent
    return start["status"], sorted(start["headers"]), b"".join(each["body"] for each in bodies)


def test_a_file_that_never_changes_is_read_once() -> None:
    service = Service()

    first, second, other = service.request(), service.request(), service.request("b.js")

    assert first == second
    assert (first[2], other[2]) == (b"text of a.js", b"text of b.js")
    assert service.n_requests == 2


@pytest.mark.parametrize(
    "policy", ["", "no-cache", "public", "public, max-age=31536000", "immutable", "private, immutable"]
)
def test_what_may_change_is_read_each_time(policy: str) -> None:
    service = Service({"Cache-Control": policy})

    answers = [service.request()[2], service.request()[2]]

    assert answers == [b"text of a.js"] * 2
    assert service.n_requests == 2


@pytest.mark.parametrize(
    "header",
    [
        {"Vary": "Origin"},
        {"Set-Cookie": "visitor=1"},
        {"Content-Encoding": "gzip"},
        {"Access-Control-Allow-Origin": "http://localhost"},
    ],
)
def test_what_one_visitor_gets_is_sent_to_no_other(header: Mapping[str, str]) -> None:
    service = Service(FOREVER | header)

    service.request()
    service.request()

    assert service.n_requests == 2


@pytest.mark.parametrize("status", [HTTPStatus.PARTIAL_CONTENT, HTTPStatus.NOT_FOUND])
def test_an_answer_that_is_no_whole_file_is_not_stored(status: HTTPStatus) -> None:
    service = Service(status=status)

    statuses = [service.request()[0], service.request()[0]]

    assert statuses == [status, status]
    assert service.n_requests == 2


@pytest.mark.parametrize(
    "question",
    [
        {"range": "bytes=0-3"},
        {"if-none-match": '"x"'},
        {"if-modified-since": "Sun, 29 Nov 2026 00:00:00 GMT"},
        {"query": "v=2"},
        {"method": "PUT"},
    ],
)
def test_other_requests_for_a_stored_file_are_passed_on(question: Mapping[str, str]) -> None:
    service = Service()
    service.request()

    service.request(**question)
    service.request()

    assert service.n_requests == 2


def test_a_file_without_room_is_read_each_time() -> None:
    service = Service(room=len(b"text of a.js"))

    for name in ("a.js", "b.js", "a.js", "b.js"):
        assert service.request(name)[2] == f"text of {name}".encode()

    assert service.n_requests == 3  # b.js twice


def test_a_file_that_breaks_off_is_read_again() -> None:
    service = Service()

    halves = [service.request("broken.js")[2] for _ in range(2)]

    assert halves == [b"text of ", b"text of "]
    assert service.n_requests == 2


def test_files_from_memory_have_the_headers_of_all_answers_once() -> None:
    service = Service()
    app = Doorkeeper(service.app)

    first, second = (answer_of(app, "a.js", "GET", "", {}) for _ in range(2))

    names = [name for name, _ in second[1]]
    assert first == second
    assert b"x-frame-options" in names
    assert len(set(names)) == len(names)
    assert service.n_requests == 1
