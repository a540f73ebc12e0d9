"""The database of a run: everything that must survive a kill, in the file `run.sqlite` of its folder.

Whatever is committed is on the disk, and one process writes: that of the run, or of its shard, whose folder
has a file of its own. The tables belong to `recorded_calls`, `calls_under_way`, `exchanges`
and `batch_records`.
"""

import errno
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from engine.collect.database.damaged_runs import DamagedRunError, save_readable
from engine.collect.database.sealed_lines import write_to_disk
from engine.collect.database.sqlite_file import (
    SqliteFile,
    is_damage,
    is_full,
    is_io_error,
    open_connection,
    was_closed,
)
from engine.collect.run_log import LOG
from engine.errors import StoreError
from engine.plain_words import disk_words

FILE = "run.sqlite"
VERSION = 1
_TABLES = f"""
CREATE TABLE IF NOT EXISTS calls (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL, status TEXT NOT NULL, entry BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS charges (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL,
    model TEXT NOT NULL, role TEXT NOT NULL, paradigm TEXT, variant TEXT NOT NULL, usd REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS charges_by_call ON charges (key);
CREATE TABLE IF NOT EXISTS exchanges (
    number INTEGER PRIMARY KEY, call_id TEXT NOT NULL, at REAL NOT NULL, exchange BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS exchanges_by_call ON exchanges (call_id);
CREATE TABLE IF NOT EXISTS batches (
    number INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE, record TEXT NOT NULL, lines BLOB
);
CREATE TABLE IF NOT EXISTS batch_calls (
    number INTEGER PRIMARY KEY, label TEXT NOT NULL, request TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS batch_calls_by_label ON batch_calls (label);
PRAGMA user_version = {VERSION};
"""
_BUSY_S = 10.0
_RESERVE_BYTES = 4 << 20
"""Disk space reserved beside the database for answers under way when the disk is full."""
_ALWAYS_CHECKED_BYTES = 64 << 20
"""A larger file, which holds raw exchanges, is checked only if it was not closed in order."""


class RunDatabase(SqliteFile):
    """The database in a folder, opened for writing; StoreError if it cannot be written, or not read.

    If the file is damaged, what can be read of it is saved first; `saved` says so. With a `reserve`, a disk
    that fills up still has room for the answers under way.
    """

    def __init__(self, folder: Path, *, reserve: bool = False) -> None:
        self.folder = folder
        self.saved = ""
        self._reserve: Path | None = folder / "reserve" if reserve else None
        path = folder / FILE
        try:
            if self._reserve is not None:
                write_to_disk(self._reserve, "wb", [bytes(_RESERVE_BYTES)])
            if path.exists():
                self.saved = _checked(path)
            super().__init__(path, _TABLES, durable=True, busy_s=_BUSY_S)
        except OSError as error:
            raise unwritable(path, error) from error
        except sqlite3.Error as error:
            raise _error_of(path, error) from error

    @property
    def disk_is_full(self) -> bool:
        """Whether the reserve was needed, so that no new call may be made."""
        return self._reserve is None

    def mend(self, error: sqlite3.Error) -> bool:
        if self._reserve is None or not (is_full(error) or is_io_error(error)):
            return False
        self._release()
        return True

    def fail(self, error: sqlite3.Error, jobs: int) -> Exception:
        del jobs
        return _error_of(self.path, error)

    def close(self) -> None:
        if not self.is_open:
            return
        with suppress(StoreError):
            self.run(lambda database: database.execute("PRAGMA incremental_vacuum").fetchall())
        super().close()
        self._release()

    def _release(self) -> None:
        if self._reserve is not None:
            with suppress(OSError):
                self._reserve.unlink()
            self._reserve = None


def is_unfinished(folder: Path) -> bool:
    """Return whether a folder's database has calls or charges that the study lacks, as far as is known."""
    path = folder / FILE
    if not path.exists():
        return False
    if not was_closed(path):
        return True
    try:
        # Nobody writes to it, so that no lock and no file beside it is needed.
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as database:
            tables = ("calls", "charges")
            return any(database.execute(f"SELECT 1 FROM {each} LIMIT 1").fetchone() for each in tables)  # noqa: S608
    except sqlite3.Error:
        return True


def _checked(path: Path) -> str:
    """Check a file, and save what can be read if it is damaged; return what was done, empty if nothing."""
    is_closed = was_closed(path)  # to open it begins a new journal
    try:
        with closing(open_connection(path, durable=True, busy_s=_BUSY_S)) as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                raise StoreError(
                    f"{path}: was written by a later version of this program (its form is {version}, and "
                    f"this one reads {VERSION}): update the program, or begin a new run with --fresh"
                )
            if is_closed and path.stat().st_size > _ALWAYS_CHECKED_BYTES:
                return ""
            problem = str(database.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        problem = str(error)
    if problem == "ok":
        return ""
    words = save_readable(path, " ".join(problem.split()), _TABLES)
    LOG.warning(words)
    return words


def _error_of(path: Path, error: sqlite3.Error) -> StoreError:
    """Return the error for a user: what is wrong with the file, and what to do."""
    if is_damage(error):
        return DamagedRunError(
            f"{path}: is damaged ({error}); run the command again: what can be read is saved, and only calls "
            "that cannot are made again"
        )
    if is_full(error) or (is_io_error(error) and _free_bytes(path.parent) < _RESERVE_BYTES):
        return unwritable(path, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    return StoreError(
        f"{path}: cannot be written: {error}; what was written is intact: mend that, or choose another "
        "--store"
    )


def _free_bytes(folder: Path) -> int:
    try:
        disk = os.statvfs(folder)
    except OSError:
        return _RESERVE_BYTES
    return disk.f_bavail * disk.f_frsize


def unwritable(path: Path, error: OSError) -> StoreError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreError(
            f"{path}: the disk is full; what was written is intact: free some space and run the command again"
        )
    return StoreError(f"{path}: cannot be written: {disk_words(error, 'choose another --store')}")
