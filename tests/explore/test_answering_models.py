"""Whether answers name the model that was called, and what changed between starts of a run."""

from collections import Counter
from typing import Any

import pytest

from engine.explore.answering_models import (
    COUNTED,
    OTHERS,
    add_counts,
    changes_between,
    counts_of,
    is_same_model,
    notes_on,
)


@pytest.mark.parametrize(
    ("called", "named"),
    [
        ("openai/gpt-4o", "gpt-4o"),
        ("openai/gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-4", "gpt-4-0613"),
        ("openai/gpt-4o-2024-08-06", "gpt-4o"),
        ("anthropic/claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"),
        ("openrouter/anthropic/claude-3.5-sonnet", "anthropic/claude-3-5-sonnet-20241022"),
        ("openrouter/meta-llama/llama-3.1-8b-instruct:free", "meta-llama/llama-3.1-8b-instruct"),
        ("gemini/gemini-1.5-pro", "gemini-1.5-pro-002"),
        ("gemini/gemini-2.5-pro-preview-05-06", "models/gemini-2.5-pro-preview-05-06"),
        ("mistral/mistral-large-latest", "mistral-large-2407"),
        ("vertex_ai/claude-3-opus@20240229", "claude-3-opus-20240229"),
        ("bedrock/us.anthropic.claude-3-sonnet-20240229-v1:0", "claude-3-sonnet-20240229"),
        ("hosted_vllm/Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b-instruct"),
        ("openai/llama", "/models/llama.gguf"),
        ("openai/GPT-4o", "gpt-4o"),
        ("azure/our-deployment", "gpt-4o-2024-08-06"),
        ("simulated/m1", "anything"),
    ],
)
def test_a_dated_snapshot_or_another_spelling_of_the_name_is_the_same_model(called: str, named: str) -> None:
    assert is_same_model(called, named)


@pytest.mark.parametrize(
    ("called", "named"),
    [
        ("openai/judge", "cheap-model-v2"),
        ("openai/cheap-model", "cheap-model-v2"),
        ("openai/gpt-4o", "gpt-4o-mini"),
        ("openai/gpt-4o", "gpt-4o-mini-2024-07-18"),
        ("openai/gpt-4o-2024-05-13", "gpt-4o-2024-08-06"),
        ("openai/qwen2.5-72b", "qwen2.5-7b"),
        ("openrouter/auto", "mistralai/mistral-nemo"),
        ("openai/o1", "o1-mini"),
        ("openai/m", ""),
    ],
)
def test_another_name_or_another_date_is_another_model(called: str, named: str) -> None:
    assert not is_same_model(called, named)


def row(**values: Any) -> dict[str, Any]:
    config = "[models.j]\nmodel = 'openai/judge'"
    return {"run_id": "r", "model": "j", "config": config, **dict.fromkeys((*COUNTED, "changed")), **values}


def test_answers_that_name_another_model_are_counted_over_all_rows_of_it() -> None:
    rows = [
        row(answered_as='{"judge-2024-01-01": 3, "cheap-model-v2": 1}'),
        row(answered_as='{"cheap-model-v2": 2}'),
        row(run_id="other", answered_as='{"judge": 5}'),
    ]

    assert notes_on(rows) == [
        "3 of 6 answers of 'j', called as 'openai/judge', name another model: 'cheap-model-v2'"
    ]
    assert notes_on(rows, "other") == []


def test_a_damaged_or_missing_record_says_nothing() -> None:
    for stored in (None, "", "[]", "{", '{"a": "b"}', "7"):
        assert counts_of(stored) == Counter()
        assert notes_on([row(answered_as=stored, config=None)]) == []


def test_only_the_first_names_are_kept_apart() -> None:
    stored = None
    for number in range(25):
        stored = add_counts(stored, {f"fp-{number}": 1})

    counts = counts_of(stored)
    assert counts[OTHERS] == 5
    assert counts.total() == 25


def starts(before: list[str], now: list[str]) -> str:
    return changes_between(
        *(
            {name: Counter(values if name == "fingerprints" else []) for name in COUNTED}
            for values in (before, now)
        )
    )


def test_starts_differ_if_they_have_no_value_in_common() -> None:
    assert starts(["fp-1"], ["fp-2"]) == "its server's fingerprint is 'fp-2', it was 'fp-1'"


@pytest.mark.parametrize(
    ("before", "now"), [([], ["a"]), (["a"], []), (["a", "b"], ["b", "c"]), (["a", OTHERS], ["b"])]
)
def test_starts_that_share_a_value_or_have_none_do_not_differ(before: list[str], now: list[str]) -> None:
    assert starts(before, now) == ""
