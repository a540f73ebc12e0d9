"""Behaviour shared by litellm and our own transport."""

import json
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, Response, completion_with, giving

from engine.collect.calls import Failure, Reply
from engine.collect.client.openai_requests import json_schema_format
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.database.exchanges import ExchangeLog, exchanges_of
from engine.collect.database.run_database import RunDatabase
from engine.collect.hidden_secrets import HIDDEN

from .attempts import QUESTION, ROUTES, TRANSPORTS, Transport, attempt_over, outcome

SCHEMA = {
    "type": "object",
    "properties": {"outcome": {"type": "string"}},
    "required": ["outcome"],
    "additionalProperties": False,
}

pytestmark = pytest.mark.parametrize("transport", TRANSPORTS)
on_each_route = pytest.mark.parametrize("route", ROUTES)


@on_each_route
def test_an_answer_has_its_text_tokens_cost_and_model_id(
    server: Loopback, transport: Transport, route: str
) -> None:
    price = Price(input_per_million=1_000_000, output_per_million=2_000_000)

    reply = outcome(transport, ModelConfig(model=f"{route}/ok", api_base=server.url, price=price))

    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish_reason) == ('{"outcome": "A is better"}', "stop")
    assert reply.model_id == "ok-2024-01-01"
    assert (reply.prompt_tokens, reply.completion_tokens) == (6, 4)  # the server counts words
    assert reply.cost_usd == pytest.approx(6 * 1 + 4 * 2)
    assert reply.latency_s is not None
    assert reply.latency_s > 0


@on_each_route
@pytest.mark.parametrize(
    ("word", "kind", "status"),
    [
        ("429", "rate_limit", 429),
        ("429-after", "rate_limit", 429),
        ("500", "server", 500),
        ("503", "server", 503),
        ("502-html", "server", 502),
        ("error-in-200", "server", 502),
        ("400", "request", 400),
        ("401", "key", 401),
        ("403", "key", 403),
        ("404", "model", 404),
        ("quota", "key", 429),
        ("reset", "connection", None),
    ],
)
def test_an_error_has_its_kind_and_status(
    server: Loopback, transport: Transport, route: str, word: str, kind: str, status: int | None
) -> None:
    done = attempt_over(transport, ModelConfig(model=f"{route}/{word}*", api_base=server.url))

    assert isinstance(done.outcome, Failure)
    assert (done.outcome.kind, done.outcome.status) == (kind, status)
    assert done.may_retry is (kind in {"rate_limit", "server", "connection"})
    assert (done.wait_s is not None) is (word == "429-after")
    assert server.calls == 1


@pytest.mark.parametrize(("word", "status"), [("key", 200), ("401", 401), ("reset", None)])
def test_requests_and_answers_are_stored_without_the_key(
    server: Loopback,
    transport: Transport,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    word: str,
    status: int | None,
) -> None:
    monkeypatch.setenv("SPB_TEST_WIRE", "a-key-of-ours-12345")
    config = ModelConfig(model=f"openai/{word}*", api_base=server.url, api_key_env="SPB_TEST_WIRE")
    database = RunDatabase(tmp_path)
    log = ExchangeLog(database)

    def ask() -> None:
        log.listen("c")
        outcome(transport, config)

    copy_context().run(ask)
    database.close()

    (exchange,) = exchanges_of(tmp_path, "c")
    assert exchange.status == status
    assert json.loads(exchange.request)["messages"] == QUESTION
    assert exchange.answer
    assert "a-key-of-ours-12345" not in str(exchange)
    assert "a-key-of-ours-12345" in server.keys


@on_each_route
@pytest.mark.parametrize("word", ["half", "reset-half", "bad-json", "html", "endless"])
def test_invalid_json_is_no_answer(server: Loopback, transport: Transport, route: str, word: str) -> None:
    done = attempt_over(transport, ModelConfig(model=f"{route}/{word}*", api_base=server.url))

    assert isinstance(done.outcome, Failure)
    assert (done.outcome.kind, done.may_retry) == ("answer", True)


@on_each_route
def test_a_hanging_call_times_out(server: Loopback, transport: Transport, route: str) -> None:
    own_limit = 0.3 if route == "openai" else None
    config = ModelConfig(model=f"{route}/hang*", api_base=server.url, timeout_s=own_limit)

    failure = outcome(transport, config, timeout_s=0.3 if own_limit is None else 10)

    assert failure == Failure("timeout", "model 'm': no answer within 0.3 s")


@on_each_route
def test_the_failure_quotes_the_provider(server: Loopback, transport: Transport, route: str) -> None:
    failure = outcome(transport, ModelConfig(model=f"{route}/503*", api_base=server.url))

    assert isinstance(failure, Failure)
    assert "(HTTP 503): The engine is overloaded." in failure.message


@on_each_route
def test_a_key_repeated_by_the_server_is_in_no_failure(
    server: Loopback, monkeypatch: pytest.MonkeyPatch, transport: Transport, route: str
) -> None:
    monkeypatch.setenv("SPB_TEST_KEY", "plain-word-of-a-server")
    config = ModelConfig(model=f"{route}/401*", api_base=server.url, api_key_env="SPB_TEST_KEY")

    failure = outcome(transport, config)

    assert isinstance(failure, Failure)
    assert HIDDEN in failure.message
    assert "plain-word" not in failure.message


@on_each_route
def test_a_key_repeated_by_the_server_is_in_no_answer(
    server: Loopback, monkeypatch: pytest.MonkeyPatch, transport: Transport, route: str
) -> None:
    monkeypatch.setenv("SPB_TEST_KEY", "plain-word-of-a-server")
    config = ModelConfig(model=f"{route}/key", api_base=server.url, api_key_env="SPB_TEST_KEY")

    reply = outcome(transport, config)

    assert isinstance(reply, Reply)
    assert reply.text == f'The key was Bearer {HIDDEN}.\n{{"outcome": "A is better"}}'


@on_each_route
def test_a_providers_key_is_not_sent_to_the_users_server(
    server: Loopback, monkeypatch: pytest.MonkeyPatch, transport: Transport, route: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "sk-of-openai")

    outcome(transport, ModelConfig(model=f"{route}/ok", api_base=server.url))

    assert server.calls == 1
    assert "sk-of-openai" not in server.keys


@on_each_route
@pytest.mark.parametrize(
    ("word", "refusal", "finish_reason"),
    [
        ("refusal", "I will not judge this.", "stop"),
        ("filtered", None, "content_filter"),
    ],
)
def test_a_refusal_by_the_provider_is_a_refused_reply(
    server: Loopback, transport: Transport, route: str, word: str, refusal: str | None, finish_reason: str
) -> None:
    reply = outcome(transport, ModelConfig(model=f"{route}/{word}", api_base=server.url))

    assert isinstance(reply, Reply)
    assert reply.refused
    assert (reply.refusal, reply.finish_reason) == (refusal, finish_reason)


def test_a_prompt_stopped_by_the_providers_filter_is_refused_at_no_cost(
    server: Loopback, transport: Transport
) -> None:
    reply = outcome(transport, ModelConfig(model="openai/400-policy", api_base=server.url))

    assert isinstance(reply, Reply)
    assert (reply.refused, reply.finish_reason, reply.cost_usd) == (True, "content_filter", 0)
    assert reply.refusal == "Your request was stopped by the filter."


@on_each_route
@pytest.mark.parametrize("word", ["think", "reasoning"])
def test_reasoning_is_separated_from_the_answer(
    server: Loopback, transport: Transport, route: str, word: str
) -> None:
    reply = outcome(transport, ModelConfig(model=f"{route}/{word}", api_base=server.url))

    assert isinstance(reply, Reply)
    assert reply.text == '{"outcome": "A is better"}'
    assert reply.reasoning == "First I look at both."


@on_each_route
@pytest.mark.parametrize("word", ["empty", "null"])
def test_an_empty_answer_is_an_answer(server: Loopback, transport: Transport, route: str, word: str) -> None:
    reply = outcome(transport, ModelConfig(model=f"{route}/{word}", api_base=server.url))

    assert isinstance(reply, Reply)
    assert (reply.text, reply.refused) == ("", False)


@on_each_route
def test_a_truncated_answer_keeps_its_finish_reason(
    server: Loopback, transport: Transport, route: str
) -> None:
    reply = outcome(transport, ModelConfig(model=f"{route}/truncated", api_base=server.url))

    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish_reason) == ('{"outcome": "', "length")


@on_each_route
def test_an_answer_of_ten_megabytes_keeps_its_beginning_and_end(
    server: Loopback, transport: Transport, route: str
) -> None:
    reply = outcome(transport, ModelConfig(model=f"{route}/huge", api_base=server.url))

    assert isinstance(reply, Reply)
    assert "9,800,026 characters left out" in reply.text
    assert reply.text.endswith('{"outcome": "A is better"}')
    assert reply.finish_reason == "length"


@on_each_route
@pytest.mark.parametrize("word", ["ok", "think"])
def test_probabilities_are_those_of_the_answers_first_token(
    server: Loopback, transport: Transport, route: str, word: str
) -> None:
    config = ModelConfig(model=f"{route}/{word}", api_base=server.url)

    reply = outcome(transport, config, logprobs=True)

    assert isinstance(reply, Reply)
    assert reply.first_token is not None
    assert [token for token, _ in reply.first_token] == ["A", "B", " T"]
    assert [share for _, share in reply.first_token] == pytest.approx([0.7, 0.25, 0.05])
    assert server.requests[0].parameters["top_logprobs"] == 20


@on_each_route
def test_every_parameter_reaches_the_server_unchanged(
    server: Loopback, transport: Transport, route: str
) -> None:
    params = {
        "temperature": 0.25,
        "top_p": 0.9,
        "max_tokens": 77,
        "seed": 11,
        "stop": ["END"],
        "response_format": json_schema_format(SCHEMA),
    }

    outcome(transport, ModelConfig(model=f"{route}/ok", api_base=server.url, params=params))

    assert server.requests[0].parameters == params


@on_each_route
def test_server_specific_fields_are_sent_beside_the_others(
    server: Loopback, transport: Transport, route: str
) -> None:
    extra = {"chat_template_kwargs": {"enable_thinking": False}, "min_p": 0.1}
    config = ModelConfig(model=f"{route}/ok", api_base=server.url, params={"extra_body": extra})

    outcome(transport, config)

    assert server.requests[0].parameters == extra


@pytest.mark.parametrize(
    ("tokens", "effort"), [(512, "minimal"), (1_024, "low"), (2_048, "medium"), (8_192, "high")]
)
def test_a_reasoning_budget_becomes_an_effort_on_vllm(
    server: Loopback, transport: Transport, tokens: int, effort: str
) -> None:
    params = {"thinking": {"type": "enabled", "budget_tokens": tokens}}

    outcome(transport, ModelConfig(model="hosted_vllm/ok", api_base=server.url, params=params))

    assert server.requests[0].parameters == {"reasoning_effort": effort}


def test_the_token_limit_has_the_name_that_openais_newer_models_use(
    server: Loopback, transport: Transport
) -> None:
    config = ModelConfig(model="openai/o3-mini", api_base=server.url, params={"max_tokens": 9})

    outcome(transport, config)

    assert server.requests[0].parameters == {"max_completion_tokens": 9}


@on_each_route
def test_reasoning_tokens_are_part_of_the_cost_of_an_answer(transport: Transport, route: str) -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 120,
        "total_tokens": 130,
        "completion_tokens_details": {"reasoning_tokens": 100},
    }
    price = Price(input_per_million=0, output_per_million=1_000_000)

    with giving(Response(completion_with(usage=usage))) as server:
        reply = outcome(transport, ModelConfig(model=f"{route}/m", api_base=server.url, price=price))

    assert isinstance(reply, Reply)
    assert (reply.completion_tokens, reply.cost_usd) == (120, pytest.approx(120))


VERDICT = '{"criteria_met": true}'
IN_TOOLS = [{"id": "1", "type": "function", "function": {"name": "verdict", "arguments": VERDICT}}]


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # litellm's, about the odd shape
@pytest.mark.parametrize(
    "body",
    [
        completion_with({"role": "assistant", "content": [{"type": "text", "text": VERDICT}]}),
        completion_with({"role": "assistant", "content": None, "tool_calls": IN_TOOLS}),
        completion_with({"role": "assistant", "content": VERDICT}, usage="lots"),
        completion_with({"role": "assistant", "content": VERDICT}, usage={"prompt_tokens": "10"}),
        completion_with({"role": "assistant", "content": f"\0\ud83d {VERDICT}"}),
    ],
    ids=["parts", "tool call", "usage as text", "half a usage", "half a character"],
)
def test_an_answer_of_an_odd_shape_is_read_without_a_retry(transport: Transport, body: Any) -> None:
    price = Price(input_per_million=1.0, output_per_million=1.0)
    with giving(Response(body)) as odd:
        reply = outcome(transport, ModelConfig(model="openai/m", api_base=odd.url, price=price))

    assert isinstance(reply, Reply)
    assert VERDICT in reply.text
    assert odd.calls == 1


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_verdict_in_the_thinking_alone_is_no_answer(transport: Transport, field: str) -> None:
    body = completion_with({"role": "assistant", "content": None, field: VERDICT})
    with giving(Response(body)) as odd:
        reply = outcome(transport, ModelConfig(model="openai/m", api_base=odd.url))

    assert isinstance(reply, Reply)
    assert (reply.text, reply.shortfall) == ("", "only_thinking")


def test_an_answer_litellm_cannot_read_is_reported_without_a_traceback(transport: Transport) -> None:
    with giving(Response({"id": "1", "choices": "none", "usage": "lots"})) as odd:
        answer = outcome(transport, ModelConfig(model="openai/m", api_base=odd.url))

    words = answer.message if isinstance(answer, Failure) else answer.text
    assert "Traceback" not in words
    assert "File" not in words


@on_each_route
@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (
            400,
            "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
            "invalid_prompt",
        ),
        (403, "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO", None),
        (403, "Your input was stopped by moderation.", None),
        (400, "Content Exists Risk", "invalid_request_error"),
    ],
)
def test_words_of_moderation_make_the_prompt_refused(
    transport: Transport, route: str, status: int, message: str, code: str | None
) -> None:
    with giving(Response({"error": {"message": message, "type": "error", "code": code}}, status)) as server:
        reply = outcome(transport, ModelConfig(model=f"{route}/m", api_base=server.url))

    assert isinstance(reply, Reply)
    assert reply.refused
    assert message[:30] in str(reply.refusal)


@on_each_route
@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (403, {"code": "denied", "error": "Content violates usage guidelines."}, None),
        (400, {"code": "invalid", "error": "Incorrect API key provided."}, "Incorrect API key provided."),
        (400, [{"error": {"code": 400, "message": "API key not valid."}}], "API key not valid."),
        (400, {"detail": [{"loc": ["body", "foo"], "msg": "Extra inputs"}]}, "body.foo: Extra inputs"),
    ],
)
def test_an_error_is_read_from_a_body_of_another_shape(
    transport: Transport, route: str, status: int, body: Any, words: str | None
) -> None:
    with giving(Response(body, status)) as server:
        result = outcome(transport, ModelConfig(model=f"{route}/m", api_base=server.url))

    if words is None:
        assert isinstance(result, Reply)
        assert result.refusal == "Content violates usage guidelines."
    else:
        assert isinstance(result, Failure)
        assert words in result.message


@on_each_route
def test_a_quota_with_a_time_to_wait_is_a_limit_and_not_an_empty_account(
    transport: Transport, route: str
) -> None:
    body = {"error": {"message": "You exceeded your current quota. Please retry in 2s.", "code": "quota"}}
    with giving(Response(body, 429)) as server:
        failure = outcome(transport, ModelConfig(model=f"{route}/m", api_base=server.url))

    assert isinstance(failure, Failure)
    assert (failure.kind, failure.cause) == ("rate_limit", "rate_limit")


@on_each_route
def test_a_response_without_a_choice_is_an_answer_that_could_not_be_read(
    server: Loopback, transport: Transport, route: str
) -> None:
    failure = outcome(transport, ModelConfig(model=f"{route}/no-choices", api_base=server.url))

    assert isinstance(failure, Failure)
    assert failure.kind == "answer"


BROKEN = {"message": "The provider disconnected.", "code": 502}
VERDICT_MESSAGE = {"role": "assistant", "content": VERDICT}


@on_each_route
@pytest.mark.parametrize(
    "choice",
    [{}, None, {"index": 0}, {"index": 0, "message": None, "logprobs": None}],
    ids=["empty", "null", "only an index", "null fields"],
)
def test_an_empty_choice_is_an_answer_that_could_not_be_read_and_may_have_been_charged(
    transport: Transport, route: str, choice: Any
) -> None:
    with giving(Response(completion_with(choices=[choice]))) as server:
        done = attempt_over(transport, ModelConfig(model=f"{route}/m", api_base=server.url))

    assert isinstance(done.outcome, Failure)
    assert (done.outcome.kind, done.may_retry, done.unknown_charge) == ("answer", True, True)
    assert (done.charge.prompt_tokens, done.charge.completion_tokens) == (10, 20)


@on_each_route
@pytest.mark.parametrize("usage", [{"prompt_tokens": 10, "completion_tokens": 20}, None])
@pytest.mark.parametrize(
    ("choice", "status"),
    [
        ({"error": BROKEN, "finish_reason": "error"}, 502),
        ({"error": BROKEN, "message": {"role": "assistant", "content": ""}, "finish_reason": "stop"}, 502),
        ({"error": BROKEN, "message": VERDICT_MESSAGE, "finish_reason": "error"}, 502),
        ({"error": "It broke.", "message": VERDICT_MESSAGE}, None),
        ({"message": VERDICT_MESSAGE, "finish_reason": "error"}, None),
    ],
    ids=["no message", "no text", "a verdict", "as text", "only a finish reason"],
)
def test_an_error_inside_a_choice_is_an_error_that_is_retried_and_may_have_been_charged(
    transport: Transport, route: str, choice: Any, status: int | None, usage: Any
) -> None:
    with giving(Response(completion_with(choices=[{"index": 0, **choice}], usage=usage))) as server:
        done = attempt_over(transport, ModelConfig(model=f"{route}/m", api_base=server.url))

    assert isinstance(done.outcome, Failure)
    assert (done.outcome.kind, done.outcome.status) == ("server", status)
    assert (done.may_retry, done.unknown_charge) == (True, True)
    assert done.charge.completion_tokens == (usage and 20)


@on_each_route
def test_a_filters_error_inside_a_choice_is_a_refusal_with_its_tokens(
    transport: Transport, route: str
) -> None:
    choice = {"index": 0, "error": {"message": "The prompt was flagged by moderation.", "code": 403}}
    price = Price(input_per_million=1_000_000, output_per_million=1_000_000)
    with giving(Response(completion_with(choices=[choice | {"message": VERDICT_MESSAGE}]))) as server:
        config = ModelConfig(model=f"{route}/m", api_base=server.url, price=price)
        reply = outcome(transport, config)

    assert isinstance(reply, Reply)
    assert (reply.refused, reply.text) == (True, "")
    assert reply.cost_usd == pytest.approx(10 + 20)


@on_each_route
@pytest.mark.parametrize("content", ["", None, VERDICT])
@pytest.mark.parametrize("reason", ["content_filter: SAFETY", "content_filter: PROHIBITED_CONTENT", "SAFETY"])
def test_geminis_words_for_a_filter_are_a_refusal(
    transport: Transport, route: str, reason: str, content: str | None
) -> None:
    body = completion_with({"role": "assistant", "content": content}, finish_reason=reason)
    with giving(Response(body)) as server:
        reply = outcome(transport, ModelConfig(model=f"{route}/m", api_base=server.url))

    assert isinstance(reply, Reply)
    assert (reply.refused, reply.finish_reason) == (True, "content_filter")


@on_each_route
@pytest.mark.parametrize("reason", ["length: MAX_TOKENS", "model_length", "MAX_TOKENS"])
def test_other_words_for_the_token_limit_make_the_answer_cut_off(
    transport: Transport, route: str, reason: str
) -> None:
    body = completion_with(VERDICT_MESSAGE, finish_reason=reason)
    with giving(Response(body)) as server:
        reply = outcome(transport, ModelConfig(model=f"{route}/m", api_base=server.url))

    assert isinstance(reply, Reply)
    assert (reply.finish_reason, reply.shortfall) == ("length", "cut_off")
