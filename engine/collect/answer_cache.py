"""The cache of paid answers, shared between runs, and the SQLite files of it and of raw exchanges."""

import gzip
import json
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
from engine.collect.config import ModelConfig, RunConfig
from engine.collect.hidden_secrets import scrub
from engine.collect.model_keys import requested_logprobs
from engine.collect.run_log import LOG
from engine.collect.run_options import RunOptions
from engine.errors import StoreError
from engine.plain_words import system_words
from engine.process import user_folder

# ------------------------------------------------------------------------------
# SQLite files for raw exchanges and cached answers.
# Their errors never stop a run.
# Rows are written in groups by a separate thread, and read through another connection, so that no call waits
# for the disk. Several processes may share a file; committed rows survive `kill -9`. A damaged file is
# replaced by one with the next number, without disturbing processes that have the old one open.


Row = Sequence[Any]
Value = TypeVar("Value")

_BUSY_S = 10.0
_PAUSE_S = 0.1
"""The longest pause after a group of rows, in which another process that waits to write can begin."""

_GROUP = 1_000  # most rows of a group, so that none takes long


class SideFile:
    """A SQLite file in `folder` under a name; `schema` are the statements that create its tables.

    Rows wait while another process writes. Raises StoreError if the folder is not writable; later errors
    are logged, and their rows are lost.
    """

    def __init__(self, folder: Path, name: str, schema: str) -> None:
        self.folder = folder
        self._name, self._schema = name, schema
        self._reads, self._writes = _Side(), _Side()
        self._number = 0
        self._queue: SimpleQueue[tuple[str, Row]] = SimpleQueue()
        self._waiting: list[tuple[str, Row]] = []
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._open()
        except (OSError, sqlite3.Error) as error:
            self.close()
            raise StoreError(
                f"{folder}: cannot be written: {system_words(error)}; choose another folder"
            ) from error

    @property
    def path(self) -> Path:
        return file_of(self.folder, self._name, self._number)

    def read(self, statement: str, parameters: Row = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none if they cannot be read."""
        return self._attempt(self._reads, lambda db: db.execute(statement, parameters).fetchall()) or []

    def write(self, statement: str, row: Row) -> None:
        """Queue a row for writing, without waiting for it."""
        self._queue.put((statement, row))
        self._thread.submit(self._write_queued)

    def change(self, statement: str, parameters: Row = ()) -> int:
        """Run a statement after the queued rows are written; return the number of rows changed."""

        def work(db: sqlite3.Connection) -> int:
            return db.execute(statement, parameters).rowcount

        return self._thread.submit(self._attempt, self._writes, work).result() or 0

    def close(self) -> None:
        """Write the queued rows and close."""
        self._thread.submit(self._write_queued, is_last=True)
        self._thread.shutdown()
        if self._waiting:
            LOG.warning("%s: locked by another process; rows not written: %d", self.path, len(self._waiting))
        self._reads.close()
        self._writes.close()

    def _write_queued(self, *, is_last: bool = False) -> None:
        already = 0 if is_last else len(self._waiting)
        with suppress(Empty):
            while is_last or len(self._waiting) < already + _GROUP:
                self._waiting.append(self._queue.get_nowait())

        def work(db: sqlite3.Connection) -> bool:
            """Write all rows, or none of them; return whether another process let it."""
            try:
                db.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if not _is_busy(error):
                    raise
                return False
            with db:
                for statement, row in self._waiting:
                    db.execute(statement, row)
            return True

        start = time.monotonic()
        if len(self._waiting) > already and self._attempt(self._writes, work) is not False:
            self._waiting.clear()
            if not is_last:
                time.sleep(min(time.monotonic() - start, _PAUSE_S))

    def _attempt(self, side: "_Side", work: Callable[[sqlite3.Connection], Value]) -> Value | None:
        """Run `work` on a connection, once more if its file was damaged; None if that fails."""
        for _ in range(2):
            with side.lock:
                number = self._number
                try:
                    return work(side.connection)
                except sqlite3.Error as error:
                    failure = error
            LOG.warning("%s: %s", file_of(self.folder, self._name, number), failure)
            if not _is_damage(failure):
                return None
            self._replace_damaged(number)
        return None

    def _replace_damaged(self, number: int) -> None:
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
        """Open the file with the highest number, or the next one if it is damaged."""
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
    """A connection used by one thread at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.connection: Any = None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()


def file_of(folder: Path, name: str, number: int) -> Path:
    return folder / f"{name}-{number:04d}.sqlite"


def numbers(folder: Path, name: str) -> list[int]:
    """Return the numbers of the existing files, including damaged ones, in order."""
    pattern = re.compile(re.escape(name) + r"-([0-9]{4})\.sqlite")
    matches = map(pattern.fullmatch, os.listdir(folder) if folder.is_dir() else ())
    return sorted(int(match[1]) for match in matches if match)


def _connection(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        _turn_on_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL").close()
    except sqlite3.Error:
        connection.close()
        raise
    path.chmod(0o600)
    return connection


def _turn_on_wal(connection: sqlite3.Connection) -> None:
    """Turn on write-ahead logging; wait while another process creates the file, as SQLite itself does not."""
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
            return
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def packed_json(value: Any) -> bytes:
    """Return a dataclass as compressed JSON, the form stored in rows."""
    return gzip.compress(json.dumps(asdict(value)).encode(), compresslevel=6, mtime=0)


NOT_PACKED = (OSError, EOFError, ValueError, TypeError, zlib.error)
"""What unpacking raises for bytes that `packed_json` did not produce."""


def _is_busy(error: sqlite3.Error) -> bool:
    """Return whether another connection has the lock; the low byte is the code that extended ones share."""
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def _is_damage(error: sqlite3.Error) -> bool:
    """Return whether the error means a damaged file; a full disk or a lock does not."""
    return type(error) is sqlite3.DatabaseError


# ------------------------------------------------------------------------------
# Raw requests and answers, stored in a run's folder on request. Keys are removed before anything is
# written: headers are not stored, and anything that is or looks like a key is replaced by `[key]` in
# addresses and bodies.


_RAW = "raw"
_RAW_SCHEMA = """
CREATE TABLE IF NOT EXISTS exchanges (call_id TEXT NOT NULL, at REAL NOT NULL, exchange BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS by_call ON exchanges (call_id);
"""


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


class ExchangeLog(SideFile):
    """The exchanges of a run's calls in its folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, _RAW, _RAW_SCHEMA)

    def listen(self, call_id: str) -> None:
        """Record the exchanges that the running task makes from now on as those of a call."""

        def record(exchange: Exchange) -> None:
            row = (call_id, exchange.at, packed_json(exchange))
            self.write("INSERT INTO exchanges VALUES (?, ?, ?)", row)

        _LISTENER.set(record)


def exchanges_of(run_folder: Path, call_id: str) -> list[Exchange]:
    """Return the recorded exchanges of a call, in order, leaving out damaged ones."""
    exchanges = []
    folders = (run_folder, *sorted(run_folder.glob("shard-*")))
    for path in (file_of(each, _RAW, number) for each in folders for number in numbers(each, _RAW)):
        rows: list[tuple[bytes]] = []
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
                query = "SELECT exchange FROM exchanges WHERE call_id = ?"
                rows = database.execute(query, (call_id,)).fetchall()
        except sqlite3.Error as error:
            LOG.warning("%s: %s", path, error)
        for (packed,) in rows:
            try:
                exchanges.append(_EXCHANGE.validate_json(gzip.decompress(packed)))
            except NOT_PACKED as error:
                LOG.warning("%s: an exchange of call %s is damaged (%s)", path, call_id, error)
    return sorted(exchanges, key=lambda each: each.at)


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


# ------------------------------------------------------------------------------
# The cache of paid answers, reused wherever the same request would be sent: in another run or study.
#
# An answer's key is its request: the model, its address and parameters, the messages, whether probabilities
# were requested, and the number of the trial. Only complete answers are stored: no errors, none that was cut
# off, empty or refused. No API key is stored, as none is part of an answer's key.


NAME = "answers"
_FORM = 1
"""The version of the form of keys and answers; answers of other versions are not found."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, at REAL NOT NULL, cost_usd REAL, answer BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS damaged (key TEXT, at REAL, answer BLOB);
"""
_HOLDINGS = """
SELECT model, count(*), sum(length(answer)), sum(cost_usd), min(at), max(at) FROM answers
WHERE (?1 IS NULL OR at < ?1) AND (?2 IS NULL OR model = ?2) GROUP BY model ORDER BY count(*) DESC, model
"""
_DELETE = "DELETE FROM answers WHERE (?1 IS NULL OR at < ?1) AND (?2 IS NULL OR model = ?2)"
_REPLY = pydantic.TypeAdapter(Reply)
_DAY_S = 86_400.0


def call_key(
    identity: Mapping[str, object], config: ModelConfig, request: CallRequest, messages: Sequence[Message]
) -> str:
    """Return the cache key of a call's answer; `identity` comes from `Models.identity`."""
    logprobs = requested_logprobs(config, request)
    logprobs_form = f"prompt: {config.prompt_logprobs}" if logprobs == "prompt" else logprobs
    parts = [_FORM, identity, messages, logprobs_form, request.subject.trial]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
    return blake2b(text.encode(), digest_size=20).hexdigest()


@dataclass(frozen=True, slots=True)
class Holding:
    """The cached answers of one model; `cost_usd` is what they cost originally, as far as known.

    `oldest` and `newest` are in seconds since 1970.
    """

    model: str
    answers: int
    size_bytes: int
    cost_usd: float | None
    oldest: float
    newest: float


class AnswerCache(SideFile):
    """The cache in a folder, which several runs may share."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, NAME, _SCHEMA)

    def get(self, key: str) -> Reply | None:
        """Return a cached answer, at no cost, if there is one; a damaged one is set aside and is none."""
        for (packed,) in self.read("SELECT answer FROM answers WHERE key = ?", (key,)):
            try:
                reply = _REPLY.validate_json(gzip.decompress(packed))
            except NOT_PACKED as error:
                LOG.warning("%s: the answer %s is damaged (%s) and requested again", self.path, key, error)
                self.write("INSERT INTO damaged VALUES (?, ?, ?)", (key, time.time(), packed))
                self.write("DELETE FROM answers WHERE key = ? AND answer IS ?", (key, packed))
                return None
            return replace(reply, cached=True, saved_usd=reply.cost_usd, cost_usd=0.0, latency_s=None)
        return None

    def put(self, key: str, model: str, reply: Reply) -> None:
        """Store a new answer if it is complete, readable or not; `model` is the provider's name of it."""
        is_cut_off = reply.finish_reason == "length" or reply.shortfall not in (None, "malformed")
        if not (reply.cached or reply.refused or is_cut_off):
            row = (key, model, time.time(), reply.cost_usd, packed_json(reply))
            self.write("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)

    def holdings(self, *, older_than_s: float | None = None, model: str | None = None) -> list[Holding]:
        """Return the cached answers of each model, most answers first; only the older ones or a model's."""
        return [Holding(*row) for row in self.read(_HOLDINGS, (_before(older_than_s), model))]

    def clear(self, *, older_than_s: float | None = None, model: str | None = None) -> int:
        """Delete all answers, or only the older ones or a model's, and return how many."""
        before = _before(older_than_s)
        count = self.change(_DELETE, (before, model))
        if before is None and model is None:
            self.change("DELETE FROM damaged")
        self.change("VACUUM")
        return count

    @property
    def size_bytes(self) -> int:
        """The cache's size on disk, including damaged files."""
        return sum(path.stat().st_size for path in self.folder.glob(f"{NAME}-*"))

    @property
    def damaged(self) -> int:
        """The number of damaged answers and files that were set aside."""
        rows: int = sum(count for (count,) in self.read("SELECT count(*) FROM damaged"))
        return rows + sum(1 for _ in self.folder.glob(f"{NAME}-*.damaged"))


def _before(older_than_s: float | None) -> float | None:
    return None if older_than_s is None else time.time() - older_than_s


def default_folder() -> Path:
    """Return the default cache folder, below XDG_CACHE_HOME/spb, else ~/.cache/spb."""
    return user_folder("XDG_CACHE_HOME") / "spb" / NAME


def open_cache(config: RunConfig, options: RunOptions, *, write: bool = True) -> AnswerCache | None:
    """Return the cache of a run, None if it is off, or empty and not to be created.

    The command's setting overrides the configuration's, whose relative folders start at its file.
    """
    setting = config.run.cache if options.cache is None else options.cache
    if not setting:
        return None
    folder = default_folder() if setting is True else config.folder / os.path.expanduser(setting)
    return AnswerCache(folder) if write or numbers(folder, NAME) else None


def age_s(text: str) -> float | None:
    """Return an age such as `30d`, `12h` or `7` (days) in seconds; None for any other text."""
    units = {"d": _DAY_S, "h": 3_600.0, "m": 60.0, "w": 7 * _DAY_S}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, _DAY_S)
    return float(number) * unit if number.isascii() and number.isdecimal() and len(number) < 7 else None
