"""Questions of one's own on the page New run: pasted or dropped, estimated, and run up to the judges."""

import shutil
from pathlib import Path

import pytest
from collect.run.killing import wait_until
from explorer_studies import Open
from streamlit.testing.v1 import AppTest

from engine.collect.watch.watched_runs import all_runs
from engine.store import Store
from explorer.new_run import run_processes
from explorer.new_run.form import OWN_QUESTIONS

ROOT = Path(__file__).resolve().parents[2]
PASTED = "".join(f"What is the square root of {n}?\n" for n in range(12))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SPB_MODELS", raising=False)
    shutil.copytree(ROOT / "results" / "demo-verifiable", tmp_path / "demo-verifiable")
    return tmp_path


@pytest.fixture
def page(open_page: Open, store: Path) -> AppTest:
    app = open_page("new_run", store)
    return checked(app.selectbox(key="run_source").set_value(OWN_QUESTIONS).run())


def checked(page: AppTest) -> AppTest:
    assert not page.exception, [error.stack_trace for error in page.exception]
    return page


def dropped(page: AppTest, name: str, content: bytes) -> AppTest:
    uploader = page.file_uploader(key="run_questions_file")
    return checked(uploader.set_value((name, content, "application/octet-stream")).run())


def texts(page: AppTest) -> str:
    return "\n".join(text.value for text in page.text)


def test_nothing_can_be_started_before_there_are_questions(page: AppTest) -> None:
    assert "Drop a file of questions, or paste them." in texts(page)
    assert page.button(key="look_ahead").disabled


def test_pasted_questions_are_estimated_and_run_up_to_the_judges(page: AppTest, store: Path) -> None:
    checked(page.text_area(key="run_questions_text").set_value(PASTED + PASTED[:30]).run())
    assert "12 questions." in texts(page)
    assert "1 row with a question that stands above too is left out (row 13)." in texts(page)
    assert page.multiselect(key="run_paradigms_own").value == ["pairwise"]

    checked(page.button(key="look_ahead").click().run())
    # 4 models answer 12 questions, and judge 6 pairs of answers to each in both orders
    assert f"{4 * 12 + 4 * 12 * 6 * 2} calls" in texts(page)
    assert "An excess of 10 in 100 own cases is found, four times in five, with about" in texts(page)
    assert "these are 12." in texts(page)

    checked(page.button(key="start_run").click().run())
    wait_until(lambda: any(run.state == "done" for run in all_runs(Store(store))))
    files = Store(store).open("my-questions")
    assert files.table("instances").num_rows == 12
    assert files.table("judgments").num_rows == 4 * 12 * 6 * 2


def test_a_dropped_file_gives_its_name_and_its_criteria(page: AppTest) -> None:
    content = b'question,criteria,note\nWhy?,"Is true\nIs kind",x\nHow?,Is short,y\n'

    dropped(page, "Team questions.csv", content)

    assert "2 questions, 3 criteria, not read: note." in texts(page)
    assert page.multiselect(key="run_paradigms_own_criteria").value == ["pairwise", "single_rubric"]
    assert page.text_input(key="run_study_own_Team questions").value == "Team questions"


def test_an_open_column_is_chosen_from_a_list(page: AppTest) -> None:
    dropped(page, "q.csv", b"Nr,Frage\n1,Warum?\n")
    assert "Choose the column that holds the questions." in texts(page)

    box = next(each for each in page.selectbox if str(each.key).startswith("run_questions_column"))
    assert box.options == ["Nr", "Frage"]
    checked(box.set_value("Frage").run())

    assert "1 question, not read: Nr." in texts(page)
    assert not page.button(key="look_ahead").disabled


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("q.csv", b"", "it has no header"),
        ("q.pdf", b"%PDF", "the ending '.pdf' does not show its format"),
        ("q.xlsx", b"PK\x03\x04", "it is not a readable workbook"),
        ("q.csv", b"question\nWhy\0?\n", "holds a NUL character"),
    ],
)
def test_what_cannot_be_read_is_said(page: AppTest, name: str, content: bytes, words: str) -> None:
    dropped(page, name, content)

    assert words in texts(page)
    assert page.button(key="look_ahead").disabled


def test_pasted_text_that_cannot_be_a_question_is_said(page: AppTest) -> None:
    checked(page.text_area(key="run_questions_text").set_value("Why\0?\n").run())

    assert "the text, row 1: prompt holds a NUL character" in texts(page)
    assert page.button(key="look_ahead").disabled


def test_fewer_questions_than_the_sample_are_all_asked(page: AppTest) -> None:
    checked(page.text_area(key="run_questions_text").set_value("Why?\nHow?\n").run())
    checked(page.toggle(key="run_whole_own").set_value(False).run())

    assert "[sample]" not in page.code[0].value


def test_markup_in_a_question_is_text(page: AppTest) -> None:
    dropped(page, "q.csv", b"question,<b>x</b>\n<script>alert(1)</script> **bold**,y\n")

    assert "1 question, not read: <b>x</b>." in texts(page)


def test_an_estimate_holds_for_the_questions_it_was_made_for(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = {"model": "m", "role": "judge", "paradigm": "pairwise", "variant": "default", "calls": 7}
    sums = {"prompt_tokens": 7, "completion_tokens": 3, "cost_usd": 0.0}
    facts = {"planned": 7, **sums, "by_judge": [line | sums], "missing_keys": {}}
    monkeypatch.setattr(run_processes, "forecast", lambda *_: run_processes.PlannedCalls(facts))
    checked(page.text_area(key="run_questions_text").set_value("Why?\n").run())
    checked(page.button(key="look_ahead").click().run())
    assert "7 calls" in texts(page)

    checked(page.text_area(key="run_questions_text").set_value("How?\n").run())

    assert "7 calls" not in texts(page)
    assert page.button(key="start_run").disabled


def test_a_study_of_other_questions_is_left_alone(page: AppTest) -> None:
    checked(page.text_area(key="run_questions_text").set_value("Why?\n").run())
    checked(page.text_input(key="run_study_own_my-questions").set_value("demo-verifiable").run())

    checked(page.button(key="look_ahead").click().run())

    assert "the study 'demo-verifiable' has other questions than 'questions.jsonl'" in texts(page)


def test_the_first_study_may_be_a_run_of_ones_own_questions(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPB_MODELS", raising=False)
    (tmp_path / "empty").mkdir()
    page = checked(open_page("new_run", tmp_path / "empty"))
    assert page.selectbox(key="run_source").value == OWN_QUESTIONS

    checked(page.text_area(key="run_questions_text").set_value("Why?\nHow?\n").run())
    checked(page.button(key="look_ahead").click().run())
    checked(page.button(key="start_run").click().run())

    wait_until(lambda: any(run.state == "done" for run in all_runs(Store(tmp_path / "empty"))))
    checked(page.run())
    assert Store(tmp_path / "empty").studies() == ["my-questions"]
