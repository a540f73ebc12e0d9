"""A SQLite file that several processes share, and whose faults stop none of them.

What cannot be written is logged and lost. Rows wait while another process writes. A damaged file is replaced
by one with the next number, without disturbing processes that have the old one open.
"""

import os
import re
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.collect.database.sqlite_file import SqliteFile, Work, is_busy, is_damage
from engine.collect.run_log import LOG
from engine.errors import StoreError
from engine.plain_words import disk_words

Row = Sequence[Any]

_BUSY_S = 10.0
_PAUSE_S = 0.1
"""The longest pause after a group of rows, in which another process that waits to write can begin."""


class SharedFile(SqliteFile):
    """The file of a name in a folder, with `tables`; StoreError if the folder is not writable.

    It is read by a connection of its own, so that no reader waits for rows to be written.
    """

    def __init__(self, folder: Path, name: str, tables: str) -> None:
        self.folder = folder
        self._name = name
        self._reading = threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._damaged: set[Path] = set()
        self._is_closing = False
        self._rows_lost = 0
        self._written = self._read = folder  # the files that the two connections have open
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            super().__init__(folder, tables, durable=False, busy_s=_BUSY_S)
            self._written = self.path
            self._reader, self._read = self._connect(), self.path
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"{folder}: cannot be written: {disk_words(error, 'choose another folder')}"
            ) from error

    def read(self, statement: str, parameters: Row = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none if they cannot be read."""
        with self._reading:
            for _ in range(2):
                try:
                    return self._reading_connection().execute(statement, parameters).fetchall()
                except sqlite3.Error as error:
                    LOG.warning("%s: %s", self._read, error)
                    if not is_damage(error):
                        break
                    self._set_damaged(self._read)
        return []

    def store(self, statement: str, row: Row) -> None:
        """Queue a row for writing, without waiting for it."""
        self.post(lambda database: database.execute(statement, row))

    def change(self, statement: str, parameters: Row = ()) -> int:
        """Run a statement after the queued rows are written; return how many rows changed."""
        try:
            return self.run(lambda database: database.execute(statement, parameters).rowcount)
        except sqlite3.Error:
            return 0

    def shrink(self) -> None:
        """Give the disk back what deleted rows took."""
        with self._reading:
            try:
                self._reading_connection().execute("VACUUM")
            except sqlite3.Error as error:
                LOG.warning("%s: %s", self._read, error)

    def close(self) -> None:
        """Write the queued rows and close."""
        self._is_closing = True
        super().close()
        if self._rows_lost:
            LOG.warning("%s: locked by another process; rows not written: %d", self.path, self._rows_lost)
        if self._reader is not None:
            self._reader.close()

    def mend(self, error: sqlite3.Error) -> bool:
        if is_busy(error):
            return not self._is_closing
        LOG.warning("%s: %s", self._written, error)
        if not is_damage(error):
            return False
        self._set_damaged(self._written)
        return True

    def fail(self, error: sqlite3.Error, jobs: int) -> Exception:
        self._rows_lost += jobs if is_busy(error) else 0
        return error

    def _transact(self, group: Sequence[Work[Any]]) -> list[Any]:
        if self._written in self._damaged:
            self._connection.close()
            self._connection, self._written = self._connect(), self.path
        start = time.monotonic()
        results = super()._transact(group)
        if not self._is_closing:
            time.sleep(min(time.monotonic() - start, _PAUSE_S))
        return results

    def _reading_connection(self) -> sqlite3.Connection:
        if self._reader is None or self._read in self._damaged:
            if self._reader is not None:
                self._reader.close()
            self._reader, self._read = self._connect(), self.path
        return self._reader

    def _connect(self) -> sqlite3.Connection:
        """Open the file with the highest number, or the next one if it is damaged."""
        number = max(numbers(self.folder, self._name), default=1)
        while True:
            self.path = self.folder / f"{self._name}-{number:04d}.sqlite"
            if not _mark(self.path).exists():
                try:
                    connection = super()._connect()
                    self.path.chmod(0o600)
                    return connection
                except sqlite3.Error as error:
                    if not is_damage(error):
                        raise
                    _mark(self.path).touch()
            number += 1

    def _set_damaged(self, path: Path) -> None:
        """Let both connections leave a damaged file, and later processes pass over it."""
        self._damaged.add(path)
        with suppress(OSError):
            _mark(path).touch()


def numbers(folder: Path, name: str) -> list[int]:
    """Return the numbers of the existing files, including damaged ones, in order."""
    pattern = re.compile(re.escape(name) + r"-([0-9]{4})\.sqlite")
    matches = map(pattern.fullmatch, os.listdir(folder) if folder.is_dir() else ())
    return sorted(int(match[1]) for match in matches if match)


def _mark(path: Path) -> Path:
    """Return the empty file that says that a file is damaged."""
    return path.with_suffix(".damaged")
