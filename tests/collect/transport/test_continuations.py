"""Text completions of base models: their prompts, and the likelier of some options."""

import math
from typing import Any

import pytest

from engine.collect.calls import Message
from engine.collect.client.continuations import continued_fields, continued_prompt, continued_reply

OPTIONS = ("A", "B")


def turns(*texts: str) -> list[Message]:
    return [{"role": "user", "content": text} for text in texts]


@pytest.mark.parametrize(
    ("texts", "prompt"),
    [
        (("Which?",), "Which?\n\nAnswer:"),
        (("Which is it:",), "Which is it:"),
        ((" One. ", "Verdict:\n"), "One.\n\nVerdict:"),
    ],
)
def test_a_prompt_ends_where_the_verdict_begins(texts: tuple[str, ...], prompt: str) -> None:
    assert continued_prompt(turns(*texts)) == prompt


def test_options_are_asked_for_by_the_probabilities_of_two_tokens() -> None:
    params = {
        "temperature": 1.0,
        "top_p": 0.5,
        "max_tokens": 99,
        "logprobs": True,
        "top_logprobs": 5,
        "seed": 3,
    }

    free = continued_fields(turns("Which?"), params, ())
    ranked = continued_fields(turns("Which?"), params, OPTIONS)
    without = continued_fields(turns("Which?"), {"seed": 3}, OPTIONS)

    assert free == {**params, "prompt": "Which?\n\nAnswer:"}
    assert ranked == {
        "seed": 3, "prompt": "Which?\n\nAnswer:", "logprobs": 5, "max_tokens": 2, "temperature": 0,
    }  # fmt: skip
    assert "logprobs" not in without


def chat(*places: tuple[str, dict[str, float]]) -> Any:
    """Return a completion whose tokens have alternatives with these probabilities, as chats have them."""
    content = [
        {"token": token, "top_logprobs": [{"token": t, "logprob": math.log(p)} for t, p in shares.items()]}
        for token, shares in places
    ]
    return {"choices": [{"text": "x", "logprobs": {"content": content}}]}


def classic(*places: tuple[str, dict[str, float]]) -> Any:
    tops = [{token: math.log(share) for token, share in shares.items()} for _, shares in places]
    return {
        "choices": [
            {"text": "x", "logprobs": {"tokens": [token for token, _ in places], "top_logprobs": tops}}
        ]
    }


@pytest.mark.parametrize("form", [chat, classic])
@pytest.mark.parametrize(
    ("places", "text", "shares"),
    [
        ([("A", {"A": 0.5, "B": 0.25, "C": 0.125})], "A", {"A": 0.5, "B": 0.25}),
        ([("B", {"B": 0.5})], "B", {"B": 0.5}),
        ([("A", {"A": 0.25, " A": 0.25, "▁B": 0.375})], "A", {"A": 0.5, "B": 0.375}),
        ([("A", {"A": 0.25, "B": 0.25})], "", {"A": 0.25, "B": 0.25}),  # equally likely
        ([(" ", {" ": 1.0}), ("B", {"B": 0.5, "A": 0.25})], "B", {"A": 0.25, "B": 0.5}),
        ([("The", {"The": 1.0}), ("B", {"B": 0.5})], "", {}),  # another word begins
        ([(" ", {" ": 1.0})], "", {}),
        ([], "", None),
    ],
)
def test_the_likelier_option_is_the_answer_and_both_are_kept(
    form: Any, places: list[Any], text: str, shares: dict[str, float] | None
) -> None:
    reply = continued_reply(form(*places), OPTIONS, None, 1.5)

    assert (reply.text, reply.continued, reply.finish_reason, reply.latency_s) == (text, True, "stop", 1.5)
    assert reply.first_token == (
        None if shares is None else tuple((o, pytest.approx(p)) for o, p in shares.items())
    )


@pytest.mark.parametrize(
    "content",
    [
        None,
        {},
        {"choices": []},
        {"choices": "none"},
        {"choices": [{"text": "A"}]},
        {"choices": [{"text": "A", "logprobs": {"top_logprobs": "none"}}]},
        {"choices": [{"text": "A", "logprobs": {"content": [{"token": "A"}, 7]}}]},
        {"choices": [{"text": "A", "logprobs": {"top_logprobs": [None]}}]},
    ],
)
def test_a_server_without_probabilities_gives_no_verdict(content: Any) -> None:
    reply = continued_reply(content, OPTIONS, None, None)

    assert (reply.text, reply.first_token) == ("", None)


def test_odd_probabilities_are_left_out_and_none_is_above_certain() -> None:
    tops = [{"A": 0.5, " A": -0.1, "B": "high"}]
    content = {"choices": [{"text": "A", "logprobs": {"top_logprobs": tops}}]}

    assert continued_reply(content, OPTIONS, None, None).first_token == (("A", 1.0),)


def test_a_free_continuation_is_the_models_own_text() -> None:
    reply = continued_reply({"choices": [{"text": " Yes.", "finish_reason": "length"}]}, (), None, None)

    assert (reply.text, reply.continued, reply.finish_reason) == (" Yes.", False, "length")
