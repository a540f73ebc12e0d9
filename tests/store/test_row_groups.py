"""Only the row groups of a stored file that may contain requested rows are read."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import StoreError
from engine.store import Store, parts
from engine.store.keys import Keys
from engine.store.study_files import StudyFiles, StudyInfo

JUDGES = [f"m{number}" for number in range(6)]
COLUMNS = ("judge", "instance_id", "ordering", "trial", "met")


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StudyFiles:
    """Write 6 judges' verdicts on 20 instances in row groups of 20, so that each holds one judge."""
    monkeypatch.setattr(parts, "GROUP_ROWS", 20)
    instances = [f"i{number:02d}" for number in range(20)]
    rows = [
        {
            "judge": judge,
            "paradigm": "single_rubric",
            "instance_id": instance,
            "generator": "m0",
            "rubric_id": "r",
            "ordering": "original" if judge == "m2" else None,
            "trial": number % 3,
            "met": number % 2 == 0,
        }
        for judge in JUDGES
        for number, instance in enumerate(instances)
    ]
    tables = {
        "models": pa.table({"model": JUDGES, "family": JUDGES}),
        "instances": pa.table({"instance_id": instances}),
        "rubrics": pa.table({"instance_id": instances, "rubric_id": ["r"] * 20}),
        "judgments": pa.Table.from_pylist(rows),
    }
    store = Store(tmp_path)
    store.write("s", tables, StudyInfo())
    return store.open("s")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, tuple[str, ...]]]]:
    """Return a list that records each row group read and its columns read."""
    groups_read: list[tuple[int, tuple[str, ...]]] = []
    original = pq.ParquetFile.read_row_groups

    def record(file: pq.ParquetFile, groups: list[int], columns: list[str]) -> pa.Table:
        groups_read.extend((group, tuple(columns)) for group in groups)
        return original(file, groups, columns)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", record)
    return groups_read


def test_row_groups_of_other_judges_are_not_read(study, read):
    table = study.judgments(["instance_id", "met"], {"judge": ("m3",)})

    assert table.num_rows == 20
    assert {group for group, _ in read} == {3}


def test_other_columns_are_read_only_if_a_row_meets_all_conditions(study, read):
    table = study.judgments(["met"], {"instance_id": ("i07",), "ordering": ("original",)})

    assert table.to_pylist() == [{"met": False}]
    assert {group for group, columns in read if "met" in columns} == {2}


@pytest.mark.parametrize(
    "where",
    [
        {"judge": ("m1", "m4")},
        {"judge": ("nobody",)},
        {"ordering": (None,)},
        {"ordering": (None, "original"), "judge": ("m2", "m3")},
        {"trial": (0, 2)},
        {"variant": ("default",)},
        {"variant": ("other",)},
        {"opponent": (None,), "met": (True,)},
    ],
)
def test_filtered_reading_equals_a_scan_of_every_row(study, where):
    all_rows = study.judgments([*COLUMNS, "variant", "opponent"]).to_pylist()

    rows = study.judgments(COLUMNS, where).to_pylist()
    streamed = [
        row for table in study.judgment_batches(columns=COLUMNS, where=where) for row in table.to_pylist()
    ]

    matches = [row for row in all_rows if all(row[name] in values for name, values in where.items())]
    assert rows == streamed == [{name: row[name] for name in COLUMNS} for row in matches]


def test_a_file_without_statistics_is_read(study):
    part = Path(study.location.path) / study.parts()[0]
    pq.write_table(pq.read_table(part), part, write_statistics=False)

    assert study.judgments(["met"], {"judge": ("m5",)}).num_rows == 20


def test_a_small_table_is_also_filtered(study):
    assert study.table("rubrics", ["rubric_id"], {"instance_id": ("i03", "i04")}).num_rows == 2


def test_duplicate_keys_are_found_across_filtered_rows():
    keys = Keys(("judge", "trial"))
    keys.add({"judge": np.array([1, 1, 2]), "trial": np.array([1, 1, 1])}, np.array([0, 4, 9]))
    keys.add({"judge": np.array([2, 3, 1]), "trial": np.array([1, 700, 1])}, np.array([12, 13, 20]))

    later, earlier = keys.repeats()

    assert later.tolist() == [4, 12, 20]
    assert earlier.tolist() == [0, 9, 4]


@pytest.mark.parametrize("statistics", [True, False])
def test_the_greatest_value_comes_from_the_footer_or_else_from_the_rows(study, statistics):
    part = Path(study.location.path) / study.parts()[0]
    pq.write_table(pq.read_table(part), part, write_statistics=statistics)

    assert study.greatest("trial") == 2
    assert study.greatest("position") is None


def test_a_file_with_a_column_twice_is_refused_by_name(study: StudyFiles) -> None:
    path = Path(study.path) / study.parts()[0]
    table = pq.read_table(path)
    pq.write_table(table.append_column("judge", table["judge"]), path)

    with pytest.raises(StoreError, match=r"it has the column 'judge' twice; restore it from"):
        study.judgments(COLUMNS)


def test_rows_missing_at_a_files_end_are_reported(study: StudyFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    original = pq.ParquetFile.iter_batches

    def broken_off(file: pq.ParquetFile, *args: object, **options: object) -> Iterator[pa.RecordBatch]:
        first, *_ = original(file, *args, **options)
        yield first.slice(0, len(first) - 1)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", broken_off)

    with pytest.raises(StoreError, match="101 of its rows are missing; restore it from"):
        list(study.judgment_batches(20))
