"""Answers that could not be read: counted by their shortfall, and never a success."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from collect.plan.small import Rows, as_table
from loopback.responses import Response, completion_with, giving
from typer.testing import CliRunner

from engine.cli import app
from engine.collect.calls import Failure, Reply
from engine.collect.dispatch.unread_answers import FirstAnswers, UnreadJudge
from engine.collect.run.shortcomings import (
    has_no_verdict,
    shortcomings,
    unparsed_by_judge,
    unread_calls,
    unread_judges,
)
from engine.collect.run.start import run
from engine.collect.watch.watched_runs import all_runs
from engine.paradigms import SHORTFALLS, Shortfall
from engine.schema import STATUSES, Status
from engine.store import Store
from engine.store.study_files import StudyFiles, StudyInfo

from .recording import entry
from .small import FakeModels, config, met, write_folder

SHORT: dict[Shortfall, Reply] = {
    "cut_off": Reply('{"criteria_met": tr', finish_reason="length", shortfall="cut_off"),
    "only_thinking": Reply("Hm, well.", shortfall="only_thinking"),
    "empty": Reply("", finish_reason="stop", shortfall="empty"),
    "malformed": Reply("Perhaps.", finish_reason="stop"),
}


def judgments(store: Store) -> list[dict[str, object]]:
    parts = sorted(Path(store.root, "s").rglob("judgments*/*.parquet"))
    return [row for part in parts for row in pq.read_table(part).to_pylist()]


@pytest.mark.parametrize("kind", SHORT)
def test_a_run_without_a_readable_answer_has_its_own_exit_code_and_remedy(
    tmp_path: Path, kind: Shortfall
) -> None:
    store = Store(tmp_path / "store")

    report = run(config(write_folder(tmp_path / "data")), store, models=FakeModels(lambda *_: SHORT[kind]))

    assert (report.end, report.exit_code, report.unparsed) == ("unread", 5, 24)
    assert report.shortfalls == {kind: 24}
    assert "24 unparsed: " in report.message
    status = json.loads(all_runs(store)[0].folder.status.read_text())
    assert (status["state"], status["shortfalls"]) == ("unread", {kind: 24})
    rows = judgments(store)
    assert {(row["shortfall"], row["finish_reason"]) for row in rows} == {(kind, SHORT[kind].finish_reason)}


def test_unreadable_answers_among_others_are_counted_and_the_run_is_done(tmp_path: Path) -> None:
    def answer(model: str, question: str) -> Reply:
        return SHORT["cut_off"] if model == "a" else met(model, question)

    report = run(
        config(write_folder(tmp_path / "data")), Store(tmp_path / "store"), models=FakeModels(answer)
    )

    assert (report.end, report.exit_code) == ("done", 0)
    assert report.shortfalls == {"cut_off": 12}
    assert "12 unparsed: cut off at the limit of tokens (raise `max_tokens`)" in report.message


def test_reasoning_without_an_answer_is_no_response(tmp_path: Path) -> None:
    def answer(model: str, question: str) -> Reply:
        return SHORT["only_thinking"] if question.startswith("Question") else met(model, question)

    folder = write_folder(tmp_path / "data", responses=False)
    store = Store(tmp_path / "store")

    report = run(config(folder), store, models=FakeModels(answer))

    responses = pq.read_table(Path(store.root, "s", "responses.parquet")).to_pylist()
    assert {(row["text"], row["shortfall"]) for row in responses} == {("", "only_thinking")}
    assert report.shortfalls == {"only_thinking": 6}


def test_a_study_reports_the_shortfalls_of_its_judgments_and_its_error_messages(tmp_path: Path) -> None:
    def answer(model: str, question: str) -> Reply | Failure:
        if model == "b":
            return Failure("request", f"b: the context length is 4096, request {len(question)}", 400)
        return SHORT["cut_off"]

    store = Store(tmp_path / "store")
    report = run(config(write_folder(tmp_path / "data")), store, models=FakeModels(answer))

    shortfalls, words = shortcomings(store.open("s"))

    assert shortfalls == {"cut_off": 12}
    assert [count for _, count in words] == [12]
    assert "the context length is 4096" in words[0][0]
    assert [count for _, count in report.error_words] == [12]
    assert report.exit_code == 3


REFUSED = Reply("", finish_reason="content_filter", refusal="Flagged.")


def test_a_run_in_which_all_were_refused_says_so_also_when_it_is_started_again(tmp_path: Path) -> None:
    def answer(model: str, question: str) -> Reply:
        return met(model, question) if question.startswith("Question") else REFUSED

    settings = config(write_folder(tmp_path / "data", responses=False))
    store = Store(tmp_path / "store")

    first = run(settings, store, models=FakeModels(answer))
    again = run(settings, store, models=FakeModels(answer))

    assert (first.end, first.exit_code) == ("unread", 5)
    assert (first.ok, first.refused) == (6, 24)
    assert "24 refused by the provider" in first.message
    assert (again.end, again.exit_code, again.done) == ("unread", 5, 0)


def test_refusals_among_verdicts_are_counted_and_the_run_is_done(tmp_path: Path) -> None:
    def answer(model: str, question: str) -> Reply:
        return REFUSED if model == "a" else met(model, question)

    report = run(
        config(write_folder(tmp_path / "data")), Store(tmp_path / "store"), models=FakeModels(answer)
    )

    assert (report.end, report.exit_code) == ("done", 0)
    assert "12 refused by the provider" in report.message


DRAFT = '{"criteria_met": true}'


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": DRAFT},
        {"content": "", "reasoning": DRAFT},
        {"content": f"<think>{DRAFT}"},
        {"content": [{"type": "thinking", "thinking": DRAFT}]},
    ],
    ids=["reasoning_content", "reasoning", "open tag", "thinking block"],
)
def test_a_draft_in_the_thinking_of_a_served_judge_is_no_verdict(
    tmp_path: Path, message: dict[str, object]
) -> None:
    store = Store(tmp_path / "store")
    path = tmp_path / "run.toml"
    with giving(Response(completion_with({"role": "assistant", **message}))) as server:
        served = f"api_base = '{server.url}'\nprice = {{ input_per_million = 0, output_per_million = 0 }}"
        path.write_text(config(write_folder(tmp_path / "data"), a=served, b=served).text)
        result = CliRunner().invoke(app, ["run", str(path), "--store", store.root])

    rows = judgments(store)
    assert result.exit_code == 5
    assert {(row["status"], row["shortfall"], row["met"]) for row in rows} == {
        ("unparsed", "only_thinking", None)
    }


def stored_judgments(folder: Path, rows: Rows, responses: Rows | None = None) -> StudyFiles:
    """Return a study with these judgments, of run `one` unless they say otherwise."""
    tables: dict[str, Rows] = {
        "models": [{"model": model, "family": model} for model in "ab"],
        "instances": [{"instance_id": each, "prompt": "p"} for each in ("i1", "i2")],
        "rubrics": [{"instance_id": each, "rubric_id": "r", "criterion": "c"} for each in ("i1", "i2")],
        "judgments": [
            {
                "run_id": "one", "judge": "b", "paradigm": "single_rubric", "generator": "a", "trial": n,
                "instance_id": "i1", "rubric_id": "r", "met": True if row["status"] == "ok" else None, **row,
            }
            for n, row in enumerate(rows)
        ],
    }  # fmt: skip
    if responses:
        tables["responses"] = [{"generator": "a", "text": "", **row} for row in responses]
    store = Store(folder)
    store.write("t", {name: as_table(part) for name, part in tables.items()}, StudyInfo())
    return store.open("t")


@pytest.mark.parametrize(
    ("statuses", "nothing"),
    [
        ([], False),
        (["unparsed"], True),
        (["unparsed", "refused", "error"], True),
        (["error", "ok", "refused"], False),
        (["ok"], False),
    ],
)
def test_a_run_has_no_verdict_if_it_has_judgments_and_none_could_be_read(
    tmp_path: Path, statuses: list[str], nothing: bool
) -> None:
    rows: Rows = [{"status": each} for each in statuses]
    other: Rows = [{"status": "ok", "run_id": "two"}]

    assert has_no_verdict(stored_judgments(tmp_path, rows + other), "one") is nothing


def test_a_run_warns_once_of_a_judge_whose_first_answers_cannot_be_read_and_goes_on(tmp_path: Path) -> None:
    def answer(model: str, question: str) -> Reply:
        return SHORT["malformed"] if model == "a" else met(model, question)

    store = Store(tmp_path / "store")
    models = FakeModels(answer)
    report = run(config(write_folder(tmp_path / "data", instances=6)), store, models=models)

    folder = all_runs(store)[0].folder
    warnings = json.loads(folder.status.read_text())["warnings"]
    assert list(warnings) == ["a, single_rubric"]
    assert (
        "none of the first 20 answers of the judge 'a' (single_rubric) could be read, such as 'Perhaps.'"
        in (warnings["a, single_rubric"])
    )
    assert (folder.path / "log").read_text().count("none of the first 20") == 1
    # 6 questions, 2 answers to each and 2 criteria: 24 calls of each judge, all made
    assert (models.prompts.total(), report.unparsed, report.ok) == (48, 24, 24)
    assert report.unread_judges == [UnreadJudge("a", "single_rubric", 24, 24)]
    assert "24 of 24 answers of the judge 'a' (single_rubric) could not be read" in report.message


@pytest.mark.parametrize(
    ("statuses", "warned"),
    [
        (["unparsed"] * 19, 0),
        (["unparsed"] * 19 + ["refused", "error"], 0),
        (["unparsed"] * 50, 1),
        (["refused"] + ["unparsed"] * 20, 1),
        (["ok"] + ["unparsed"] * 50, 0),
        (["unparsed"] * 19 + ["ok"] + ["unparsed"] * 50, 0),
    ],
)
def test_the_first_twenty_answers_decide_whether_a_judge_is_warned_of(
    statuses: list[Status], warned: int
) -> None:
    first = FirstAnswers()

    warnings = [first.add(replace(entry(1), status=status)) for status in statuses]

    assert len([each for each in warnings if each is not None]) == warned


def calls(judge: str, status: str, number: int, **more: object) -> Rows:
    """Return judgments, each of a call of its own."""
    rows = ({"judge": judge, "status": status, "call_id": f"{judge}{status}{n}"} for n in range(number))
    return [row | more for row in rows]


@pytest.mark.parametrize(
    ("rows", "judges"),
    [
        (calls("b", "unparsed", 5) + calls("b", "ok", 5), [UnreadJudge("b", "single_rubric", 5, 10)]),
        (calls("b", "unparsed", 5) + calls("b", "ok", 4), []),  # nine answers are too few
        (calls("b", "unparsed", 5) + calls("b", "ok", 6), []),
        (calls("b", "unparsed", 5) + calls("b", "refused", 6), []),
        (calls("b", "unparsed", 9) + calls("b", "error", 9), []),  # an error is no answer
        (calls("b", "unparsed", 12) + calls("a", "ok", 12), [UnreadJudge("b", "single_rubric", 12, 12)]),
        (calls("b", "unparsed", 12, run_id="two"), []),
        (calls("b", "unparsed", 12, call_id="one"), []),  # twelve rows of one call
        (calls("b", "unparsed", 12, call_id="one") + calls("b", "ok", 9, call_id="one"), []),
        (calls("b", "ok", 12), []),
    ],
)
def test_a_judge_is_unread_if_half_of_ten_calls_or_more_could_not_be_read(
    tmp_path: Path, rows: Rows, judges: list[UnreadJudge]
) -> None:
    assert unread_judges(stored_judgments(tmp_path, rows), "one") == judges


def test_calls_to_request_again_are_counted_once_each_by_what_was_wrong(tmp_path: Path) -> None:
    study = stored_judgments(
        tmp_path,
        [
            {"status": "unparsed", "shortfall": "cut_off", "call_id": "c1"},
            {"status": "unparsed", "shortfall": "cut_off", "call_id": "c1"},
            {"status": "unparsed", "shortfall": "malformed", "call_id": "c2"},
            {"status": "unparsed", "call_id": "c3"},
            {"status": "refused", "call_id": "c4"},
            {"status": "error", "call_id": "c5"},
            {"status": "error", "call_id": "c6"},
            {"status": "error", "call_id": None},
            {"status": "ok", "call_id": "c7"},
            {"status": "error", "call_id": "c8", "run_id": "two"},
        ],
        [
            {"instance_id": "i1", "run_id": "one", "shortfall": "malformed"},
            {"instance_id": "i1", "run_id": "one", "shortfall": "malformed", "transform": "terse"},
            {"instance_id": "i2", "run_id": "one", "shortfall": "cut_off", "text": "x"},
            {"instance_id": "i2", "run_id": "two", "shortfall": "empty", "generator": "b"},
        ],
    )

    counts = unread_calls(study, "one")

    # c2 and both forms of the answer to i1 are malformed; an answer that was cut off has been judged.
    assert counts == {"cut_off": 1, "malformed": 3, "unparsed": 1, "refused": 1, "error": 2}
    assert list(counts) == [each for each in (*SHORTFALLS, *STATUSES) if each in counts]
    assert unread_calls(study, "three") == {}


def test_unparsed_judgments_without_a_known_reason_and_errors_without_words_are_counted(
    tmp_path: Path,
) -> None:
    study = stored_judgments(
        tmp_path,
        [
            {"status": "unparsed"},
            {"status": "unparsed"},
            {"status": "unparsed", "shortfall": "empty"},
            {"status": "error", "explanation": "out of memory"},
            {"status": "error"},
            {"status": "error"},
            {"status": "refused", "shortfall": None, "explanation": "flagged"},
        ],
    )

    shortfalls, words = shortcomings(study)

    assert shortfalls == {"": 2, "empty": 1}
    assert words == [("no words", 2), ("out of memory", 1)]
    [judge] = study.judgments(["judge"])["judge"].unique().to_pylist()
    assert unparsed_by_judge(study) == [(judge, 3)]
