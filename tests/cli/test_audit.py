"""`spb audit FILE | STUDY`: the files, the exit codes, and what stands in no file after an error."""

import csv
import json
import re
import shlex
import subprocess
import sys

import pytest
from command_line import Spb
from jsonschema import Draft202012Validator
from plain.published import ROOT

from engine.report.audit.methods import _choices
from engine.report.formats import json_schema

FILES = {"audit.html", "audit.md", "audit.json", "methods.txt", "references.bib", "table.tex"}
FIGURES = {"figure.pdf", "figure.svg"}
MODELS = ("gpt-4o", "claude-3-5-sonnet", "gemini-1.5-pro", "llama-3.1-70b")
MT_BENCH = ROOT.parent / "shared" / "data" / "prometheus" / "mt_bench_eval.jsonl"
STORE = ("--store", str(ROOT / "results"))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return an empty folder to work in, with no store and nothing that names one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPB_STORE", raising=False)
    monkeypatch.delenv("SPB_STUDY", raising=False)
    return tmp_path


def write_scores(name, bonus, most=1, models=MODELS):
    """Write scores of all models' answers to 40 questions; the first model adds a bonus to its own."""
    with open(name, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("judge", "model", "question_id", "score"))
        for question in range(40):
            for place, model in enumerate(models):
                for other, judge in enumerate(models):
                    noise = (question * 7 + place * 3 + other * 5) % 11 / 100
                    own = bonus if judge == model == models[0] else 0
                    writer.writerow((judge, model, f"q{question}", round(most * (0.5 + noise + own), 3)))


def test_a_file_is_imported_and_audited_in_one_folder(spb_here: Spb, folder):
    write_scores("scores.csv", bonus=0.3)

    done = spb_here("audit", "scores.csv")

    assert done.returncode == 0, done.stderr
    assert {path.name for path in (folder / "audit").iterdir()} == FILES | FIGURES | {"study"}
    assert "Do the judges favour their own answers?" in done.stdout
    judged = spb_here("judges", "audit/study/scores", "--format", "json")
    record = json.loads((folder / "audit" / "audit.json").read_text("utf-8"))
    Draft202012Validator(json_schema("audit")).validate(record)
    of_judges = record["sections"][0]["exhibits"][0]["rows"]
    rows = {row["judge"]: row for row in json.loads(judged.stdout)["rows"]}
    assert {row["judge"] for row in of_judges} == set(rows)
    for row in of_judges:
        for name in ("conclusion", "own_given", "own_expected", "n_own"):
            assert row[name] == rows[row["judge"]][name]
    assert record["source"]["name"] == "scores.csv"
    assert re.search(r"read from scores\.csv", (folder / "audit" / "methods.txt").read_text("utf-8"))


def test_a_stored_study_is_audited_and_left_as_it_is(spb_here: Spb, folder):
    done = spb_here("audit", "demo-verifiable", *STORE, "--out", "here", "--format", "json")

    assert done.returncode == 0, done.stderr
    assert {path.name for path in (folder / "here").iterdir()} == FILES | FIGURES
    assert len(json.loads(done.stdout)["rows"]) == 9


@pytest.mark.parametrize(
    ("bonus", "rule", "code"),
    [
        (0.3, ("--max-excess", "10"), 1),
        (0.0, ("--max-excess", "10"), 0),
        (0.3, ("--independent",), 1),
        (0.0, ("--max-ratio", "1.25"), 3),  # bounds odds, and scores have none
    ],
)
def test_with_a_rule_the_exit_code_is_the_gates(spb_here: Spb, folder, bonus, rule, code):
    write_scores("scores.csv", bonus)

    done = spb_here("audit", "scores.csv", *rule, "--format", "json")

    assert done.returncode == code, done.stderr
    record = json.loads((folder / "audit" / "audit.json").read_text("utf-8"))
    assert record["check"]["exit_code"] == code
    Draft202012Validator(json_schema("audit")).validate(record)
    if code != 3:
        assert spb_here("gate", "audit/study/scores", *rule).returncode == code


def test_measures_of_the_answers_quality_are_pointed_to_where_they_have_numbers(spb_here: Spb, folder):
    models = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
    rows = [
        f"{judge},{first},{second},q{number},{'A' if (number + len(judge)) % 3 else 'B'},"
        f"{'A' if (number % 2) == (first < second) else 'B'}"
        for judge in models
        for number in range(12)
        for first in models
        for second in models
        if first != second
    ]
    head = "judge,model_a,model_b,question_id,winner,human_winner"
    (folder / "pairs.csv").write_text("\n".join([head, *rows]), "utf-8")
    write_scores("scores.csv", bonus=0.0)

    output = " ".join(spb_here("audit", "pairs.csv").stdout.split())
    of_scores = spb_here("audit", "scores.csv", "--out", "other").stdout

    command = re.search(r"`spb (measure dbg [^`]*)`", output)
    assert command is not None
    assert "dbg" in output.partition("once the quality of the answers is allowed for")[2]
    measured = spb_here(*shlex.split(command[1]), "--format", "json")
    assert any(row["dbg"] is not None for row in json.loads(measured.stdout)["rows"])
    assert "quality of the answers" not in of_scores


def test_an_open_question_ends_with_one_command_that_answers_it(spb_here: Spb, folder):
    write_scores("scores.csv", bonus=0.3, most=10)

    done = spb_here("audit", "scores.csv", "--max-excess", "10", "--out", "mine")

    assert done.returncode == 2
    assert not (folder / "mine").exists()
    command = shlex.split(done.stderr.strip().splitlines()[-1])
    assert command[:2] == ["spb", "audit"]
    assert spb_here(*command[1:]).returncode == 1
    assert (folder / "mine" / "audit.html").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\xff\xfe\x80", b"a,b\n1,2\n", b'{"x": [1, 2]}', b"judge,model,score\n", b"PK\x03\x04zip"],
)
def test_a_file_that_cannot_be_read_exits_with_2_and_leaves_nothing(spb_here: Spb, folder, content):
    (folder / "file.csv").write_bytes(content)

    done = spb_here("audit", "file.csv")

    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert not (folder / "audit").exists()


def test_what_is_neither_a_file_nor_a_study_is_named(spb_here: Spb):
    done = spb_here("audit", "no-such-thing")

    assert done.returncode == 2
    assert "'no-such-thing' is neither a file nor a study" in done.stderr


def test_an_earlier_audit_is_overwritten_only_on_request(spb_here: Spb, folder):
    write_scores("scores.csv", bonus=0.0)
    assert spb_here("audit", "scores.csv").returncode == 0
    before = (folder / "audit" / "audit.json").read_bytes()
    write_scores("scores.csv", bonus=0.3)

    refused = spb_here("audit", "scores.csv")

    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert (folder / "audit" / "audit.json").read_bytes() == before
    assert spb_here("audit", "scores.csv", "--force").returncode == 0
    assert (folder / "audit" / "audit.json").read_bytes() != before


def test_how_a_file_is_read_cannot_be_said_of_a_study(spb_here: Spb):
    done = spb_here("audit", "demo-verifiable", *STORE, "--set", "scale=5")

    assert done.returncode == 2
    assert "--set" in done.stderr


HOSTILE = (
    "<script>alert(1)</script>",
    r"\input{/etc/passwd}",
    "a_b & 50% #1 $x$ ~^{}",
    "| --- | [x](javascript:1)",
)


def test_names_are_text_in_every_file(spb_here: Spb, folder):
    write_scores("scores.csv", bonus=0.3, models=HOSTILE)

    done = spb_here("audit", "scores.csv", "--map", "generator=model")

    assert done.returncode == 0, done.stderr
    page = (folder / "audit" / "audit.html").read_text("utf-8")
    table = (folder / "audit" / "table.tex").read_text("utf-8")
    summary = (folder / "audit" / "audit.md").read_text("utf-8")
    assert "<script>alert(1)" not in page
    assert r"\input{" not in table
    assert r"a\_b \& 50\% \#1 \$x\$" in table
    assert "<script>" not in summary
    assert "[x](javascript" not in summary


def test_the_same_is_made_from_a_frame_without_streamlit_or_litellm(folder):
    write_scores("scores.csv", bonus=0.3)
    code = (
        "import pandas, sys, engine\n"
        "audit = engine.audit(pandas.read_csv('scores.csv'), generator='model')\n"
        "audit.write('out')\n"
        "assert 'gpt-4o' in audit._repr_html_() and len(audit.record()['sections']) == 9\n"
        "assert not {'streamlit', 'litellm'} & set(sys.modules)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert {path.name for path in (folder / "out").iterdir()} == FILES | FIGURES


@pytest.mark.skipif(not MT_BENCH.is_file(), reason=f"needs the shared data: {MT_BENCH}")
def test_a_study_that_is_named_after_a_file_of_its_folder_is_audited(spb_here: Spb, folder):
    rows = MT_BENCH.read_text("utf-8").splitlines(keepends=True)[:40]
    (folder / "graded").mkdir()
    (folder / "graded" / "mt_bench_eval.jsonl").write_text("".join(rows), "utf-8")

    done = spb_here("audit", "graded")

    assert done.returncode == 0, done.stderr
    assert (folder / "audit" / "audit.html").exists()


def test_the_methods_are_prose_without_flags(spb_here: Spb, folder):
    write_scores("scores.csv", bonus=0)

    done = spb_here("audit", "scores.csv", "--set", "scale=2", "--map", "score=score")
    methods = (folder / "audit" / "methods.txt").read_text("utf-8")
    assert "with Student's t and no resamples" in methods

    assert done.returncode == 0, done.stderr
    assert "named by hand: score from score; scores are divided by 2; guessed from" in methods
    assert "columns: generator from model and instance_id from question_id" in methods
    assert "--" not in methods


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("program", "according to a program."),
        ("human:ann", "according to the annotator ann."),
        ("committee:all", "according to the committee of judges all."),
        ("gold", "according to the source gold."),
    ],
)
def test_the_methods_say_whose_verdicts_the_reference_holds(source: str, words: str):
    (sentence,) = _choices({"truth": "failed", "reference": source}, "odds")

    assert sentence == f"Only criteria count that the answer failed {words}"
