"""Files that unpack to more than any machine holds, or are nested endlessly: named errors, at once."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from importers.foreign_files import alpaca
from security.bombs import (
    JUDGE,
    deep_parquet,
    eval_log,
    far_cell,
    fat_parquet,
    long_parquet,
    many_strings,
    nested,
    sample_of,
    wide_rows,
    workbook,
    zipped,
)

from engine.errors import BadInputError
from engine.importers.detection import format_of
from engine.importers.format_loading import row_format
from engine.importers.formats import exchange, inspect_ai
from engine.importers.formats.exchange import import_tidy
from engine.importers.import_options import ImportOptions
from engine.importers.pipeline import reading
from engine.importers.reading import confined, json_rows, workbooks
from engine.importers.reading.json_rows import COMMAND_LIMITS, UPLOAD_LIMITS, ImportLimits, apply_limits, look
from engine.importers.reading.rows import ImportStats
from engine.importers.reading.workbooks import workbook_rows
from engine.store import Store
from engine.wording import Sentence
from explorer.new_run import importing, uploaded_files
from explorer.new_run.importing import ImportRequest, preview_import
from explorer.new_run.uploaded_files import Upload

SMALL = ImportLimits(unpacked=1 << 22, rows=1_000, values=10_000)


def sent(form: str, path: Path) -> None:
    preview_import(
        ImportRequest(
            form, (Upload(path.name, "mark", path.read_bytes()),), None, ImportOptions(), strict=False
        )
    )


def read(form: str, path: Path, most: ImportLimits = SMALL) -> None:
    with reading(row_format(form), path, limits=most):
        pass


def tidy(folder: Path, **files: str | bytes) -> Path:
    folder.mkdir()
    tables: dict[str, str | bytes] = {
        "models.csv": "model,family\nm,f\n",
        "instances.csv": "instance_id\nx\n",
    }
    for name, content in (tables | files).items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def test_a_text_repeated_endlessly_in_parquet_is_never_materialised(tmp_path: Path) -> None:
    path = fat_parquet(tmp_path / "fat.parquet")

    assert path.stat().st_size < 100_000
    with pytest.raises(BadInputError, match=r"'fat.parquet' unpacks to more than 1,073,741,824 bytes"):
        sent("table", path)


def test_a_text_repeated_in_a_column_of_numbers_is_never_materialised_either(tmp_path: Path) -> None:
    folder = tidy(tmp_path / "tidy")
    (folder / "models.csv").unlink()
    fat_parquet(folder / "models.parquet", "size_b")

    with pytest.raises(BadInputError, match=r"models: the columns 'model' and 'family' are missing"):
        import_tidy(folder, Store(tmp_path / "store"))


def test_more_rows_than_a_server_reads_are_refused_before_the_first(tmp_path: Path) -> None:
    path = long_parquet(tmp_path / "long.parquet", UPLOAD_LIMITS.rows + 1)

    assert path.stat().st_size < 100_000
    with pytest.raises(BadInputError, match=r"'long.parquet' has more than 10,000,000 rows"):
        sent("table", path)


def test_rows_of_other_files_are_counted_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(
        '{"judge": "j", "generator": "g", "instance_id": "x", "rubric_id": "r", "met": true}\n'
        * (SMALL.rows + 1)
    )

    with pytest.raises(BadInputError, match=r"'rows.jsonl' has more than 1,000 rows"):
        read("table", path)


@pytest.mark.parametrize(("depth", "by"), [(101, read), (100_000, sent)])
def test_a_parquet_schema_nested_too_deeply_is_refused(
    tmp_path: Path, depth: int, by: Callable[[str, Path], None]
) -> None:
    path = deep_parquet(tmp_path / "deep.parquet", depth)

    with pytest.raises(BadInputError, match="not a complete Parquet file"):
        by("table", path)


def test_a_dangerous_parquet_file_is_tried_in_a_separate_process(
    tmp_path: Path,
) -> None:
    path = long_parquet(tmp_path / "long.parquet", 100)

    read_in_256_mb = replace(UPLOAD_LIMITS, memory=1 << 28)

    with pytest.raises(BadInputError, match=r"'long.parquet' cannot be read within 268,435,456 bytes"):
        read("table", path, read_in_256_mb)


def test_a_broken_parquet_file_is_reported_after_its_trial(tmp_path: Path) -> None:
    path = long_parquet(tmp_path / "long.parquet", 100)
    path.write_bytes(path.read_bytes()[:-4] + b"PAR2")

    with pytest.raises(BadInputError, match="not a complete Parquet file"):
        sent("table", path)


def test_a_slightly_nested_parquet_schema_is_read(tmp_path: Path) -> None:
    path = deep_parquet(tmp_path / "shallow.parquet", 3)

    with pytest.raises(BadInputError, match="it has no row of the format"):
        read("table", path)


@pytest.mark.parametrize("inner", ["annotations.json.gz", "annotations.json"])
def test_an_upload_is_unpacked_within_one_limit_whatever_its_compression(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inner: str
) -> None:
    monkeypatch.setattr(importing, "UPLOAD_LIMITS", SMALL)
    monkeypatch.setattr(uploaded_files, "UNPACKED_BYTES", SMALL.unpacked)
    content = json.dumps(alpaca(1))[:-1].encode() + b" " * (SMALL.unpacked + 1) + b"]"
    path = tmp_path / "mine.zip"
    path.write_bytes(zipped({inner: gzip.compress(content) if inner.endswith(".gz") else content}))

    assert path.stat().st_size < 20_000
    with pytest.raises(BadInputError, match="unpacks to more than 4,194,304 bytes"):
        sent("alpaca-eval", path)


def test_files_of_one_import_share_one_unpacking_limit(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    row = json.dumps({"question_id": 1, "model": "a", "judge": ["j", "p"], "score": 3}).encode()
    for number in range(3):
        (folder / f"{number}.jsonl.gz").write_bytes(gzip.compress(row + b" " * (1 << 21)))

    with pytest.raises(BadInputError, match="unpacks to more than 4,194,304 bytes"):
        read("mt-bench", folder)


def test_samples_of_a_log_share_one_limit(tmp_path: Path) -> None:
    path = eval_log(tmp_path / "run.eval", [sample_of(1)], same=5)

    assert path.stat().st_size < 20_000
    with pytest.raises(BadInputError, match=r"'run.eval' unpacks to more than 4,194,304 bytes"):
        read("inspect", path)


def test_an_archives_entries_are_counted_before_its_directory_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect_ai, "MOST_MEMBERS", 50)
    monkeypatch.setattr(json_rows, "_BLOCK", 7)  # entries span blocks
    path = eval_log(tmp_path / "run.eval", [b"{}"], same=50)

    with pytest.raises(BadInputError, match=r"'run.eval' holds more than 50 files"):
        read("inspect", path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deep.json", nested(100_000)),
        ("deep.json", '{"results": ' + nested(100_000) + "}"),
        ("deep.jsonl", nested(100_000) + "\n"),
        ("deep.json", "[" + nested(100_000)),
    ],
)
@pytest.mark.parametrize("form", ["table", "promptfoo", "inspect"])
def test_endlessly_nested_json_is_refused(tmp_path: Path, form: str, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)

    with pytest.raises(BadInputError):
        sent(form, path)


@pytest.mark.parametrize("form", ["alpaca-eval", "promptfoo"])
def test_json_with_too_many_values_is_refused_before_it_is_decoded(tmp_path: Path, form: str) -> None:
    path = tmp_path / "many.json"
    path.write_text('[{"a": [' + "[]," * 700_000 + "[]]}]")  # more than one block of a list

    with pytest.raises(BadInputError, match="has more than 10,000 values in one row or object"):
        read(form, path)


@pytest.mark.parametrize(
    ("table", "content", "message"),
    [
        ("instances.jsonl", '{"instance_id": "x", "prompt": ' + nested(100_000) + "}", "not a JSON object"),
        ("rubrics.csv", f"instance_id,rubric_id,options\nx,r,{nested(100_000)}\n", "is not JSON"),
        ("study.json", '{"truth": ' + nested(100_000) + "}", "study.json"),
    ],
)
def test_endless_nesting_in_an_exchange_folder_is_refused_by_name(
    tmp_path: Path, table: str, content: str, message: str
) -> None:
    folder = tidy(tmp_path / "tidy", **{table: content})
    if table == "instances.jsonl":
        (folder / "instances.csv").unlink()

    with pytest.raises(BadInputError, match=message):
        import_tidy(folder, Store(tmp_path / "store"))

    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("name", ["instances.csv", "instances.jsonl"])
def test_an_endless_line_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(json_rows, "LONGEST_ROW", 10_000)
    folder = tidy(tmp_path / "tidy")
    (folder / "instances.csv").unlink()
    (folder / name).write_text("x" * 1_000_000)

    with pytest.raises(BadInputError, match=f"a line of '{name}' has more than"):
        import_tidy(folder, Store(tmp_path / "store"))


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_an_endless_line_in_an_upload_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(json_rows, "LONGEST_ROW", 10_000)
    path = tmp_path / name
    path.write_text("x" * 1_000_000)

    with pytest.raises(BadInputError, match="a line has more than"):
        sent("table", path)


def test_a_header_with_a_huge_cell_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "LONGEST_ROW", 1_000)
    folder = tidy(tmp_path / "tidy", **{"instances.csv": "instance_id," + "x" * 2_000 + "\nx,1\n"})

    with pytest.raises(BadInputError, match=r"the header of 'instances.csv' cannot be read \(field larger"):
        import_tidy(folder, Store(tmp_path / "store"))


def test_a_large_models_file_is_refused() -> None:
    models = Upload("models.csv", "models", b"model\n" + b"m\n" * (1 << 19))
    file = Upload("annotations.json", "mark", json.dumps(alpaca(1)).encode())

    with pytest.raises(BadInputError, match=r"'models.csv' has more than 1 megabytes"):
        preview_import(ImportRequest("alpaca-eval", (file,), models, ImportOptions(), strict=False))


def test_the_unpacking_limit_starts_anew_with_each_import() -> None:
    for _ in range(2):
        with apply_limits(SMALL) as allowed:
            allowed.take("x", SMALL.unpacked)


# ---- tables with too many columns, and workbooks


def looked_at(path: Path) -> str:
    """Return the problem that the page finds before anything is asked."""
    return importing.first_look((Upload(path.name, "mark", path.read_bytes()),)).problem


def wide_table(path: Path, columns: int) -> Path:
    names = [f"c{n}" for n in range(columns)]
    if path.suffix == ".csv":
        path.write_text(",".join(names) + "\n" + ",".join("1" * columns) + "\n")
    elif path.suffix == ".parquet":
        pq.write_table(pa.table({name: [1] for name in names}), path)
    elif path.suffix == ".xlsx":
        cells = "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in names)
        workbook(path, f'<row r="1">{cells}</row><row r="2">{cells}</row>'.encode())
    else:
        row = dict.fromkeys(names, 1)
        path.write_text(json.dumps([row] if path.suffix == ".json" else row) + "\n")
    return path


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
def test_a_table_of_more_columns_than_the_most_is_refused_at_first_sight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(importing, "UPLOAD_LIMITS", replace(UPLOAD_LIMITS, columns=1_000))
    path = wide_table(tmp_path / f"wide.{suffix}", 1_001)

    assert "'wide." + suffix + "' has 1,001 columns, more than 1,000" in looked_at(path)
    assert looked_at(wide_table(tmp_path / f"fits.{suffix}", 1_000)) == ""


def test_a_sheet_of_more_columns_than_anybody_needs_is_refused_at_first_sight(tmp_path: Path) -> None:
    path = wide_table(tmp_path / "wide.xlsx", 10_001)

    assert "'wide.xlsx' has 10,001 columns, more than 10,000" in looked_at(path)
    assert looked_at(wide_table(tmp_path / "fits.xlsx", 1_000)) == ""


def test_a_row_at_a_place_that_no_sheet_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path / "far.xlsx", far_cell(2_000_000_000))

    assert path.stat().st_size < 10_000
    with pytest.raises(BadInputError, match="a sheet has a row beyond 1,048,576"):
        sent("table", path)
    monkeypatch.setattr(workbooks, "_LAST_ROW", 1_000)
    for after in (JUDGE, b""):
        workbook(path, far_cell(2_000_000_000, after=after))
        with pytest.raises(BadInputError, match="a sheet has a row beyond 1,"):
            read("table", path, COMMAND_LIMITS)


def test_a_workbook_of_more_cells_than_a_server_reads_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "wide.xlsx", wide_rows(3_000))

    assert path.stat().st_size < 50_000
    with (
        apply_limits(UPLOAD_LIMITS),
        pytest.raises(BadInputError, match=r"'wide.xlsx' has more than 33,554,432 cells"),
    ):
        list(workbook_rows(path, ImportStats(), "a table"))


def test_a_look_at_a_workbook_ends_within_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "_LOOK_SECONDS", 1)
    path = workbook(tmp_path / "long.xlsx", JUDGE, many_strings(3_000_000))

    assert path.stat().st_size < 300_000
    assert "'long.xlsx' cannot be read within 1 seconds" in looked_at(path)


def test_looks_at_many_files_share_their_time(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", far_cell(2))

    with apply_limits(UPLOAD_LIMITS) as limits:
        limits.look_time.left = 0
        with pytest.raises(BadInputError, match="take too long to look at"):
            format_of(path)


def test_a_workbook_sent_to_a_server_gives_the_rows_that_a_command_reads(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    rows = [["judge", "score", "at", None], ["gpt", 0.5, date(2026, 1, 2), True], ["é", None, "x", 3]]
    for cells in rows:
        book.active.append(cells)
    others = book.create_sheet("others")
    for cells in rows:
        others.append(cells)
    book.save(path := tmp_path / "t.xlsx")
    here, there = ImportStats(), ImportStats()

    by_command = list(workbook_rows(path, here, "a table"))
    with apply_limits(UPLOAD_LIMITS):
        by_server = list(workbook_rows(path, there, "a table"))

    assert by_server == by_command
    assert [row.values.get("judge") for row in by_server] == ["gpt", "é"]
    assert there.notes == [note.on_page() for note in here.notes if isinstance(note, Sentence)] != []


def test_a_workbook_is_looked_at_no_deeper_than_asked(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for number in range(50):
        book.active.append([f"name {number}"])
    book.save(path := tmp_path / "t.xlsx")

    with apply_limits(UPLOAD_LIMITS), look(7):
        rows = list(workbook_rows(path, ImportStats(), "a table"))

    assert len(rows) == 7


def test_an_unreadable_workbook_sent_to_a_server_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(b"PK no workbook")

    with pytest.raises(BadInputError, match=r"'t.xlsx': it is not a readable workbook"):
        sent("table", tmp_path / "t.xlsx")
