"""Requests and answers as they went over the wire, kept beside a run's journal where that is wanted.

Each request of a call is an exchange: retries and refusals too. Keys are removed before anything is written:
headers are not kept, and what is or looks like a key is replaced by `[key]` in addresses and bodies.
"""

import gzip
import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from pathlib import Path

import pydantic

from engine.collect.model_settings import scrub
from engine.collect.sqlite_files import LOG, SideFile, file_of, numbers

NAME = "raw"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS exchanges (call_id TEXT NOT NULL, at REAL NOT NULL, exchange BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS by_call ON exchanges (call_id);
"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came back, as text; `at` is in seconds since 1970.

    `status` is that of HTTP. `answer` is the body, or what went wrong where none came.
    """

    at: float
    address: str
    status: int | None
    request: str
    answer: str


_EXCHANGE = pydantic.TypeAdapter(Exchange)
_LISTENER: ContextVar[Callable[[Exchange], None] | None] = ContextVar("exchanges", default=None)
"""Hears of the exchanges of the running task's call; None: they are not wanted."""


def note(
    address: str, request: object, status: int | None, answer: object, secrets: tuple[str | None, ...] = ()
) -> None:
    """Keep an exchange, where they are wanted; `secrets` are the keys that were sent."""
    listener = _LISTENER.get()
    if listener is None:
        return
    keys = [each for each in secrets if each]
    texts = (scrub(_text(each), keys) for each in (address, request, answer))
    place, sent, received = texts
    listener(Exchange(time.time(), place, status, sent, received))


class ExchangeLog:
    """The exchanges of a run's calls in its folder; raises StoreError as `SideFile` does."""

    def __init__(self, folder: Path) -> None:
        self._file = SideFile(folder, NAME, _SCHEMA)

    def listen(self, call_id: str) -> None:
        """Keep the exchanges of a call, which are those that the running task makes from now on."""

        def keep(exchange: Exchange) -> None:
            packed = gzip.compress(json.dumps(asdict(exchange)).encode(), compresslevel=6, mtime=0)
            self._file.write("INSERT INTO exchanges VALUES (?, ?, ?)", (call_id, exchange.at, packed))

        _LISTENER.set(keep)

    def close(self) -> None:
        """Write what waits to be written, and close."""
        self._file.close()


def exchanges_of(run_folder: Path, call_id: str) -> list[Exchange]:
    """Return what a run kept of a call, in order; nothing where it kept nothing, or that was damaged."""
    return sorted(_exchanges(run_folder, call_id), key=lambda each: each.at)


def _exchanges(run_folder: Path, call_id: str) -> Iterator[Exchange]:
    for folder in (run_folder, *sorted(run_folder.glob("shard-*"))):
        for number in numbers(folder, NAME):
            path = file_of(folder, NAME, number)
            for packed in _rows(path, call_id):
                try:
                    yield _EXCHANGE.validate_json(gzip.decompress(packed))
                except (OSError, EOFError, ValueError, TypeError, zlib.error) as error:
                    LOG.warning("%s: an exchange of call %s is damaged (%s)", path, call_id, error)


def _rows(path: Path, call_id: str) -> list[bytes]:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT exchange FROM exchanges WHERE call_id = ?", (call_id,))
            return [packed for (packed,) in rows]
    except sqlite3.Error as error:
        LOG.warning("%s: %s", path, error)
        return []


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
