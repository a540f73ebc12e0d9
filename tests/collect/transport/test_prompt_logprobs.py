"""How likely a model finds a response: the request, and how prompt tokens are read."""

import asyncio
import json
import math

import pytest
from loopback import Response, completion_with, giving, weighing

from engine.collect.calls import Failure, Message, Reply
from engine.collect.client.model_client import CallOutcome, Models
from engine.collect.client.prompt_likelihoods import last_turn_likelihood, likelihood_reply
from engine.collect.configuration.config import ModelConfig, Price

TURNS: list[Message] = [
    {"role": "user", "content": "Is it warm?"},
    {"role": "assistant", "content": "It is."},
    {"role": "user", "content": "And tomorrow?"},
    {"role": "assistant", "content": "Warmer still, I think."},
]


def ask(config: ModelConfig, times: int = 1, messages: list[Message] = TURNS) -> list[CallOutcome]:
    async def outcomes() -> list[CallOutcome]:
        async with Models({"m": config}, timeout_s=10, retries=0) as models:
            return [await models.ask("m", messages, logprobs="prompt") for _ in range(times)]

    return asyncio.run(outcomes())


def likelihood(outcome: Reply | Failure) -> dict[str, float]:
    assert isinstance(outcome, Reply), outcome
    return json.loads(outcome.text)


@pytest.mark.parametrize("way", ["chat", "completions"])
def test_only_the_tokens_of_the_response_count(way: str) -> None:
    with weighing(lambda _model, _text: -2.5) as server:
        config = ModelConfig(
            model="hosted_vllm/m",
            api_base=server.url,
            prompt_logprobs=way,
            price=Price(input_per_million=1.0, output_per_million=1.0),
        )
        (answer,) = ask(config)

    # 22 characters are six tokens of four, each with -2.5; all tokens before it have -1.
    assert likelihood(answer.outcome) == {"logprob": -15.0, "tokens": 6}
    assert answer.calls == 1
    assert isinstance(answer.outcome, Reply)
    assert answer.outcome.cost_usd == pytest.approx((server_tokens(server) + 1) / 1e6)


def server_tokens(server) -> int:
    (body,) = server.bodies
    if "prompt" in body:
        before, mark, text = body["prompt"].rpartition("Assistant: ")
    else:
        *turns, last = body["messages"]
        before = "<|start|>" + "".join(f"<|{turn['role']}|>{turn['content']}<|end|>" for turn in turns)
        mark, text = f"<|{last['role']}|>", last["content"]
    return math.ceil(len(before + mark) / 4) + math.ceil(len(text) / 4)


def test_a_chat_request_appends_the_response_and_generates_nothing() -> None:
    with weighing(lambda _model, _text: -2.0) as server:
        params = {"temperature": 0.7, "max_tokens": 900, "extra_body": {"chat_template_kwargs": {"x": 1}}}
        ask(ModelConfig(model="openai/m", api_base=server.url, params=params))

    assert server.paths == ["/v1/chat/completions"]
    assert server.bodies == [
        {
            "model": "m",
            "messages": TURNS,
            "max_tokens": 1,
            "temperature": 0,
            "prompt_logprobs": 0,
            "add_generation_prompt": False,
            "continue_final_message": True,
            "chat_template_kwargs": {"x": 1},
        }
    ]


def test_a_completion_request_echoes_the_turns_after_their_roles() -> None:
    with weighing(lambda _model, _text: -2.0) as server:
        ask(ModelConfig(model="openai/m", api_base=server.url, prompt_logprobs="completions"))

    assert server.paths == ["/v1/completions"]
    assert server.bodies[0]["prompt"] == (
        "User: Is it warm?\n\nAssistant: It is.\n\nUser: And tomorrow?\n\nAssistant: Warmer still, I think."
    )
    assert (server.bodies[0]["echo"], server.bodies[0]["logprobs"]) == (True, 1)


@pytest.mark.parametrize("way", ["chat", "completions"])
def test_a_server_without_prompt_log_probabilities_is_asked_once_and_named(way: str) -> None:
    with weighing(lambda _model, _text: -2.0, silent=True) as server:
        answers = ask(ModelConfig(model="openai/m", api_base=server.url, prompt_logprobs=way), times=3)

    assert server.calls == 1
    assert [answer.calls for answer in answers] == [1, 0, 0]
    for answer in answers:
        assert isinstance(answer.outcome, Failure)
        assert "gives no log-probabilities of a prompt" in answer.outcome.message
        assert "such as vLLM" in answer.outcome.message


def test_a_server_that_refuses_the_parameter_is_asked_once() -> None:
    error = {"error": {"message": "Unrecognized request argument supplied: prompt_logprobs"}}
    with giving(Response(error, 400)) as server:
        answers = ask(ModelConfig(model="openai/m", api_base=server.url), times=2)

    assert server.calls == 1
    assert all(isinstance(answer.outcome, Failure) for answer in answers)


def test_a_rate_limit_is_waited_for() -> None:
    good = completion_with(prompt_logprobs=[None, {"1": {"logprob": -3.0, "decoded_token": "Yes."}}])
    busy = Response({"error": {"message": "slow down"}}, 429, {"retry-after": "0"})
    with giving(busy, Response(good)) as server:
        turns = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Yes."}]
        (answer,) = ask(ModelConfig(model="openai/m", api_base=server.url), messages=turns)

    assert likelihood(answer.outcome) == {"logprob": -3.0, "tokens": 1}
    assert server.calls == 2


@pytest.mark.parametrize(
    ("tokens", "text", "expected"),
    [
        # Tokenizers put blanks before a word, write them as marks, or drop them.
        ([("▁Yes", -1.0), ("▁it", -2.0), ("▁is", -4.0)], "Yes it is", (-7.0, 3)),
        ([("Yes", -1.0), ("it", -2.0), ("is", -4.0)], "Yes it is\n", (-7.0, 3)),
        ([("a", -1.0), ("\n\n", -2.0), ("b", -4.0)], "a\n\nb", (-7.0, 3)),
        # The same words in the question, and anything after the response, do not count.
        ([("Yes", -9.0), ("|", -9.0), ("Yes", -1.0), ("<end>", -9.0)], "Yes", (-1.0, 1)),
        # Characters in parts, as U+FFFD or as bytes.
        ([("x:", -9.0), ("\ufffd", -1.0), ("\ufffd", -2.0), ("好", -4.0)], "你好", (-7.0, 3)),
        ([("x:", -9.0), ("<0xE4>", -1.0), ("<0xBD>", -2.0), ("<0xA0>", -4.0)], "你", (-7.0, 3)),
        ([("caf", -1.0), ("\ufffd", -2.0), ("\ufffd", -4.0), ("!", -8.0)], "café!", (-15.0, 4)),
        # Undefined for absent words, for none, or if a token has no number.
        ([("No", -1.0)], "Yes", None),
        ([("No", -1.0)], " ", None),
        ([("Y", -1.0), ("es", None)], "Yes", None),
    ],
)
def test_a_response_is_located_in_the_tokens_of_any_tokenizer(tokens, text, expected) -> None:
    assert last_turn_likelihood(tokens, text) == expected


def test_a_long_text_of_broken_characters_is_read_in_linear_time() -> None:
    tokens = [("\ufffd", -1.0)] * 20_000 + [("!", -1.0)]

    assert last_turn_likelihood(tokens, "好" * 20_000 + "?") is None


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {"prompt_logprobs": "none"},
        {"prompt_logprobs": []},
        {"choices": [{"logprobs": {"tokens": ["a"], "token_logprobs": []}}]},
        {"choices": [{"logprobs": {"tokens": "a", "token_logprobs": 1}}]},
        {"choices": [None]},
        # One token where the prompt has five: the server's own words, as llama.cpp gives them.
        {
            "choices": [{"logprobs": {"tokens": ["a"], "token_logprobs": [-0.5]}}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 1},
        },
    ],
)
def test_a_body_without_prompt_log_probabilities_is_no_reply(content: object) -> None:
    assert likelihood_reply(content, TURNS, None, 0.1) is None


@pytest.mark.parametrize("logprob", [None, True, "x", -9999.0, float("nan"), -(10**400)])
def test_a_token_without_a_log_probability_leaves_the_response_without_one(logprob: object) -> None:
    logprobs = [None, {"1": {"logprob": logprob, "decoded_token": "Warmer still, I think."}}]

    reply = likelihood_reply({"prompt_logprobs": logprobs}, TURNS, None, 0.1)

    assert reply is not None
    assert (reply.text, reply.shortfall) == ("", "malformed")
