"""Connections to SQLite files: their settings, the wait for whoever creates the file, and reading alone."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.database import sqlite_file
from engine.collect.database.sqlite_file import _set_journal, open_connection, open_to_read


@pytest.mark.parametrize(("durable", "synchronous"), [(True, 2), (False, 1)])  # FULL and NORMAL
def test_a_durable_file_waits_for_the_disk_at_each_commit(
    tmp_path: Path, durable: bool, synchronous: int
) -> None:
    with closing(open_connection(tmp_path / "f", durable=durable, busy_s=1.5)) as connection:
        settings = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("synchronous", "journal_mode", "auto_vacuum", "busy_timeout")
        }

    incremental = 2
    assert settings == {
        "synchronous": synchronous, "journal_mode": "wal", "auto_vacuum": incremental, "busy_timeout": 1500
    }  # fmt: skip


class Locked:
    """A connection whose file others are creating, for so many attempts."""

    def __init__(self, attempts: int, code: int = sqlite3.SQLITE_BUSY) -> None:
        self.left, self.attempts = attempts, 0
        self.error = sqlite3.OperationalError("locked")
        self.error.sqlite_errorcode = code

    def execute(self, statement: str) -> Any:
        assert statement == "PRAGMA journal_mode = WAL"
        self.attempts += 1
        self.left -= 1
        if self.left >= 0:
            raise self.error
        return SimpleNamespace(close=lambda: None)


@pytest.mark.parametrize(
    ("connection", "attempts", "fails"),
    [
        (Locked(0), 1, False),
        (Locked(3), 4, False),
        (Locked(9), 5, True),  # time is up beyond the third wait
        (Locked(9, sqlite3.SQLITE_READONLY), 1, True),
    ],
)
def test_a_file_that_another_process_creates_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, connection: Locked, attempts: int, fails: bool
) -> None:
    waits: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: float(len(waits)), sleep=waits.append)
    monkeypatch.setattr(sqlite_file, "time", clock)

    try:
        _set_journal(cast("Any", connection), "WAL", 3.0)  # as long as three of the waits
        failed = False
    except sqlite3.OperationalError as error:
        failed = error is connection.error

    assert (connection.attempts, failed) == (attempts, fails)
    assert waits == [0.01] * (attempts - 1)


@pytest.mark.parametrize(
    ("writable", "closed", "sees"),
    [
        (True, True, True),
        (True, False, True),
        (False, False, True),  # what the log holds counts
        (False, True, False),  # nobody is expected to write, and no file can be made beside it
    ],
)
def test_a_closed_file_in_a_folder_that_can_only_be_read_is_taken_as_fixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writable: bool, closed: bool, sees: bool
) -> None:
    path = tmp_path / "f"
    writer = open_connection(path, durable=True, busy_s=1.0)
    writer.execute("CREATE TABLE t (value)")
    if closed:
        writer.close()
    monkeypatch.setattr(os, "access", lambda *_: writable)

    with closing(open_to_read(path)) as reading:
        if closed:
            writer = open_connection(path, durable=True, busy_s=1.0)
        writer.execute("INSERT INTO t VALUES (1)")
        rows = reading.execute("SELECT value FROM t").fetchall()
    writer.close()

    assert rows == [(1,)] * sees
