"""Every command that prints rows prints them as a table, JSON or CSV, with the conclusion first."""

import csv
import io
import json

import pytest
from command_line import Spb
from plain.published import ROOT
from rich.cells import cell_len

STORE = ("--store", str(ROOT / "results"))

WITH_ROWS = (
    ("data", "list"),
    ("judges", "demo-pairs", *STORE),
    ("measure", "list"),
    ("measure", "accuracy", "demo-health", "--resamples", "0", *STORE),
    ("slices", "demo-health", "--top", "3", *STORE),
    ("gate", "demo-health", "--independent", *STORE),
    ("plan", "power", "--effect", "1.5"),
    ("plan", "power", "--effect", "0.2", "--measure", "t"),
    ("study", "list", *STORE),
    ("study", "info", "demo-pairs", "--resamples", "0", *STORE),
    ("study", "check", "demo-orders", *STORE),
    ("explain", "family"),
)
EMPTY = (("run", "list"), ("study", "list"), ("label", "people", "list"))


@pytest.mark.parametrize("words", WITH_ROWS)
def test_the_three_formats_have_the_same_rows(spb_here: Spb, words):
    as_json, as_csv, table = (spb_here(*words, "--format", form) for form in ("json", "csv", "table"))

    codes = {each.returncode for each in (as_json, as_csv, table)}
    assert len(codes) == 1, as_json.stderr
    rows = json.loads(as_json.stdout)["rows"]
    assert len(list(csv.DictReader(io.StringIO(as_csv.stdout)))) == len(rows) > 0
    assert table.stdout.strip()


@pytest.mark.parametrize("words", [each for each in WITH_ROWS if each[0] not in ("data", "plan")])
def test_no_table_is_wider_than_the_terminal(spb_here: Spb, words):
    lines = spb_here(*words).stdout.splitlines()

    assert max(map(cell_len, lines)) <= 100


@pytest.mark.parametrize("words", EMPTY)
def test_an_empty_list_says_so_where_the_list_would_be(spb_here: Spb, tmp_path, words):
    output = spb_here(*words, "--store", tmp_path)

    assert output.returncode == 0
    assert output.stdout.startswith(("There are no", "The store"))


def test_a_folder_that_does_not_exist_is_no_empty_list(spb_here: Spb, tmp_path, monkeypatch):
    monkeypatch.setenv("SPB_STORE", str(tmp_path / "misspelt"))

    for words in ((), ("--store", tmp_path / "misspelt")):
        refused = spb_here("study", "list", *words)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert f"there is no folder {str(tmp_path / 'misspelt')!r}" in refused.stderr


def test_the_gate_says_its_conclusion_first_and_its_code(spb_here: Spb):
    command = ("gate", "demo-health", "--judge", "aster-large", *STORE)
    table, document = spb_here(*command), json.loads(spb_here(*command, "--format", "json").stdout)

    assert table.returncode == 1
    assert table.stdout.startswith("FAIL (1 judge: 1 FAIL): aster-large.")
    assert table.stderr == ""
    assert (document["study"], document["status"]) == ("demo-health", "FAIL")
    assert [(row["judge"], row["status"]) for row in document["rows"]] == [("aster-large", "FAIL")]


def test_the_gate_names_all_judges_together_once(spb_here: Spb):
    output = spb_here("gate", "demo-health", "--group", *STORE)

    assert output.stdout.splitlines()[0] == "INCONCLUSIVE: all judges together."


def test_the_former_gate_prints_lines_with_tabs_and_its_totals_apart(spb_here: Spb):
    output = spb_here("check-judge", "demo-health", "--judge", "aster-large", *STORE)

    (line,) = output.stdout.splitlines()
    assert line.split("\t")[:2] == ["FAIL", "aster-large"]
    assert output.stderr.splitlines()[-1] == "FAIL (1 judge: 1 FAIL)"


def test_the_judges_are_six_columns_with_the_conclusion_first(spb_here: Spb):
    output = spb_here("judges", "demo-health", *STORE)
    whole = spb_here("judges", "demo-health", "--all", *STORE)

    sentences, _, table = output.stdout.partition("\n\n")
    assert "the judges as a group" in sentences
    heads = table.splitlines()[0]
    assert [heads.index(head) for head in ("Judge", "Conclusion", "Given", "Expected", "n own", "Reason")]
    assert "Family" not in heads
    assert "tipping_share" in whole.stdout


def test_filters_may_be_given_as_one_text_but_not_twice(spb_here: Spb):
    command = ("measure", "accuracy", "demo-health", "--resamples", "0", "--format", "csv", *STORE)
    apart = spb_here(*command, "--axis", "accuracy", "--polarity", "negative", "--judge", "aster-large")
    in_one = spb_here(*command, "--where", "axis=accuracy;polarity=negative;judges=aster-large")
    twice = spb_here(*command, "--where", "axis=accuracy", "--axis", "accuracy")
    unknown = spb_here(*command, "--where", "colour=red")

    assert in_one.stdout == apart.stdout != ""
    assert (twice.returncode, unknown.returncode) == (2, 2)
    assert "--axis and --where 'axis=accuracy'" in twice.stderr
    assert "unknown filter of --where 'colour'; choose from: run" in unknown.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("report", "demo-pairs", "--format", "md"),
        ("study", "export", "demo-pairs", "--out", "nowhere"),
        ("label", "new", "t", "demo-pairs"),
    ],
)
def test_where_one_judge_is_meant_two_are_refused(spb_here: Spb, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)

    output = spb_here(*words, "--judge", "a", "--judge", "b", *STORE)

    assert (output.returncode, output.stdout) == (2, "")
    assert "--judge is given with 'a' and 'b'" in output.stderr


def test_two_runs_are_compared_by_place_and_those_of_the_study_are_named(spb_here: Spb):
    missing = spb_here("compare", "demo-health", *STORE)
    unknown = spb_here("compare", "demo-health", "monday", "tuesday", *STORE)
    former = spb_here("compare-runs", "demo-health", "--before", "monday", "--after", "tuesday", *STORE)

    assert {each.returncode for each in (missing, unknown, former)} == {2}
    assert "the study 'demo-health' has: " in missing.stderr
    assert unknown.stderr == former.stderr
    assert "unknown run 'monday'" in unknown.stderr


def test_a_report_with_a_judge_is_its_card(spb_here: Spb, tmp_path):
    card = spb_here("card", "demo-pairs", "--judge", "rowan-large", "--format", "md", *STORE)
    by_report = spb_here("report", "demo-pairs", "--judge", "rowan-large", "--format", "markdown", *STORE)
    nothing = spb_here("report", "demo-pairs", *STORE)
    odd = spb_here("report", "demo-pairs", "--judge", "rowan-large", "--out", tmp_path / "results", *STORE)

    assert card.stdout == by_report.stdout != ""
    assert nothing.returncode == odd.returncode == 2
    assert "such as --out report.html" in nothing.stderr
    assert "has no ending" in odd.stderr


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("family", "family: "),
        ("HSPP", "hspp (measure): How many times as likely"),
        ("own_given", "own_given (column of scorecard"),
        ("not_shown", "not_shown (conclusion): "),
        ("no_own_responses", "no_own_responses (reason): no answers of its own."),
        ("p_mass", "p_mass (column of the table judgments): "),
    ],
)
def test_terms_measures_columns_and_codes_are_explained(spb_here: Spb, term, words):
    output = spb_here("explain", term)

    assert output.returncode == 0
    assert words in " ".join(output.stdout.split())


def test_an_unknown_term_names_those_like_it(spb_here: Spb):
    output = spb_here("explain", "famly")

    assert output.returncode == 2
    assert "did you mean family" in output.stderr


def test_a_name_that_a_spreadsheet_would_take_for_a_formula_is_a_text_in_every_csv(spb_here: Spb, tmp_path):
    verdicts = tmp_path / "v.csv"
    models = ("=1+1", "b", "c")
    lines = [f"{j},{g},q{i},1" for j in models for g in models for i in range(3)]
    verdicts.write_text("\n".join(["judge,generator,question,met", *lines]) + "\n")
    store = ("--store", str(tmp_path / "store"))
    imported = spb_here("import", str(verdicts), "--study", "s", *store)
    assert imported.returncode == 0, imported.stderr

    printed = spb_here("measure", "expected", "s", "--format", "csv", *store)
    listed = spb_here("study", "verdicts", "s", "--kind", "all", "--format", "csv", *store)

    for answer in (printed, listed):
        cells = {cell for row in csv.reader(io.StringIO(answer.stdout)) for cell in row}
        assert "'=1+1" in cells
        assert "=1+1" not in cells


def test_a_simulation_without_end_is_refused(spb_here: Spb):
    refused = spb_here("plan", "power", "--effect", "2", "--simulate", "99999999999")

    assert refused.returncode != 0
    assert "less than or equal to 100000" in refused.stderr


def test_a_gate_whose_file_cannot_be_written_prints_no_result(spb_here: Spb, tmp_path):
    (tmp_path / "file").write_text("")
    place = str(tmp_path / "file" / "x.xml")

    failed = spb_here("gate", "demo-health", "--independent", *STORE, "--junit", place)

    assert failed.returncode == 2
    assert "cannot be written" in failed.stderr
    assert failed.stdout == ""
