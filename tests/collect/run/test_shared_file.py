"""A SQLite file of several processes: its pauses, lost rows, and damage that is met while reading."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.database import shared_file
from engine.collect.database.run_database import RunDatabase
from engine.collect.database.shared_file import SharedFile, numbers
from engine.errors import StoreError

TABLES = "CREATE TABLE IF NOT EXISTS t (value TEXT UNIQUE)"
INSERT = "INSERT INTO t VALUES (?)"


@pytest.fixture
def file(tmp_path: Path) -> Iterator[SharedFile]:
    with closing(SharedFile(tmp_path, "x", TABLES)) as opened:
        yield opened


def error(code: int) -> sqlite3.Error:
    coded = sqlite3.OperationalError("x")
    coded.sqlite_errorcode = code
    return coded


class Clock:
    """A time that passes when it is advanced; pauses only add up."""

    def __init__(self) -> None:
        self.now = 5.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def advance(self, seconds: float) -> None:
        self.now += seconds


def test_others_may_write_for_as_long_as_a_group_took_and_at_most_a_tenth_of_a_second(
    file: SharedFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(shared_file, "time", clock)

    file.run(lambda _: clock.advance(0.0625))
    file.run(lambda _: clock.advance(3.0))
    file._is_closing = True
    file.run(lambda _: clock.advance(3.0))

    assert clock.pauses == [0.0625, 0.1]


def test_an_answer_that_can_be_asked_again_does_not_wait_for_the_disk_as_that_of_a_run_does(
    file: SharedFile, tmp_path: Path
) -> None:
    def synchronous(database: sqlite3.Connection) -> int:
        return int(database.execute("PRAGMA synchronous").fetchone()[0])

    with closing(RunDatabase(tmp_path)) as database:
        assert (file.run(synchronous), database.run(synchronous)) == (1, 2)  # NORMAL and FULL


class Reader:
    """A connection on which every statement fails."""

    def __init__(self, code: int) -> None:
        self.error = error(code)
        self.statements: list[str] = []
        self.is_closed = False

    def execute(self, statement: str, _: Any = ()) -> Any:
        self.statements.append(statement)
        raise self.error

    def close(self) -> None:
        self.is_closed = True


def replace_reader(file: SharedFile, code: int) -> Reader:
    assert file._reader is not None
    file._reader.close()
    reader = Reader(code)
    file._reader = cast("Any", reader)
    return reader


def test_a_file_that_is_damaged_while_it_is_read_is_left_by_its_reader_and_its_writer(
    file: SharedFile, tmp_path: Path
) -> None:
    file.run(lambda database: database.execute(INSERT, ("lost",)))
    reader = replace_reader(file, sqlite3.SQLITE_CORRUPT)

    after_damage = file.read("SELECT value FROM t")
    file.run(lambda database: database.execute(INSERT, ("new",)))

    assert (after_damage, file.read("SELECT value FROM t")) == ([], [("new",)])
    assert (len(reader.statements), reader.is_closed) == (1, True)
    assert file.path == tmp_path / "x-0002.sqlite"
    assert [path.name for path in tmp_path.glob("*.damaged")] == ["x-0001.damaged"]


def test_what_cannot_be_read_for_another_reason_is_tried_once_and_nothing_is_damaged(
    file: SharedFile, tmp_path: Path
) -> None:
    reader = replace_reader(file, sqlite3.SQLITE_BUSY)

    assert file.read("SELECT 1") == []
    assert reader.statements == ["SELECT 1"]
    assert list(tmp_path.glob("*.damaged")) == []


def test_files_that_are_damaged_again_and_again_end_a_reading(
    file: SharedFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader(sqlite3.SQLITE_NOTADB)
    monkeypatch.setattr(file, "_reading_connection", lambda: reader)

    assert file.read("SELECT 1") == []
    assert len(reader.statements) == 2


def test_a_lock_is_waited_for_until_the_file_is_closed(file: SharedFile, tmp_path: Path) -> None:
    busy, full, damaged = map(error, (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CORRUPT))

    before = [file.mend(each) for each in (busy, full)]
    file._is_closing = True
    at_the_end = [file.mend(each) for each in (busy, full, damaged)]

    assert (before, at_the_end) == ([True, False], [False, False, True])
    assert (tmp_path / "x-0001.damaged").exists()


@pytest.mark.parametrize(
    ("lost", "warnings"),
    [([], []), ([2, 1], ["x-0001.sqlite: locked by another process; rows not written: 3"])],
)
def test_rows_that_another_process_kept_from_being_written_are_counted_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: list[int], warnings: list[str]
) -> None:
    logged: list[str] = []
    log = SimpleNamespace(warning=lambda form, *values: logged.append(form % values))
    monkeypatch.setattr(shared_file, "LOG", log)
    full, busy = error(sqlite3.SQLITE_FULL), error(sqlite3.SQLITE_BUSY)

    with closing(SharedFile(tmp_path, "x", TABLES)) as file:
        returned = [file.fail(busy, jobs) for jobs in lost]
        assert file.fail(full, 7) is full  # which is another fault, and was reported

    assert returned == [busy] * len(lost)
    assert logged == [f"{tmp_path}/{words}" for words in warnings]


def test_a_folder_that_cannot_be_made_is_named_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match=r"file/x: cannot be written: .*choose another folder"):
        SharedFile(tmp_path / "file" / "x", "x", TABLES)


def test_a_new_folder_and_its_file_are_for_their_owner_alone(tmp_path: Path) -> None:
    with closing(SharedFile(tmp_path / "new", "x", TABLES)) as file:
        modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "new", file.path)]

    assert modes == [0o700, 0o600]


def test_the_file_of_the_highest_number_is_opened_and_those_of_other_names_are_none(tmp_path: Path) -> None:
    for name in ("x-0003", "x-0001", "x-0002", "xy-0007", "x-00008", "x-9", "x-0009.bak"):
        (tmp_path / f"{name}.sqlite").touch()

    with closing(SharedFile(tmp_path, "x", TABLES)) as file:
        assert file.path == tmp_path / "x-0003.sqlite"
    assert numbers(tmp_path, "x") == [1, 2, 3]


def test_a_file_that_cannot_be_opened_is_not_taken_for_a_damaged_one(tmp_path: Path) -> None:
    (tmp_path / "x-0001.sqlite").mkdir()

    with pytest.raises(StoreError, match="cannot be written"):
        SharedFile(tmp_path, "x", TABLES)

    assert [path.name for path in tmp_path.iterdir()] == ["x-0001.sqlite"]


def test_a_change_comes_after_the_rows_that_wait_and_one_that_fails_changes_none(file: SharedFile) -> None:
    for value in "abc":
        file.store(INSERT, (value,))

    assert file.change("DELETE FROM t WHERE value > ?", ("a",)) == 2
    assert file.change(INSERT, ("a",)) == 0  # which is there already
    assert file.read("SELECT value FROM t") == [("a",)]


def test_the_disk_that_deleted_rows_took_is_given_back(file: SharedFile) -> None:
    def pages() -> int:
        return int(file.read("PRAGMA page_count")[0][0])

    file.run(lambda database: database.execute(INSERT, ("long " * 20_000,)))
    full = pages()
    file.change("DELETE FROM t")
    deleted = pages()
    file.shrink()

    assert full == deleted
    assert pages() < full / 5
