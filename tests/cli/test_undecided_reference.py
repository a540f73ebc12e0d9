"""A study whose people contradict each other on every case: their reference decides nothing, as is said."""

import json
from pathlib import Path

import pytest
from command_line import Spb

from engine.store import Store
from engine.study import Study
from engine.views.judges import JUDGES

MODELS = ("claude-3-opus", "gpt-4o", "gemini-1.5-pro", "llama-3.1-70b")
UNUSED = "The reference human covers 0 of 240 criteria judged"


@pytest.fixture
def store(spb_here: Spb, tmp_path: Path) -> Path:
    """Import a judge that passes all its own answers, and else a quarter as the others do, and people.

    Two judges' rows have a person for whom all is met, the others' one for whom nothing is: of 4 answers to
    60 questions none is decided.
    """
    rows = [
        f"{judge},{model},q{n},theme{n % 2},"
        f"{'yes' if judge == model == MODELS[0] or (n + MODELS.index(judge)) % 4 == 0 else 'no'},"
        f"{'yes' if judge in MODELS[:2] else 'no'}"
        for judge in MODELS
        for model in MODELS
        for n in range(60)
    ]
    text = "\n".join(["judge,generator,question_id,segment,verdict,expert", *rows])
    (tmp_path / "v.csv").write_text(text, "utf-8")
    words = ("import", tmp_path / "v.csv", "--study", "mine", "--store", tmp_path)
    output = spb_here(*words, "--map", "reference_met=expert", "--set", "criterion=correct")
    assert output.returncode == 0, output.stderr
    assert UNUSED in " ".join(output.stdout.split())
    return tmp_path


@pytest.mark.parametrize("command", [("judges",), ("study", "info"), ("gate",)])
def test_each_command_says_that_the_reference_decides_nothing(
    command: tuple[str, ...], spb_here: Spb, store: Path
) -> None:
    output = spb_here(*command, "mine", "--store", store).stdout

    assert " ".join(output.split()).count(UNUSED) == 1


def test_gate_says_it_among_its_remarks(spb_here: Spb, store: Path) -> None:
    facts = json.loads(spb_here("gate", "mine", "--store", store, "--format", "json").stdout)

    assert any(remark.startswith(UNUSED) for remark in facts["remarks"])


def test_the_report_says_it_below_the_conclusion(spb_here: Spb, store: Path) -> None:
    spb_here("report", "mine", "--store", store, "--out", store / "r.md")
    text = (store / "r.md").read_text("utf-8")

    assert UNUSED in text
    assert f"**{UNUSED}" not in text


def test_the_page_and_python_say_it(store: Path) -> None:
    study = Study(Store(str(store)).open("mine"))

    for sentences in (JUDGES.shown(study, {}).sentences, study.judges().attrs["sentences"]):
        assert UNUSED in " ".join(sentences)


def test_whoever_does_without_the_reference_is_not_told_so(store: Path) -> None:
    study = Study(Store(str(store)).open("mine"))

    for options in ({}, {"reference": "none"}, {"decide": "bonus_outside"}):
        assert ("unused_reference" in study.result("scorecard", **options).filters) == (not options)


def test_slices_that_the_reference_leaves_undecided_say_so(spb_here: Spb, store: Path) -> None:
    words = ("judges", "mine", "--store", store, "--by", "segment")
    output = spb_here(*words)

    text = " ".join(output.stdout.split())
    assert output.returncode == 3
    assert "the reference human decides none of 240 criteria judged" in text
    assert text.endswith("--reference none.")
    assert spb_here(*words, "--reference", "none").returncode == 0
