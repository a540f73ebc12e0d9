"""Answers paid for once, used again in other runs; the SQLite files of those and of raw exchanges."""

import gzip
import json
import logging
import os
import re
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import pydantic

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.config import ModelConfig, RunConfig, RunOptions
from engine.collect.spending import scrub, wanted_logprobs
from engine.errors import StoreError

# ------------------------------------------------------------------------------
# SQLite files beside a run's work: raw exchanges, and answers to use again.
#
# None of their troubles stops a run.
#
# Rows are written in groups by a thread of their own, and read by another connection, so that no call waits
# for a disk. Several processes may share a file; whatever was committed survives `kill -9`. A file that is
# damaged is passed over: the next number takes its place, and nobody who has the old one open is disturbed.


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
    exchanges = []
    for folder in (run_folder, *sorted(run_folder.glob("shard-*"))):
        for number in numbers(folder, _RAW):
            path = file_of(folder, _RAW, number)
            for packed in _rows(path, call_id):
                try:
                    exchanges.append(_EXCHANGE.validate_json(gzip.decompress(packed)))
                except NOT_PACKED as error:
                    LOG.warning("%s: an exchange of call %s is damaged (%s)", path, call_id, error)
    return sorted(exchanges, key=lambda each: each.at)


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


# ------------------------------------------------------------------------------
# Answers that were paid for once, used again wherever the same would be sent: in another run or study.
#
# An answer is known by what was asked: the model, its address and parameters, the messages, whether
# probabilities were wanted, and the number of the trial. Only whole answers are stored: no errors, none that
# was cut off, empty or refused. No key is stored, as none is part of what an answer is known by.


NAME = "answers"
_FORM = 1
"""The form of keys and answers; another one finds nothing of this one."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, at REAL NOT NULL, cost_usd REAL, answer BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS damaged (key TEXT, at REAL, answer BLOB);
"""
_PUT = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)"
_REPLY = pydantic.TypeAdapter(Reply)
_DAY_S = 86_400.0


def call_key(
    identity: Mapping[str, object], config: ModelConfig, request: CallRequest, messages: Sequence[Message]
) -> str:
    """Return what the answer to a call is known by; `identity` is that of `Models.identity`."""
    logprobs = wanted_logprobs(config, request)
    way = f"prompt: {config.prompt_logprobs}" if logprobs == "prompt" else logprobs
    parts = [_FORM, identity, messages, way, request.subject.trial]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
    return blake2b(text.encode(), digest_size=20).hexdigest()


def is_complete(reply: Reply) -> bool:
    """Return whether an answer is worth storing: it is whole, whether or not a verdict can be read in it."""
    return not reply.refused and reply.finish_reason != "length" and reply.shortfall in (None, "malformed")


@dataclass(frozen=True, slots=True)
class Holding:
    """What the cache holds of one model; the dates are in seconds since 1970.

    `cost_usd` is what the answers cost when they were paid for, as far as that is known.
    """

    model: str
    answers: int
    size_bytes: int
    cost_usd: float | None
    oldest: float
    newest: float


class AnswerCache:
    """The cache in a folder, which several runs may use at once; raises StoreError as `SideFile` does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = SideFile(folder, NAME, _SCHEMA)

    def get(self, key: str) -> Reply | None:
        """Return an answer, for nothing: `saved_usd` says what it cost when it was paid for.

        A damaged one is set aside, and is to be asked again.
        """
        for (packed,) in self._file.read("SELECT answer FROM answers WHERE key = ?", (key,)):
            try:
                reply = _REPLY.validate_json(gzip.decompress(packed))
            except NOT_PACKED as error:
                LOG.warning("%s: the answer %s is damaged (%s) and asked again", self._file.path, key, error)
                self._file.write("INSERT INTO damaged VALUES (?, ?, ?)", (key, time.time(), packed))
                self._file.write("DELETE FROM answers WHERE key = ? AND answer IS ?", (key, packed))
                return None
            return replace(reply, cached=True, saved_usd=reply.cost_usd, cost_usd=0.0, latency_s=None)
        return None

    def put(self, key: str, model: str, reply: Reply) -> None:
        """Store an answer that is complete; `model` is the provider's name for who gave it."""
        if reply.cached or not is_complete(reply):
            return
        self._file.write(_PUT, (key, model, time.time(), reply.cost_usd, packed_json(reply)))

    def holdings(self) -> list[Holding]:
        """Return what is held of each model, the most answers first."""
        rows = self._file.read(
            "SELECT model, count(*), sum(length(answer)), sum(cost_usd), min(at), max(at) "
            "FROM answers GROUP BY model ORDER BY count(*) DESC, model"
        )
        return [Holding(*row) for row in rows]

    def clear(self, *, older_than_s: float | None = None, model: str | None = None) -> int:
        """Remove answers, all of them unless narrowed, and return how many."""
        before = time.time() - older_than_s if older_than_s is not None else None
        removed = self._file.change(
            "DELETE FROM answers WHERE (?1 IS NULL OR at < ?1) AND (?2 IS NULL OR model = ?2)",
            (before, model),
        )
        if before is None and model is None:
            self._file.change("DELETE FROM damaged")
        self._file.shrink()
        return removed

    @property
    def size_bytes(self) -> int:
        """What the cache takes on the disk, files that are damaged included."""
        return sum(path.stat().st_size for path in self.folder.glob(f"{NAME}-*"))

    @property
    def damaged(self) -> int:
        """How many answers and whole files were damaged and set aside."""
        rows: int = sum(count for (count,) in self._file.read("SELECT count(*) FROM damaged"))
        return rows + sum(1 for _ in self.folder.glob(f"{NAME}-*.damaged"))

    def close(self) -> None:
        """Write what waits to be written, and close."""
        self._file.close()


def default_folder() -> Path:
    """Return where answers are cached unless a folder is named: XDG_CACHE_HOME/spb, else ~/.cache/spb."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spb" / NAME


def opened_cache(config: RunConfig, options: RunOptions, *, write: bool = True) -> AnswerCache | None:
    """Return the cache of a run, None where it has none, or where there is nothing in it and none is made.

    What the command says comes before the configuration, whose folders start from its own.
    """
    wanted = config.run.cache if options.cache is None else options.cache
    if not wanted:
        return None
    folder = default_folder() if wanted is True else config.folder / os.path.expanduser(wanted)
    return AnswerCache(folder) if write or numbers(folder, NAME) else None


def age_s(text: str) -> float | None:
    """Return the seconds of an age such as `30d`, `12h` or `7` (days); None where it is none."""
    units = {"d": _DAY_S, "h": 3_600.0, "m": 60.0, "w": 7 * _DAY_S}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, _DAY_S)
    return float(number) * unit if number.isascii() and number.isdecimal() and len(number) < 7 else None
