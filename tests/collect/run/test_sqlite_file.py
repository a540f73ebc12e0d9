"""A SQLite file written by a thread of its own: groups, failures, damage, and files of the next number."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.collect.database import sqlite_file
from engine.collect.database.run_database import FILE, RunDatabase, _error_of, is_unfinished, unwritable
from engine.collect.database.shared_file import SharedFile, numbers
from engine.collect.database.sqlite_file import (
    SqliteFile,
    is_busy,
    is_damage,
    is_full,
    is_io_error,
    open_to_read,
    was_closed,
)
from engine.errors import StoreError

TABLES = "CREATE TABLE IF NOT EXISTS t (value TEXT UNIQUE)"
INSERT = "INSERT INTO t VALUES (?)"


class File(SqliteFile):
    """Counts its transactions, and mends a failed one so many times."""

    def __init__(self, path: Path, mends: int = 0) -> None:
        self.groups: list[int] = []
        self.failed: list[int] = []
        self.mends = mends
        super().__init__(path, TABLES, durable=False, busy_s=1.0)

    def _transact(self, group: Any) -> list[Any]:
        self.groups.append(len(group))
        return super()._transact(group)

    def mend(self, error: sqlite3.Error) -> bool:
        assert isinstance(error, sqlite3.Error)
        self.mends -= 1
        return self.mends >= 0

    def fail(self, error: sqlite3.Error, jobs: int) -> Exception:
        self.failed.append(jobs)
        return super().fail(error, jobs)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    with closing(File(tmp_path / "f.sqlite")) as opened:
        yield opened


def insert(value: str) -> Any:
    return lambda database: database.execute(INSERT, (value,)).rowcount


def values(file: SqliteFile) -> list[str]:
    return file.run(
        lambda database: [value for (value,) in database.execute("SELECT value FROM t ORDER BY 1")]
    )


def held(file: SqliteFile) -> threading.Event:
    """Keep the thread of a file busy until the event is set."""
    release = threading.Event()
    file.post(lambda _: release.wait(5))
    while not file._jobs.empty():
        pass
    return release


def test_what_waits_is_done_in_one_transaction_in_order(file: File) -> None:
    release = held(file)
    for value in "abc":
        file.post(insert(value))
    release.set()

    assert values(file) == ["a", "b", "c"]
    assert (file.groups[0], sum(file.groups)) == (1, 5)
    assert len(file.groups) <= 3


def test_a_transaction_has_at_most_a_thousand_statements(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sqlite_file._GROUP == 1_000
    monkeypatch.setattr(sqlite_file, "_GROUP", 2)
    release = held(file)
    for value in "abcde":
        file.post(insert(value))
    release.set()

    assert values(file) == list("abcde")
    assert max(file.groups) == 2


def test_one_failed_statement_takes_back_all_of_its_transaction(file: File) -> None:
    file.run(insert("a"))
    release = held(file)
    file.post(insert("b"))

    async def write() -> list[Any]:
        waiting = [file.write(insert(value)) for value in ("c", "a")]
        release.set()
        return await asyncio.gather(*waiting, return_exceptions=True)

    results = asyncio.run(write())

    assert [type(each) for each in results] == [sqlite3.IntegrityError] * 2
    assert values(file) == ["a"]
    assert file.failed == [3]


def test_a_mended_transaction_is_tried_again(tmp_path: Path) -> None:
    attempts: list[int] = []

    def work(database: sqlite3.Connection) -> str:
        attempts.append(1)
        if len(attempts) < 3:
            raise sqlite3.OperationalError("locked")
        database.execute(INSERT, ("a",))
        return "done"

    with closing(File(tmp_path / "f.sqlite", mends=2)) as file:
        result = file.run(work)

        assert (result, len(attempts), values(file)) == ("done", 3, ["a"])


def test_another_error_than_sqlites_is_raised_where_it_is_waited_for(file: File) -> None:
    def broken(_: sqlite3.Connection) -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        file.run(broken)
    assert (file.failed, file.is_open, values(file)) == ([], True, [])


def test_by_default_nothing_is_mended(tmp_path: Path) -> None:
    with closing(SqliteFile(tmp_path / "f.sqlite", TABLES, durable=True, busy_s=1.0)) as file:
        assert not file.mend(sqlite3.Error())
        error = sqlite3.Error("x")
        assert file.fail(error, 3) is error
    assert not file.is_open


def test_a_cancelled_writer_keeps_no_other_from_its_result(file: File) -> None:
    release = held(file)

    async def write() -> int:
        first, second = (file.write(insert(value)) for value in "ab")
        first.cancel()
        release.set()
        result: int = await second
        return result

    assert asyncio.run(write()) == 1
    assert values(file) == ["a", "b"]


def test_a_writer_whose_event_loop_has_ended_disturbs_nobody(file: File) -> None:
    release = held(file)

    async def write() -> None:
        file.write(insert("a"))

    asyncio.run(write())
    release.set()

    assert values(file) == ["a"]


def coded(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("x")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        (sqlite3.SQLITE_BUSY, "b"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "b"),  # an extended code
        (sqlite3.SQLITE_CORRUPT, "d"),
        (sqlite3.SQLITE_NOTADB, "d"),
        (sqlite3.SQLITE_FULL, "f"),
        (sqlite3.SQLITE_IOERR, "i"),
        (sqlite3.SQLITE_IOERR_WRITE, "i"),
        (sqlite3.SQLITE_ERROR, ""),
    ],
)
def test_the_kind_of_an_error_is_read_from_its_code(code: int, kinds: str) -> None:
    tests = {"b": is_busy, "d": is_damage, "f": is_full, "i": is_io_error}

    assert "".join(name for name, is_kind in tests.items() if is_kind(coded(code))) == kinds
    assert not any(is_kind(sqlite3.Error("no code")) for is_kind in tests.values())


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_a_file_with_a_journal_was_not_closed(tmp_path: Path, ending: str) -> None:
    path, journal = tmp_path / "f", tmp_path / f"f{ending}"
    before = was_closed(path)
    journal.touch()
    empty = was_closed(path)
    journal.write_text("x")

    assert (before, empty, was_closed(path)) == (True, True, False)


def test_a_file_is_read_while_it_is_written(file: File) -> None:
    file.run(insert("a"))

    with closing(open_to_read(file.path)) as reading:
        assert reading.execute("SELECT value FROM t").fetchall() == [("a",)]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reading.execute(INSERT, ("b",))


def test_a_damaged_shared_file_is_replaced_by_one_with_the_next_number(tmp_path: Path) -> None:
    for number in (1, 3):
        (tmp_path / f"x-{number:04d}.sqlite").write_bytes(b"not a database" * 100)
    (tmp_path / "x-12.sqlite").touch()  # another form of name

    with closing(SharedFile(tmp_path, "x", TABLES)) as file:
        file.store(INSERT, ("a",))

        assert file.change("UPDATE t SET value = 'b'") == 1
        assert file.read("SELECT value FROM t") == [("b",)]
        assert file.path == tmp_path / "x-0004.sqlite"
    assert numbers(tmp_path, "x") == [1, 3, 4]
    assert (tmp_path / "x-0003.damaged").exists()
    assert file.path.stat().st_mode & 0o777 == 0o600
    with closing(SharedFile(tmp_path, "x", TABLES)) as again:
        assert again.path == tmp_path / "x-0004.sqlite"


def test_a_new_shared_file_has_the_first_number_and_a_folder_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert numbers(folder, "x") == []

    with closing(SharedFile(folder, "x", TABLES)) as file:
        assert file.path == folder / "x-0001.sqlite"
        assert file.read("SELECT nothing FROM t") == []
        assert file.change("DELETE FROM nowhere") == 0
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_run_of_a_folder_with_odd_characters_is_read_and_not_created(tmp_path: Path) -> None:
    folder = tmp_path / "100% ?mode=rw"
    folder.mkdir()
    RunDatabase(folder).close()

    assert not is_unfinished(folder)
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_a_closed_run_is_unfinished_while_it_has_calls(tmp_path: Path) -> None:
    assert not is_unfinished(tmp_path)
    insert_call = "INSERT INTO calls (key, status, entry) VALUES ('k', 'ok', x'00')"
    with closing(RunDatabase(tmp_path)) as database:
        database.run(lambda opened: opened.execute(insert_call))
    with_call = is_unfinished(tmp_path)
    with closing(RunDatabase(tmp_path)) as database:
        database.run(lambda opened: opened.execute("DELETE FROM calls"))
    without = is_unfinished(tmp_path)
    (tmp_path / FILE).write_bytes(b"no database")

    assert (with_call, without, is_unfinished(tmp_path)) == (True, False, True)


@pytest.mark.parametrize(
    ("code", "free", "words"),
    [
        (sqlite3.SQLITE_CORRUPT, 0, "is damaged"),
        (sqlite3.SQLITE_FULL, 1 << 30, "the disk is full"),
        (sqlite3.SQLITE_IOERR, (4 << 20) - 1, "the disk is full"),
        (sqlite3.SQLITE_IOERR, 4 << 20, "cannot be written: x"),
        (sqlite3.SQLITE_BUSY, 0, "cannot be written: x"),
    ],
)
def test_an_error_of_the_database_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, free: int, words: str
) -> None:
    monkeypatch.setattr("engine.collect.database.run_database._free_bytes", lambda _: free)

    assert words in str(_error_of(tmp_path / FILE, coded(code)))


def test_a_disk_that_cannot_be_written_is_told_from_a_full_one(tmp_path: Path) -> None:
    full, other = unwritable(tmp_path, OSError(28, "x")), unwritable(tmp_path, OSError(13, "x"))

    assert "the disk is full" in str(full)
    assert "cannot be written" in str(other)
    assert isinstance(other, StoreError)


def test_a_reserve_is_there_until_it_is_needed_or_the_run_ends(tmp_path: Path) -> None:
    reserve = tmp_path / "reserve"

    with closing(RunDatabase(tmp_path, reserve=True)) as database:
        size = reserve.stat().st_size
        ignored = database.mend(coded(sqlite3.SQLITE_BUSY))
        before = database.disk_is_full
        mended = [database.mend(coded(sqlite3.SQLITE_FULL)) for _ in range(2)]

        assert (size, ignored, before, mended) == (4 << 20, False, False, [True, False])
        assert (database.disk_is_full, reserve.exists()) == (True, False)
    with closing(RunDatabase(tmp_path, reserve=True)):
        assert reserve.exists()
    assert not reserve.exists()
