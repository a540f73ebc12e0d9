"""`spb study verdicts` and `spb judges --by`: from a judge's number to its verdicts, and to its groups."""

import json
import shlex
from pathlib import Path

import pytest
from command_line import Spb

import engine
from engine.explore.verdict_kinds import KINDS
from engine.words.short_titles import ROW_KINDS

STORE = Path(__file__).resolve().parents[2] / "results"
OWN = ("--judge", "aster-large", "--generators", "aster-large")


@pytest.fixture(scope="module")
def study() -> engine.Study:
    return engine.open_study(STORE / "demo-health")


def test_the_verdicts_on_own_failures_are_those_that_the_ratio_counts(
    spb_here: Spb, study: engine.Study
) -> None:
    listed = spb_here("study", "verdicts", "demo-health", *OWN, "--limit", "1000", "--format", "json")
    wrongly = spb_here(
        "study", "verdicts", "demo-health", *OWN, "--kind", "overestimation", "--format", "json"
    )

    answer = json.loads(listed.stdout)
    counted = study.overestimation(
        judge="aster-large", generators="aster-large", resamples=0, full=True
    ).iloc[0]
    assert answer["total"] == len(answer["rows"]) == counted["n"]
    assert {row["reference"] for row in answer["rows"]} == {"failed"}
    assert sum(row["verdict"] == "passed" for row in answer["rows"]) == counted["over"]
    assert json.loads(wrongly.stdout)["total"] == counted["over"]
    texts = study.responses(generator="aster-large", full=True)
    texts = texts[texts["transform"] == "none"].set_index("instance_id")["text"]
    assert all(row["answer"] == texts[row["instance_id"]] for row in answer["rows"])
    assert all(row["question"] for row in answer["rows"])


def test_the_board_of_one_judge_names_the_command_that_lists_them(spb_here: Spb) -> None:
    board = spb_here("judges", "demo-health", "--judge", "aster-large", "--store", STORE)

    [line] = [line for line in board.stdout.splitlines() if line.startswith("the verdicts behind it: ")]
    listed = spb_here(*shlex.split(line.partition("spb ")[2]), "--format", "csv")
    assert listed.returncode == 0, listed.stderr
    assert listed.stdout.startswith("judge,generator,")
    assert "the verdicts behind it" not in spb_here("judges", "demo-health").stdout


def test_the_table_has_as_many_as_are_wanted_and_says_how_many_there_are(spb_here: Spb) -> None:
    listed = spb_here("study", "verdicts", "demo-health", *OWN, "--limit", "2")

    assert listed.stdout.startswith("All that the reference failed: ")
    assert "the first 2 of " in listed.stderr


def test_a_list_has_the_kinds_and_the_heads_of_the_page(spb_here: Spb) -> None:
    listed = spb_here("study", "verdicts", "demo-pairs", "--limit", "1").stdout

    assert tuple(ROW_KINDS) == KINDS
    assert ["Judge", "Author", "Opponent", "Judge", "says", "Question"] in map(str.split, listed.splitlines())


def test_of_no_verdict_the_reason_is_said(spb_here: Spb) -> None:
    listed = spb_here("study", "verdicts", "demo-health", *OWN, "--length", "5000:")

    assert listed.returncode == 3
    assert listed.stdout.startswith("There is nothing to list: ")


def test_judges_by_a_column_have_the_rows_of_expected(spb_here: Spb) -> None:
    grouped, expected = (
        spb_here(*words, "demo-health", "--by", "theme", "--format", "json")
        for words in (["judges"], ["measure", "expected"])
    )

    assert json.loads(grouped.stdout) == json.loads(expected.stdout)
    assert "Theme" in spb_here("judges", "demo-health", "--by", "theme").stdout
