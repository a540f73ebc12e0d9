"""Studies of an older schema version, rewritten; a substituted migration simulates the next version."""

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from command_line import spb
from object_store import url

from engine import schema
from engine.annotations.database import FILE, FOLDER, stored_version
from engine.errors import BadInputError, UsageError
from engine.store import Store, migration
from engine.store.location import Location
from engine.store.migration import MIGRATIONS, Migration, migrate_study
from engine.store.publish import publish
from engine.store.study_files import StudyFiles
from engine.store.writer import replace_tables

ARCHIVES = Path(__file__).parents[1] / "data" / "archives"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with the study of version 1 and the labels of version 1."""
    shutil.copytree(ARCHIVES / "schema-1", tmp_path / "schema-1")
    (tmp_path / FOLDER).mkdir()
    shutil.copy(ARCHIVES / "annotations-1.db", tmp_path / FOLDER / FILE)
    with closing(sqlite3.connect(tmp_path / FOLDER / FILE)) as labels:
        # like a database in use, which has WAL files; the archive is one file
        labels.execute("pragma journal_mode=wal")
    return tmp_path


def titled(folder: Path) -> None:
    path = folder / "study.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"title": "Anew"}))


def broken(folder: Path) -> None:
    (folder / "models.parquet").unlink()


def play_version_2(monkeypatch: pytest.MonkeyPatch, step: Migration) -> None:
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 2)
    monkeypatch.setattr(migration, "MIGRATIONS", (step,))


def bytes_of(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_each_version_but_the_first_has_its_migration() -> None:
    assert len(MIGRATIONS) == schema.SCHEMA_VERSION - 1


def test_files_without_checksums_are_written_anew_with_the_same_content(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study = StudyFiles.at(store / "schema-1")
    tables = {name: study.table(name) for name in schema.TABLES if study.has(name)}
    count = len(study.unprotected())
    assert count == len(list((store / "schema-1").rglob("*.parquet")))

    assert spb(monkeypatch, "validate", "--study", "schema-1", "--store", store) == 0
    assert f"{count} files without checksums" in capsys.readouterr().err
    assert spb(monkeypatch, "migrate", "schema-1", "--store", store) == 0

    assert f"was rewritten: checksums in {count} files" in capsys.readouterr().err
    after = StudyFiles.at(store / "schema-1")
    assert after.unprotected() == []
    assert {name: after.table(name) for name in tables} == tables
    assert spb(monkeypatch, "validate", "--study", "schema-1", "--store", store) == 0
    assert "checksums" not in capsys.readouterr().err


def test_a_study_of_the_current_version_is_unchanged(store: Path) -> None:
    migrate_study(StudyFiles.at(store / "schema-1"))
    before = bytes_of(store / "schema-1")

    steps = migrate_study(StudyFiles.at(store / "schema-1"))

    assert not steps
    assert bytes_of(store / "schema-1") == before


def test_an_older_study_is_rewritten_as_the_current_version(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate_study(StudyFiles.at(store / "schema-1"))
    play_version_2(monkeypatch, Migration("writes the title anew", titled))
    before = bytes_of(store / "schema-1")

    steps = migrate_study(StudyFiles.at(store / "schema-1"))

    after = StudyFiles.at(store / "schema-1")
    assert [step.summary for step in steps] == ["writes the title anew"]
    assert (after.info.schema_version, after.info.title) == (2, "Anew")
    changed = {name for name, digest in bytes_of(store / "schema-1").items() if before[name] != digest}
    assert changed == {"study.json"}
    assert not migrate_study(after)


def test_a_migration_with_an_unsound_result_changes_nothing(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_version_2(monkeypatch, Migration("loses the models", broken))
    before = bytes_of(store)

    with pytest.raises(BadInputError, match="models"):
        migrate_study(StudyFiles.at(store / "schema-1"))

    assert bytes_of(store) == before


def test_the_command_says_what_it_would_do_and_then_does_it(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play_version_2(monkeypatch, Migration("writes the title anew", titled))
    before = bytes_of(store)

    assert spb(monkeypatch, "migrate", "--store", store, "--dry-run") == 0
    plan_text = capsys.readouterr().err
    assert bytes_of(store) == before
    assert spb(monkeypatch, "migrate", "--store", store) == 0
    report = capsys.readouterr().err

    assert "schema-1: version 1 would be rewritten: writes the title anew" in plan_text
    assert "labels: version 1 would be rewritten as 2" in plan_text
    assert "schema-1: version 1 was rewritten: writes the title anew" in report
    assert "labels: version 1 was rewritten as 2" in report
    assert stored_version(Store(store)) == 2


def test_a_store_of_the_current_version_has_nothing_to_do(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    migrate_study(StudyFiles.at(store / "schema-1"))

    assert spb(monkeypatch, "migrate", "schema-1", "--store", store) == 0

    assert capsys.readouterr().err.endswith("there is nothing to do\n")
    assert stored_version(Store(store)) == 1, "labels are of the store, and of no study"


def test_a_study_of_a_newer_version_is_refused_before_anything_is_changed(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    newer = Path(shutil.copytree(store / "schema-1", store / "newer")) / "study.json"
    newer.write_text(newer.read_text().replace('"schema_version": 1', '"schema_version": 9'))
    before = bytes_of(store)

    assert spb(monkeypatch, "migrate", "--store", store) == 2

    message = capsys.readouterr().err
    assert "schema_version is 9, this program reads up to 1; install a newer version" in message
    assert bytes_of(store) == before


@pytest.fixture
def on_s3(object_store: str) -> Store:
    """Return a store on S3 that has the study of version 1."""
    root = Store(url(object_store, "studies"))
    pafs.copy_files(
        str(ARCHIVES / "schema-1"),
        f"{root.location.path}/schema-1",
        source_filesystem=pafs.LocalFileSystem(),
        destination_filesystem=root.location.filesystem,
    )
    return root


def contents(store: Store) -> dict[str, bytes]:
    files = (info.path for info in store.location.listing(recursive=True) if info.is_file)
    location = store.location
    return {path: Location(location.filesystem, path, path).read() for path in files}


def retitled_and_renamed(folder: Path) -> None:
    """A change that is visible if applied twice."""
    path = folder / "study.json"
    title = json.loads(path.read_text())["title"]
    path.write_text(json.dumps(json.loads(path.read_text()) | {"title": f"{title}, anew"}))
    models = pq.read_table(folder / "models.parquet")
    family = pc.binary_join_element_wise(models["family"].cast("string"), "2", "-")
    at = models.column_names.index("family")
    pq.write_table(models.set_column(at, "family", family), folder / "models.parquet")


def test_an_unsound_migration_on_s3_changes_nothing_and_an_interrupted_one_resumes_without_leftovers(
    on_s3: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    migrate_study(on_s3.open("schema-1"))
    before = contents(on_s3)
    study = on_s3.open("schema-1")
    families, title = study.table("models")["family"].to_pylist(), study.info.title

    with monkeypatch.context() as patch:
        play_version_2(patch, Migration("loses the models", broken))
        with pytest.raises(BadInputError, match="models"):
            migrate_study(study)
    unsound = contents(on_s3)

    play_version_2(monkeypatch, Migration("writes the families anew", retitled_and_renamed))
    with monkeypatch.context() as patch:
        patch.setattr(migration, "publish", ends_after_the_models)
        with pytest.raises(KeyboardInterrupt):
            migrate_study(on_s3.open("schema-1"))
    halfway = on_s3.open("schema-1")
    halfway_family = halfway.table("models")["family"][0].as_py()
    capsys.readouterr()
    assert spb(monkeypatch, "migrate", "--store", on_s3.root) == 0

    after = on_s3.open("schema-1")
    assert unsound == before
    assert (halfway.info.schema_version, halfway_family[-2:]) == (1, "-2")
    assert "schema-1: version 1 was rewritten: writes the families anew" in capsys.readouterr().err
    assert (after.info.schema_version, after.info.title) == (2, f"{title}, anew")
    assert after.table("models")["family"].to_pylist() == [f"{family}-2" for family in families]
    changed = {path for path, content in contents(on_s3).items() if before.get(path) != content}
    assert {path.rpartition("/")[2] for path in changed} == {"models.parquet", "study.json"}
    assert set(contents(on_s3)) == set(before)


def ends_after_the_models(folder: Path, target: Location, stamp: str | None, *, keep_rest: bool) -> None:
    """Publish only one table of the study: there the process ends."""
    if target.name.startswith("."):
        publish(folder, target, stamp, keep_rest=keep_rest)
        return
    with target.filesystem.open_output_stream(f"{target.path}/models.parquet") as stream:
        stream.write((folder / "models.parquet").read_bytes())
    raise KeyboardInterrupt


def test_nothing_is_added_to_a_study_before_it_is_migrated(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_version_2(monkeypatch, Migration("writes the title anew", titled))
    study = Store(store).open("schema-1")
    before = bytes_of(store)

    with pytest.raises(UsageError, match="spb study upgrade schema-1"):
        replace_tables(study, {"models": study.table("models")})
    with pytest.raises(UsageError, match="spb study upgrade schema-1"):
        Store(store).write("schema-1", {"judgments": study.table("judgments")}, study.info, mode="append")

    assert bytes_of(store) == before
