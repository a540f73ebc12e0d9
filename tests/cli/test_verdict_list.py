"""`spb study verdicts` and `spb judges --by`: from a judge's number to its verdicts, and to its groups."""

import csv
import json
import shlex
from pathlib import Path
from typing import Any

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


def test_own_cases_that_are_listed_and_not_counted_are_explained(spb_here: Spb, tmp_path: Path) -> None:
    """Ada failed the 30 odd questions of 0 to 60; of q1 and q3 no other judge's verdict can be read."""
    models = ("ada", "bo", "cy", "dee", "eli", "fay")
    rows = ["judge,model,question,verdict,truth"]
    for judge in models:
        for writer in models:
            for n in range(61):
                unread = writer == "ada" and judge != "ada" and n in (1, 3)
                verdict = "" if unread else "pass" if (n + len(judge) + len(writer)) % 3 == 0 else "fail"
                rows.append(f"{judge},{writer},q{n},{verdict},{'fail' if n % 2 else 'pass'}")
    (tmp_path / "t.csv").write_text("\n".join(rows), "utf-8")
    assert spb_here("import", tmp_path / "t.csv", "--study", "t", "--store", tmp_path).returncode == 0

    ada, bo = (spb_here("judges", "t", "--judge", judge, "--store", tmp_path).stdout for judge in models[:2])

    [line] = [line for line in ada.splitlines() if line.startswith("the verdicts behind it: ")]
    listed = spb_here(*shlex.split(line.partition("spb ")[2]), "--format", "json")
    assert json.loads(listed.stdout)["total"] == 30
    why = "own cases on which no judge of another family has a verdict that counts"
    assert f"It lists 30; 2 of them are left out here: {why}." in " ".join(ada.split())
    assert f"2 {why}" in " ".join(bo.split())
    assert "It lists" not in bo


@pytest.mark.parametrize(
    ("name", "paradigm"),
    [("demo-pairs", "pairwise"), ("demo-health", "pairwise"), ("demo-verifiable", "pairwise")],
)
def test_the_command_on_pairs_lists_all_with_an_own_answer_and_both_texts(
    spb_here: Spb, name: str, paradigm: str
) -> None:
    judge, listed = _behind(spb_here, name, paradigm)

    assert listed["total"] == judge["n_own"]
    points = {"win": 1.0, "tie": 0.5, "loss": 0.0}
    votes = [points[row["verdict"]] for row in listed["rows"]]
    assert sum(votes) / len(votes) == pytest.approx(judge["own_given"])
    texts = engine.open_study(STORE / name).responses(full=True)
    texts = texts[texts["transform"] == "none"].set_index(["instance_id", "generator"])["text"].to_dict()
    for row in listed["rows"]:
        assert row["opponent_answer"] == texts.get((row["instance_id"], row["opponent"]))


@pytest.mark.parametrize(
    ("name", "paradigm"), [("demo-orders", "score_rubric"), ("demo-health", "direct_assessment")]
)
def test_the_command_on_scores_lists_the_scores_of_own_answers(
    spb_here: Spb, name: str, paradigm: str
) -> None:
    judge, listed = _behind(spb_here, name, paradigm)

    scores: dict[str, list[float]] = {}
    for row in listed["rows"]:
        scores.setdefault(row["instance_id"], []).append(row["score"])
    means = [sum(each) / len(each) for each in scores.values()]
    assert len(means) == judge["n_own"]
    assert sum(means) / len(means) == pytest.approx(judge["own_given"])


def _behind(spb_here: Spb, name: str, paradigm: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the row of a judge with own cases, and what the command lists that its board names."""
    of = ("--paradigm", paradigm, "--store", STORE)
    rows = json.loads(spb_here("judges", name, *of, "--format", "json").stdout)["rows"]
    row = next(row for row in rows if row["judge"] is not None and row["n_own"])
    board = spb_here("judges", name, *of, "--judge", row["judge"])
    [line] = [line for line in board.stdout.splitlines() if line.startswith("the verdicts behind it: ")]
    words = shlex.split(line.partition("spb ")[2])
    listed = spb_here(*words, "--limit", "100000", "--format", "json")
    assert listed.returncode == 0, listed.stdout
    return row, json.loads(listed.stdout)


def test_of_scores_by_criterion_no_kind_is_listed(spb_here: Spb) -> None:
    refused = spb_here("study", "verdicts", "demo-orders", "--paradigm", "score_rubric", "--kind", "failed")

    assert refused.returncode == 2
    assert "leave out --kind" in refused.stderr


def test_a_judges_notes_stand_beside_its_verdict(spb_here: Spb) -> None:
    listed = spb_here("study", "verdicts", "demo-health", *OWN, "--limit", "5", "--format", "json")

    notes = engine.open_study(STORE / "demo-health").judgments(judge="aster-large", full=True)
    notes = notes[notes["paradigm"] == "single_rubric"]
    stored = notes.groupby(["instance_id", "generator", "rubric_id"])["explanation"].agg(list).to_dict()
    for row in json.loads(listed.stdout)["rows"]:
        of_row = stored[row["instance_id"], row["generator"], row["rubric_id"]]
        assert (row["explanation"] or "") == "\n\n".join(filter(None, of_row))


def test_a_criterion_without_a_text_is_called_by_its_id_in_the_table_alone(
    spb_here: Spb, tmp_path: Path
) -> None:
    rows = ["judge,model,question,aspect,verdict", "a,a,q,tone,yes", "a,a,q,detail,no"]
    (tmp_path / "t.csv").write_text("\n".join(rows), "utf-8")
    spb_here("import", tmp_path / "t.csv", "--study", "s", "--map", "rubric_id=aspect", "--store", tmp_path)

    table = spb_here("study", "verdicts", "s", "--store", tmp_path).stdout
    answer = json.loads(spb_here("study", "verdicts", "s", "--store", tmp_path, "--format", "json").stdout)

    assert "Criterion" in table
    assert [row["rubric_id"] for row in answer["rows"] if row["rubric_id"] in table] == ["tone", "detail"]
    assert {row["criterion"] for row in answer["rows"]} == {None}


def test_the_table_has_as_many_as_are_wanted_and_says_how_many_there_are(spb_here: Spb) -> None:
    listed = spb_here("study", "verdicts", "demo-health", *OWN, "--limit", "2")

    assert listed.stdout.startswith("All that the reference failed: ")
    assert "the first 2 of " in listed.stderr


@pytest.mark.parametrize("name", ["own.json", "own.csv", "own.md"])
def test_a_file_has_all_verdicts_unless_a_limit_is_given(spb_here: Spb, tmp_path: Path, name: str) -> None:
    words = ("study", "verdicts", "demo-health", *OWN)
    total = json.loads(spb_here(*words, "--limit", "1", "--format", "json").stdout)["total"]

    whole = spb_here(*words, "--out", tmp_path / name)
    first = spb_here(*words, "--out", tmp_path / f"first-{name}", "--limit", "2")

    in_whole, in_first = (
        (tmp_path / each).read_text().count("aster-large") for each in (name, f"first-{name}")
    )
    assert total > 20
    assert "are listed" not in whole.stderr
    assert "the first 2 of " in first.stderr
    assert in_whole >= total > in_first


def test_csv_has_all_verdicts_and_a_terminal_the_first_twenty(spb_here: Spb) -> None:
    words = ("study", "verdicts", "demo-health", *OWN)

    table, rows = spb_here(*words), spb_here(*words, "--format", "csv")

    assert "the first 20 of " in table.stderr
    assert len(list(csv.DictReader(rows.stdout.splitlines(keepends=True)))) > 20
    assert "are listed" not in rows.stderr


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

    assert json.loads(grouped.stdout) == json.loads(expected.stdout) | {"remarks": []}
    assert "Theme" in spb_here("judges", "demo-health", "--by", "theme").stdout


def test_a_file_of_verdicts_says_how_many_of_all_it_lists(spb_here: Spb, tmp_path: Path) -> None:
    out = tmp_path / "verdicts.csv"
    failed = spb_here("study", "verdicts", "demo-health", *OWN, "--out", out)
    every = spb_here("study", "verdicts", "demo-health", *OWN, "--kind", "all", "--format", "csv")

    n_failed, n_all = (
        len(list(csv.DictReader(text.splitlines(keepends=True))))
        for text in (out.read_text("utf-8"), every.stdout)
    )
    assert n_failed < n_all
    assert (
        f"listed are all that the reference failed, {n_failed:,} of {n_all:,} judgments; --kind all lists all"
        in failed.stderr
    )
    assert "listed are" not in every.stderr


def test_no_file_of_an_unknown_ending_is_written(spb_here: Spb, tmp_path: Path) -> None:
    refused = spb_here("judges", "demo-health", "--out", tmp_path / "a.cvs")
    tables = spb_here("study", "verdicts", "demo-health", "--out", tmp_path / "a.parquet")
    version = spb_here("judges", "demo-health", "--out", tmp_path / "judges-0.3")

    assert (refused.returncode, tables.returncode, version.returncode) == (2, 2, 0)
    assert "no .cvs is written; choose .csv, .json, .md or .txt" in refused.stderr
    assert "`spb study export --format parquet` writes a study's tables" in tables.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["judges-0.3"]
