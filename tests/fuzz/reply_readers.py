"""Readers of replies from the network: a provider's model that answers with the bytes of an input."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from engine.collect.calls import Reply
from engine.collect.client.model_client import CallOutcome, Models
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.database.entries import Entry, entry_of
from engine.collect.paradigms import read

from .readers import REQUESTS, Reader

PROVIDERS = {"chat": "openai/some-model", "messages": "anthropic/some-model"}
"""Who reads each input: one model for each form of replies."""

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


class _Provider:
    """A server and its clients in one event loop: answers every request with `content`, and closes."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.head, self.body = _HEAD, b""
        server = self.loop.run_until_complete(asyncio.start_server(self._answer, "127.0.0.1", 0))
        host, port = server.sockets[0].getsockname()
        self._server = server
        self._configs = {
            name: ModelConfig(
                model=model,
                api_base=f"http://{host}:{port}",
                price=Price(input_per_million=1.0, output_per_million=2.0),
            )
            for name, model in PROVIDERS.items()
        }

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(request.lower().partition(b"content-length:")[2].split()[0]))
            length = f"Content-Length: {len(self.body)}\r\nConnection: close\r\n\r\n".encode()
            writer.write(self.head + length + self.body)
            await writer.drain()
        except (OSError, EOFError):
            pass  # the client left first
        finally:
            writer.close()

    def ask(self, name: str) -> CallOutcome:
        """Ask the model once."""

        async def ask_once() -> CallOutcome:
            async with Models(self._configs, timeout_s=2.0, retries=0, patience_s=0.0) as models:
                return await models.ask(name, [{"role": "user", "content": "?"}], logprobs=name == "chat")

        return self.loop.run_until_complete(ask_once())


@cache
def _provider() -> _Provider:
    """Return the provider after one call: the imports of the first call take seconds."""
    provider = _Provider()
    for name in PROVIDERS:
        provider.ask(name)
    return provider


@contextmanager
def _answering(given: Path) -> Iterator[_Provider]:
    provider = _provider()
    head, body = given / "head.txt", given / "body.json"
    lines = head.read_bytes().strip() if head.is_file() else b""
    provider.head = lines.replace(b"\r", b"").replace(b"\n", b"\r\n") + b"\r\n" if lines else _HEAD
    provider.body = body.read_bytes() if body.is_file() else b""
    yield provider


def read_reply(given: Path, _: Path) -> None:
    """Let a model of each provider reply so: a reply or a failure, which a run stores unchanged."""
    with _answering(given) as provider:
        for name in PROVIDERS:
            outcome = provider.ask(name).outcome
            for request in REQUESTS:
                rows = read(request, outcome) if isinstance(outcome, Reply) else []
                line = entry_of(request, "run", outcome, rows, calls=1, seconds=0.0).to_line()
                assert json.loads(Entry.from_line(line).to_line()) == json.loads(line)


REPLIES = (Reader("replies", read_reply, 40, folder=True, prepare=_provider),)
