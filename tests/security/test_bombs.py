"""Files that unpack to more than any machine holds, or are nested endlessly: named errors, at once."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from importers.foreign_files import alpaca
from security.bombs import (
    deep_parquet,
    eval_log,
    fat_parquet,
    long_parquet,
    nested,
    sample_of,
    zipped,
)

from engine.errors import BadInputError
from engine.importers import exchange, inspect_ai
from engine.importers.exchange import import_tidy
from engine.importers.pipeline import reading
from engine.importers.reading import json_rows
from engine.importers.reading.format import ImportOptions
from engine.importers.reading.json_rows import UPLOAD_LIMITS, Limits, apply_limits
from engine.importers.registry import row_format
from engine.store import Store
from explorer.new_run import importing
from explorer.new_run.importing import ImportRequest, Upload, preview_import

SMALL = Limits(unpacked=1 << 22, rows=1_000, values=10_000)


def sent(form: str, path: Path) -> None:
    preview_import(
        ImportRequest(
            form, (Upload(path.name, "mark", path.read_bytes()),), None, ImportOptions(), strict=False
        )
    )


def read(form: str, path: Path, most: Limits = SMALL) -> None:
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

    with pytest.raises(BadInputError, match=r"models: the column 'model' is missing"):
        import_tidy(folder, Store(tmp_path / "store"))


def test_more_rows_than_a_server_reads_are_refused_before_the_first(tmp_path: Path) -> None:
    path = long_parquet(tmp_path / "long.parquet", UPLOAD_LIMITS.rows + 1)

    assert path.stat().st_size < 100_000
    with pytest.raises(BadInputError, match=r"'long.parquet' has more than 10,000,000 rows"):
        sent("table", path)


def test_rows_of_other_files_are_counted_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"judge": "j", "generator": "g", "rubric_id": "r", "met": true}\n' * (SMALL.rows + 1))

    with pytest.raises(BadInputError, match=r"'rows.jsonl' has more than 1,000 rows"):
        read("table", path)


@pytest.mark.parametrize("depth", [101, 100_000])
def test_a_parquet_schema_nested_too_deeply_is_refused(tmp_path: Path, depth: int) -> None:
    path = deep_parquet(tmp_path / "deep.parquet", depth)

    with pytest.raises(BadInputError, match="not a complete Parquet file"):
        sent("table", path)


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
        sent("table", path)


@pytest.mark.parametrize("inner", ["annotations.json.gz", "annotations.json"])
def test_an_upload_is_unpacked_within_one_limit_whatever_its_compression(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inner: str
) -> None:
    monkeypatch.setattr(importing, "UPLOAD_LIMITS", SMALL)
    monkeypatch.setattr(importing, "UNPACKED_BYTES", SMALL.unpacked)
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
