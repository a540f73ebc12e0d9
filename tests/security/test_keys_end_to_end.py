"""A provider that repeats the key in errors and answers: no file, page or output of a run contains it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina
from collect.run.small import config_text, write_folder
from loopback import Loopback, serving
from streamlit.testing.v1 import AppTest

from engine.cli import main

APP = Path(__file__).resolve().parents[2] / "explorer" / "app.py"
KEY = "provider-said-0815-and-nothing-like-a-key"


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with stamina.set_testing(True, attempts=2, cap=True), serving() as running:
        yield running


@pytest.fixture(scope="module")
def store_and_words(server: Loopback, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Run a judge that repeats the key in errors and one that does in answers; yield store and output."""
    root = tmp_path_factory.mktemp("keys")
    folder = write_folder(root / "data")
    tables = (
        f"api_base = {json.dumps(server.url)}\napi_key_env = 'SPB_TRIED_KEY'\n"
        "price = { input_per_million = 1.0, output_per_million = 1.0 }\n"
    )
    text = config_text(folder, a=tables, b=tables, generators=[])
    config = root / "run.toml"
    config.write_text(text.replace("openai/a", "openai/401").replace("openai/b", "openai/key"))
    with pytest.MonkeyPatch.context() as patched, (root / "words").open("w+") as words:
        patched.setenv("SPB_TRIED_KEY", KEY)
        patched.setattr("sys.stdout", words)
        patched.setattr("sys.stderr", words)
        words_of_run = ("run", str(config), "--store", str(root / "store"), "--format", "json", "--no-cap")
        assert typed(patched, *words_of_run) == 3
        here = ("--store", str(root / "store"), "--study", "s")
        assert typed(patched, "report", *here, "--out", str(root / "store" / "report.html")) == 0
        assert typed(patched, "export", *here, "--to", str(root / "store" / "exported")) == 0
        words.seek(0)
        yield root / "store", words.read()


def typed(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["spb", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_the_server_received_the_key_and_answered_with_it(
    server: Loopback, store_and_words: tuple[Path, str]
) -> None:
    _, words = store_and_words

    assert server.keys == {KEY}
    assert "[key]" in words


def test_no_file_of_the_store_report_or_export_contains_the_key(
    store_and_words: tuple[Path, str],
) -> None:
    import pandas as pd

    store, _ = store_and_words
    files = [path for path in store.rglob("*") if path.is_file()]
    texts = [pd.read_parquet(path).to_csv() for path in files if path.suffix == ".parquet"]

    assert {"report.html", "study.json", "judgments.csv"} <= {path.name for path in files} | {
        f"{path.parent.name}.csv" for path in files
    }
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert any("[key]" in text for text in texts)
    assert not any(KEY in text for text in texts)


def test_no_output_contains_the_key(store_and_words: tuple[Path, str]) -> None:
    assert KEY not in store_and_words[1]


@pytest.mark.parametrize(
    ("page", "shown"), [("new_run", "of s ended with some calls unanswered"), ("workbench", "[key]")]
)
def test_no_page_or_address_shows_the_key(
    store_and_words: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, page: str, shown: str
) -> None:
    store, words = store_and_words
    run = json.loads(next(line for line in words.splitlines() if line.startswith("{")))["run_id"]
    monkeypatch.setenv("SPB_STORE", str(store))
    monkeypatch.setenv("SPB_TRIED_KEY", KEY)
    app = AppTest.from_file(str(APP), default_timeout=60)
    parameters = {"study": "s", "started": f"s/{run}", "show": "all", "judge": "b", "item": "1"}
    app.query_params.update(parameters)

    app.switch_page(f"app_pages/{page}.py").run()

    assert not app.exception
    written = "\n".join(str(element.value) for element in [*app.text, *app.code])
    assert shown in written
    assert KEY not in written + repr(app) + str(app.query_params)
