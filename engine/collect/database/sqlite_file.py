"""A SQLite file that a thread of its own reads and writes, a group of statements in one transaction.

So no call waits for the disk, and many answers share one commit. A `durable` file has each commit on the disk
before it counts; in either, commits survive `kill -9`. On a network disk it is a plain rollback journal,
since the write-ahead log needs memory that all its processes share.
"""

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

from engine.collect.database.network_disks import network_disk

Value = TypeVar("Value")
Work = Callable[[sqlite3.Connection], Value]

_GROUP = 1_000
"""The most statements of a transaction, so that none takes long."""


class _Job(NamedTuple):
    """Work to do in a transaction, and who waits for its result (None: nobody)."""

    work: Work[Any]
    waiting: "asyncio.Future[Any] | Future[Any] | None"


class SqliteFile:
    """A SQLite file, opened or created with its `tables`, by one connection in one thread.

    What is asked of it is done in order. If a transaction fails, `mend` may let it be tried again; otherwise
    all that it contains fails with the error that `fail` returns.
    """

    def __init__(self, path: Path, tables: str, *, durable: bool, busy_s: float) -> None:
        self.path = path
        self._durable, self._busy_s, self._tables = durable, busy_s, tables
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._connection = self._connect()
        self._thread = threading.Thread(target=self._serve, name=path.name, daemon=True)
        self._thread.start()

    def write(self, work: Work[Value]) -> "asyncio.Future[Value]":
        """Queue work, from an event loop; its result is there once it is committed."""
        future: asyncio.Future[Value] = asyncio.get_running_loop().create_future()
        self._jobs.put(_Job(work, future))
        return future

    def post(self, work: Work[object]) -> None:
        """Queue work that nobody waits for."""
        self._jobs.put(_Job(work, None))

    def run(self, work: Work[Value]) -> Value:
        """Do work after all that is queued, and return its result once it is committed."""
        future: Future[Value] = Future()
        self._jobs.put(_Job(work, future))
        return future.result()

    @property
    def is_open(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        """Do what is queued, and close the file."""
        self._jobs.put(None)
        self._thread.join()
        self._connection.close()

    def mend(self, error: sqlite3.Error) -> bool:
        """Return whether a failed transaction is tried again."""
        del error
        return False

    def fail(self, error: sqlite3.Error, jobs: int) -> Exception:
        """Return the error for all `jobs` of a failed transaction."""
        del jobs
        return error

    def _connect(self) -> sqlite3.Connection:
        connection = open_connection(self.path, durable=self._durable, busy_s=self._busy_s)
        try:
            connection.executescript(self._tables)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _serve(self) -> None:
        is_last = False
        while not is_last:
            group: list[_Job] = []
            with suppress(Empty):
                while not is_last and len(group) < _GROUP:
                    job = self._jobs.get_nowait() if group else self._jobs.get()
                    if job is None:
                        is_last = True
                    else:
                        group.append(job)
            if group:
                self._commit(group)

    def _commit(self, group: Sequence[_Job]) -> None:
        """Do the work of a group in one transaction, and tell those who wait how it ended."""
        results: list[Any] = []
        failure: Exception | None = None
        while True:
            try:
                results = self._transact([job.work for job in group])
            except sqlite3.Error as error:
                if self.mend(error):
                    continue
                failure = self.fail(error, len(group))
            except Exception as error:
                failure = error
            break
        loops: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
        for number, job in enumerate(group):
            if isinstance(job.waiting, asyncio.Future):
                waiting = loops.setdefault(job.waiting.get_loop(), [])
                waiting.append((job.waiting, None if failure else results[number]))
            elif job.waiting is not None and failure is not None:
                job.waiting.set_exception(failure)
            elif job.waiting is not None:
                job.waiting.set_result(results[number])
        for loop, ended in loops.items():
            with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
                loop.call_soon_threadsafe(_settle, ended, failure)

    def _transact(self, group: Sequence[Work[Any]]) -> list[Any]:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            results = [work(connection) for work in group]
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            raise
        return results


def _settle(ended: Sequence[tuple["asyncio.Future[Any]", Any]], failure: Exception | None) -> None:
    """Tell those who wait in an event loop how a transaction ended."""
    for future, result in ended:
        if future.done():  # cancelled
            continue
        if failure is not None:
            future.set_exception(failure)
        else:
            future.set_result(result)


def open_connection(path: Path, *, durable: bool, busy_s: float) -> sqlite3.Connection:
    """Open a file, creating it if it does not exist; each statement waits `busy_s` for other processes."""
    connection = sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # of a new file only
        _set_journal(connection, "WAL" if network_disk(path.parent) is None else "TRUNCATE", busy_s)
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a file that may be written meanwhile, or be in a folder that can only be read."""
    is_fixed = was_closed(path) and not os.access(path.parent, os.W_OK)
    how = "immutable=1" if is_fixed else "mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)


def was_closed(path: Path) -> bool:
    """Return whether the last process closed a file in order, and so left no journal of SQLite's."""
    journals = (path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-journal"))
    return not any(each.exists() and each.stat().st_size for each in journals)


def _set_journal(connection: sqlite3.Connection, mode: str, busy_s: float) -> None:
    """Set the kind of journal; wait while another process creates the file, as SQLite itself does not."""
    deadline = time.monotonic() + busy_s
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode = {mode}").close()
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another connection has the lock; the low byte is the code that extended ones share."""
    return _code(error) == sqlite3.SQLITE_BUSY


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether the error means a damaged file; a full disk or a lock does not."""
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_full(error: sqlite3.Error) -> bool:
    """Return whether the disk is full."""
    return _code(error) == sqlite3.SQLITE_FULL


def is_io_error(error: sqlite3.Error) -> bool:
    """Return whether the disk failed otherwise, which a full quota, for one, may look like."""
    return _code(error) == sqlite3.SQLITE_IOERR


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
