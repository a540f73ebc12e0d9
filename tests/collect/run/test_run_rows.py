"""The rows of `runs`: the sums of a run's calls, the settings that they were made with, and the changes."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.database.entries import Entry
from engine.collect.rows.run_rows import RunRows, provenance, run_cost, software

from .small import config, write_folder

JUDGING = ("a", "judge", "single_rubric", "default")
CALL = Entry(
    key="k", role="judge", model="a", paradigm="single_rubric", variant="default", status="ok", rows=[],
    calls=2, prompt_tokens=10, completion_tokens=5, cost_usd=0.25, seconds=1.5, at="2026-01-01T00:00:00Z",
)  # fmt: skip


@pytest.fixture
def runs(tmp_path: Path) -> RunRows:
    a = "logprobs = true\nparams = { temperature = 0.5, seed = 3, reasoning_effort = 'low' }"
    return RunRows(config(write_folder(tmp_path / "data"), a=a), "run")


def test_a_row_has_the_settings_of_its_calls(runs: RunRows) -> None:
    [row, other] = runs.with_groups([JUDGING, ("unknown", "judge", None, "x")], [])

    assert (row["run_id"], row["model"], row["role"], row["paradigm"], row["variant"]) == ("run", *JUDGING)
    assert (row["temperature"], row["seed"], row["top_p"], row["max_tokens"]) == (0.5, 3, None, None)
    assert (row["reasoning"], row["logprobs"], row["provenance"]) == ("low", True, "api")
    assert (row["calls"], row["cost_usd"], row["saved_usd"], row["model_id"]) == (0, 0.0, 0.0, None)
    assert (other["provenance"], other["logprobs"], other["software"]) == (None, None, None)


def test_each_group_of_a_run_has_one_row(runs: RunRows) -> None:
    rows = runs.with_groups([JUDGING], [])

    assert runs.with_groups([JUDGING], rows) == rows
    elsewhere = [rows[0] | {"run_id": "other"}]
    assert [row["run_id"] for row in runs.with_groups([JUDGING], elsewhere)] == ["other", "run"]


def test_calls_add_to_the_sums_of_their_row(runs: RunRows) -> None:
    rows = runs.with_groups([JUDGING], [])
    cached = replace(CALL, cached=True, structured=True, saved_usd=0.5, cost_usd=0.0, model_id="a-2")

    once = runs.add_calls([replace(CALL, model_id="a-1"), cached], rows)
    [row] = runs.add_calls([CALL], once)

    assert (row["calls"], row["prompt_tokens"], row["completion_tokens"], row["seconds"]) == (6, 30, 15, 4.5)
    assert (row["cached"], row["structured"], row["cost_usd"], row["saved_usd"]) == (1, 1, 0.5, 0.5)
    assert row["model_id"] == "a-2"  # the last that was stated
    assert rows[0]["calls"] == 0  # what was given stays as it was


def test_a_call_of_a_new_group_has_a_row_and_an_unknown_cost_makes_the_sum_unknown(runs: RunRows) -> None:
    rows = runs.add_calls([CALL, replace(CALL, model="b", cost_usd=None)], [])

    assert {row["model"]: row["cost_usd"] for row in rows} == {"a": 0.25, "b": None}
    assert runs.add_charges({JUDGING: 1.0, ("b", *JUDGING[1:]): 1.0}, rows)[0]["cost_usd"] == 1.25
    assert runs.add_charges({("b", *JUDGING[1:]): 1.0}, rows)[1]["cost_usd"] is None


def test_a_note_on_calls_requested_again_is_added_to_those_before_it(runs: RunRows) -> None:
    rows = runs.with_groups([JUDGING, ("b", *JUDGING[1:])], [])
    rows = [row | {"temperature": 9.0} for row in rows] + [rows[0] | {"run_id": "other"}]

    once = runs.note_redone({"a": "first"}, rows, new_settings=False)
    twice = runs.note_redone({"a": "second"}, once)

    assert [row.get("redone") for row in twice] == ["first; second", None, None]
    assert [row["temperature"] for row in once] == [9.0, 9.0, 0.5]
    assert [row["temperature"] for row in twice] == [0.5, 9.0, 0.5]


def ended(runs: RunRows, rows: list[dict[str, Any]]) -> list[str | None]:
    return [row.get("changed") for row in runs.set_end(rows)]


def test_at_the_end_a_model_that_another_one_answered_for_is_noted(runs: RunRows) -> None:
    first = [replace(CALL, model_id="a-1")] * 2
    rows = runs.add_calls(first, [])
    runs.begin_start()
    second = [replace(CALL, model_id="a-2")]
    rows = runs.add_calls(second, rows)
    runs.note_answers(second)

    [change] = ended(runs, [*rows])

    assert change is not None
    assert "a-2" in change
    assert all(row["finished_at"] for row in runs.set_end(rows))


def test_a_model_that_stayed_the_same_is_not_noted(runs: RunRows) -> None:
    calls = [replace(CALL, model_id="a-1", fingerprint="f", address="x")]
    rows = runs.add_calls(calls, [])
    runs.begin_start()
    rows = runs.add_calls(calls, rows)
    runs.note_answers(calls)

    assert ended(runs, rows) == [None]
    other = {**rows[0], "run_id": "other", "finished_at": None}
    assert runs.set_end([other])[0]["finished_at"] is None


def test_a_cached_answer_says_nothing_of_todays_model(runs: RunRows) -> None:
    rows = runs.add_calls([replace(CALL, model_id="a-1")], [])
    runs.begin_start()
    cached = [replace(CALL, model_id="a-0", cached=True)]
    rows = runs.add_calls(cached, rows)
    runs.note_answers(cached)

    assert ended(runs, rows) == [None]


PRICES: Mapping[str, Price | None] = {"a": Price(input_per_million=1e6, output_per_million=2e6), "b": None}


def row(model: str, cost: float | None, run_id: str = "run") -> dict[str, Any]:
    return {"run_id": run_id, "model": model, "cost_usd": cost, "prompt_tokens": 3, "completion_tokens": 4}


@pytest.mark.parametrize(
    ("rows", "dollars"),
    [
        ([row("a", 2.0), row("b", 3.0)], 5.0),
        ([row("a", 2.0, "other")], 0.0),
        ([row("a", None), row("a", 1.0)], 12.0),  # 3 at $1 and 4 at $2
        ([row("b", None), row("c", None)], 0.0),
        ([row("a", None) | {"prompt_tokens": None, "completion_tokens": None}], 0.0),
    ],
)
def test_a_cost_that_was_unknown_is_counted_at_todays_price(
    rows: list[dict[str, Any]], dollars: float
) -> None:
    assert run_cost(rows, "run", PRICES) == dollars


@pytest.mark.parametrize(
    ("model", "api_base", "how", "package", "kind"),
    [
        ("simulated/x", None, "simulated", None, "simulated"),
        ("openai/x", None, "openai-http", "aiohttp", "api"),
        ("hosted_vllm/x", None, "litellm", "litellm", "api"),
        ("hosted_vllm/x", "http://host/v1", "openai-http", "aiohttp", "api"),
        ("anthropic/x", None, "litellm", "litellm", "api"),
    ],
)
def test_a_row_says_by_which_software_its_calls_are_made(
    model: str, api_base: str | None, how: str, package: str | None, kind: str
) -> None:
    settings = ModelConfig(model=model, api_base=api_base)

    parts = software(settings).split(", ")

    assert provenance(settings) == kind
    assert parts[2] == f"calls by {how}"
    assert [part.split()[0] for part in parts[3:]] == [*filter(None, [package]), "pyarrow"]
