"""The records of pending batches survive a kill at any moment."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from collect.run.recording import as_killed, entry, keys, recorded_in

from engine.collect.calls import CallRequest, Subject
from engine.collect.database.batch_records import BatchRecord, BatchRecords, Chunk
from engine.collect.database.run_database import RunDatabase
from engine.errors import StoreError

CALL = CallRequest("judge", "a", "pairwise", "default", Subject("i1", "a", "b", "generator"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


@pytest.fixture
def database(place: Path) -> Iterator[RunDatabase]:
    with closing(RunDatabase(place)) as opened:
        yield opened


def pending(folder: Path) -> list[BatchRecord]:
    with closing(RunDatabase(folder)) as database:
        return BatchRecords(database).open()


def test_a_batch_is_recorded_with_its_lines_before_it_is_submitted(
    tmp_path: Path, place: Path, database: RunDatabase
) -> None:
    records = BatchRecords(database)
    record = records.add(0, Chunk([(CALL, b"line\n")], most=1.0))

    with closing(RunDatabase(as_killed(place, tmp_path / "killed"))) as killed:
        (left,) = BatchRecords(killed).open()
        calls, lines = list(BatchRecords(killed).calls(left)), BatchRecords(killed).lines(left)

    assert left == record
    assert (calls, lines) == ([(CALL.key, CALL)], b"line\n")


def test_the_providers_id_survives_a_kill(tmp_path: Path, place: Path, database: RunDatabase) -> None:
    records = BatchRecords(database)
    submitted = records.set_batch_id(records.add(0, Chunk([(CALL, b"line\n")], most=1.0)), "batch-1")

    left = pending(as_killed(place, tmp_path / "killed"))

    assert left == [submitted]
    assert left[0].batch_id == "batch-1"


def test_the_answers_of_a_batch_take_its_place_in_one_step(
    tmp_path: Path, place: Path, database: RunDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = BatchRecords(database)
    record = records.add(0, Chunk([(CALL, b"line\n")], most=1.0))

    def fail(*_: object) -> None:
        raise OSError("killed")

    with monkeypatch.context() as patch:
        patch.setattr("engine.collect.database.batch_records._delete", fail)
        with pytest.raises(OSError, match="killed"):
            records.finish(record, [entry(1), entry(2)])
    before = as_killed(place, tmp_path / "before")
    records.finish(record, [entry(1), entry(2)])
    after = as_killed(place, tmp_path / "after")

    assert (pending(before), recorded_in(before)) == ([record], [])
    assert pending(after) == []
    assert [each.key for each in recorded_in(after)] == keys([1, 2])


@pytest.mark.parametrize("text", ["{", "[]", '{"label": "another"}', "null"])
def test_a_record_that_cannot_be_read_is_named(database: RunDatabase, text: str) -> None:
    records = BatchRecords(database)
    record = records.add(0, Chunk([(CALL, b"line\n")], most=1.0))
    database.run(lambda connection: connection.execute("UPDATE batches SET record = ?", (text,)))

    with pytest.raises(StoreError, match=f"run.sqlite, batch {record.label}: is not a record of a batch"):
        records.open()


def test_batches_are_never_saved_in_part(place: Path, database: RunDatabase) -> None:
    records = BatchRecords(database)
    for _ in range(40):
        records.add(0, Chunk([(CALL, b"line\n")], most=1.0))
    query = "SELECT rootpage FROM sqlite_master WHERE name = 'batches'"
    (root,) = database.run(lambda connection: connection.execute(query).fetchone())
    database.close()
    path = place / "run.sqlite"
    content = bytearray(path.read_bytes())
    page = (root - 1) * 4096
    content[page : page + 4096] = b"\xff" * 4096
    path.write_bytes(content)

    with pytest.raises(StoreError, match=r"is damaged.*batches under way cannot be read"):
        RunDatabase(place)

    assert path.read_bytes()[page : page + 4096] == b"\xff" * 4096
