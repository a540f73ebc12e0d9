"""A run's database with damaged pages: what can be read of it is saved in a new one.

SQLite cannot read past a damaged page, so each table is read from both ends, and between them row by row. The
damaged file is kept beside the new one.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from engine.errors import StoreError
from engine.phrases import quantity
from engine.store.publish import sync_folder

_TABLE_NAMES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_MOST_TRIED = 1_000_000
"""The most rows between the readable ends of a table that are tried one by one."""
_NEVER_IN_PART = ("batches", "batch_calls")
"""Tables that must be whole: a batch that is forgotten would be paid for again."""


class DamagedRunError(StoreError):
    """The database of a run is damaged."""


def save_readable(path: Path, problem: str, tables: str) -> str:
    """Replace a damaged database by one with its readable rows; return what was done, as a sentence.

    DamagedRunError, with nothing changed but a copy made, if what cannot be read must not be lost.
    """
    copy = _copied(path)
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    saved = 0
    with (
        closing(sqlite3.connect(copy, isolation_level=None)) as damaged,
        closing(sqlite3.connect(fresh, isolation_level=None)) as database,
    ):
        try:
            names = set(damaged.execute(_TABLE_NAMES).fetchall())
        except sqlite3.Error as error:
            fresh.unlink()
            raise _lost(path, problem) from error
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.executescript(tables)
        database.execute("BEGIN")
        fresh_names = database.execute(_TABLE_NAMES).fetchall()
        for (name,) in (each for each in fresh_names if each in names):
            rows = _Readable(damaged, name)
            for row in rows:
                places = ", ".join("?" * len(row))
                database.execute(f"INSERT OR IGNORE INTO {name} VALUES ({places})", row)  # noqa: S608
                saved += 1
            if not rows.is_whole and name in _NEVER_IN_PART:
                raise _lost(path, problem)
        database.execute("COMMIT")
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    # The log of the damaged file must not be read into the new one.
    for ending in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    fresh.replace(path)
    sync_folder(path.parent)
    return (
        f"{path} was damaged ({problem}): {quantity(saved, 'readable row')} saved, and calls that were lost "
        f"are made again; the damaged file is {copy}"
    )


class _Readable:
    """The rows of a table that can be read; `is_whole` is known once they were."""

    def __init__(self, database: sqlite3.Connection, table: str) -> None:
        self._database, self._table = database, table
        self.is_whole = True

    def __iter__(self) -> Iterator[Sequence[Any]]:
        last = -1
        try:
            for number, *row in self._select("ORDER BY rowid"):
                yield row
                last = number
        except sqlite3.Error:
            self.is_whole = False
        if self.is_whole:
            return
        first_after: int | None = None
        with suppress(sqlite3.Error):
            for number, *row in self._select("WHERE rowid > ? ORDER BY rowid DESC", last):
                yield row
                first_after = number
        if first_after is None:
            return
        for number in range(max(last + 1, first_after - _MOST_TRIED), first_after):
            with suppress(sqlite3.Error):
                yield from (row for _, *row in self._select("WHERE rowid = ?", number).fetchall())

    def _select(self, condition: str, *values: int) -> sqlite3.Cursor:
        return self._database.execute(f"SELECT rowid, * FROM {self._table} {condition}", values)  # noqa: S608


def _copied(path: Path) -> Path:
    """Copy a damaged file, with what SQLite keeps beside it, under a name of its own."""
    number = 1
    while (copy := path.with_name(f"{path.stem}-damaged-{number}{path.suffix}")).exists():
        number += 1
    for ending in ("-wal", "-journal", ""):
        with suppress(FileNotFoundError):
            shutil.copy2(path.with_name(path.name + ending), copy.with_name(copy.name + ending))
    return copy


def _lost(path: Path, problem: str) -> DamagedRunError:
    return DamagedRunError(
        f"{path}: is damaged ({problem}), and whether it has batches under way cannot be read; remove it if "
        "it has none (calls that the study lacks are made again), or begin a new run with --fresh"
    )
