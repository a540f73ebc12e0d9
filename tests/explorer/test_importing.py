"""Uploads: safe names, archives within limits, and the preview before writing."""

import json
import zipfile
from pathlib import Path

import pytest
from importers.foreign_files import alpaca

from engine.errors import BadInputError
from engine.importers.import_options import ImportOptions
from engine.importers.reading.rows import Row
from engine.store import Store
from explorer.new_run import uploaded_files
from explorer.new_run.importing import Edits, ImportRequest, preview_import, write
from explorer.new_run.table_sample import sample_of
from explorer.new_run.uploaded_files import Upload, safe_name, unpack


def upload(name: str, content: bytes) -> Upload:
    return Upload(name, name, content)


def request_for(file: Upload, form: str = "alpaca-eval", models: Upload | None = None) -> ImportRequest:
    return ImportRequest(form, (file,), models, ImportOptions(), strict=False)


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("annotations.json", "annotations.json"),
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\a b.csv", "a_b.csv"),
        (".bashrc", "bashrc"),
        ("<img src=x>.json", "_img_src_x_.json"),
        ("a\x00b\n.json", "a_b_.json"),
        ("\u202egnp.json", "_gnp.json"),
        ("", "upload"),
        ("..", "upload"),
        ("x" * 300 + ".json", "x" * 95 + ".json"),
    ],
)
def test_a_files_name_becomes_a_safe_one(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_what_was_previewed_is_what_is_written(tmp_path: Path) -> None:
    models = upload("models.csv", b"model,family\ntext_davinci_003,Davinci\n")
    request = request_for(
        upload("annotations.json", json.dumps([*alpaca(1, None), 7]).encode()), models=models
    )

    outcome = preview_import(request)
    write(request, str(tmp_path), "mine", "new")

    study = Store(tmp_path).open("mine")
    assert (outcome.name, outcome.report.rows_read, outcome.report.rows_stored) == ("annotations", 3, 2)
    assert outcome.report.statuses == {"ok": 1, "unparsed": 1}
    assert outcome.diagnosis.instances == study.table("instances").num_rows == 2
    assert "Davinci" in study.table("models")["family"].to_pylist()


def test_a_preview_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPB_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    preview_import(request_for(upload("annotations.json", json.dumps(alpaca(1)).encode())))

    assert list(tmp_path.iterdir()) == []


def test_a_zip_of_a_folder_is_read_as_the_folder(tmp_path: Path) -> None:
    judged = {"question_id": 1, "model": "gpt-4", "judge": ["gpt-4", "single-v1"], "score": 7}
    question = {"question_id": 1, "turns": ["Name a fruit."], "category": "writing"}
    path = packed(
        tmp_path / "mt_bench.zip",
        {
            "mt_bench/question.jsonl": json.dumps(question).encode(),
            "mt_bench/model_judgment/gpt-4_single.jsonl": json.dumps(judged).encode(),
        },
    )

    outcome = preview_import(request_for(upload(path.name, path.read_bytes()), "mt-bench"))

    assert (outcome.name, outcome.report.rows_stored, outcome.report.judgments) == ("mt_bench", 2, 1)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../out.json", "is outside of it"),
        ("/etc/passwd", "is outside of it"),
        ("a\\..\\..\\out.json", "is outside of it"),
        ("/".join("abcdefghij") + ".json", "more than 8 folders deep"),
    ],
)
def test_a_member_that_leaves_the_archive_is_refused(tmp_path: Path, name: str, words: str) -> None:
    path = packed(tmp_path / "bad.zip", {name: b"{}"})

    with pytest.raises(BadInputError, match=words):
        unpack(path, tmp_path / "out")

    assert not (tmp_path / "out.json").exists()


def test_a_link_in_an_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("link.json")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")

    with pytest.raises(BadInputError, match="which is a link"):
        unpack(path, tmp_path / "out")


def test_an_archive_that_grows_beyond_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploaded_files, "UNPACKED_BYTES", 1 << 21)
    path = packed(tmp_path / "bomb.zip", {f"{n}.json": b"0" * (1 << 20) for n in range(3)})

    with pytest.raises(BadInputError, match="unpacks to more than 2,097,152 bytes"):
        unpack(path, tmp_path / "out")


def test_an_archive_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploaded_files, "MOST_MEMBERS", 2)
    path = packed(tmp_path / "many.zip", {f"{n}.json": b"" for n in range(3)})

    with pytest.raises(BadInputError, match="holds more than 2 files"):
        unpack(path, tmp_path / "out")


def test_a_broken_archive_is_refused_by_name() -> None:
    with pytest.raises(BadInputError, match=r"'mine.zip' cannot be unpacked .*; pack it again"):
        preview_import(request_for(upload("mine.zip", b"PK\x03\x04 and no more")))


def test_an_upload_beyond_the_limit_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploaded_files, "LARGEST_UPLOAD_MB", 0)

    with pytest.raises(BadInputError, match="split it into smaller files"):
        preview_import(request_for(upload("annotations.json", b"[]")))


def test_families_and_names_changed_in_place_are_what_is_written(tmp_path: Path) -> None:
    models = upload("models.csv", b"model,family,name,size_b\ntext_davinci_003,Old,davinci,175\n")
    request = request_for(upload("annotations.json", json.dumps(alpaca(1)).encode()), models=models)
    judge = "weighted_alpaca_eval_gpt4_turbo"

    write(request, str(tmp_path), "mine", "new", Edits({"davinci": "Davinci"}, {judge: "gpt-4-turbo"}))

    rows = Store(tmp_path).open("mine").table("models").to_pylist()
    assert {(row["model"], row["family"], row["size_b"]) for row in rows} == {
        ("davinci", "Davinci", 175.0),
        ("gpt-4-turbo", "GPT", None),
        ("gpt-4o-2024-05-13", "GPT", None),
    }


def test_columns_are_guessed_from_common_names_each_used_once() -> None:
    row = {"question_no": 1, "answered_by": "gpt-4o", "judged_by": "o3", "score (1-10)": 7, "note": "x"}

    sample = sample_of("t.csv", [Row("t.csv", 1, row)])

    assert sample.likely == {
        "judge": "judged_by",
        "generator": "answered_by",
        "instance_id": "question_no",
        "score": "score (1-10)",
        "explanation": "note",
    }
