"""Published studies of thousands of small files: a repository's list of them, downloads that go on."""

import hashlib
import json
import re
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from command_line import spb
from importers.foreign_files import judgments

from engine.errors import BadInputError
from engine.importers.datasets import catalogue as datasets
from engine.importers.datasets.catalogue import Dataset, catalogue
from engine.importers.datasets.downloads import partial_path
from engine.importers.datasets.repository_files import git_sum, listed_files
from engine.store import Store

ROW = {
    "example_id": 1,
    "judge": "qwen-2.5-7b",
    "reference": "gpt-4o",
    "response1_key": "judge",
    "response2_key": "reference",
    "raw_probs": [0.5, 0.25, 0.25],
    "category": "ilsp",
    "dataset": "math500",
}


def votes(game: int, proxy: str | None = None) -> bytes:
    first, second = ("judge" if proxy is None else "proxy"), "reference"
    first, second = (first, second) if game == 1 else (second, first)
    row = ROW | {"response1_key": first, "response2_key": second, "proxy": proxy}
    return (json.dumps(row) + "\n").encode()


CELL = "null results/math500/cache/qwen-2.5-7b/gpt-4o/"
FILES = {
    f"{CELL}J_vs_R_game1.jsonl": votes(1),
    f"{CELL}J_vs_R_game2.jsonl": votes(2),
    f"{CELL}K_vs_R_game1.jsonl": votes(1, "phi-3"),
    f"{CELL}K_vs_R_game2.jsonl": votes(2, "phi-3"),
    f"{CELL}plot.png": b"not asked for",
    "elsewhere/J_vs_R_game1.jsonl": b"not asked for",
}


def tree(files: dict[str, bytes], **more: Any) -> dict[str, Any]:
    """Return a repository's list of files with Git's sums, worked out as Git documents them."""
    entries: list[dict[str, str]] = [{"path": "null results", "type": "tree", "sha": "0" * 40}]
    for name, content in files.items():
        named = f"blob {len(content)}\0".encode() + content
        entries.append(
            {"path": name, "type": "blob", "sha": hashlib.sha1(named, usedforsecurity=False).hexdigest()}
        )
    return {"sha": "c" * 40, "tree": entries, "truncated": False} | more


class Repository(BaseHTTPRequestHandler):
    """Serves the list and the files; `broken` names are refused, `requests` are those that came."""

    files: dict[str, bytes] = {}  # noqa: RUF012 - each test gives it a new one
    broken: set[str] = set()  # noqa: RUF012 - likewise
    requests: list[str] = []  # noqa: RUF012 - likewise

    def do_GET(self) -> None:
        name = urllib.parse.unquote(self.path).removeprefix("/")
        self.requests.append(name)
        if name in self.broken or name not in self.files:
            self.send_error(503 if name in self.broken else 404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.files[name])))
        self.end_headers()
        self.wfile.write(self.files[name])

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve the files at an address, and make the catalogue's entry `votes` out of it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("SPB_STORE", str(tmp_path / "store"))
    listing = json.dumps(tree(FILES)).encode()
    monkeypatch.setattr(Repository, "files", {"list": listing} | FILES)
    monkeypatch.setattr(Repository, "broken", set())
    monkeypatch.setattr(Repository, "requests", [])
    with ThreadingHTTPServer(("127.0.0.1", 0), Repository) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        base = f"http://127.0.0.1:{server.server_port}/"
        entry = catalogue()["evaluator-quality-baseline"].model_copy(
            update={
                "name": "votes",
                "url": base,
                "listing": f"{base}list",
                "folders": ("null results/math500/cache/qwen-2.5-7b/", "null results/mmlu/"),
            }
        )
        monkeypatch.setattr(datasets, "catalogue", lambda: {"votes": entry})
        yield base
        server.shutdown()
        thread.join()


def test_the_files_of_the_folders_become_a_study(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "datasets", "fetch", "votes")

    err = capsys.readouterr().err
    assert code == 0, err
    assert "the list of files has none in null results/mmlu/" in err
    assert len(judgments(Store().open("votes"), "judge")) == 4
    assert Repository.requests == ["list", *list(FILES)[:4]]
    assert not partial_path(address).with_suffix(".files").exists()


def test_an_interrupted_download_goes_on_with_the_files_that_are_missing(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = f"{CELL}K_vs_R_game1.jsonl"
    monkeypatch.setattr(Repository, "broken", {broken})
    code = spb(monkeypatch, "datasets", "fetch", "votes")
    assert code == 1
    assert "2 of 4 files are here, and the same command gets the others" in capsys.readouterr().err
    assert Store().studies() == []
    monkeypatch.setattr(Repository, "broken", set())
    monkeypatch.setattr(Repository, "requests", [])

    code = spb(monkeypatch, "datasets", "fetch", "votes")

    assert code == 0, capsys.readouterr().err
    assert Repository.requests == ["list", broken, f"{CELL}K_vs_R_game2.jsonl"]
    assert len(judgments(Store().open("votes"), "judge")) == 4
    assert not partial_path(address).with_suffix(".files").exists()


@pytest.mark.usefixtures("address")
def test_a_file_other_than_the_listed_one_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = {f"{CELL}J_vs_R_game2.jsonl": votes(1)}
    monkeypatch.setattr(Repository, "files", Repository.files | changed)

    code = spb(monkeypatch, "datasets", "fetch", "votes")

    assert code == 1
    assert "J_vs_R_game2.jsonl' is not the file that the list names" in capsys.readouterr().err
    assert Store().studies() == []


def test_a_stored_file_that_was_changed_is_downloaded_again(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = partial_path(address).with_suffix(".files") / CELL / "J_vs_R_game1.jsonl"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"half a fi")

    code = spb(monkeypatch, "datasets", "fetch", "votes")

    assert code == 0
    assert f"{CELL}J_vs_R_game1.jsonl" in Repository.requests


def test_a_listed_file_that_does_not_exist_is_named_and_the_others_are_read(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = f"{CELL}K_vs_R_game2.jsonl"
    monkeypatch.setattr(Repository, "files", {k: v for k, v in Repository.files.items() if k != gone})

    code = spb(monkeypatch, "datasets", "fetch", "votes")

    assert code == 0
    assert f"{address}{gone} no longer exists" in capsys.readouterr().err
    assert len(judgments(Store().open("votes"), "judge")) == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (tree(FILES, truncated=True), "cut short by its server"),
        (tree({"a/../../J_vs_R_game1.jsonl": b""}), r"has the path 'a/\.\./\.\./J_vs_R_game1\.jsonl'"),
        (tree({"a/b\\J_vs_R_game1.jsonl": b""}), "has the path"),
        ({"message": "API rate limit exceeded"}, "is not a tree of a repository"),
        ([1], "is not a tree of a repository"),
    ],
)
def test_a_list_that_cannot_be_trusted_is_refused(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "list"
    path.write_text(json.dumps(content), "utf-8")

    with pytest.raises(BadInputError, match=message):
        listed_files(path, ("null results/", "a/"), r".*J_vs_R_game1\.jsonl")


def test_the_sum_of_a_file_is_gits(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"hello\n")

    # `printf 'hello\n' | git hash-object --stdin`
    assert git_sum(path) == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_entries_of_repositories_name_one_commit_and_their_folders() -> None:
    entries = [entry for entry in catalogue().values() if entry.listing]

    assert [entry.name for entry in entries] == ["evaluator-quality-baseline", "dbg-score"]
    for entry in entries:
        commits = re.findall(r"[0-9a-f]{40}", f"{entry.url} {entry.listing}")
        assert len(commits) == 2
        assert len(set(commits)) == 1
        assert all(folder.endswith("/") for folder in entry.folders)
        assert len(set(entry.folders)) == len(entry.folders)


@pytest.mark.parametrize("more", [{"listing": None}, {"folders": ()}, {"pattern": None}, {"files": ("a",)}])
def test_an_entry_with_half_a_list_is_refused(more: dict[str, Any]) -> None:
    entry = catalogue()["dbg-score"].model_dump() | more

    with pytest.raises(ValueError, match="give listing, folders and pattern together"):
        Dataset(**entry)
