"""`median` in a range of lengths: answers longer than the median, without looking its number up."""

import json
from pathlib import Path
from statistics import median

import pytest
from command_line import Spb
from plain.published import ROOT

import engine

STORE = ROOT / "results"


@pytest.fixture(scope="module")
def middle() -> float:
    """Return the median length of the answers of a demonstration study."""
    texts = engine.open_study(STORE / "demo-health").responses(full=True)
    return median(len(text) for text in texts[texts["transform"] == "none"]["text"])


@pytest.mark.parametrize(
    "words", [("--response-length", "median:"), ("--where", "response_length>=median")], ids=["flag", "where"]
)
def test_median_is_the_number_of_the_study_and_is_printed_as_one(
    spb_here: Spb, middle: float, words: tuple[str, str]
) -> None:
    shown = spb_here("judges", "demo-health", *words, "--store", STORE)
    rows, same = (
        json.loads(spb_here("judges", "demo-health", *each, "--store", STORE, "--format", "json").stdout)
        for each in (words, ("--response-length", f"{middle:g}:"))
    )

    assert f"Only length of the answer from {middle:g} is counted." in " ".join(shown.stdout.split())
    assert rows == same
    assert rows["filters"]["response_length"] == [middle, None]


def test_both_sides_of_a_comparison_may_have_it(spb_here: Spb, middle: float) -> None:
    compared = spb_here(
        *("measure", "hspp", "demo-health", "--response-length", "median:", "--resamples", "10"),
        *("--against", "response_length=:median", "--store", STORE, "--format", "json"),
    )

    filters = json.loads(compared.stdout)["filters"]
    assert filters["response_length"] == [middle, None]
    assert filters["against"]["response_length"] == [None, middle]


def test_in_python_it_is_taken_too(middle: float) -> None:
    study = engine.open_study(STORE / "demo-health")

    by_word, by_number = (
        study.measure("accuracy", response_length=f"{end}:", resamples=0) for end in ("median", f"{middle:g}")
    )

    assert by_word.equals(by_number)


def test_without_texts_the_remedy_is_said(spb_here: Spb, tmp_path: Path) -> None:
    rows = [f"{judge},{model},q1,yes,no" for judge in "ab" for model in "ab"]
    (tmp_path / "bare.csv").write_text("\n".join(["judge,generator,instance_id,met,reference_met", *rows]))
    imported = spb_here("import", tmp_path / "bare.csv", "--study", "bare", "--store", tmp_path)

    refused = spb_here("judges", "bare", "--response-length", "median:", "--store", tmp_path)

    assert imported.returncode == 0, imported.stderr
    assert refused.returncode == 2
    assert "the study has no texts of answers" in refused.stderr
