"""Damaged Parquet files: no byte of a stored file changes what is read without an error."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from command_line import Spb, spb

import engine
from engine import schema
from engine.annotations.label_files import write_labels
from engine.errors import BadInputError, DamagedStudyError, SpbError, StoreError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.store.checksums import read_footer, write_parquet
from engine.store.export import export_study
from engine.store.location import Location
from engine.store.study_files import ImportRecord, StudyFiles, StudyInfo, footer_at
from engine.store.writer import validate_study

COPIES = 150


@pytest.fixture
def stored(tmp_path: Path) -> StudyFiles:
    """A study of judgments with several row groups and values to confuse."""
    random = Random(0)
    keys = {"judge": "m1", "paradigm": "single_rubric", "rubric_id": "r1"}
    judgments = [
        keys | {"instance_id": f"i{n}", "generator": f"m{1 + n % 3}", "met": random.random() < 0.5}
        for n in range(3_000)
    ]
    instances = [{"instance_id": f"i{n}", "prompt": random.randbytes(8).hex()} for n in range(3_000)]
    tables = {
        "models": [{"model": f"m{n}", "family": f"f{n}"} for n in (1, 2, 3)],
        "instances": instances,
        "rubrics": [{"instance_id": row["instance_id"], "rubric_id": "r1"} for row in instances],
        "judgments": judgments,
    }
    store = Store(tmp_path / "store")
    store.write("s", {name: pa.Table.from_pylist(rows) for name, rows in tables.items()}, StudyInfo())
    return store.open("s")


def outcome(study: StudyFiles, table: str) -> pa.Table | str:
    """Return a table and what filters make of it, or the error that names the file."""
    try:
        whole = study.table(table)
        part = study.table(table, where={schema.TABLES[table].key[0]: [whole.column(0)[5].as_py()]})
        return pa.table({"rows": [str(whole.to_pydict()), str(part.to_pydict())]})
    except SpbError as error:
        return str(error)


@pytest.mark.parametrize("table", ["instances", "judgments"])
def test_no_damaged_copy_gives_other_rows(stored: StudyFiles, table: str) -> None:
    name = stored.parts()[0] if table == "judgments" else f"{table}.parquet"
    path = Path(stored.location.child(name).path)
    content, right, random = path.read_bytes(), outcome(stored, table), Random(1)
    assert isinstance(right, pa.Table)
    footer = int.from_bytes(content[-8:-4], "little")

    for number in range(COPIES):
        damaged = bytearray(content)
        # every other copy in the footer, which is a small part of the file
        start = len(content) - 8 - footer if number % 2 else 0
        place = random.randrange(start, len(content))
        damaged[place] ^= 1 << random.randrange(8)
        path.write_bytes(damaged)

        got = outcome(stored, table)

        if isinstance(got, str):
            assert name in got
            assert "spb study check" in got
        else:
            assert got == right, f"byte {place} of {len(content)}"
    path.write_bytes(content)


@pytest.mark.parametrize(
    "damage", ["a block of zeros", "a truncated file", "an empty file", "swapped blocks"]
)
def test_damaged_blocks_are_named_by_validate(
    stored: StudyFiles, damage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(stored.location.child("instances.parquet").path)
    content = path.read_bytes()
    zeros = content[:900] + bytes(512) + content[1412:]
    copies = {
        "a block of zeros": zeros,
        "a truncated file": content[:-700],
        "an empty file": b"",
        "swapped blocks": content[:100] + content[612:1124] + content[100:612] + content[1124:],
    }
    path.write_bytes(copies[damage])

    code = spb(monkeypatch, "validate", "--study", "s", "--store", Path(stored.path).parent)

    words = capsys.readouterr().err
    assert code == 2
    assert "1 file is damaged (instances.parquet: it " in words
    assert "restore it from a copy, or import the study again" in words
    assert "study check" not in words


@pytest.mark.parametrize(
    "command",
    [
        ("judges",),
        ("measure", "accuracy"),
        ("study", "info"),
        ("study", "check"),
        ("gate", "--max-excess", "10"),
        ("report", "--out", "report.html"),
    ],
)
def test_a_damaged_study_is_bad_input_of_every_command(
    stored: StudyFiles,
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    part = stored.parts()[0]
    os.truncate(stored.location.child(part).path, 200)

    code = spb(monkeypatch, *command, "--study", "s", "--store", Path(stored.path).parent)

    words = capsys.readouterr().err
    assert code == 2
    assert part in words
    assert "restore it from a copy, or import the study again" in words


def test_a_check_names_every_damaged_file(stored: StudyFiles) -> None:
    part = stored.parts()[0]
    Path(stored.location.child(part).path).unlink()
    os.truncate(stored.location.child("models.parquet").path, 100)

    with pytest.raises(DamagedStudyError, match=r"2 files are damaged \(models\.parquet: ") as caught:
        validate_study(stored)

    assert f"; {part}: it is missing); " in str(caught.value)


def test_a_footer_that_cannot_be_read_is_named_with_a_remedy(stored: StudyFiles) -> None:
    place = stored.location.child(stored.parts()[0])
    Path(place.path).write_bytes(b"no parquet")

    with pytest.raises(DamagedStudyError, match=r"cannot be read: .*`spb study check` names all"):
        footer_at(place)


def test_a_file_that_the_system_refuses_is_not_damaged(stored: StudyFiles) -> None:
    place = stored.location.child("models.parquet")

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    closed = Location(SimpleNamespace(open_input_file=refuse), place.path, place.label)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="access to it is denied; check the path and its perm") as caught:
        footer_at(closed)

    assert not isinstance(caught.value, DamagedStudyError)


def test_validate_verifies_headers_that_no_page_checksum_covers(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_parquet(pa.table({"a": list(range(1000))}), path)
    content = bytearray(path.read_bytes())
    content[6] ^= 1  # in the header of the first page

    with pytest.raises(pa.ArrowInvalid, match="the checksum does not fit"):
        read_footer(pa.BufferReader(bytes(content)), whole=True)


def test_a_footer_that_would_end_the_process_is_an_error(tmp_path: Path) -> None:
    """A changed type of a column makes pyarrow abort when it reads the column's bounds."""
    path = tmp_path / "t.parquet"
    write_parquet(pa.table({"a": [0.5] * 10, "b": ["x"] * 10}), path)
    content = path.read_bytes()
    program = (
        "import sys, pyarrow as pa\n"
        "from engine.store.checksums import read_footer\n"
        "try:\n"
        "    read_footer(pa.memory_map(sys.argv[1]))\n"
        "except (pa.ArrowException, OSError):\n"
        "    sys.exit(3)\n"
    )
    place = content.rindex(b"a")
    path.write_bytes(content[: place - 4] + b"\x00" + content[place - 3 :])

    ended = subprocess.run([sys.executable, "-c", program, str(path)], check=False, env=os.environ)

    assert ended.returncode == 3


def test_every_writer_writes_checksums(stored: StudyFiles, tmp_path: Path) -> None:
    export_study(stored, tmp_path / "out", "parquet")
    write_labels([], tmp_path / "labels.parquet")

    files = [*tmp_path.rglob("*.parquet")]
    assert len(files) == 9
    for path in files:
        assert read_footer(pa.memory_map(str(path)), whole=True).protected, path
    assert stored.unprotected() == []


def test_other_programs_read_files_with_checksums(tmp_path: Path) -> None:
    rows = pa.table({"a": [1, 2, None], "b": ["x", "", None]})

    write_parquet(rows, tmp_path / "t.parquet")

    assert pq.read_table(tmp_path / "t.parquet").equals(rows)
    assert pq.ParquetFile(tmp_path / "t.parquet", page_checksum_verification=True).read().equals(rows)


def test_a_file_of_another_program_is_read_and_named_as_unprotected(stored: StudyFiles) -> None:
    place = stored.location.child("models.parquet")
    rows = pq.read_table(place.path)
    pq.write_table(rows, place.path)

    assert StudyFiles(stored.location).table("models").num_rows == 3
    assert stored.unprotected() == ["models.parquet"]


def test_an_error_of_any_kind_while_opening_is_named(
    stored: StudyFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("no such thing")

    monkeypatch.setattr("engine.store.parquet.read_footer", fail)

    with pytest.raises(StoreError, match=r"models\.parquet: cannot be read: its footer cannot be read"):
        stored.table("models")


def test_a_damaged_file_on_another_file_system_is_an_error(stored: StudyFiles) -> None:
    path = Path(stored.location.child("instances.parquet").path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    remote = pafs.SubTreeFileSystem(str(Path(stored.path).parent), pafs.LocalFileSystem())
    study = StudyFiles(type(stored.location)(remote, "s", "s"))

    with pytest.raises(StoreError, match="CRC"):
        study.table("instances")


def test_a_lost_table_that_the_study_lists_is_an_error_on_opening(stored: StudyFiles) -> None:
    assert stored.info.tables == ["models", "instances", "rubrics"]
    (Path(stored.path) / "rubrics.parquet").unlink()

    with pytest.raises(StoreError, match=r"rubrics.parquet, which study.json lists, is missing; restore it"):
        StudyFiles.at(stored.path)
    with pytest.raises(BadInputError, match=r"'rubrics', which study.json lists, is missing"):
        import_tidy(stored.path, Store(Path(stored.path).parent), "again")


def of_an_earlier_version(stored: StudyFiles) -> StudyFiles:
    """Return the study with a `study.json` that does not list its tables."""
    info = stored.info.model_copy(update={"tables": None})
    (Path(stored.path) / "study.json").write_text(info.to_json())
    return StudyFiles.at(stored.path)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("models", "the file models.parquet, which every study has, is missing"),
        ("instances", "the file instances.parquet, which every study has, is missing"),
        ("rubrics", "judgments have rubric_id 'r1', which is not in `rubrics`"),
    ],
)
def test_judges_of_a_study_without_a_table_that_they_need_end_in_an_error(
    spb_here: Spb, stored: StudyFiles, table: str, words: str
) -> None:
    of_an_earlier_version(stored)
    (Path(stored.path) / f"{table}.parquet").unlink()

    result = spb_here("judges", stored.path)

    assert (result.returncode, "Traceback" in result.stderr) == (2, False)
    assert words in result.stderr


def test_judgments_that_name_a_model_which_models_lack_are_refused(stored: StudyFiles) -> None:
    models = stored.table("models").slice(1)  # without m1, the judge
    write_parquet(models, Path(stored.path) / "models.parquet")

    with pytest.raises(StoreError, match="judgments have judge 'm1', which is not in `models`"):
        engine.open_study(stored.path).result("scorecard")


def test_the_check_of_an_earlier_study_notices_a_lost_table_that_an_import_filled(stored: StudyFiles) -> None:
    record = ImportRecord(file="truths.csv", options={"map": {"reference_met": "truth"}})
    info = stored.info.model_copy(update={"imports": [record]})
    (Path(stored.path) / "study.json").write_text(info.to_json())
    before = StudyFiles.at(stored.path)
    validate_study(before)  # its list of tables is known to be whole

    with pytest.raises(BadInputError, match=r"truths.csv was imported with reference_met, and references"):
        validate_study(of_an_earlier_version(before))


def test_a_damaged_study_is_named_and_the_others_are_listed(spb_here: Spb, stored: StudyFiles) -> None:
    root = Path(stored.path).parent
    export_study(stored, root.parent / "copy", "parquet")
    import_tidy(root.parent / "copy", Store(root), "whole")
    with (Path(stored.path) / "study.json").open("r+b") as file:
        file.truncate(50)

    result = spb_here("study", "list", "--store", str(root))

    assert (result.returncode, result.stdout.split()[-3:]) == (0, ["whole", "–", "imported"])
    assert result.stderr.startswith("not listed: s: ")
    assert (
        "study.json is damaged: it is not JSON; restore it from a copy, or import the study" in result.stderr
    )
