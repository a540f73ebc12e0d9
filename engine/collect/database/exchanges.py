"""Raw requests and answers, stored in a run's database on request.

Keys are removed before anything is written: headers are not stored, and anything that is or looks like a key
is replaced by `[key]` in addresses and bodies.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import pydantic

from engine.collect.database.packed_values import NOT_PACKED, packed_json, unpacked
from engine.collect.database.run_database import FILE, RunDatabase
from engine.collect.database.sqlite_file import open_to_read
from engine.collect.hidden_secrets import scrub
from engine.collect.run_log import LOG


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, as text, including retries and refusals; `at` is in seconds since 1970.

    `status` is the HTTP status. `answer` is the body, or the error if there was none.
    """

    at: float
    address: str
    status: int | None
    request: str
    answer: str


_EXCHANGE = pydantic.TypeAdapter(Exchange)
_LISTENER: ContextVar[Callable[[Exchange], None] | None] = ContextVar("exchanges", default=None)
"""Receives the exchanges of the running task's call; None: they are not recorded."""


def note_exchange(
    address: str, request: object, status: int | None, answer: object, secrets: tuple[str | None, ...] = ()
) -> None:
    """Record an exchange, if requested; `secrets` are the keys that were sent."""
    if (listener := _LISTENER.get()) is not None:
        url, body, reply = (scrub(_text(each), secrets) for each in (address, request, answer))
        listener(Exchange(time.time(), url, status, body, reply))


class ExchangeLog:
    """The exchanges of a run's calls, in its database."""

    def __init__(self, database: RunDatabase) -> None:
        self._database = database

    def listen(self, call_id: str) -> None:
        """Record the exchanges that the running task makes from now on as those of a call."""

        def record(exchange: Exchange) -> None:
            row = (call_id, exchange.at, packed_json(exchange))
            self._database.post(lambda database: database.execute(_INSERT, row))

        _LISTENER.set(record)


_INSERT = "INSERT INTO exchanges (call_id, at, exchange) VALUES (?, ?, ?)"
_SELECT = "SELECT exchange FROM exchanges WHERE call_id = ?"


def exchanges_of(run_folder: Path, call_id: str) -> list[Exchange]:
    """Return the recorded exchanges of a call, in order, leaving out damaged ones."""
    exchanges = []
    for path in _files(run_folder):
        rows: list[tuple[bytes]] = []
        try:
            with closing(open_to_read(path)) as database:
                rows = database.execute(_SELECT, (call_id,)).fetchall()
        except sqlite3.Error as error:
            LOG.warning("%s: %s", path, error)
        for (packed,) in rows:
            try:
                exchanges.append(unpacked(_EXCHANGE, packed))
            except NOT_PACKED as error:
                LOG.warning("%s: an exchange of call %s is damaged (%s)", path, call_id, error)
    return sorted(exchanges, key=lambda each: each.at)


def _files(run_folder: Path) -> Iterator[Path]:
    """Yield the databases of a run and its shards, and the files in which version 0.2 kept exchanges."""
    for folder in (run_folder, *sorted(run_folder.glob("shard-*"))):
        if (folder / FILE).exists():
            yield folder / FILE
        yield from sorted(folder.glob("raw-*.sqlite"))


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
