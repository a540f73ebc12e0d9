"""A run's collected rows are added atomically, beside those of other runs."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from store.small import study

from engine.collect.rows import new_rows as module
from engine.collect.rows.completed_calls import CompletedCalls
from engine.collect.rows.new_rows import NewRows, add_rows
from engine.errors import BadInputError
from engine.store import Store
from engine.store.study_files import StudyFiles, StudyInfo
from engine.store.writer import exchange_table

Rows = list[dict[str, Any]]


@pytest.fixture
def files(tmp_path: Path) -> StudyFiles:
    store = Store(tmp_path)
    tables = {name: exchange_table(name, rows) for name, rows in study().items()}
    store.write("s", tables, StudyInfo(), mode="new")
    return store.open("s")


def judgment(run_id: str, call_id: str, instance_id: str = "i1", **more: Any) -> dict[str, Any]:
    row = {"run_id": run_id, "call_id": call_id, "judge": "b", "paradigm": "single_rubric", "generator": "a"}
    return {**row, "instance_id": instance_id, "rubric_id": "r1", "status": "ok", "met": True, **more}


def error(run_id: str, call_id: str, **more: Any) -> dict[str, Any]:
    return judgment(run_id, call_id, status="error", met=None, **more)


def add(files: StudyFiles, run_id: str, rows: Rows) -> StudyFiles:
    return add_rows(files, NewRows(run_id, rows, []), lambda runs: runs)


def stored(files: StudyFiles, run_id: str) -> list[tuple[str, str]]:
    rows = files.table("judgments", ["run_id", "call_id", "status"]).to_pylist()
    return sorted((row["call_id"], row["status"]) for row in rows if row["run_id"] == run_id)


def test_an_error_is_replaced_by_the_answer_to_its_call_only_in_its_run(files: StudyFiles) -> None:
    files = add(files, "one", [error("one", "c1"), error("one", "c2", instance_id="i2")])
    files = add(files, "two", [error("two", "c1")])

    files = add(files, "one", [judgment("one", "c1")])

    assert stored(files, "one") == [("c1", "ok"), ("c2", "error")]
    assert stored(files, "two") == [("c1", "error")]
    assert files.table("judgments").num_rows == len(study()["judgments"]) + 3


def test_errors_in_a_full_part_are_also_removed(files: StudyFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MERGED_ROWS", 1)
    files = add(files, "one", [error("one", "c1"), judgment("one", "c2", instance_id="i2")])

    files = add(files, "one", [judgment("one", "c1")])

    assert stored(files, "one") == [("c1", "ok"), ("c2", "ok")]


def test_parts_of_other_runs_are_unchanged(files: StudyFiles) -> None:
    before = files.parts()

    files = add(files, "one", [judgment("one", "c1")])
    small = files.parts()
    files = add(files, "one", [judgment("one", "c2", instance_id="i2")])

    assert files.parts()[: len(before)] == before
    assert len(files.parts()) == len(before) + 1
    assert files.parts() != small


def test_a_duplicate_verdict_of_the_run_is_refused_and_nothing_changes(files: StudyFiles) -> None:
    files = add(files, "one", [judgment("one", "c1")])
    stamp = files.stamp()

    with pytest.raises(BadInputError, match="repeats that of row"):
        add(files, "one", [judgment("one", "another")])

    assert files.stamp() == stamp


def test_rows_of_runs_and_judgments_change_together_or_not_at_all(files: StudyFiles) -> None:
    row = {"run_id": "one", "model": "b", "role": "judge", "paradigm": "single_rubric", "calls": 1}

    files = add_rows(files, NewRows("one", [judgment("one", "c1")], []), lambda runs: [*runs, row])
    with pytest.raises(BadInputError):
        add_rows(files, NewRows("one", [judgment("one", "c2", judge="nobody")], []), lambda _: [])

    assert files.table("runs", ["calls"])["calls"].to_pylist() == [1]
    assert stored(StudyFiles(files.location), "one") == [("c1", "ok")]


def test_a_runs_calls_are_read_while_its_other_shards_replace_the_parts(
    files: StudyFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = add(files, "one", [judgment("one", "c0", trial=0)])
    footer_at, trials = module.footer_at, [3, 2, 1]

    def add_and_read(place: Any) -> Any:
        footer = footer_at(place)
        if trials:
            trial = trials.pop()
            with monkeypatch.context() as patch:
                patch.setattr(module, "footer_at", footer_at)
                add(files, "one", [judgment("one", f"c{trial}", trial=trial)])
        return footer

    monkeypatch.setattr(module, "footer_at", add_and_read)

    calls = CompletedCalls.of_run(files, "one")

    rows = [judgment("one", f"c{trial}", trial=trial) for trial in range(5)]
    assert [calls.has_row("judgments", row) for row in rows] == [True] * 4 + [False]


def rows(*values: tuple[str | None, str | None, str]) -> pa.Table:
    """Return judgments as tables have them: the run, the call and the status of each."""
    names = ("run_id", "call_id", "status")
    return pa.table(
        {
            name: pa.array(column, pa.string())
            for name, column in zip(names, zip(*values, strict=True), strict=True)
        }
    )


def test_outdated_are_a_runs_withdrawn_calls_and_its_errors_that_were_answered() -> None:
    new = NewRows("one", [judgment("one", "again")], [], frozenset(["gone"]))
    cases = {
        ("one", "again", "error"): True,
        ("one", "again", "ok"): False,
        ("one", "other", "error"): False,
        ("one", "gone", "ok"): True,
        ("one", "gone", "error"): True,
        ("one", None, "error"): False,
        ("two", "again", "error"): False,
        ("two", "gone", "ok"): False,
        (None, "gone", "ok"): False,  # imported, and of no run
        (None, None, "error"): False,
    }

    assert new.outdated(rows(*cases)).to_pylist() == list(cases.values())


def test_a_wrong_row_is_named_by_its_place_behind_those_that_remain(files: StudyFiles) -> None:
    files = add(files, "one", [judgment("one", "c1", trial=trial) for trial in range(3)])

    with pytest.raises(BadInputError, match=r"row 5\b"):  # 3 of the rewritten part, and 1 before it
        add(files, "one", [judgment("one", "c2", trial=7), judgment("one", "c3", judge="nobody")])


def footer(*groups: list[str], statistics: bool = True, name: str = "status") -> pq.FileMetaData:
    """Return the footer of a part whose row groups have these values."""
    file = pa.BufferOutputStream()
    schema = pa.schema([(name, pa.string())])
    with pq.ParquetWriter(file, schema, write_statistics=statistics) as writer:
        for values in groups:
            writer.write_table(pa.table({name: values}, schema))
    return pq.read_metadata(pa.BufferReader(file.getvalue()))


def test_the_bounds_of_a_part_are_those_of_all_its_row_groups() -> None:
    assert module._bounds(footer(["m", "k"], ["z", "b"], ["n"]), "status") == ("b", "z")
    assert module._bounds(footer(["m"]), "status") == ("m", "m")


def test_without_statistics_nothing_is_known_of_a_part() -> None:
    assert module._bounds(footer(["m"], statistics=False), "status") is None
    assert module._bounds(footer(), "status") is None


def test_a_column_that_a_part_lacks_has_its_default() -> None:
    assert module._bounds(footer(["m"], name="other"), "transform") == ("none", "none")


@pytest.mark.parametrize(
    ("ends", "within"),
    [(None, True), (("a", "m"), True), (("m", "z"), True), (("a", "l"), False), (("n", "z"), False)],
)
def test_a_value_may_be_in_a_part_whose_bounds_are_around_it_or_unknown(
    ends: tuple[str, str] | None, within: bool
) -> None:
    assert module._within("m", ends) is within


@pytest.mark.parametrize(("rows_of_last", "merged"), [(1, 2), (2, 2), (3, 1)])
def test_a_last_part_is_rewritten_while_it_has_fewer_rows_than_the_limit(
    files: StudyFiles, monkeypatch: pytest.MonkeyPatch, rows_of_last: int, merged: int
) -> None:
    monkeypatch.setattr(module, "MERGED_ROWS", 3)
    before = len(files.parts())
    files = add(files, "one", [judgment("one", f"c{trial}", trial=trial) for trial in range(rows_of_last)])

    files = add(files, "one", [judgment("one", "later", trial=9)])

    own_parts = files.parts()[before:]
    assert len(own_parts) == 3 - merged
    assert len(stored(files, "one")) == rows_of_last + 1


def test_answers_leave_full_parts_without_errors_as_they_are_and_withdrawing_reads_all(
    files: StudyFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MERGED_ROWS", 1)
    files = add(files, "one", [judgment("one", "c1", trial=1)])
    first = files.parts()[-1]
    files = add(files, "one", [judgment("one", "c2", trial=2)])
    second = files.parts()[-1]

    files = add_rows(files, NewRows("one", [], [], frozenset(["c1"])), lambda runs: runs)

    assert (first in files.parts(), second in files.parts()) == (False, True)
    assert stored(files, "one") == [("c2", "ok")]
