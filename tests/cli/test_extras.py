"""What is not installed is named with the command that installs it, and takes nothing else down."""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from command_line import Spb
from plain.published import ROOT

from engine import extras
from engine.checkers.checks_by_id import rubric_columns
from engine.checkers.instruction_rules import sentence_splitter

STORE = ("--store", str(ROOT / "results"))
STUDY = ("demo-verifiable", *STORE)
PICTURES = "install it: pip install 'spb-explorer[pictures]'"
SENTENCES = '{"num_sentences": 2, "relation": "at least"}'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)


def test_every_extra_that_a_message_names_exists_and_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    offered = project["optional-dependencies"]

    assert set(get_args(extras.Extra)) <= set(offered)
    (own,) = (line for line in offered["test"] if line.startswith(project["name"]))
    assert set(get_args(extras.Extra)) <= set(re.split(r"[\[\],]", own))


@pytest.mark.usefixtures("no_pictures")
def test_an_audit_without_the_drawing_package_lacks_only_its_charts(spb_here: Spb, folder: Path) -> None:
    done = spb_here("audit", *STUDY)

    assert done.returncode == 0, done.stderr
    assert PICTURES in done.stderr
    names = {path.name for path in (folder / "audit").iterdir()}
    assert names == {"audit.html", "audit.md", "audit.json", "methods.txt", "references.bib", "table.tex"}
    page = (folder / "audit" / "audit.html").read_text("utf-8")
    assert "Without its chart" in page
    assert "<script" not in page
    assert page.count("<table") > 5


@pytest.mark.usefixtures("no_pictures")
def test_a_report_without_the_drawing_package_lacks_only_its_charts(spb_here: Spb, folder: Path) -> None:
    done = spb_here("report", *STUDY, "--out", "report.html")

    assert done.returncode == 0, done.stderr
    assert f"note: report.html has no charts: {extras.NO_PICTURES}" in done.stderr
    assert "Without its chart" in (folder / "report.html").read_text("utf-8")


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(
    "words",
    [
        ("measure", "hspp", *STUDY, "--out", "chart.svg"),
        ("judges", *STUDY, "--out", "board.png"),
        ("report", *STUDY, "--judge", "ember-large", "--out", "card.svg"),
        ("report", *STUDY, "--judge", "ember-large", "--out", "card.html"),
    ],
)
def test_a_picture_without_the_drawing_package_is_refused(
    spb_here: Spb, folder: Path, words: tuple[str, ...]
) -> None:
    done = spb_here(*words)

    assert (done.returncode, done.stdout) == (2, "")
    assert PICTURES in done.stderr
    assert not list(folder.iterdir())


def test_criteria_on_sentences_are_read_without_the_splitter_and_decided_with_it(
    spb_here: Spb, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "punkt", None)
    sentence_splitter.cache_clear()
    checker = "length_constraints:number_sentences"
    rubric = rubric_columns(checker, json.loads(SENTENCES))
    tables = {
        "instances": [{"instance_id": "i"}],
        "rubrics": [{"instance_id": "i", "rubric_id": "r", "points": 1, **rubric}],
        "models": [{"model": "m", "family": "f"}],
        "responses": [{"instance_id": "i", "generator": "m", "text": "Dr. Low left. He ran."}],
    }
    for name, rows in tables.items():
        (folder / "own").mkdir(exist_ok=True)
        (folder / "own" / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    imported = spb_here("import", "own", "--study", "own")
    refused = spb_here("reference", "programs", "own")
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    decided = spb_here("reference", "programs", "own", "--format", "json")

    assert imported.returncode == 0, imported.stderr
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "install it: pip install 'spb-explorer[sentences]'" in refused.stderr
    assert json.loads(decided.stdout)["rows"][0]["met"] == 1
