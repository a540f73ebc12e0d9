"""Chat completions of every shape read as replies."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import completion_with

from engine.collect.calls import Reply
from engine.collect.client.openai_replies import LONGEST, MOST_TOKENS, first_token, reply_of, token_counts
from engine.collect.configuration.config import Price

PRICE = Price(input_per_million=3, output_per_million=5)
QUARTER = math.log(0.25)


def reply_with(message: Any = None, price: Price | None = PRICE, **fields: Any) -> Reply:
    return reply_of(completion_with(message, **fields), price)


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ("Yes.", "Yes.", None),
        ([{"type": "text", "text": "Y"}, {"type": "text", "text": "es."}], "Yes.", None),
        ([{"type": "output_text", "text": "Yes."}, {"type": "image_url", "image_url": {}}], "Yes.", None),
        ([{"type": "text", "text": {"value": "Yes."}}], "Yes.", None),
        (["Yes", "."], "Yes.", None),
        ({"type": "text", "text": "Yes."}, "Yes.", None),
        ({"criteria_met": True}, '{"criteria_met": true}', None),  # decoded by the server
        ([{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}], "Yes.", "Hm."),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                {"type": "text", "text": "Yes."},
            ],
            "Yes.",
            "Hm.",
        ),
        ("<think>\nHm.\n</think>\n\nYes.", "Yes.", "Hm."),
        ("Hm.</think>\nYes.", "Yes.", "Hm."),  # the opening tag was part of the prompt
        ("<think>Hm.</think><think>Hm!</think>Yes.", "Yes.", "Hm.\nHm!"),
        ("◁think▷Hm.◁/think▷Yes.", "Yes.", "Hm."),
        ("[THINK]Hm.[/THINK]Yes.", "Yes.", "Hm."),
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.",
            "Yes.",
            "Hm.",
        ),
        ("Write <think> and </think> around it.", "Write <think> and </think> around it.", None),
    ],
)
def test_an_answer_is_read_in_text_and_in_parts(content: Any, text: str, reasoning: str | None) -> None:
    reply = reply_with({"content": content})

    assert (reply.text, reply.reasoning, reply.shortfall) == (text, reasoning, None)


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": "Hm."},
        {"reasoning": "Hm."},
        {"thinking_blocks": [{"type": "thinking", "thinking": "Hm."}, {"type": "redacted"}]},
        {"reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
    ],
)
def test_reasoning_is_read_from_each_providers_own_field(fields: dict[str, Any]) -> None:
    reply = reply_with({"content": "Yes."} | fields)

    assert (reply.text, reply.reasoning) == ("Yes.", "Hm.")


VERDICT = '{"criteria_met": true}'


@pytest.mark.parametrize("finish_reason", ["stop", "length", None])
@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": VERDICT},
        {"content": "", "reasoning": VERDICT},
        {"content": None, "thinking_blocks": [{"type": "thinking", "thinking": VERDICT}]},
        {"content": [{"type": "thinking", "thinking": VERDICT}]},
        {"content": f"<think>{VERDICT}"},
        {"content": f"<think>{VERDICT}</think>\n"},
        {"content": f"◁think▷{VERDICT}◁/think▷"},
        {"content": f"[THINK]{VERDICT}[/THINK]"},
        {"content": f"<|channel|>analysis<|message|>{VERDICT}"},
        {"content": f"<reasoning>{VERDICT}</reasoning>"},
    ],
)
def test_a_draft_in_the_thinking_is_no_answer(message: dict[str, Any], finish_reason: str | None) -> None:
    reply = reply_with(message, finish_reason=finish_reason)

    assert (reply.text.strip(), reply.shortfall) == ("", "only_thinking")
    assert reply.reasoning == VERDICT


def test_truncated_reasoning_is_no_answer() -> None:
    reply = reply_with(
        {"content": "", "reasoning_content": 'If {"criteria_met": true}, th'}, finish_reason="length"
    )

    assert (reply.text, reply.finish_reason, reply.shortfall) == ("", "length", "only_thinking")
    assert reply.reasoning == 'If {"criteria_met": true}, th'


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "tool_calls": [{"function": {"name": "verdict", "arguments": '{"a": 1}'}}]},
        {"content": "", "tool_calls": [{"function": {"name": "verdict", "arguments": {"a": 1}}}]},
        {"content": None, "function_call": {"name": "verdict", "arguments": '{"a": 1}'}},
    ],
)
def test_the_arguments_of_a_tool_call_count_as_an_answer(message: dict[str, Any]) -> None:
    reply = reply_with(message, finish_reason="tool_calls")

    assert (reply.text, reply.finish_reason, reply.shortfall) == ('{"a": 1}', "tool_calls", None)


@pytest.mark.parametrize(
    ("message", "finish_reason", "shortfall"),
    [
        ({"content": '{"criteria_m'}, "length", "cut_off"),
        ({"content": '{"criteria_m'}, "MAX_TOKENS", "cut_off"),
        ({"content": ""}, "length", "cut_off"),
        ({"content": ""}, "stop", "empty"),
        ({"content": " \n"}, None, "empty"),
        ({"content": None}, "stop", "empty"),
        ({"content": "<think>Hm, and on"}, "length", "only_thinking"),
        ({"content": "<think>Hm.</think>"}, "stop", "only_thinking"),
        ({"role": "assistant"}, "stop", "malformed"),
        ({"content": 7}, "stop", "malformed"),
        ({"content": "Yes."}, "stop", None),
    ],
)
def test_the_shortfall_of_an_answer_is_reported(
    message: dict[str, Any], finish_reason: str | None, shortfall: str | None
) -> None:
    assert reply_with(message, finish_reason=finish_reason).shortfall == shortfall


def test_hidden_reasoning_is_detected_by_its_tokens() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 64,
        "completion_tokens_details": {"reasoning_tokens": 64},
    }

    assert reply_with({"content": ""}, finish_reason="length", usage=usage).shortfall == "only_thinking"


@pytest.mark.parametrize(
    ("message", "finish_reason"),
    [
        ({"content": None, "refusal": "No."}, "stop"),
        ({"content": [{"type": "refusal", "refusal": "No."}]}, "stop"),
        ({"content": ""}, "content_filter"),
        ({"content": ""}, "content_filter: SAFETY"),
        ({}, "PROHIBITED_CONTENT"),
        ({"content": ""}, "sensitive"),
        ({"content": ""}, "SAFETY"),
    ],
)
def test_a_refusal_has_no_shortfall(message: dict[str, Any], finish_reason: str) -> None:
    reply = reply_with(message, finish_reason=finish_reason)

    assert (reply.refused, reply.shortfall) == (True, None)


@pytest.mark.parametrize(
    "response",
    [
        {},
        {"choices": None},
        {"choices": []},
        {"choices": {}},
        {"choices": [None]},
        {"choices": [{"message": 1}]},
    ],
)
def test_a_response_without_an_answer_is_malformed_and_its_cost_counts(response: dict[str, Any]) -> None:
    reply = reply_of(response | {"usage": {"prompt_tokens": 10, "completion_tokens": 20}}, PRICE)

    assert (reply.text, reply.shortfall) == ("", "malformed")
    assert reply.cost_usd == pytest.approx((10 * 3 + 20 * 5) / 1e6)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}, (10, 20, None)),
        ({"input_tokens": 10, "output_tokens": 20}, (10, 20, None)),
        ({"prompt_tokens": "10", "completion_tokens": 20.0}, (10, 20, None)),
        ({"prompt_tokens": 10, "total_tokens": 30}, (10, 20, None)),
        ({"completion_tokens": 20, "total_tokens": 30}, (10, 20, None)),
        # reasoning counted within the completion, as by OpenAI: 100 of 120
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 120,
                "total_tokens": 130,
                "completion_tokens_details": {"reasoning_tokens": 100},
            },
            (10, 120, 100),
        ),
        # and counted separately: 32 + 9 + 94 = 135
        (
            {
                "prompt_tokens": 32,
                "completion_tokens": 9,
                "total_tokens": 135,
                "completion_tokens_details": {"reasoning_tokens": 94},
            },
            (32, 103, 94),
        ),
        ({"prompt_tokens": 32, "completion_tokens": 9, "reasoning_tokens": 94}, (32, 103, 94)),
        ({"prompt_tokens": 20, "completion_tokens": 424, "total_tokens": 1016}, (20, 996, None)),
        ({"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 7}, (10, 20, None)),
        ({"prompt_tokens": 10, "completion_tokens": 20, "completion_tokens_details": None}, (10, 20, None)),
        ({"prompt_tokens": True, "completion_tokens": 2**63}, (None, None, None)),
        ({"prompt_tokens": -1, "completion_tokens": 1.5}, (None, None, None)),
        ({"prompt_tokens": "many", "completion_tokens": [20]}, (None, None, None)),
        ({"prompt_tokens": math.nan, "completion_tokens": math.inf}, (None, None, None)),
        (None, (None, None, None)),
        ("30", (None, None, None)),
        ([{"prompt_tokens": 10}], (None, None, None)),
    ],
)
def test_token_counts_are_read_from_usage_of_any_shape(usage: Any, tokens: tuple[int | None, ...]) -> None:
    assert token_counts(usage) == tokens


def test_the_cost_is_unknown_without_a_price_or_tokens() -> None:
    assert reply_with(price=None).cost_usd is None
    assert reply_with(usage={"prompt_tokens": "ten"}).cost_usd is None
    assert reply_with().cost_usd == pytest.approx((10 * 3 + 20 * 5) / 1e6)


@pytest.mark.parametrize(
    ("message", "tokens"),
    [({"content": "Yes."}, None), ({"content": "<think>Hm."}, None), ({"content": ""}, 0)],
)
def test_zero_tokens_of_an_answer_with_words_are_unknown(message: dict[str, Any], tokens: int | None) -> None:
    reply = reply_with(message, usage={"prompt_tokens": 5, "completion_tokens": 0, "total_tokens": 5})

    assert (reply.completion_tokens, reply.prompt_tokens) == (tokens, 5)
    assert (reply.cost_usd is None) is (tokens is None)


@pytest.mark.parametrize(
    ("count", "read"),
    [
        (MOST_TOKENS, MOST_TOKENS),
        (MOST_TOKENS + 1, None),
        (-1, None),
        ("7", 7),
        ("-7", None),
        (7.0, 7),
        (7.5, None),
        (True, None),
    ],
)
def test_a_count_of_tokens_is_a_whole_number_within_reason(count: Any, read: int | None) -> None:
    assert token_counts({"prompt_tokens": count})[0] == read


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7}, (4, 3, None)),
        ({"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 9}, (4, 5, None)),
        ({"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 5}, (4, 3, None)),
        ({"completion_tokens": 3, "total_tokens": 7}, (4, 3, None)),
        ({"completion_tokens": 3, "total_tokens": 3}, (None, 3, None)),
        ({"completion_tokens": 3, "total_tokens": 2}, (None, 3, None)),
        ({"prompt_tokens": 4, "total_tokens": 9}, (4, 5, None)),
        ({"prompt_tokens": 4, "total_tokens": 4}, (4, 0, None)),
        ({"prompt_tokens": 4, "completion_tokens": 3, "reasoning_tokens": 3}, (4, 3, 3)),
        ({"prompt_tokens": 4, "completion_tokens": 3, "reasoning_tokens": 5}, (4, 8, 5)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, (None, None, None)),
    ],
)
def test_the_tokens_of_an_answer_are_never_underestimated(usage: Any, tokens: tuple[int | None, ...]) -> None:
    assert token_counts(usage) == tokens


def test_nul_and_lone_surrogates_are_replaced() -> None:
    message = {"content": "a\0b\ud83dc", "reasoning_content": "\udc00", "refusal": "\ud800!"}

    reply = reply_with(message, model="m\ud800")

    assert (reply.text, reply.reasoning, reply.refusal) == ("a\ufffdb\ufffdc", "\ufffd", "\ufffd!")
    assert reply.model_id == "m\ufffd"


def test_a_surrogate_pair_becomes_its_character() -> None:
    assert reply_with({"content": "\ud83d\ude00"}).text == "\U0001f600"


def test_a_very_long_answer_keeps_its_two_ends_and_counts_as_truncated() -> None:
    reply = reply_with({"content": "a" * LONGEST + "b"})

    assert (reply.text[0], reply.text[-1]) == ("a", "b")
    assert len(reply.text) < LONGEST + 100
    assert (reply.finish_reason, reply.shortfall) == ("length", "cut_off")


@pytest.mark.parametrize("reason", [None, 7, ["stop"], {}])
def test_a_finish_reason_that_is_not_a_word_is_left_out(reason: Any) -> None:
    assert reply_with(finish_reason=reason).finish_reason is None


def token(text: Any, logprob: Any = QUARTER, *top: tuple[Any, Any]) -> dict[str, Any]:
    alternatives = [{"token": each, "logprob": value} for each, value in top]
    return {"token": text, "logprob": logprob, "top_logprobs": alternatives}


@pytest.mark.parametrize(
    ("tokens", "first"),
    [
        ([token("A", -1.0, ("A", math.log(0.5)), ("B", -math.inf))], (("A", 0.5), ("B", 0.0))),
        ([token("A")], (("A", 0.25),)),
        ([token("\n"), token(" A")], ((" A", 0.25),)),
        ([token("<think>"), token("B"), token("</think>"), token("\n\n"), token("A")], (("A", 0.25),)),
        ([token("<th"), token("ink>B</"), token("think>"), token("A")], (("A", 0.25),)),
        ([token("B"), token("</think>"), token("A")], (("A", 0.25),)),
        ([token("A", 0.1)], (("A", 1.0),)),  # rounding above certainty
    ],
)
def test_the_first_token_is_that_of_the_answer(
    tokens: list[Any], first: tuple[tuple[str, float], ...]
) -> None:
    read_back = first_token({"content": tokens})

    assert read_back is not None
    assert [each for each, _ in read_back] == [each for each, _ in first]
    assert [share for _, share in read_back] == pytest.approx([share for _, share in first])


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        7,
        {"content": None},
        {"content": []},
        {"content": [None]},
        {"content": [token("<think>"), token("B")]},
        {"content": [token(7)]},
        {"content": [token("A", None)]},
        {"content": [token("A", math.nan)]},
        {"content": [token("A", "-1")]},
        {"content": [token("A", -(10**400))]},
        {"content": [token("A", -1.0, (7, -1.0))]},
        {"tokens": ["A"], "token_logprobs": [-1.0]},
    ],
)
def test_malformed_probabilities_are_none_and_the_answer_is_kept(logprobs: Any) -> None:
    choice = {"message": {"content": "Yes."}, "finish_reason": "stop", "logprobs": logprobs}

    reply = reply_with(choices=[choice])

    assert (reply.text, reply.first_token) == ("Yes.", None)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.just("<think>"),
    st.just("\ud800"),
)
NAMES = st.sampled_from(
    [
        "choices", "message", "content", "text", "type", "thinking", "reasoning", "reasoning_content",
        "usage", "prompt_tokens", "completion_tokens", "total_tokens", "completion_tokens_details",
        "reasoning_tokens",
        "tool_calls", "function", "arguments", "refusal", "finish_reason", "logprobs", "token", "logprob",
        "top_logprobs", "model", "value", "thinking_blocks",
    ]
)  # fmt: skip
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=20,
)
COMPLETIONS = st.fixed_dictionaries(
    {
        "choices": st.lists(
            st.fixed_dictionaries({"message": JSON}, optional={"finish_reason": SCALARS, "logprobs": JSON}),
            max_size=2,
        )
    },
    optional={"usage": JSON, "model": JSON},
)


@given(st.one_of(JSON, COMPLETIONS))
def test_any_response_gives_a_reply_that_can_be_stored(response: Any) -> None:
    reply = reply_of(response, PRICE)

    for text in (reply.text, reply.reasoning, reply.refusal, reply.finish_reason, reply.model_id):
        assert text is None or "\0" not in text.encode().decode()
    for tokens in (reply.prompt_tokens, reply.completion_tokens):
        assert tokens is None or 0 <= tokens <= 2 * MOST_TOKENS
    assert reply.cost_usd is None or reply.cost_usd >= 0
    assert bool(reply.text.strip()) or reply.refused or reply.shortfall is not None
    assert all(0 <= share <= 1 for _, share in reply.first_token or ())


def test_at_most_a_hundred_alternatives_are_kept() -> None:
    top = [{"token": str(number), "logprob": QUARTER} for number in range(101)]

    alternatives = first_token({"content": [{"token": "A", "logprob": QUARTER, "top_logprobs": top}]})

    assert alternatives is not None
    assert [text for text, _ in alternatives] == [str(number) for number in range(100)]


def test_a_token_that_begins_exactly_where_the_thinking_ends_is_the_answers_first() -> None:
    texts = ["<think>", "Hm.", "</think>", "A", "B"]

    first = first_token({"content": [token(text) for text in texts]})

    assert first == (("A", pytest.approx(0.25)),)
    assert first_token({"content": [token("A"), token("B")]}) == (("A", pytest.approx(0.25)),)
    assert first_token({"content": [token("<think>"), token("Hm.")]}) is None
    assert first_token({"content": [token("A", 0.5)]}) == (("A", 1.0),)  # no more than certain


@pytest.mark.parametrize("extra", [0, 1])
def test_an_answer_of_just_the_longest_length_is_kept_whole(extra: int) -> None:
    reply = reply_with({"content": "x" * (LONGEST + extra)})

    assert (reply.finish_reason, reply.shortfall) == (("length", "cut_off") if extra else ("stop", None))
    assert ("[... 1 characters left out ...]" in reply.text) is bool(extra)
