"""Runs that version 0.2 left unfinished, with a journal, are finished."""

import json
import shutil
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest
from collect.run.recording import entry, keys, recorded_in
from collect.run.small import FakeModels, config

from engine.collect.calls import CallRequest, Failure, Subject
from engine.collect.configuration.config import Price
from engine.collect.database.batch_records import BatchRecords
from engine.collect.database.calls_under_way import CallsUnderWay
from engine.collect.database.entries import Entry
from engine.collect.database.old_runs import has_old_files, journal_files, take_over
from engine.collect.database.run_database import RunDatabase
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.errors import StoreError
from engine.store import Store

ARCHIVE = Path(__file__).parents[2] / "data" / "archives" / "run-0-2"
"""What version 0.2 left of a run of the small folder that was killed: 9 answers, and 4 calls under way."""
RUN_ID = "20261101-120000-old"
JUDGE = ("judge", "single_rubric", "default")


def taken_over(folder: Path) -> list[Entry]:
    with closing(RunDatabase(folder)) as database:
        take_over(folder, database)
    return recorded_in(folder)


def test_a_killed_run_of_version_0_2_is_finished_without_a_call_twice(folder: Path, store: Store) -> None:
    limits = "params = { max_tokens = 20 }"
    settings = config(folder, a=limits, b=limits)
    no_answers = FakeModels(lambda *_: Failure("server", "down", 503))
    run(settings, store, RunOptions(run_id=RUN_ID), models=no_answers)
    place = Path(store.location.path) / ".runs" / "s" / RUN_ID
    for path in ARCHIVE.iterdir():
        shutil.copy(path, place)
    models = FakeModels(prices=dict.fromkeys("ab", Price(input_per_million=1.0, output_per_million=2.0)))

    report = run(settings, store, models=models)

    assert (report.run_id, report.planned, report.already_done, report.done) == (RUN_ID, 24, 9, 15)
    assert sum(models.prompts.values()) == 15
    assert store.open("s").table("judgments").num_rows == 24
    # 24 answers at $0.001, and four calls whose answers the kill lost: a's 2 and b's 2
    costs = {
        row["model"]: row["cost_usd"]
        for row in store.open("s").table("runs").to_pylist()
        if row["role"] == "judge"
    }
    assert costs == {
        "a": pytest.approx(0.012 + 0.066113 + 0.066117),
        "b": pytest.approx(0.012 + 2 * 0.066113),
    }
    assert not has_old_files(place)


def test_a_takeover_that_was_killed_is_repeated_and_reads_nothing_twice(tmp_path: Path) -> None:
    for path in ARCHIVE.iterdir():
        shutil.copy(path, tmp_path)
    first = taken_over(tmp_path)
    for path in ARCHIVE.iterdir():
        shutil.copy(path, tmp_path)  # as if it had been killed before it removed them

    second = taken_over(tmp_path)

    with closing(RunDatabase(tmp_path)) as database:
        charges = CallsUnderWay(database).charges()
    assert len(first) == 9
    assert second == first
    assert charges == {("a", *JUDGE): pytest.approx(0.13223), ("b", *JUDGE): pytest.approx(0.132226)}


def test_the_files_of_a_journal_are_read_in_order_and_a_torn_or_damaged_line_is_left_out(
    tmp_path: Path,
) -> None:
    lines = [entry(number).to_line() for number in range(5)]
    (tmp_path / "journal-000002.jsonl").write_bytes(lines[1])
    (tmp_path / "journal-000010.jsonl").write_bytes(lines[2].replace(b"ok", b"no") + lines[3])
    (tmp_path / "journal-000001.jsonl").write_bytes(lines[0])
    (tmp_path / "journal.jsonl").write_bytes(lines[4] + b'{"key": "half')

    entries = taken_over(tmp_path)

    assert [each.key for each in entries] == keys([0, 1, 3, 4])
    assert json.loads((tmp_path / "damaged.jsonl").read_text())["file"] == "journal-000010.jsonl"
    assert journal_files(tmp_path) == []


def test_an_empty_journal_is_nothing_to_take_over(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_bytes(b"")

    assert not has_old_files(tmp_path)


@pytest.mark.parametrize(
    ("files", "old"),
    [
        ({}, False),
        ({"under_way.jsonl": ""}, True),
        ({"batches/b.json": "{}"}, True),
        ({"batches/b.jsonl": "{}"}, False),  # left behind by one that was taken over
        ({"journal-000001.jsonl": "x", "journal.jsonl": ""}, True),
        ({"journal-000001.jsonl": "", "journal.jsonl": "x"}, True),
        ({"journal-x.jsonl": "x"}, False),
    ],
)
def test_an_older_version_left_calls_calls_under_way_or_batches(
    tmp_path: Path, files: dict[str, str], old: bool
) -> None:
    (tmp_path / "batches").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert has_old_files(tmp_path) is old


def test_what_ended_may_cost_nothing_more_whether_a_line_or_an_answer_says_so(tmp_path: Path) -> None:
    answered, ended, open_call = entry(1), entry(2), entry(3)
    group = ["a", *JUDGE]
    lines = [{"began": each.key, "group": group, "usd": 0.5} for each in (answered, ended, open_call)]
    fallback = {"began": open_call.key, "group": ["b", *JUDGE], "usd": 0.25}
    lines += [fallback, {"ended": ended.key}, {"ended": "unknown"}]
    (tmp_path / "under_way.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "journal.jsonl").write_bytes(answered.to_line())

    entries = taken_over(tmp_path)

    assert [each.key for each in entries] == [answered.key]
    with closing(RunDatabase(tmp_path)) as database:
        assert CallsUnderWay(database).charges() == {("a", *JUDGE): 0.5, ("b", *JUDGE): 0.25}
    assert not (tmp_path / "under_way.jsonl").exists()


BATCH = {
    "label": "one", "model": "a", "step": 0, "calls": 1, "most": 0.5, "sent": {"seed": 1},
    "made_at": "2026-11-01T12:00:00.000+00:00", "batch_id": None,
}  # fmt: skip


def test_batches_are_taken_over_with_their_calls_and_with_their_lines_until_they_are_submitted(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "batches"
    folder.mkdir()
    call = CallRequest("judge", "a", "pairwise", "default", Subject("i1", "a", "b", "generator"))
    for label, batch_id in (("one", None), ("two", "batch-2")):
        (folder / f"{label}.json").write_text(json.dumps(BATCH | {"label": label, "batch_id": batch_id}))
        (folder / f"{label}.jsonl").write_text(json.dumps(asdict(call) | {"key": call.key}) + "\n")
    (folder / "one.input").write_bytes(b"line\n")

    with closing(RunDatabase(tmp_path)) as database:
        take_over(tmp_path, database)
        records = BatchRecords(database)
        first, second = records.open()

        assert (first.label, first.batch_id, records.lines(first)) == ("one", None, b"line\n")
        assert (second.label, second.batch_id) == ("two", "batch-2")
        with pytest.raises(StoreError, match="batch two: is not a record of a batch"):
            records.lines(second)
        assert [list(records.calls(each)) for each in (first, second)] == [[(call.key, call)]] * 2
    assert not folder.exists()


def test_a_batch_whose_record_names_another_is_refused_and_left(tmp_path: Path) -> None:
    folder = tmp_path / "batches"
    folder.mkdir()
    (folder / "two.json").write_text(json.dumps(BATCH))
    (folder / "two.jsonl").touch()

    with (
        closing(RunDatabase(tmp_path)) as database,
        pytest.raises(StoreError, match=r"two\.json: is not a record of a batch \(its label is 'one'\)"),
    ):
        take_over(tmp_path, database)

    assert has_old_files(tmp_path)


def test_torn_and_damaged_lines_of_calls_under_way_are_skipped(tmp_path: Path) -> None:
    lines = (ARCHIVE / "under_way.jsonl").read_bytes().splitlines(keepends=True)
    spoilt = lines[1].replace(b"0.000609", b"0.900609")
    (tmp_path / "under_way.jsonl").write_bytes(lines[0] + spoilt + lines[2][:-5])

    taken_over(tmp_path)

    with closing(RunDatabase(tmp_path)) as database:
        assert CallsUnderWay(database).charges() == {("a", *JUDGE): 0.000609}
