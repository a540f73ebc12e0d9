"""SQLite files beside a run's work: the raw exchanges here, the answers to use again in `answer_cache`.

None of their troubles stops a run.

Rows are written in groups by a thread of their own, and read by another connection, so that no call waits
for a disk. Several processes may share a file; whatever was committed survives `kill -9`. A file that is
damaged is passed over: the next number takes its place, and nobody who has the old one open is disturbed.
"""

import gzip
import json
import logging
import os
import re
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import pydantic

from engine.collect.model_settings import scrub
from engine.errors import StoreError

LOG = logging.getLogger("engine.collect")
Row = Sequence[Any]
Value = TypeVar("Value")

_BUSY_S = 10.0
_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL")


class SideFile:
    """The rows in `folder` under a name; `schema` are the statements that make its tables.

    Raises StoreError where nothing can be written there; later troubles are logged, and the rows are lost.
    """

    def __init__(self, folder: Path, name: str, schema: str) -> None:
        self.folder = folder
        self._name, self._schema = name, schema
        self._reads, self._writes = _Side(), _Side()
        self._number = 0
        self._queue: SimpleQueue[tuple[str, Row]] = SimpleQueue()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._open()
        except (OSError, sqlite3.Error) as error:
            self.close()
            raise StoreError(f"{folder}: cannot be written: {error}; choose another folder") from error

    @property
    def path(self) -> Path:
        """The file that is in use."""
        return file_of(self.folder, self._name, self._number)

    def read(self, statement: str, parameters: Row = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none where they cannot be read."""
        return self._attempt(self._reads, lambda db: db.execute(statement, parameters).fetchall()) or []

    def write(self, statement: str, row: Row) -> None:
        """Have a row written soon; nobody waits for it."""
        self._queue.put((statement, row))
        self._thread.submit(self._write_queued)

    def change(self, statement: str, parameters: Row = ()) -> int:
        """Change rows at once, after those that wait to be written; return how many."""

        def work(db: sqlite3.Connection) -> int:
            return db.execute(statement, parameters).rowcount

        return self._thread.submit(self._attempt, self._writes, work).result() or 0

    def shrink(self) -> None:
        """Give the room of removed rows back to the disk."""
        self._thread.submit(self._attempt, self._writes, lambda db: db.execute("VACUUM").close()).result()

    def close(self) -> None:
        """Write what waits to be written, and close."""
        self._thread.shutdown()
        self._reads.close()
        self._writes.close()

    def _write_queued(self) -> None:
        rows: list[tuple[str, Row]] = []
        with suppress(Empty):
            while True:
                rows.append(self._queue.get_nowait())
        if not rows:
            return

        def work(db: sqlite3.Connection) -> None:
            with db:  # all rows, or none of them
                db.execute("BEGIN IMMEDIATE")
                for statement, row in rows:
                    db.execute(statement, row)

        self._attempt(self._writes, work)

    def _attempt(self, side: "_Side", work: Callable[[sqlite3.Connection], Value]) -> Value | None:
        """Do something with a connection, again where its file was damaged; None where that fails."""
        for _ in range(2):
            with side.lock:
                number = self._number
                try:
                    return work(side.connection)
                except sqlite3.Error as error:
                    trouble = error
            LOG.warning("%s: %s", file_of(self.folder, self._name, number), trouble)
            if not _is_damage(trouble):
                return None
            self._pass_over(number)
        return None

    def _pass_over(self, number: int) -> None:
        """Take the file of the next number in the place of a damaged one."""
        with self._reads.lock, self._writes.lock:
            if number != self._number:
                return
            self._reads.close()
            self._writes.close()
            try:
                damaged = file_of(self.folder, self._name, number)
                damaged.with_suffix(".damaged").touch()
                self._open()
            except (OSError, sqlite3.Error) as error:
                LOG.warning("%s cannot be recreated: %s", self.folder, error)

    def _open(self) -> None:
        """Open the file of the highest number, or that after it where it is damaged."""
        for number in range(max(numbers(self.folder, self._name), default=1), 10_000):
            path = file_of(self.folder, self._name, number)
            if path.with_suffix(".damaged").exists():
                continue
            self._number = number
            try:
                self._writes.connection = _connection(path)
                self._writes.connection.executescript(self._schema)
                self._reads.connection = _connection(path)
                return
            except sqlite3.Error as error:
                self._writes.close()
                if not _is_damage(error):
                    raise
                path.with_suffix(".damaged").touch()


class _Side:
    """A connection, for one thread at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.connection: Any = None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()


def file_of(folder: Path, name: str, number: int) -> Path:
    """Return the file of a number."""
    return folder / f"{name}-{number:04d}.sqlite"


def numbers(folder: Path, name: str) -> list[int]:
    """Return the numbers of the files that are there, damaged ones included, in order."""
    found_names = re.compile(re.escape(name) + r"-([0-9]{4})\.sqlite")
    matches = map(found_names.fullmatch, os.listdir(folder) if folder.is_dir() else ())
    return sorted(int(match[1]) for match in matches if match)


def _connection(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").close()
    except sqlite3.Error:
        connection.close()
        raise
    path.chmod(0o600)
    return connection


def packed_json(value: Any) -> bytes:
    """Return a dataclass as the compressed JSON that rows hold."""
    return gzip.compress(json.dumps(asdict(value)).encode(), compresslevel=6, mtime=0)


NOT_PACKED = (OSError, EOFError, ValueError, TypeError, zlib.error)
"""What reading bytes raises that `packed_json` did not make."""


def _is_damage(error: sqlite3.Error) -> bool:
    """Return whether the file is not what was written; a full disk or a lock is no damage."""
    return type(error) is sqlite3.DatabaseError


# ------------------------------------------------------------------------------
# Requests and answers as they went over the wire, kept beside a run's journal where that is wanted. Keys are
# removed before anything is written: headers are not kept, and what is or looks like a key is replaced by
# `[key]` in addresses and bodies.


_RAW = "raw"
_RAW_SCHEMA = """
CREATE TABLE IF NOT EXISTS exchanges (call_id TEXT NOT NULL, at REAL NOT NULL, exchange BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS by_call ON exchanges (call_id);
"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came back, as text, retries and refusals too; `at` is in seconds since 1970.

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


def note_exchange(
    address: str, request: object, status: int | None, answer: object, secrets: tuple[str | None, ...] = ()
) -> None:
    """Keep an exchange, where they are wanted; `secrets` are the keys that were sent."""
    listener = _LISTENER.get()
    if listener is None:
        return
    place, sent, received = (scrub(_text(each), secrets) for each in (address, request, answer))
    listener(Exchange(time.time(), place, status, sent, received))


class ExchangeLog:
    """The exchanges of a run's calls in its folder; raises StoreError as `SideFile` does."""

    def __init__(self, folder: Path) -> None:
        self._file = SideFile(folder, _RAW, _RAW_SCHEMA)

    def listen(self, call_id: str) -> None:
        """Keep the exchanges of a call, which are those that the running task makes from now on."""

        def keep(exchange: Exchange) -> None:
            row = (call_id, exchange.at, packed_json(exchange))
            self._file.write("INSERT INTO exchanges VALUES (?, ?, ?)", row)

        _LISTENER.set(keep)

    def close(self) -> None:
        """Write what waits to be written, and close."""
        self._file.close()


def exchanges_of(run_folder: Path, call_id: str) -> list[Exchange]:
    """Return what a run kept of a call, in order; nothing where it kept nothing, or that was damaged."""
    return sorted(_exchanges(run_folder, call_id), key=lambda each: each.at)


def _exchanges(run_folder: Path, call_id: str) -> Iterator[Exchange]:
    for folder in (run_folder, *sorted(run_folder.glob("shard-*"))):
        for number in numbers(folder, _RAW):
            path = file_of(folder, _RAW, number)
            for packed in _rows(path, call_id):
                try:
                    yield _EXCHANGE.validate_json(gzip.decompress(packed))
                except NOT_PACKED as error:
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
