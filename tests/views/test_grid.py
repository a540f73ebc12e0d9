"""The grid of one question: every judge's verdict on each answer, on a page, in a pin and by its command."""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

import engine
from engine.cli import app as spb
from engine.errors import UsageError
from engine.report import in_form
from engine.report.content import content_of
from engine.report.exhibit import PinnedView, exhibit_of, pin
from engine.store import Store
from engine.store.study_files import Pin, StudyInfo
from engine.views.registry import VIEWS

ROOT = Path(__file__).resolve().parents[2]
STORE = ROOT / "results"
QUESTION = {"instance": ("cs-01",), "response": ("aster-mini",)}

JUDGMENTS = (
    # judge, generator, rubric, met, status: the second rubric takes points, so that it is passed if not met
    ("ash", "ash", "good", True, "ok"),
    ("ash", "ash", "bad", True, "ok"),
    ("ash", "birch", "good", None, "refused"),
    ("birch", "ash", "good", False, "ok"),
    ("birch", "birch", "good", True, "ok"),
    ("birch", "birch", "bad", False, "ok"),
)


@pytest.fixture
def small(tmp_path):
    """Return a study of two judges, two answers to one question, and two criteria."""
    rows = [
        {"instance_id": "q", "rubric_id": rubric, "judge": judge, "generator": generator, "met": met}
        | {"status": status, "paradigm": "single_rubric"}
        for judge, generator, rubric, met, status in JUDGMENTS
    ]
    rubrics = [("good", 1.0), ("bad", -1.0)]
    tables = {
        "models": [{"model": "ash", "family": "ash"}, {"model": "birch", "family": "birch"}],
        "instances": [{"instance_id": "q", "prompt": "Which trees\x1b[31m\n shed leaves?"}],
        "rubrics": [
            {"instance_id": "q", "rubric_id": name, "criterion": f"=criterion {name}", "points": points}
            for name, points in rubrics
        ],
        "judgments": rows,
    }
    import pyarrow as pa

    filled = {name: pa.Table.from_pylist(each) for name, each in tables.items()}
    Store(tmp_path).write("small", filled, StudyInfo(name="small", provenance="imported"))
    return engine.open_study(tmp_path / "small")


def cells(shown):
    """Return the cells of a grid by answer, criterion and judge."""
    table = shown.table
    return {
        (row["generator"], row["criterion"], head): row[f"by {head}"]
        for row in (dict(zip(table.names, each, strict=True)) for each in table.rows)
        for name, head in zip(table.names, table.heads, strict=True)
        if name.startswith("by ")
    }


def test_each_cell_has_a_judges_verdict_in_words_and_marks_its_own_answer(small):
    shown = VIEWS["grid"].shown(small, {})

    assert cells(shown) == {
        ("ash", "=criterion good", "ash"): "passed (own)",
        ("ash", "=criterion good", "birch"): "failed",
        ("ash", "=criterion bad", "ash"): "failed (own)",
        ("ash", "=criterion bad", "birch"): "–",
        ("birch", "=criterion good", "ash"): "no verdict (refused)",
        ("birch", "=criterion good", "birch"): "passed (own)",
        ("birch", "=criterion bad", "ash"): "–",
        ("birch", "=criterion bad", "birch"): "passed (own)",
    }
    assert "5 verdicts on 2 answers; 1 judgment without a verdict (1 refused)." in shown.sentences[1]
    assert shown.sentences[2] == "The judges differ on the only row that several judged."


def test_a_pair_is_shown_from_the_point_of_view_of_the_chosen_answer():
    study = engine.open_study(STORE / "demo-pairs")
    of_first, of_second = (
        VIEWS["grid"].shown(study, {"instance": ("co01",), "response": (name,)}).table.rows
        for name in ("rowan-large", "umber-mini")
    )

    [first] = [row[2:] for row in of_first if row[1] == "umber-mini"]
    [second] = [row[2:] for row in of_second if row[1] == "rowan-large"]
    swap = {"won": "lost", "lost": "won"}
    swapped = [
        {re.sub("won|lost", lambda word: swap[word[0]], part) for part in parts(cell)} for cell in first
    ]
    assert swapped == [set(parts(cell)) for cell in second]
    assert {"won ×2", "lost"} <= {part for cell in first for part in parts(cell)}


def parts(cell):
    """Return the verdicts of a cell without its mark."""
    return cell.removesuffix(" (own)").removesuffix(" (family)").split(", ")


def test_page_pin_report_and_command_show_the_same_grid(monkeypatch):
    monkeypatch.setenv("SPB_STORE", str(STORE))
    study = engine.open_study(STORE / "demo-health")
    shown = VIEWS["grid"].shown(study, QUESTION)
    rows = list(shown.table.rows)

    page = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=60)
    for name, values in {"study": ("demo-health",), "chart": ("grid",), **QUESTION}.items():
        page.query_params[name] = list(values)
    page.switch_page("app_pages/workbench.py")
    page.run()
    pinned = exhibit_of(study, Pin(id="00000000", page="grid", view=dict(QUESTION), title="x"))
    printed = CliRunner().invoke(spb, [*shlex.split(shown.commands[0])[1:], "--format", "csv"])

    assert [tuple(row) for row in page.dataframe[0].value.itertuples(index=False)] == rows
    assert list(pinned.table.rows) == rows
    assert printed.exit_code == 0, printed.output
    lines = list(csv.DictReader(io.StringIO(printed.stdout)))
    judges = [name for name in shown.table.names if name.startswith("by ")]
    assert [tuple(line[name] for name in judges) for line in lines] == [row[3:] for row in rows]


def test_the_command_prints_the_question_and_the_answers_whole(monkeypatch):
    monkeypatch.setenv("SPB_STORE", str(STORE))
    study = engine.open_study(STORE / "demo-health")
    question = study.index.instances[0].as_py()
    answers = study.responses(instance_id=question).set_index("generator")["text"]
    words = ["study", "grid", question, "demo-health", "--texts"]

    printed = CliRunner().invoke(spb, words)
    texts = json.loads(CliRunner().invoke(spb, [*words, "--format", "json"]).stdout)["texts"]
    one = CliRunner().invoke(spb, [*words, "--response", answers.index[0], "--format", "json"])

    assert texts == {
        "question": texts["question"],
        **{f"answer of {name}": answers[name] for name in answers.index},
    }
    assert texts["question"] in study.judgments(instance_id=question, full=True)["question"].tolist()
    assert all(f"-- {head}\n{text}" in printed.stdout for head, text in texts.items())
    assert list(json.loads(one.stdout)["texts"]) == ["question", f"answer of {answers.index[0]}"]


def test_a_judgment_without_a_call_is_shown_by_its_question(small):
    with pytest.raises(UsageError, match="write: spb study grid small QUESTION --texts"):
        CliRunner().invoke(spb, ["study", "show", "c1", str(small.files.path)], catch_exceptions=False)


def test_a_report_prints_a_pinned_grid(small):
    pin(small.files, PinnedView("grid", {"instance": ("q",)}), "Two trees")
    study = engine.open_study(small.files.path)

    page = in_form(content_of(study, date="2026-01-01"), "markdown").decode()

    assert "no verdict (refused)" in page
    assert "spb study grid q small" in page


def test_the_list_of_judgments_leads_to_all_verdicts_on_an_answer(monkeypatch):
    monkeypatch.setenv("SPB_STORE", str(STORE))
    page = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=60)
    for name, value in {"study": "demo-health", "judge": "dune-large", "item": "3"}.items():
        page.query_params[name] = value
    page.switch_page("app_pages/workbench.py")
    page.run()

    page.button(key="grid").click().run()

    assert not page.exception
    [answered] = set(page.dataframe[0].value["generator"])
    assert page.query_params["response"] in (answered, [answered])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere",), "the study has no question 'nowhere'; use an instance_id"),
        (("q", "--response", "oak"), "unknown model 'oak'; choose from: ash, birch"),
        (("q", "--judges", "oak"), "unknown judge 'oak'"),
    ],
)
def test_a_wrong_question_or_model_is_named(small, words, message):
    store = str(Path(small.files.path).parent)

    output = CliRunner().invoke(spb, ["study", "grid", *words, "--study", "small", "--store", store])

    assert output.exit_code != 0
    assert message in str(output.exception)


def test_the_command_prints_texts_as_data(small):
    words = ["study", "grid", "q", "--study", "small", "--store", str(Path(small.files.path).parent)]

    text, table, whole = (
        CliRunner().invoke(spb, [*words, "--format", form]).stdout for form in ("table", "csv", "json")
    )

    assert "\x1b" not in text
    assert "'=criterion good" in table
    assert json.loads(whole)["rows"][0]["criterion"] == "=criterion good"
