"""Redone judgments: which ones, with which settings, and what is kept of the old ones."""

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from engine.collect.calls import Reply
from engine.collect.forecast.forecasts import forecast
from engine.collect.run.prepared_run import WITHDRAWN, withdrawn_calls
from engine.collect.run.start import run
from engine.collect.run_folder import RunFolder
from engine.collect.run_options import RunOptions
from engine.collect.watch.watched_runs import all_runs
from engine.errors import StoreError, UsageError
from engine.store import Store

from .small import FakeModels, config, met, write_folder

CUT_OFF = Reply('{"criteria_met": tr', finish_reason="length", shortfall="cut_off", cost_usd=0.001)
SHORT = {"a": "params = { max_tokens = 5 }", "b": "params = { max_tokens = 5 }"}
LONG = {"a": "params = { max_tokens = 500 }", "b": "params = { max_tokens = 5 }"}
REDO = RunOptions(redo=frozenset(["cut_off"]))


def cut_off_of_a(model: str, question: str) -> Reply:
    return CUT_OFF if model == "a" else met(model, question)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "data")


@pytest.fixture
def store(tmp_path: Path, folder: Path) -> Store:
    """A store with a run in which all answers of judge a were cut off."""
    store = Store(tmp_path / "store")
    run(config(folder, **SHORT), store, models=FakeModels(cut_off_of_a))
    return store


def statuses(store: Store) -> Counter[tuple[str, str]]:
    parts = sorted(Path(store.root, "s").rglob("judgments*/*.parquet"))
    rows = [row for part in parts for row in pq.read_table(part).to_pylist()]
    return Counter((row["judge"], row["status"]) for row in rows)


@pytest.mark.parametrize("status", ["cut_off", "unparsed"])
def test_only_the_selected_judgments_are_redone_and_their_new_answers_count(
    folder: Path, store: Store, status: str
) -> None:
    models = FakeModels()

    report = run(config(folder, **LONG), store, RunOptions(redo=frozenset([status])), models=models)

    assert {model for model, _ in models.prompts} == {"a"}
    assert (report.ok, report.already_done, report.exit_code) == (12, 12, 0)
    assert statuses(store) == {("a", "ok"): 12, ("b", "ok"): 12}


@pytest.mark.parametrize(("status", "calls"), [("cut_off", 12), ("unparsed", 12), ("refused", 0)])
def test_a_forecast_counts_the_calls_that_are_requested_again_and_what_is_spent(
    folder: Path, store: Store, status: str, calls: int
) -> None:
    costs = forecast(config(folder, **SHORT), store, RunOptions(redo=frozenset([status])))

    assert (costs.total.calls, costs.already_done) == (calls, 24 - calls)
    assert costs.spent_usd == pytest.approx(24 * 0.001)


def test_the_old_answers_are_kept_and_the_study_says_what_was_redone(folder: Path, store: Store) -> None:
    run(config(folder, **LONG), store, REDO, models=FakeModels())

    lines = (all_runs(store)[0].folder.path / "withdrawn.jsonl").read_text().splitlines()
    rows = {row["model"]: row for row in pq.read_table(Path(store.root, "s", "runs.parquet")).to_pylist()}
    assert [json.loads(line)["raw"] for line in lines] == [CUT_OFF.text] * 12
    assert (rows["a"]["max_tokens"], rows["b"]["max_tokens"]) == (500, 5)
    assert "12 calls requested again (cut_off)" in rows["a"]["redone"]
    assert "models.a.params is {'max_tokens': 500}, it was {'max_tokens': 5}" in rows["a"]["redone"]
    assert rows["b"]["redone"] is None
    assert rows["a"]["calls"] == 24


def test_a_run_resumed_afterwards_uses_the_new_settings(folder: Path, store: Store) -> None:
    run(config(folder, **LONG), store, REDO, models=FakeModels())
    models = FakeModels()

    report = run(config(folder, **LONG), store, models=models)

    assert (report.already_done, report.exit_code, len(models.prompts)) == (24, 0, 0)


def test_without_redo_changed_settings_are_refused_and_redo_is_suggested(folder: Path, store: Store) -> None:
    with pytest.raises(UsageError, match="--redo"):
        run(config(folder, **LONG), store, models=FakeModels())


def test_withdrawn_and_unanswered_judgments_are_asked_by_the_next_start(folder: Path, store: Store) -> None:
    def broken(model: str, question: str) -> Reply:
        raise RuntimeError(f"{model} is gone, asked {question}")

    with pytest.raises(RuntimeError):
        run(config(folder, **SHORT), store, REDO, models=FakeModels(broken))

    report = run(config(folder, **SHORT), store, models=FakeModels())

    assert (report.ok, report.already_done, report.exit_code) == (12, 12, 0)
    assert statuses(store) == {("a", "ok"): 12, ("b", "ok"): 12}


def test_if_the_disk_is_full_nothing_is_withdrawn_and_the_message_names_the_file(
    folder: Path, store: Store
) -> None:
    (all_runs(store)[0].folder.path / WITHDRAWN).symlink_to("/dev/full")
    models = FakeModels()

    with pytest.raises(StoreError, match=rf"{WITHDRAWN}: cannot be written"):
        run(config(folder, **SHORT), store, REDO, models=models)

    assert not models.prompts
    assert statuses(store) == {("a", "unparsed"): 12, ("b", "ok"): 12}


def test_a_line_of_withdrawn_judgments_that_a_kill_tore_is_passed_over(tmp_path: Path) -> None:
    # The second line was torn, and the next start wrote on behind it.
    (tmp_path / WITHDRAWN).write_text('{"call_id": "x"}\n{"call_id": "to{"call_id": "y"}\n{"call_id": "z"}\n')

    assert withdrawn_calls(RunFolder(tmp_path)) == {"x", "z"}
    assert withdrawn_calls(RunFolder(tmp_path / "none")) == set()


def test_calls_that_a_shard_withdrew_count_as_withdrawn_from_the_whole_run(tmp_path: Path) -> None:
    # Otherwise a start with another number of processes would take their old answers from the cache.
    shard = tmp_path / "shard-1-of-2"
    shard.mkdir()
    (tmp_path / WITHDRAWN).write_text('{"call_id": "x"}\n')
    (shard / WITHDRAWN).write_text('{"call_id": "y"}\n')

    assert withdrawn_calls(RunFolder(tmp_path)) == {"x", "y"}
