"""The journal: what is on disk when a process dies or a disk fills."""

import asyncio
import base64
import errno
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from engine.collect.calls import CallRequest, Reply, Subject
from engine.collect.journal import Entry, Journal, entry_of, journal_files, read_entries
from engine.collect.sealed_lines import Damage, read_lines
from engine.errors import StoreError


def entry(number: int, text: str = "yes") -> Entry:
    request = CallRequest(
        "judge", "a", "single_rubric", "default", Subject(f"i{number}", "b", rubric_ids=("r",))
    )
    return entry_of(request, "run", Reply(text), [{"status": "ok", "raw": text}], calls=1, seconds=0.1)


def entries_in(folder: Path) -> list[Entry]:
    return [each for path in journal_files(folder) for each in read_entries(path)]


def test_an_entry_is_on_disk_once_its_future_is_done(tmp_path: Path) -> None:
    async def write() -> None:
        journal = Journal(tmp_path)
        await asyncio.gather(*(journal.write(entry(number)) for number in range(50)))
        written = entries_in(tmp_path)
        await journal.close()

        assert written == entries_in(tmp_path)
        assert [each.key for each in written] == [entry(number).key for number in range(50)]

    asyncio.run(write())


def test_answers_that_arrive_while_the_disk_is_busy_share_one_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    syncs = 0
    sync = os.fsync

    def counting_sync(descriptor: int) -> None:
        nonlocal syncs
        syncs += 1
        sync(descriptor)

    async def write() -> None:
        nonlocal syncs
        journal = Journal(tmp_path)
        syncs = 0
        monkeypatch.setattr(os, "fsync", counting_sync)
        await asyncio.gather(*(journal.write(entry(number)) for number in range(500)))
        await journal.close()

    asyncio.run(write())

    assert 1 <= syncs <= 5


@pytest.mark.parametrize("torn", [b'{"key": "half', b"\x00\x00", b'{"key": "whole but for its end"}'])
def test_a_torn_last_line_is_dropped_and_the_next_entry_takes_its_place(tmp_path: Path, torn: bytes) -> None:
    async def write(number: int) -> None:
        journal = Journal(tmp_path)
        await journal.write(entry(number))
        await journal.close()

    asyncio.run(write(1))
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(torn)
    before = entries_in(tmp_path)
    asyncio.run(write(2))

    assert [each.key for each in before] == [entry(1).key]
    assert [each.key for each in entries_in(tmp_path)] == [entry(1).key, entry(2).key]


@pytest.mark.parametrize("broken", [b"{}\n", entry(3).to_line().replace(b"ok", b"no"), b"\xff\xfe\n"])
def test_a_damaged_line_is_set_aside_with_its_position_and_the_others_are_read(
    tmp_path: Path, broken: bytes
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(entry(1).to_line() + broken + entry(2).to_line())
    (damaged,) = (each for each in read_lines(path, Entry.from_line) if isinstance(each, Damage))

    entries = list(read_entries(path))

    assert [each.key for each in entries] == [entry(1).key, entry(2).key]
    assert (damaged.path, damaged.number) == (path, 2)
    record = json.loads((tmp_path / "damaged.jsonl").read_text())
    assert (record["line"], base64.b64decode(record["base64"])) == (2, broken)


def test_rotated_files_queue_in_order_and_later_processes_continue_the_numbering(tmp_path: Path) -> None:
    async def write(numbers: range) -> None:
        journal = Journal(tmp_path)
        for number in numbers:
            await journal.write(entry(number))
            journal.rotate()
        await journal.close()

    asyncio.run(write(range(3)))
    asyncio.run(write(range(3, 5)))

    assert [each.key for each in entries_in(tmp_path)] == [entry(number).key for number in range(5)]
    assert len(journal_files(tmp_path)) == 6  # the current file is empty


@pytest.mark.parametrize("failing", ["open", "sync"])
def test_if_no_new_file_can_be_begun_the_answers_in_progress_go_to_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def write() -> None:
        journal = Journal(tmp_path)
        await journal.write(entry(1))
        with monkeypatch.context() as patch:
            if failing == "open":
                patch.setattr(os, "open", full)
            else:
                patch.setattr("engine.collect.journal.sync_folder", full)
            with pytest.raises(StoreError, match="full"):
                journal.rotate()
        await journal.write(entry(2))
        journal.rotate()
        await journal.write(entry(3))
        await journal.close()

    asyncio.run(write())

    assert [each.key for each in entries_in(tmp_path)] == [entry(number).key for number in (1, 2, 3)]
    assert [path.name for path in journal_files(tmp_path)] == ["journal-000001.jsonl", "journal.jsonl"]


def half_a_write(descriptor: int, data: bytes, *, real: Callable[[int, bytes], int] = os.write) -> int:
    """Write only half of the data, like a disk that is filling up; nothing of a short remainder."""
    if len(data) < 200:
        raise OSError(errno.ENOSPC, "No space left on device")
    return real(descriptor, data[: len(data) // 2])


def test_on_a_full_disk_answers_in_progress_are_written_to_the_reserve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write

    def limited(descriptor: int, data: bytes) -> int:
        full = (tmp_path / "reserve").exists()
        return half_a_write(descriptor, data, real=real) if full else real(descriptor, data)

    async def write() -> bool:
        journal = Journal(tmp_path)
        monkeypatch.setattr(os, "write", limited)
        await journal.write(entry(1))
        full = journal.disk_is_full
        await journal.close()
        return full

    full = asyncio.run(write())

    assert full
    assert [each.key for each in entries_in(tmp_path)] == [entry(1).key]


def test_a_completely_full_disk_is_named_and_earlier_entries_stay_intact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def write() -> None:
        journal = Journal(tmp_path)
        await journal.write(entry(1))
        monkeypatch.setattr(os, "write", partial(half_a_write, real=os.write))
        try:
            await journal.write(entry(2))
        finally:
            await journal.close()

    with pytest.raises(StoreError, match="the disk is full; what was written is intact"):
        asyncio.run(write())

    assert (tmp_path / "journal.jsonl").read_bytes() == entries_in(tmp_path)[0].to_line()
