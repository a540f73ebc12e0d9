"""`spb import PATH`: the format by the content, what can be said at its end, and one command on failure."""

import csv
import json
import shlex

import pytest
from command_line import Spb

from engine.importers.format_loading import AS_A_WHOLE, by_rows

MODELS = ("gpt-4o", "claude-3-5-sonnet", "gemini-1.5-pro", "llama-3.1-70b")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return an empty folder to work in, with no store and nothing that names one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPB_STORE", raising=False)
    monkeypatch.delenv("SPB_STUDY", raising=False)
    return tmp_path


def write_table(name, heads, last):
    with open(name, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heads.split())
        for question in range(12):
            for model in MODELS:
                for judge in MODELS:
                    writer.writerow((judge, model, f"q{question}", *last(question, model, judge)))


def verdicts(question, model, judge):
    met = (question * 7 + len(model)) % 3 == 0
    passed = met or (judge == model == "gpt-4o") or (question + len(judge)) % 5 == 0
    return ("pass" if passed else "fail"), ("pass" if met else "fail")


def scores(question, model, judge):
    return (1 + (question + len(model) * 3 + len(judge)) % 5,)


def test_a_table_needs_no_format_and_ends_with_what_can_be_said_and_done(spb_here: Spb):
    write_table("mine.csv", "rater model question verdict truth", verdicts)

    output = spb_here("import", "mine.csv")

    assert output.returncode == 0
    assert "judge" in output.stdout
    assert "hspp_self in" not in output.stdout + output.stderr
    *_, first, second = output.stderr.splitlines()
    assert first == "next: spb judges mine"
    assert second.strip() == "spb open mine"
    assert spb_here(*shlex.split(first)[2:]).returncode == 0


def test_where_no_judge_judged_its_own_the_end_says_so_of_the_study_and_not_of_a_slice(spb_here: Spb):
    with open("others.csv", "w") as file:
        file.write("judge,model,question,verdict\n")
        file.writelines(f"oak,{model},q{n},pass\n" for model in MODELS for n in range(3))

    output = spb_here("import", "others.csv")

    words = " ".join(output.stdout.split())
    assert "Nothing can be said on the judges yet: no judge has judged its own answers." in words


def test_an_import_answers_in_json_with_its_tables_and_conclusions(spb_here: Spb):
    write_table("mine.csv", "rater model question verdict truth", verdicts)

    output = spb_here("import", "mine.csv", "--format", "json", "-q")

    document = json.loads(output.stdout)
    assert output.stderr == ""
    assert (document["study"], document["written"]) == ("mine", True)
    assert {"table": "judgments", "rows": 12 * 16} in document["rows"]
    assert document["conclusions"]


def test_what_is_open_ends_with_one_command_that_works_as_it_stands(spb_here: Spb):
    write_table("scores.csv", "judge_model model prompt_id score", scores)

    refused = spb_here("import", "scores.csv", "--study", "mine", "--run", "monday")
    command = refused.stderr.splitlines()[-1]
    done = spb_here(*shlex.split(command)[1:])

    assert refused.returncode == 2
    assert command.startswith("  spb import scores.csv ")
    assert command.endswith("--set scale=5 --study mine --run monday")
    assert done.returncode == 0, done.stderr
    assert "next: spb judges mine" in done.stderr


def test_the_former_order_of_words_answers_as_before_and_says_the_present_one(spb_here: Spb):
    write_table("mine.csv", "rater model question verdict truth", verdicts)

    former = spb_here("import", "table", "mine.csv", "--study", "former")
    named = spb_here("import", "mine.csv", "--as", "table", "--study", "named", "-v")
    tried = spb_here("import", "auto", "mine.csv", "--study", "tried", "--dry-run")

    assert (former.returncode, former.stdout) == (0, "")
    note, *others = former.stderr.splitlines()
    assert note == "note: spb import table PATH is now spb import PATH --as table"
    assert any("hspp_self in 4 of 4 rows" in line for line in others)
    assert any("hspp_self in 4 of 4 rows" in line for line in named.stderr.splitlines())
    assert tried.returncode == 0
    assert "hspp_self in 4 of 4 rows" in tried.stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("tidy",), "write: spb import PATH --as tidy"),
        (("a.csv", "b.csv"), "2 paths were given, and one is read"),
        (("table", "a.csv", "--as", "table"), "the format is named twice"),
        (("csv", "a.csv"), "or leave it out: spb import a.csv"),
        (("nowhere.csv",), "there is no file or folder 'nowhere.csv'"),
        (("a.csv", "--as", "tabel"), "unknown format 'tabel'; did you mean 'table'? choose from: auto"),
        (("--as", "table"), "PATH"),
    ],
)
def test_a_wrong_use_says_what_to_write(spb_here: Spb, folder, words, problem):
    (folder / "a.csv").write_text("a,b\n1,2\n")

    output = spb_here("import", *words)

    assert (output.returncode, output.stdout) == (2, "")
    assert problem in " ".join(output.stderr.split())
    assert not (folder / "results").exists()


def test_the_help_names_every_format(spb_here: Spb):
    text = " ".join(spb_here("import", "-h").stdout.split()).replace("- ", "-")

    for form in (*AS_A_WHOLE, *by_rows()):
        assert form.name in text
