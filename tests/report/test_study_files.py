"""A study's report, card and gate from Python, and what stands for commands where a study is in memory."""

import copy
import pickle
import re
import shutil

import pandas as pd
import pytest

import engine
from engine import report
from engine.errors import UsageError
from engine.report import card
from engine.shipped_files import RESULTS


@pytest.fixture(scope="module")
def study():
    return engine.open_study(RESULTS / "demo-health")


@pytest.fixture(scope="module")
def in_memory(study):
    columns = ["judge", "generator", "instance_id", "rubric_id", "met", "reference_met"]
    rows = study.judgments(paradigm="single_rubric", full=True).rename(columns={"question": "prompt"})
    families = {model: family for model, family in study.families().items() if family}
    return engine.from_frame(
        rows[[*columns, "axis", "prompt"]], set={"reference_source": "human"}, families=families, guess=False
    )


def test_a_report_is_the_commands_and_its_ending_the_format(spb_here, study, tmp_path):
    place = study.report(tmp_path / "in" / "report.md", date="2026-11-22")

    done = spb_here("report", study.files.path, "--out", tmp_path / "r.md", "--date", "2026-11-22")
    assert done.returncode == 0, done.stderr
    assert place == tmp_path / "in" / "report.md"
    assert place.read_bytes() == (tmp_path / "r.md").read_bytes()


def test_a_card_is_the_commands_and_its_ending_the_format(spb_here, study, tmp_path):
    place = study.card("aster-large", tmp_path / "card.md")

    words = ("report", study.files.path, "--judge", "aster-large", "--out", tmp_path / "c.md")
    assert spb_here(*words).returncode == 0
    assert place.read_bytes() == (tmp_path / "c.md").read_bytes()
    with pytest.raises(UsageError, match=r"unknown judge 'aster'; choose from: .*aster-large"):
        study.card("aster", tmp_path / "other.svg")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("r.pdf", "ends in neither .html nor .md, which say the format; choose another"),
        ("r.png", "a picture (png) is of one judge, not of a study; write card(JUDGE, "),
        ("", "is a folder; give a file in it"),
        ("there.md", "exists already; choose another file, or overwrite it with force=True"),
        (None, "the file is None; give its path, such as 'report.html'"),
    ],
)
def test_a_file_that_is_no_report_is_refused_in_pythons_words(study, tmp_path, name, problem):
    (tmp_path / "there.md").write_text("mine", "utf-8")

    with pytest.raises(UsageError) as raised:
        study.report(None if name is None else tmp_path / name)

    assert problem in str(raised.value)
    assert "--" not in str(raised.value)
    assert (tmp_path / "there.md").read_text("utf-8") == "mine"


def test_a_file_that_is_no_card_is_refused_in_pythons_words(study, tmp_path):
    with pytest.raises(UsageError, match=r"ends in none of \.svg, \.png, \.md, \.html"):
        study.card("aster-large", tmp_path / "card.pdf")
    assert not (tmp_path / "card.pdf").exists()


def test_an_unknown_form_is_refused(study):
    with pytest.raises(UsageError, match="unknown form of a report 'pdf'; choose from: html, markdown"):
        report.written(study, "pdf")
    with pytest.raises(UsageError, match="unknown form of a card 'pdf'; choose from: svg, png, md, html"):
        card.in_form(card.card_of(study, "aster-large"), "pdf")


def test_a_gate_is_the_commands_with_a_row_for_each_judge(spb_here, study):
    result = study.gate(max_excess=10)

    done = spb_here("gate", study.files.path, "--max-excess", 10)
    assert result.status == {0: "PASS", 1: "FAIL", 3: "INCONCLUSIVE"}[done.returncode]
    assert result.passed == bool(result) == (result.status == "PASS")
    frame = result.frame()
    assert dict(zip(frame["judge"], frame["status"], strict=True)) == {
        each.judge: each.status for each in result.results
    }
    assert len(frame) == len(result.rows) == len(study.inventory.values("judge"))
    assert result.sentences[0].replace("\n", " ") in " ".join(done.stdout.split())
    assert f"{result.status} (" in str(result)
    assert "| Judge |" in result.markdown()
    assert result.junit().startswith(b"<?xml")


def test_a_gate_of_one_judge_passes_or_fails_with_it(study):
    every = {each.judge: each.status for each in study.gate(max_excess=10).results}
    passing = next(judge for judge, status in every.items() if status == "PASS")
    failing = next(judge for judge, status in every.items() if status == "FAIL")

    assert study.gate(passing, max_excess=10)
    assert not study.gate([passing, failing], max_excess=10)


def test_the_gate_of_some_runs_counts_these_alone(study):
    run = study.inventory.runs[-1]
    some = study.of_runs(run)

    assert some.gate(max_excess=10).rows == study.gate(max_excess=10, run=run).rows
    assert some.gate(independent=True).status == "FAIL"  # every judge judges its own answers


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"max_excess": 10, "max_ratio": 2}, "are rules of their own; give one"),
        ({"judge": "nobody"}, "unknown judge 'nobody'; choose from: "),
        ({"require": "sure"}, "unknown requirement 'sure'; choose from: no_material_preference, not_shown"),
        ({"run": "monday"}, "unknown run 'monday'; choose from: "),
        ({"max_excess": 0}, "max_excess=0 is not a number above 0"),
    ],
)
def test_a_rule_that_is_none_is_refused_in_pythons_words(study, arguments, problem):
    with pytest.raises(UsageError) as raised:
        study.gate(**arguments)

    assert problem in str(raised.value)
    assert "--" not in str(raised.value)


def test_a_study_in_memory_prints_calls_that_return_its_numbers(in_memory):
    audit = engine.audit(in_memory)
    claims = in_memory.findings(resamples=0).claims
    lines = {*audit.commands, *(claim.command for claim in claims if claim.command)}

    assert len(lines) > 5
    for line in lines:
        returned = eval(line, {"study": in_memory, "engine": engine})  # noqa: S307 - the calls that it prints
        assert isinstance(returned, pd.DataFrame | engine.Audit), line


def test_the_report_of_a_study_in_memory_names_no_command_of_it(in_memory, study, tmp_path):
    text = in_memory.report(tmp_path / "r.md").read_text("utf-8")
    page = in_memory.report(tmp_path / "r.html").read_text("utf-8")

    for each in (text, page, engine.audit(in_memory).html(), str(engine.audit(in_memory).record())):
        assert not re.search(r"spb \w+( [\w-]+)? frame\b", each)
        assert "study.scorecard(" in each
    assert "The study was in memory, so no command finds it." in text
    assert "```python\nstudy." in text
    stored = study.report(tmp_path / "stored.md").read_text("utf-8")
    assert "spb measure scorecard demo-health" in stored
    assert "The study was in memory" not in stored


def test_a_study_and_its_audit_are_copied_and_pickled(in_memory, study):
    for each in (in_memory, study):
        for twin in (copy.copy(each), copy.deepcopy(each), pickle.loads(pickle.dumps(each))):  # noqa: S301
            pd.testing.assert_frame_equal(twin.judgments(), each.judgments())
    audit = engine.audit(study, date="2026-11-22")
    assert pickle.loads(pickle.dumps(audit)).record() == audit.record()  # noqa: S301


def test_a_study_equals_what_is_the_same_in_the_same_version(study, tmp_path):
    shutil.copytree(RESULTS / "demo-pairs", tmp_path / "one")
    one = engine.open_study(tmp_path / "one")
    run = one.inventory.runs[0]

    assert engine.open_study(tmp_path / "one") == one
    assert len({engine.open_study(tmp_path / "one"), one}) == 1
    assert one.of_runs(run) != one
    assert study != one
    assert one != "one"


def test_an_audit_is_of_a_name_too_and_a_file_is_sent_to_its_import(tmp_path):
    (tmp_path / "v.csv").write_text("a,b\n1,2\n", "utf-8")

    assert engine.audit(str(RESULTS / "demo-health")).study.name == "demo-health"
    with pytest.raises(UsageError, match=r"is a file.* write audit\(engine\.import_file\('.*v\.csv'\)\)"):
        engine.audit(tmp_path / "v.csv")
    with pytest.raises(UsageError, match=r"the folder is None; give its path, such as write\('audit'\)"):
        engine.audit(RESULTS / "demo-health").write(None)
