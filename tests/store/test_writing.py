"""Studies appear, grow and are replaced whole or not at all."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pytest

from engine.errors import BadInputError, StoreError, UsageError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.store.location import Location
from engine.store.study_files import StudyInfo
from engine.store.writer import replace_tables
from store.small import study, write_folder


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    import_tidy(write_folder(tmp_path / "first", study()), store, "s")
    return store


def test_append_adds_rows_and_skips_existing_ones(tmp_path: Path, store: Store) -> None:
    rows = study()
    rows["models"].append({"model": "c", "family": "y"})
    rows["judgments"] = [{**rows["judgments"][0], "generator": "c"}]

    report = import_tidy(write_folder(tmp_path / "more", rows), store, "s", mode="append")

    files = store.open("s")
    assert files.table("models")["model"].to_pylist() == ["a", "b", "c"]
    assert files.table("judgments")["generator"].to_pylist() == ["a", "b", "a", "a", "c"]
    assert {table.name: table.unchanged for table in report.tables}["models"] == 2


def test_a_text_that_a_row_lacks_is_that_of_the_same_row_beside_it(tmp_path: Path, store: Store) -> None:
    [first, *_] = study()["instances"]
    without = {"instances": [{**first, "instance_id": "q9", "prompt": None}]}
    having = {"instances": [{**first, "instance_id": "q9", "prompt": "Why?"}]}

    for number, rows in enumerate((without, having, without)):
        report = import_tidy(write_folder(tmp_path / str(number), rows), store, "s", mode="append")

    rows = store.open("s").table("instances").to_pylist()
    assert {row["instance_id"]: row["prompt"] for row in rows}["q9"] == "Why?"
    assert {table.name: table.unchanged for table in report.tables}["instances"] == 1


def test_append_needs_only_new_rows(tmp_path: Path, store: Store) -> None:
    rows = {"judgments": [{**study()["judgments"][0], "rubric_id": "r2"}]}

    import_tidy(write_folder(tmp_path / "more", rows), store, "s", mode="append")

    assert store.open("s").table("judgments").num_rows == 5
    assert store.open("s").table("rubrics").num_rows == 3


@pytest.mark.parametrize(
    ("table", "row", "words"),
    [
        ("judgments", study()["judgments"][1], "run 'import' is already in the study, with the"),
        ("models", {"model": "a", "family": "z"}, "models, row 1: family is 'z', but the study has .* 'x'"),
        ("judgments", {**study()["judgments"][1], "judge": "zz"}, "judgments, row 1: judge is 'zz'"),
    ],
)
def test_append_refuses_what_contradicts_the_study(
    tmp_path: Path, store: Store, table: str, row: dict[str, object], words: str
) -> None:
    stamp = store.open("s").stamp()

    with pytest.raises(BadInputError, match=words):
        import_tidy(write_folder(tmp_path / "more", {table: [row]}), store, "s", mode="append")

    assert store.open("s").stamp() == stamp


def test_append_to_a_missing_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leave out --append"):
        import_tidy(write_folder(tmp_path / "in", study()), Store(tmp_path / "store"), "s", mode="append")


def test_replace_leaves_nothing_of_the_old_study(tmp_path: Path, store: Store) -> None:
    rows = {name: table for name, table in study().items() if name in ("models", "instances")}

    import_tidy(write_folder(tmp_path / "other", rows), store, "s", mode="replace")

    assert sorted(path.name for path in (tmp_path / "store" / "s").iterdir()) == [
        "instances.parquet",
        "models.parquet",
        "study.json",
    ]


def test_a_refused_replacement_leaves_the_old_study(tmp_path: Path, store: Store) -> None:
    rows = study()
    rows["judgments"][3]["judge"] = "zz"
    stamp = store.open("s").stamp()

    with pytest.raises(BadInputError):
        import_tidy(write_folder(tmp_path / "other", rows), store, "s", mode="replace")

    assert store.open("s").stamp() == stamp
    assert [path.name for path in (tmp_path / "store").iterdir()] == ["s"]


@pytest.mark.parametrize("dry_run", [False, True])
def test_runs_of_models_that_are_lost_with_a_replaced_study_are_named(tmp_path: Path, dry_run: bool) -> None:
    run = {"run_id": "paid", "model": "a", "role": "judge", "provenance": "api"}
    store, with_run = Store(tmp_path / "store"), {**study(), "runs": [run]}
    import_tidy(write_folder(tmp_path / "in", with_run), store, "s")

    stays, goes = (
        import_tidy(write_folder(tmp_path / name, rows), store, "s", mode="replace", dry_run=dry_run).warnings
        for name, rows in (("again", with_run), ("other", study()))
    )

    assert stays == []
    assert [warning.partition(",")[0] for warning in goes] == ["the run paid"]
    assert (store.open("s").table("runs").num_rows == 0) is not dry_run


def test_a_dry_run_checks_and_writes_nothing(tmp_path: Path) -> None:
    rows = study()
    folder = write_folder(tmp_path / "in", rows)

    report = import_tidy(folder, Store(tmp_path / "store"), "s", dry_run=True)

    assert {table.name: table.rows for table in report.tables}["judgments"] == 4
    assert report.study is None
    assert not (tmp_path / "store").exists()


def test_a_dry_run_refuses_the_same_input_as_an_import(tmp_path: Path) -> None:
    rows = study()
    rows["judgments"].append(rows["judgments"][0])

    with pytest.raises(BadInputError, match="judgments, row 5"):
        import_tidy(write_folder(tmp_path / "in", rows), Store(tmp_path / "store"), "s", dry_run=True)


def test_a_folder_that_is_not_a_study_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "store" / "s").mkdir(parents=True)
    (tmp_path / "store" / "s" / "thesis.txt").write_text("years of work")

    with pytest.raises(UsageError, match="is not a study"):
        import_tidy(write_folder(tmp_path / "in", study()), Store(tmp_path / "store"), "s", mode="replace")

    assert (tmp_path / "store" / "s" / "thesis.txt").read_text() == "years of work"


_STALLED = """
import sys, time, pyarrow as pa
from engine.store import Store
from engine.store.study_files import StudyInfo
def judgments():
    yield pa.Table.from_pylist([{"judge": "a", "paradigm": "quality", "instance_id": "i", "generator": "a",
                                 "rubric_id": "logic", "score": 1}])
    print("half", flush=True)
    time.sleep(60)
Store(sys.argv[1]).write("s", {"models": pa.table({"model": ["a"], "family": ["f"]}),
    "instances": pa.table({"instance_id": ["i"]}), "judgments": judgments()}, StudyInfo(), mode="replace")
"""


@pytest.mark.parametrize("existing", [True, False])
def test_a_killed_writer_leaves_no_half_study(tmp_path: Path, existing: bool) -> None:
    store = Store(tmp_path / "store")
    folder = write_folder(tmp_path / "in", study())
    if existing:
        import_tidy(folder, store, "s")
    before = store.open("s").stamp() if existing else None
    writer = subprocess.Popen([sys.executable, "-c", _STALLED, store.root], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "half\n"

    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()

    assert store.studies() == (["s"] if existing else [])
    assert (store.open("s").stamp() if existing else None) == before
    import_tidy(folder, store, "s", mode="replace")
    assert [path.name for path in Path(store.root).iterdir()] == ["s"], "what was left behind is removed"


def test_a_study_that_changed_meanwhile_is_not_overwritten(tmp_path: Path, store: Store) -> None:
    folder = tmp_path / "first"

    def slow() -> object:
        yield pa.Table.from_pylist([{**study()["judgments"][0], "trial": 9}])
        time.sleep(0.01)
        import_tidy(folder, store, "s", mode="replace")

    with pytest.raises(UsageError, match="changed meanwhile; run the command again"):
        store.write("s", {"judgments": slow()}, StudyInfo(), mode="append")  # type: ignore[dict-item]

    assert store.open("s").table("judgments").num_rows == 4


def test_a_small_table_is_replaced_with_its_study_json(store: Store) -> None:
    files = store.open("s")
    references = files.table("references").slice(0, 1)
    info = files.info.model_copy(update={"notes": "fewer"})

    after = replace_tables(files, {"references": references}, info)

    assert after.table("references").num_rows == 1
    assert after.info.notes == "fewer"
    assert after.table("judgments") == files.table("judgments")


def test_a_table_is_not_replaced_by_one_lacking_referenced_rows(store: Store) -> None:
    files = store.open("s")
    stamp = files.stamp()

    with pytest.raises(BadInputError, match="generator is 'b', which is not in models"):
        replace_tables(files, {"models": files.table("models").slice(0, 1)})

    assert files.stamp() == stamp


def test_the_stamp_changes_with_any_file(store: Store) -> None:
    files = store.open("s")
    before = files.stamp()

    os.utime(Path(files.path) / "models.parquet", ns=(1, 1))

    assert files.stamp() != before


def test_an_unknown_study_is_refused_with_the_existing_studies(store: Store) -> None:
    with pytest.raises(UsageError, match=r"unknown study 'zz' .*; choose from: s"):
        store.open("zz")


def test_a_store_without_renaming_writes_study_json_last(tmp_path: Path) -> None:
    store = Store(tmp_path / "unused")
    bucket = _Bucket(tmp_path)
    store.location = Location(bucket.filesystem, "bucket", "s3://bucket")
    rows = study()
    folder = write_folder(tmp_path / "in", rows)
    import_tidy(folder, store, "s")
    more = {"judgments": [{**rows["judgments"][0], "trial": 1}]}

    import_tidy(write_folder(tmp_path / "more", more), store, "s", mode="append")
    appended = store.open("s").table("judgments").num_rows
    fewer = {name: rows[name] for name in ("models", "instances")}
    import_tidy(write_folder(tmp_path / "fewer", fewer), store, "s", mode="replace")

    assert appended == 5
    assert store.studies() == ["s"]
    files = [path for path in (tmp_path / "bucket").rglob("*.*") if path.is_file()]
    left = [path.relative_to(tmp_path / "bucket" / "s") for path in files]
    assert sorted(map(str, left)) == ["instances.parquet", "models.parquet", "study.json"]


def test_a_bucket_that_cannot_be_written_is_an_error_of_the_store(tmp_path: Path) -> None:
    store = Store(tmp_path / "unused")
    missing = pafs.SubTreeFileSystem(str(tmp_path / "missing"), pafs.LocalFileSystem())
    store.location = Location(missing, "bucket", "s3://bucket")

    with pytest.raises(StoreError, match=r"^s3://bucket/s: cannot be written: .*; check the bucket and its"):
        import_tidy(write_folder(tmp_path / "in", study()), store, "s")


class _Bucket:
    """A folder behind a file system that is not the local one, as S3 is."""

    def __init__(self, root: Path) -> None:
        (root / "bucket" / "s" / "judgments").mkdir(parents=True)  # S3 needs no folders
        self.filesystem = pafs.SubTreeFileSystem(str(root), pafs.LocalFileSystem())
