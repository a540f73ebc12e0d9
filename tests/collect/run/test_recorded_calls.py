"""Finished calls in the database of their run, from before they count until the study has them."""

import asyncio
import base64
import json
import random
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from collect.run.recording import as_killed, entry, keys, record, recorded_in

from engine.collect.database import recorded_calls
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import RunDatabase
from engine.collect.database.sqlite_file import SqliteFile
from engine.errors import StoreError

LONG = random.Random(3).randbytes(10_000).hex()
"""An answer that hardly shrinks."""


def test_a_call_survives_a_kill_once_its_future_is_done(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()

    async def add(numbers: range) -> None:
        recorded = RecordedCalls(database)
        await asyncio.gather(*(recorded.add(entry(number)) for number in numbers))

    with closing(RunDatabase(folder)) as database:
        asyncio.run(add(range(50)))
        killed = as_killed(folder, tmp_path / "killed")
        asyncio.run(add(range(50, 60)))

    assert [each.key for each in recorded_in(killed)] == keys(range(50))
    assert [each.key for each in recorded_in(folder)] == keys(range(60))


def test_calls_that_end_while_the_disk_is_busy_share_one_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits, transact = [], SqliteFile._transact

    def counting(file: SqliteFile, group: Sequence[Any]) -> list[Any]:
        commits.append(len(group))
        return transact(file, group)

    monkeypatch.setattr(SqliteFile, "_transact", counting)

    async def add() -> None:
        recorded = RecordedCalls(database)
        async with asyncio.TaskGroup() as group:
            busy = asyncio.Event()
            loop = asyncio.get_running_loop()
            database.post(lambda _: asyncio.run_coroutine_threadsafe(busy.wait(), loop).result())
            for number in range(500):
                group.create_task(asyncio.wait_for(recorded.add(entry(number)), None))
            await asyncio.sleep(0)
            busy.set()

    with closing(RunDatabase(tmp_path)) as database:
        asyncio.run(add())

    assert sum(commits) >= 500
    assert len(commits) <= 5


def test_a_damaged_call_is_set_aside_and_the_others_are_read(tmp_path: Path) -> None:
    record(tmp_path, map(entry, range(3)))
    with closing(sqlite3.connect(tmp_path / "run.sqlite")) as database:
        ((line,),) = database.execute("SELECT entry FROM calls WHERE number = 2")
        changed = line.replace(b'"ok"', b'"no"')
        database.execute("UPDATE calls SET entry = ? WHERE number = 2", (changed,))
        database.commit()

    entries = [recorded_in(tmp_path), recorded_in(tmp_path)][0]

    assert [each.key for each in entries] == keys([0, 2])
    (aside,) = (tmp_path / "damaged.jsonl").read_text().splitlines()
    assert (json.loads(aside)["file"], json.loads(aside)["offset"]) == ("run.sqlite", 0)
    assert (json.loads(aside)["line"], base64.b64decode(json.loads(aside)["base64"])) == (2, changed)


def test_calls_are_read_in_portions_and_those_that_the_study_has_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_calls, "PORTION_CALLS", 3)
    record(tmp_path, map(entry, range(7)))

    with closing(RunDatabase(tmp_path)) as database:
        recorded = RecordedCalls(database)
        sizes = []
        for portion in recorded.portions():
            recorded.add_all([entry(100 + len(sizes))])  # ended meanwhile: of the next round
            recorded.remove(portion)
            sizes.append(len(portion.entries))

    assert sizes == [3, 3, 1]
    assert [each.key for each in recorded_in(tmp_path)] == keys([100, 101, 102])


def test_a_portion_ends_at_a_number_of_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_calls, "PORTION_BYTES", 1)
    record(tmp_path, map(entry, range(3)))

    with closing(RunDatabase(tmp_path)) as database:
        sizes = [len(portion.entries) for portion in RecordedCalls(database).portions()]

    assert sizes == [1, 1, 1]


@pytest.mark.parametrize(("more", "expected"), [(0, [2, 2, 1]), (1, [3, 2])])
def test_the_call_that_reaches_a_portions_bytes_is_its_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int, expected: list[int]
) -> None:
    record(tmp_path, map(entry, range(5)))
    two = sum(len(recorded_calls.row_of(entry(number))[2]) for number in range(2))
    monkeypatch.setattr(recorded_calls, "PORTION_BYTES", two + more)

    with closing(RunDatabase(tmp_path)) as database:
        sizes = [len(portion.entries) for portion in RecordedCalls(database).portions()]

    assert sizes == expected


@pytest.mark.parametrize("others", [0, 3])
def test_calls_recorded_together_are_removed_together_and_no_others(tmp_path: Path, others: int) -> None:
    with closing(RunDatabase(tmp_path)) as database:
        recorded = RecordedCalls(database)
        recorded.add_all([entry(1)])
        portion = recorded.add_all(entry(10 + number) for number in range(others))
        recorded.add_all([entry(2)])
        recorded.remove(portion)

    assert [each.key for each in recorded_in(tmp_path)] == keys([1, 2])


def test_an_entry_is_compressed_from_a_length_on(monkeypatch: pytest.MonkeyPatch) -> None:
    each = entry(1, "yes " * 100)
    line = each.to_line()

    monkeypatch.setattr(recorded_calls, "_LONG_BYTES", len(line) + 1)
    short = recorded_calls.row_of(each)
    monkeypatch.setattr(recorded_calls, "_LONG_BYTES", len(line))
    long = recorded_calls.row_of(each)

    assert short == (each.key, "ok", line)
    assert (long[:2], zlib.decompress(long[2])) == (short[:2], line)


def test_calls_of_a_batch_are_recorded_whole_or_not_at_all(tmp_path: Path) -> None:
    entries = [entry(1), entry(2)]

    class FaultError(RuntimeError):
        """A fault in the middle."""

    def fail(_: object) -> None:
        raise FaultError

    with closing(RunDatabase(tmp_path)) as database:
        recorded = RecordedCalls(database)
        with pytest.raises(FaultError):
            database.run(lambda connection: (_insert_one(connection), fail(connection)))
        portion = recorded.add_all(entries)

    assert portion.entries == entries
    assert recorded_in(tmp_path) == entries


def _insert_one(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO calls (key, status, entry) VALUES ('k', 'ok', '{}')")


def _fill_up(database: RunDatabase) -> None:
    """Let the database's file grow no more, as on a full disk."""

    def fix_size(connection: sqlite3.Connection) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    database.run(fix_size)


def test_on_a_full_disk_answers_in_progress_use_the_reserve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = RunDatabase._release

    def make_room(database: RunDatabase) -> None:
        if database.is_open:
            database._connection.execute("PRAGMA max_page_count = 10000")
        release(database)

    monkeypatch.setattr(RunDatabase, "_release", make_room)

    async def add() -> None:
        await RecordedCalls(database).add(entry(1, LONG))

    with closing(RunDatabase(tmp_path, reserve=True)) as database:
        reserve = (tmp_path / "reserve").stat().st_size
        _fill_up(database)
        asyncio.run(add())
        was_full = database.disk_is_full

    assert reserve == 4 << 20
    assert was_full
    assert not (tmp_path / "reserve").exists()
    assert [each.key for each in recorded_in(tmp_path)] == keys([1])


def test_a_completely_full_disk_is_named_and_earlier_calls_stay(tmp_path: Path) -> None:
    async def add(number: int, text: str) -> None:
        await RecordedCalls(database).add(entry(number, text))

    with closing(RunDatabase(tmp_path, reserve=True)) as database:
        asyncio.run(add(1, "yes"))
        _fill_up(database)
        with pytest.raises(StoreError, match=r"run\.sqlite: the disk is full; what was written is intact"):
            asyncio.run(add(2, LONG))

    assert [each.key for each in recorded_in(tmp_path)] == keys([1])
