"""The commands on the store, run like by a user."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from command_line import spb

from engine.cli.output import say
from engine.store import Store
from store.small import study, write_folder, write_table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "fruit", study())


def test_import_reports_what_was_read_and_defaulted(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "import", "tidy", str(folder), "--store", str(tmp_path / "store"))

    out, err = capsys.readouterr()
    assert (code, out) == (0, "")
    assert "rubrics: 3 rows; default points=1.0" in err.replace("points=1\n", "points=1.0\n")
    assert (
        "judgments: 4 rows; default run_id=import, variant=default, transform=none, trial=0, status=ok" in err
    )
    assert Store(tmp_path / "store").studies() == ["fruit"], "the folder's name is the study's"


def test_the_store_may_come_from_the_environment(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPB_STORE", str(tmp_path / "elsewhere"))

    code = spb(monkeypatch, "import", "tidy", str(folder), "--study", "s")

    assert code == 0
    assert Store(tmp_path / "elsewhere").studies() == ["s"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--study", "../x"], "error: the study name '../x' begins with a dot"),
        (["--study", ""], "error: the study name '' is empty"),
        (["--append", "--replace"], "error: --append and --replace together replace one imported run"),
        (["--append"], "error: there is no study"),
    ],
)
def test_wrong_usage_is_an_error_without_a_traceback(
    tmp_path: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    code = spb(monkeypatch, "import", "tidy", str(folder), "--store", str(tmp_path / "store"), *arguments)

    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith(words)
    assert "Traceback" not in err
    assert not (tmp_path / "store").exists()


def test_an_unknown_format_names_the_formats(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "import", "zz", "x")

    assert code == 2
    assert "unknown format 'zz'; choose from: auto, tidy" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["zz"], ["validate"], ["import", "tidy"], ["validate", "--zz", "1"]])
def test_a_mistyped_command_exits_with_2(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    assert spb(monkeypatch, *arguments) == 2


def test_bad_input_is_an_error_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = study()
    rows["judgments"][1]["judge"] = "zz"
    folder = write_folder(tmp_path / "in", rows)

    code = spb(monkeypatch, "import", "tidy", str(folder), "--store", str(tmp_path / "store"))

    assert code == 2
    assert capsys.readouterr().err == (
        "error: judgments, row 2: judge is 'zz', which is not in models; add it to models or correct it\n"
    )


def test_an_interrupted_command_exits_with_130(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.importers.formats.exchange.open_tidy", interrupt)

    code = spb(monkeypatch, "import", "tidy", str(folder), "--store", str(tmp_path / "store"))

    assert code == 130
    assert "Traceback" not in capsys.readouterr().err


def test_validate_passes_a_sound_study_and_names_any_fault(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "store")
    spb(monkeypatch, "import", "tidy", str(folder), "--store", store)

    sound = spb(monkeypatch, "validate", "--study", "fruit", "--store", store)
    with _without_the_last_model(Path(store) / "fruit"):
        spoilt = spb(monkeypatch, "validate", "--study", "fruit", "--store", store)

    assert (sound, spoilt) == (0, 2)
    assert "generator is 'b', which is not in models" in capsys.readouterr().err


@contextmanager
def _without_the_last_model(study_folder: Path) -> Iterator[None]:
    import pyarrow.parquet as pq

    path = study_folder / "models.parquet"
    pq.write_table(pq.read_table(path).slice(0, 1), path)
    yield


@pytest.mark.parametrize("part", ["judgments", "references.parquet"])
def test_validate_refuses_a_torn_file(
    tmp_path: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    part: str,
) -> None:
    store = str(tmp_path / "store")
    spb(monkeypatch, "import", "tidy", str(folder), "--store", store)
    path = Path(store) / "fruit" / part
    path = next(path.iterdir()) if path.is_dir() else path
    path.write_bytes(path.read_bytes()[:-20])

    code = spb(monkeypatch, "validate", "--study", "fruit", "--store", store)

    assert code != 0
    assert path.name in capsys.readouterr().err


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_an_export_can_be_imported(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    store = str(tmp_path / "store")
    out = tmp_path / "out"
    spb(monkeypatch, "import", "tidy", str(folder), "--store", store)

    exported = spb(
        monkeypatch, "export", "--study", "fruit", "--store", store, "--to", str(out), "--format", form
    )
    again = spb(monkeypatch, "import", "tidy", str(out), "--store", store, "--study", "again")

    assert (exported, again) == (0, 0)
    first, second = Store(store).open("fruit"), Store(store).open("again")
    for table in ("models", "instances", "rubrics", "references", "preferences", "judgments"):
        assert first.table(table).to_pylist() == second.table(table).to_pylist()


def test_an_unknown_form_of_export_is_answered_with_all_forms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where = "--store", str(tmp_path), "--to", str(tmp_path / "out"), "--format", "xml"

    assert spb(monkeypatch, "export", "--study", "fruit", *where) == 2
    assert "choose from: csv, parquet, llm-comparator, langfuse" in capsys.readouterr().err


def test_a_store_without_studies_says_so_and_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "validate", "--study", "fruit", "--store", str(tmp_path))

    assert code == 2
    assert "it holds none; import one with `spb import PATH`, or give the folder" in capsys.readouterr().err


@pytest.mark.parametrize("secret", ["SECRET", "SEC/RET", "SEC%2FRET+"])
def test_keys_in_an_address_are_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], secret: str
) -> None:
    code = spb(monkeypatch, "validate", "--study", "s", "--store", f"s3://KEY:{secret}@no bucket/x")

    err = capsys.readouterr().err
    assert code == 2
    assert "the address 's3://***@no bucket/x' cannot be used" in err
    assert secret not in err


def test_keys_in_an_address_are_hidden_in_messages_too(capsys: pytest.CaptureFixture[str]) -> None:
    say("wrote the study s3://KEY:SECRET@bucket/x?region=us-east-1/s and a:b@c")

    assert capsys.readouterr().err == "wrote the study s3://***@bucket/x?region=us-east-1/s and a:b@c\n"


@pytest.mark.parametrize(("form", "warned"), [("csv", True), ("parquet", False)])
def test_an_export_warns_of_empty_texts_that_csv_turns_into_missing_ones(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    form: str,
    warned: bool,
) -> None:
    keys = {"instance_id": "i1", "generator": "a"}
    rows = study() | {"responses": [keys | {"text": ""}, keys | {"generator": "b", "text": "Yes."}]}
    store = str(tmp_path / "store")
    spb(monkeypatch, "import", "tidy", write_folder(tmp_path / "fruit", rows), "--store", store)
    capsys.readouterr()

    out = str(tmp_path / "out")
    spb(monkeypatch, "export", "--study", "fruit", "--store", store, "--to", out, "--format", form)

    words = "warning: responses: 1 empty text cannot be distinguished from missing ones in CSV"
    assert (words in capsys.readouterr().err) is warned


@contextmanager
def in_small_files() -> Iterator[None]:
    """Let this process write no file of more than 40,000 bytes, as on a disk that is full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize(
    "command",
    [
        ("import", "table", "table.jsonl", "--replace", "--study", "s", "--no-doctor"),
        ("export", "--study", "s", "--to", "out"),
        ("export", "--study", "s", "--to", "out", "--format", "parquet"),
    ],
)
def test_a_full_disk_is_named_and_changes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    random = Random(0)
    keys = {"judge": "gpt-4o", "rubric_id": "r", "met": True}
    rows = [
        keys | {"generator": "qwen", "instance_id": n, "response": random.randbytes(400).hex()}
        for n in range(200)
    ]
    write_table(tmp_path / "table.jsonl", rows)
    table, store = str(tmp_path / "table.jsonl"), str(tmp_path / "store")
    spb(monkeypatch, "import", "table", table, "--study", "s", "--store", store, "--no-doctor")
    before = Store(tmp_path / "store").open("s").stamp()

    monkeypatch.chdir(tmp_path)
    capsys.readouterr()

    with in_small_files():
        code = spb(monkeypatch, *command, "--store", "store")

    printed = capsys.readouterr().err
    assert code == 1
    assert printed.splitlines()[-1].startswith("error: ")
    assert "cannot be written: the file would be too large; nothing was changed: free some space" in printed
    assert Store(tmp_path / "store").open("s").stamp() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store", "table.jsonl"]
    assert [path.name for path in (tmp_path / "store").iterdir()] == ["s"]


def test_export_never_writes_into_a_nonempty_folder(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "store")
    spb(monkeypatch, "import", "tidy", str(folder), "--store", store)

    code = spb(monkeypatch, "export", "--study", "fruit", "--store", store, "--to", str(folder))
    below = spb(monkeypatch, "export", "--study", "fruit", "--store", store, "--to", "/dev/null/out")

    nonempty, impossible = capsys.readouterr().err.splitlines()[-2:]
    assert (code, below) == (2, 1)
    assert nonempty.endswith("choose another --out")
    assert impossible.endswith(
        "cannot be written: it exists already; nothing was changed: choose another --out"
    )


def test_help_imports_nothing_heavy() -> None:
    heavy = ("pyarrow", "numpy", "pandas", "rich", "litellm")
    script = f"import sys, engine.cli; print([name for name in {heavy} if name in sys.modules])"

    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert output == "[]\n"
