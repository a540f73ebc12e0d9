"""The server and its counters; it runs in a thread beside the test that uses it."""

import asyncio
import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from engine.simulation.prompt_reading import parse_question

from .batches import Batches
from .http import Connection, Request, misbehave, read_request, send
from .limits import Limiter, Says, headers_of
from .replies import completion
from .script import WORDS, Script, identity_of

ANSWERED = frozenset(
    word
    for word in WORDS
    if not word[:3].isdecimal()
    and word
    not in ("quota", "reset", "reset-half", "half", "hang", "bad-json", "html", "no-choices", "error-in-200")
)
"""The words that end in an answer, which is paid for."""

Server = TypeVar("Server", bound="Loopback")
Answer = Callable[[dict[str, Any]], str]
"""The text that answers a body."""


def first_verdict(body: dict[str, Any]) -> str:
    """Answer in the form that the prompt asks for: true, A and the middle throughout."""
    prompt = body["messages"][-1]["content"]
    if '"results"' in prompt:
        criteria = len(parse_question(body["messages"]).criteria)
        return json.dumps({"results": [{"criteria_met": True}] * criteria})
    for word, text in (
        ("criteria_met", '{"criteria_met": true}'),
        ("outcome", '{"outcome": "A is better"}'),
        ("[RESULT]", "Feedback: fine. [RESULT] 3"),
        ("relevance", '{"relevance": 7, "accuracy": 6, "depth": 5, "logic": 8, "clarity": 9}'),
    ):
        if word in prompt:
            return text
    return "A"


@dataclass(slots=True)
class Call:
    """One request: its contents, its word, and when it started and ended (seconds, monotonic)."""

    identity: str
    model: str
    word: str
    began: float
    path: str
    parameters: dict[str, Any]
    ended: float | None = None

    @property
    def answered(self) -> bool:
        """Whether the client was sent an answer that is charged for."""
        return self.word.removesuffix("*") in ANSWERED


@dataclass
class Loopback:
    """A server with its script. `url` is the api_base for a model's configuration.

    `limit` refuses calls with 429 before the script applies; `says` chooses the headers about it.
    """

    script: Script = field(default_factory=Script)
    answer: Answer = first_verdict
    delay_s: float = 0.0
    remember: bool = True
    limit: Limiter | None = None
    says: Says = "nothing"
    batches: Batches = field(default_factory=Batches)
    url: str = ""
    requests: list[Call] = field(default_factory=list)
    attempts: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    keys: set[str] = field(default_factory=set)
    in_flight: int = 0
    most_in_flight: int = 0
    first_began: float | None = None
    last_ended: float | None = None

    @property
    def calls(self) -> int:
        """Return the number of requests received."""
        return self.attempts.total()

    async def serve(self, started: Callable[[], object], port: int = 0) -> None:
        """Serve until cancelled."""
        server = await asyncio.start_server(self._connection, "127.0.0.1", port, limit=2**20)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        started()
        try:
            await asyncio.Event().wait()
        finally:
            server.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            while (request := await read_request(reader)) is not None:
                if not await self._answer(request, Connection(reader, writer)):
                    break
        with contextlib.suppress(ConnectionError):
            writer.close()

    async def _answer(self, request: Request, connection: Connection) -> bool:
        """Answer a request of any kind; return whether the connection stays open."""
        goes_on = await self.batches.answer(request, connection, self._in_batch)
        if goes_on is not None:
            return goes_on
        if request[0] == "GET":
            await send(connection.writer, 200, json.dumps(self.summary()).encode())
            return True
        return await self._call(request, connection)

    def _in_batch(self, body: dict[str, Any]) -> tuple[str, str]:
        """Count a call of a batch; return its word and its answer."""
        word = self._count(body, "batch", None).word.removesuffix("*")
        return word, self.answer(body)

    def _count(self, body: dict[str, Any], path: str, header: str | None, *, admitted: bool = True) -> Call:
        """Count a call and choose its word."""
        identity, model = identity_of(body), str(body["model"])
        word = self.script.word(identity, model, header, self.attempts[identity]) if admitted else "429"
        self.attempts[identity] += 1
        call = Call(identity, model, word, time.monotonic(), path, _without_messages(body))
        if call.answered:
            self.answers[identity] += 1  # before it is sent, so that whoever has the answer sees it counted
        if self.remember:
            self.requests.append(call)
        return call

    async def _call(self, request: Request, connection: Connection) -> bool:
        _, path, headers, content = request
        body = json.loads(content)
        now = time.monotonic()
        admitted = self.limit is None or self.limit.admits(now)
        call = self._count(body, path, headers.get("x-loopback"), admitted=admitted)
        self.keys.add(headers.get("authorization", "").removeprefix("Bearer "))
        self.first_began = call.began if self.first_began is None else self.first_began
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.delay_s and admitted:
                await asyncio.sleep(self.delay_s)
            if self.limit is not None and call.word in ("ok", "429"):
                rate_headers = headers_of(self.limit, now, self.says, admitted=admitted)
                await self._answer_with_limits(call, body, connection, rate_headers)
                return True
            return await misbehave(call.word.removesuffix("*"), request, connection, body, self.answer(body))
        finally:
            self.in_flight -= 1
            call.ended = self.last_ended = time.monotonic()

    async def _answer_with_limits(
        self, call: Call, body: dict[str, Any], connection: Connection, rate_headers: Mapping[str, str]
    ) -> None:
        """Answer or refuse a call, with headers about the limit."""
        if call.word == "ok":
            await send(connection.writer, 200, completion("ok", body, self.answer(body)), rate_headers)
        else:
            error = {"error": {"message": "Slow down.", "type": "error", "code": "rate_limit_exceeded"}}
            await send(connection.writer, 429, json.dumps(error).encode(), rate_headers)

    def summary(self) -> dict[str, Any]:
        """Return the counters as JSON values; `answers` counts answered requests by identity."""
        return {
            "calls": self.calls,
            "first_began": self.first_began,
            "last_ended": self.last_ended,
            "identities": len(self.attempts),
            "attempts": dict(self.attempts),
            "answers": dict(self.answers),
            "in_flight": self.in_flight,
            "most_in_flight": self.most_in_flight,
            "requests": [asdict(call) for call in self.requests],
        }


def _without_messages(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in ("model", "messages")}


@contextlib.contextmanager
def serving(script: Script | None = None, **settings: Any) -> Iterator[Loopback]:
    """Run a server in a separate thread until the block ends."""
    with running(Loopback(script or Script(), **settings)) as server:
        yield server


@contextlib.contextmanager
def running(server: Server) -> Iterator[Server]:
    """Run this server in a separate thread until the block ends."""
    loop = asyncio.new_event_loop()
    started = threading.Event()
    task = loop.create_task(server.serve(started.set))
    thread = threading.Thread(target=_run, args=(loop, task), daemon=True)
    thread.start()
    if not started.wait(10):
        raise RuntimeError("the loopback server did not start")
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(10)


def _run(loop: asyncio.AbstractEventLoop, main_task: "asyncio.Task[None]") -> None:
    asyncio.set_event_loop(loop)
    with contextlib.suppress(asyncio.CancelledError):
        loop.run_until_complete(main_task)
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
