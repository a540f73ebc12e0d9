"""Responses without an answer: not judged, named, and repeated with all that is about them."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from engine.cli import app
from engine.collect.calls import Failure, Reply
from engine.collect.run.prepared_run import WITHDRAWN
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.collect.watch.watched_runs import all_runs
from engine.store import Store

from .small import Answer, FakeModels, config, met, write_folder

THOUGHT = Reply("", finish_reason="length", shortfall="only_thinking", reasoning="Hm.")
EMPTY = Reply("", finish_reason="stop", shortfall="empty")
CUT_OFF = Reply("An apple and a", finish_reason="length", shortfall="cut_off")
WHOLE = Reply("An apple and a pear.", finish_reason="stop")
LONG = {"a": "params = { max_tokens = 500 }"}


def generating(replies: dict[str, Reply]) -> Answer:
    """Return an answerer in which generator a answers question N by `replies`, and all else is whole."""

    def answer(model: str, question: str) -> Reply | Failure:
        if not question.startswith("Question"):
            return met(model, question)
        return replies.get(question[9:15], WHOLE) if model == "a" else WHOLE

    return answer


def table(store: Store, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = store.open("s").table(name).to_pylist()
    return rows


def judged(store: Store) -> Counter[tuple[str, str]]:
    return Counter((row["instance_id"], row["generator"]) for row in table(store, "judgments"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "data", responses=False)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_a_response_without_an_answer_is_not_judged_but_named(folder: Path, store: Store) -> None:
    models = FakeModels(generating({"i00000": THOUGHT, "i00001": EMPTY}))

    report = run(config(folder), store, models=models)

    assert ("i00000", "a") not in judged(store)
    assert ("i00001", "a") not in judged(store)
    assert judged(store)["i00002", "a"] == judged(store)["i00000", "b"] == 4  # two judges, two rubrics
    assert report.exit_code == 3
    assert "2 missing answers not judged" in report.message
    assert "a: 1 all thinking and no answer" in report.message
    assert "a: 1 empty" in report.message


def test_a_second_start_asks_neither_for_them_nor_about_them(folder: Path, store: Store) -> None:
    run(config(folder), store, models=FakeModels(generating({"i00000": THOUGHT})))
    models = FakeModels()

    report = run(config(folder), store, models=models)

    assert not models.prompts
    assert report.unanswered == 1


def test_a_cut_off_response_is_judged_and_flagged(folder: Path, store: Store) -> None:
    report = run(config(folder), store, models=FakeModels(generating({"i00000": CUT_OFF})))

    (row,) = [each for each in table(store, "responses") if each["shortfall"] is not None]
    assert (row["text"], row["shortfall"], row["finish_reason"]) == (CUT_OFF.text, "cut_off", "length")
    assert judged(store)["i00000", "a"] == 4
    assert report.exit_code == 0


def test_an_imported_blank_response_is_an_answer(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data")
    lines = [json.loads(line) for line in (folder / "responses.jsonl").read_text().splitlines()]
    lines[0]["text"] = ""
    (folder / "responses.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    report = run(config(folder), store, models=FakeModels())

    assert judged(store)["i00000", "a"] == 4
    assert report.exit_code == 0


@pytest.mark.parametrize("name", ["only_thinking", "unparsed"])
def test_redo_collects_missing_responses_under_new_settings_and_judges_them(
    folder: Path, store: Store, name: str
) -> None:
    run(config(folder), store, models=FakeModels(generating({"i00000": THOUGHT})))
    models = FakeModels(generating({}))

    report = run(config(folder, **LONG), store, RunOptions(redo=frozenset([name])), models=models)

    texts = {(row["instance_id"], row["generator"]): row["text"] for row in table(store, "responses")}
    assert texts["i00000", "a"] == WHOLE.text
    assert judged(store)["i00000", "a"] == 4
    assert sum(models.prompts.values()) == 1 + 4
    assert report.exit_code == 0
    (generator_row,) = [
        row for row in table(store, "runs") if (row["model"], row["role"]) == ("a", "generator")
    ]
    assert generator_row["max_tokens"] == 500
    assert "1 call requested again (" in generator_row["redone"]


def test_judgments_of_a_repeated_response_are_withdrawn_with_it(folder: Path, store: Store) -> None:
    run(config(folder), store, models=FakeModels(generating({"i00000": CUT_OFF})))
    models = FakeModels(generating({}))

    report = run(config(folder), store, RunOptions(redo=frozenset(["cut_off"])), models=models)

    texts = {(row["instance_id"], row["generator"]): row["text"] for row in table(store, "responses")}
    assert texts["i00000", "a"] == WHOLE.text
    assert judged(store)["i00000", "a"] == 4
    assert sum(models.prompts.values()) == 1 + 4
    assert (report.ok, report.exit_code) == (5, 0)
    lines = (all_runs(store)[0].folder.path / WITHDRAWN).read_text().splitlines()
    kinds = Counter(json.loads(line).get("table", "judgments") for line in lines)
    assert kinds == {"judgments": 4, "responses": 1}


def test_pairs_and_other_runs_lose_their_judgments_of_a_repeated_response(folder: Path, store: Store) -> None:
    def answer(model: str, question: str) -> Reply | Failure:
        if question.startswith("Question"):
            return CUT_OFF if (model, question[9:15]) == ("a", "i00000") else WHOLE
        return Reply('{"outcome": "tie"}', finish_reason="stop")

    pairs = config(folder, paradigms=["pairwise"])
    run(pairs, store, models=FakeModels(answer))
    run(pairs, store, RunOptions(fresh=True, run_id="later"), models=FakeModels(answer))
    before = Counter(row["run_id"] for row in table(store, "judgments"))

    run(
        pairs,
        store,
        RunOptions(run_id="later", redo=frozenset(["cut_off"])),
        models=FakeModels(generating({})),
    )

    after = Counter((row["run_id"], row["instance_id"]) for row in table(store, "judgments"))
    (earlier,) = set(before) - {"later"}
    assert before == {earlier: 12, "later": 12}  # three instances, two judges, two orders
    assert after[earlier, "i00000"] == 0
    assert (after[earlier, "i00001"], after["later", "i00001"]) == (4, 4)


def test_references_of_a_repeated_response_are_withdrawn_with_it(folder: Path, store: Store) -> None:
    run(config(folder), store, models=FakeModels(generating({"i00000": CUT_OFF})))
    references = [
        {"instance_id": each, "generator": "a", "rubric_id": "r0", "source": "program", "met": True}
        for each in ("i00000", "i00001")
    ]
    add_references(store, references)

    run(config(folder), store, RunOptions(redo=frozenset(["cut_off"])), models=FakeModels(generating({})))

    assert [row["instance_id"] for row in table(store, "references")] == ["i00001"]


def add_references(store: Store, rows: list[dict[str, object]]) -> None:
    from engine.store.writer import exchange_table

    files = store.open("s")
    store.write("s", {"references": exchange_table("references", rows)}, files.info, mode="append")


def test_the_command_names_the_remedy(folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    import engine.collect.run.one_process as run_module

    models = FakeModels(generating({"i00000": THOUGHT}))
    monkeypatch.setattr(run_module, "Models", lambda *_, **__: models)
    path = folder.parent / "run.toml"
    path.write_text(config(folder).text)

    result = CliRunner().invoke(app, ["run", str(path), "--store", store.root])

    assert result.exit_code == 3
    assert "1 missing answer not judged (a: 1 all thinking and no answer)" in result.stderr
    command = f"spb run {path} --store {store.root} --run-id "
    assert re.search(re.escape(command) + r"\S+ --redo only_thinking\n", result.stderr)
    assert len(pq.read_table(Path(store.root, "s", "responses.parquet"))) == 6
