"""Answers that could not be read: counted by their shortfall, and never a success."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from loopback.responses import Response, completion_with, giving
from typer.testing import CliRunner

from engine.cli import app
from engine.collect.calls import Failure, Reply
from engine.collect.run import run
from engine.collect.shortcomings import shortcomings
from engine.collect.watched_runs import all_runs
from engine.paradigms import Shortfall
from engine.store import Store

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
