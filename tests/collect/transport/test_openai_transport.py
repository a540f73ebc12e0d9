"""Our own transport: which models it serves, where it sends calls, what it reports of an attempt."""

import asyncio
import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, Response, Script, completion_with, giving, serving

from engine.collect.calls import Failure, Reply
from engine.collect.client.model_client import Models
from engine.collect.client.openai_requests import OPENAI, make_endpoint
from engine.collect.client.openai_transport import LONGEST_BODY, Attempt, OpenAITransport
from engine.collect.configuration.chat_protocol import serves
from engine.collect.configuration.config import ModelConfig
from engine.collect.limits.rate_limits import Allowance, RateLimits
from engine.errors import UsageError

from .attempts import QUESTION, attempt, attempts

ROOT = Path(__file__).parents[3]
ADDRESS = "http://127.0.0.1:9/v1"
ERROR = {"error": {"message": "It broke.", "type": "error", "code": None}}


def error_400(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": "max_tokens"}}


@pytest.mark.parametrize(
    ("model", "api_base", "served"),
    [
        ("openai/gpt-4o-mini", None, True),
        ("openai/m", ADDRESS, True),
        ("openai/Qwen/Qwen3-8B", ADDRESS, True),
        ("hosted_vllm/m", ADDRESS, True),
        ("hosted_vllm/m", None, False),  # litellm reads its address from another variable
        ("openai/responses/gpt-4o", ADDRESS, False),
        ("openai/o3-pro", None, False),
        ("openai/gpt-5-codex", "https://api.openai.com/v1", False),
        ("openai/gpt-5-pro", ADDRESS, True),  # the server's own name for something
        ("openai/gpt-3.5-turbo-instruct", None, False),
        ("openai/ft:babbage-002:us", None, False),
        ("anthropic/claude", None, False),
        ("azure/gpt-4o", ADDRESS, False),
        ("simulated/m", None, False),
        ("gpt-4o-mini", None, False),
        ("openai/", None, False),
    ],
)
def test_servers_with_openais_protocol_are_supported(model: str, api_base: str | None, served: bool) -> None:
    assert serves(model, api_base) is served


def test_calls_with_litellm_parameters_go_through_litellm() -> None:
    assert not serves("openai/m", ADDRESS, {"temperature": 0.0, "drop_params": True, "api_version": "1"})
    assert serves("openai/m", ADDRESS, {"temperature": 0.0, "seed": 1})


@pytest.mark.parametrize(
    ("api_base", "url"),
    [
        ("http://h:8000/v1", "http://h:8000/v1/chat/completions"),
        ("http://h:8000/v1/", "http://h:8000/v1/chat/completions"),
        ("http://h:8000/v1/chat/completions", "http://h:8000/v1/chat/completions"),
        ("https://h/a%20b?version=2", "https://h/a%20b/chat/completions?version=2"),
    ],
)
def test_calls_go_to_the_configured_address(api_base: str, url: str) -> None:
    assert str(make_endpoint("m", ModelConfig(model="openai/m", api_base=api_base)).url) == url


def test_calls_without_an_address_go_to_openai_or_the_address_in_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)

    usual = make_endpoint("m", ModelConfig(model="openai/m"))
    monkeypatch.setenv("OPENAI_BASE_URL", "https://eu.api.openai.com/v1")
    other = make_endpoint("m", ModelConfig(model="openai/m"))

    assert str(usual.url) == f"{OPENAI}/chat/completions"
    assert str(other.url) == "https://eu.api.openai.com/v1/chat/completions"
    assert usual.key_variable == "OPENAI_API_KEY"


@pytest.mark.parametrize("api_base", ["localhost:8000/v1", "ftp://h/v1", "h", "http://", "http://[::1", " "])
def test_an_invalid_address_is_named_before_the_first_call(api_base: str) -> None:
    with pytest.raises(
        UsageError, match=r"models\.m\.api_base: .* is not the address of a server; write it like"
    ):
        OpenAITransport({"m": ModelConfig(model="openai/m", api_base=api_base)})


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError, match="must not contain a user name or password") as error:
        OpenAITransport({"m": ModelConfig(model="openai/m", api_base="http://me:hidden@h/v1")})

    assert "hidden" not in str(error.value)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"penalty": float("nan")}, r"models\.m\.params\.penalty: nan cannot be sent"),
        ({"until": Path()}, r"models\.m\.params\.until: .* cannot be sent"),
        ({"extra_body": [1]}, r"models\.m\.params\.extra_body: \[1\] is not a table of names"),
        ({"extra_headers": "x"}, r"models\.m\.params\.extra_headers: 'x' is not a table of names"),
    ],
)
def test_parameters_that_cannot_be_sent_are_named_before_the_first_call(
    params: dict[str, Any], words: str
) -> None:
    config = ModelConfig(model="openai/m", api_base=ADDRESS).model_copy(
        update={"params": ModelConfig(model="m").params.model_copy(update=params)}
    )

    with pytest.raises(UsageError, match=words):
        OpenAITransport({"m": config})


def test_an_unset_key_is_named_and_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    done = attempt(ModelConfig(model="openai/gpt-4o-mini"))

    assert isinstance(done.outcome, Failure)
    assert (done.outcome.kind, done.requests) == ("key", 0)
    assert "environment variable OPENAI_API_KEY, which is not set" in done.outcome.message


def test_the_key_is_read_at_each_call_without_a_trailing_newline(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPB_TEST_KEY", "first-of-two-keys\n")
    config = ModelConfig(model="openai/ok", api_base=server.url, api_key_env="SPB_TEST_KEY")

    attempt(config)
    monkeypatch.setenv("SPB_TEST_KEY", "second-of-two-keys")
    attempt(config)

    assert server.keys == {"first-of-two-keys", "second-of-two-keys"}


def test_custom_headers_are_sent() -> None:
    params = {"extra_headers": {"x-team": "judges"}}
    with giving(Response(completion_with())) as server:
        attempt(ModelConfig(model="openai/m", api_base=server.url, params=params))

    assert server.heads[0]["x-team"] == "judges"
    assert server.bodies == [{"model": "m", "messages": QUESTION}]


def test_a_redirect_to_another_server_is_not_followed_with_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPB_TEST_KEY", "key-for-one-address")
    with giving(Response(completion_with())) as other:
        redirect = Response(status=307, headers={"location": f"{other.url}/chat/completions"})
        with giving(redirect) as server:
            config = ModelConfig(model="openai/m", api_base=server.url, api_key_env="SPB_TEST_KEY")
            failure = attempt(config).outcome

    assert isinstance(failure, Failure)
    assert (failure.kind, failure.status, failure.cause) == ("model", 307, "wrong_address")
    assert f"it points to {other.url}" in failure.message
    assert other.calls == 0


def test_a_token_limit_required_under_its_new_name_is_renamed_from_then_on() -> None:
    words = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    config = ModelConfig(model="openai/m", params={"max_tokens": 5})
    with giving(Response(error_400(words), 400), Response(completion_with())) as server:
        done = attempts(config.model_copy(update={"api_base": server.url}), 2)

    assert [each.requests for each in done] == [2, 1]
    assert all(isinstance(each.outcome, Reply) for each in done)
    limits = [
        {name: body[name] for name in ("max_tokens", "max_completion_tokens") if name in body}
        for body in server.bodies
    ]
    assert limits == [{"max_tokens": 5}, {"max_completion_tokens": 5}, {"max_completion_tokens": 5}]


def test_concurrent_calls_each_learn_the_new_name() -> None:
    refusal = Response(error_400("Use 'max_completion_tokens' instead of 'max_tokens'."), 400)

    async def ask_together(url: str) -> list[Attempt]:
        config = ModelConfig(model="openai/m", api_base=url)
        async with OpenAITransport({"m": config}) as transport:
            calls = (transport.complete("m", QUESTION, {"max_tokens": 5}) for _ in range(3))
            return await asyncio.gather(*calls)

    with giving(refusal, refusal, refusal, Response(completion_with())) as server:
        done = asyncio.run(ask_together(server.url))

    assert all(isinstance(each.outcome, Reply) for each in done)
    assert sum(each.requests for each in done) == server.calls == 6


def test_an_attempt_reports_the_rate_limit_headers_even_if_it_succeeds() -> None:
    headers = {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6m0s",
    }
    with giving(Response(completion_with(), headers=headers)) as server:
        limits = attempt(ModelConfig(model="openai/m", api_base=server.url)).limits

    assert limits == RateLimits(None, Allowance(59, 60, 1), Allowance(149_984, 150_000, 360))


def test_the_wait_is_read_in_milliseconds_if_the_server_gives_them() -> None:
    refused = Response(ERROR, 429, {"retry-after": "2", "retry-after-ms": "1250"})
    with giving(refused) as server:
        done = attempt(ModelConfig(model="openai/m", api_base=server.url))

    assert (done.may_retry, done.wait_s) == (True, 1.25)


def test_a_refused_request_is_not_retried_whatever_the_headers_say() -> None:
    with giving(Response(ERROR, 400, {"retry-after": "2"})) as server:
        done = attempt(ModelConfig(model="openai/m", api_base=server.url))

    assert (done.may_retry, done.wait_s) == (False, None)


@pytest.mark.parametrize(
    ("word", "unknown"),
    [("500", False), ("429", False), ("reset", True), ("half", True), ("bad-json", True), ("ok", False)],
)
def test_an_interrupted_call_may_have_been_charged_for(server: Loopback, word: str, unknown: bool) -> None:
    done = attempt(ModelConfig(model=f"openai/{word}", api_base=server.url))

    assert done.unknown_charge is unknown


def test_an_unconnected_call_costs_nothing_and_names_the_address() -> None:
    done = attempt(ModelConfig(model="openai/m", api_base=ADDRESS))

    assert isinstance(done.outcome, Failure)
    assert (done.outcome.kind, done.unknown_charge) == ("connection", False)
    assert done.outcome.message == (
        "model 'm': cannot connect to http://127.0.0.1:9: Connection refused (check that a server runs there)"
    )
    assert done.outcome.cause == "unreachable"


def test_a_response_without_a_choice_is_no_answer_and_may_have_cost_something(server: Loopback) -> None:
    done = attempt(ModelConfig(model="openai/no-choices", api_base=server.url))

    assert isinstance(done.outcome, Failure)
    assert done.outcome.kind == "answer"
    assert "it has no choice" in done.outcome.message
    assert done.may_retry
    assert done.unknown_charge


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}, "the prompt was blocked: SAFETY"),
        (
            {
                "choices": [],
                "prompt_filter_results": [
                    {"content_filter_results": {"hate": {"filtered": False}, "violence": {"filtered": True}}}
                ],
            },
            "the prompt was filtered: violence",
        ),
    ],
)
def test_a_response_without_a_choice_whose_prompt_was_filtered_is_a_refusal(body: object, words: str) -> None:
    with giving(Response(body)) as server:
        reply = attempt(ModelConfig(model="openai/m", api_base=server.url)).outcome

    assert isinstance(reply, Reply)
    assert reply.refused
    assert reply.refusal == words


def test_a_body_that_unpacks_beyond_the_limit_is_not_read() -> None:
    packed = gzip.compress(b" " * (LONGEST_BODY + 1))
    with giving(Response(packed, headers={"content-encoding": "gzip"})) as server:
        failure = attempt(ModelConfig(model="openai/m", api_base=server.url)).outcome

    assert isinstance(failure, Failure)
    assert failure.kind == "answer"
    assert "more than 16,777,216 bytes" in failure.message


@pytest.mark.parametrize("body", [b"", b"null", b"7", b'"Yes."', b"\xff\xfe", b"[" * 100_000])
def test_a_body_that_is_not_an_object_is_a_failure_with_a_message(body: bytes) -> None:
    with giving(Response(body)) as server:
        failure = attempt(ModelConfig(model="openai/m", api_base=server.url)).outcome

    assert isinstance(failure, Failure)
    assert failure.kind == "answer"


def test_undecodable_bytes_and_newlines_within_text_do_not_hide_the_answer() -> None:
    whole = completion_with({"content": "Yes|."})
    body = Response(whole).content.replace(b"|", b"\xff\n")
    with giving(Response(b"\xef\xbb\xbf" + body)) as server:
        reply = attempt(ModelConfig(model="openai/m", api_base=server.url)).outcome

    assert isinstance(reply, Reply)
    assert reply.text == "Yes\ufffd\n."


def test_a_prompt_with_a_lone_surrogate_is_still_sent() -> None:
    half = [{"role": "user", "content": "é \ud83d"}]
    with giving(Response(completion_with())) as server:
        done = attempt(ModelConfig(model="openai/m", api_base=server.url), messages=half)

    assert isinstance(done.outcome, Reply)
    assert server.bodies[0]["messages"] == half


def test_no_text_of_a_transport_shows_a_key(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPB_TEST_KEY", "a-key-of-ours-12345")
    config = ModelConfig(model="openai/401", api_base=server.url, api_key_env="SPB_TEST_KEY")

    done = attempt(config)

    assert server.keys == {"a-key-of-ours-12345"}
    assert "check the key in the environment variable SPB_TEST_KEY" in str(done.outcome)
    assert "a-key-of-ours" not in f"{done!r} {OpenAITransport({'m': config})!r}"


def test_hundreds_of_concurrent_calls_are_each_answered_once() -> None:
    async def ask_together(url: str) -> list[Reply | Failure]:
        config = ModelConfig(model="openai/steady", api_base=url)
        async with OpenAITransport({"m": config}, timeout_s=20) as transport:
            questions = [[{"role": "user", "content": f"Question {number}."}] for number in range(300)]
            done = await asyncio.gather(*(transport.complete("m", each, {}) for each in questions))
        return [each.outcome for each in done]

    with serving(Script()) as server:
        outcomes = asyncio.run(ask_together(server.url))

    assert all(isinstance(each, Reply) for each in outcomes)
    assert set(server.answers.values()) == {1}
    assert len(server.answers) == 300


def test_a_call_does_not_import_litellm(server: Loopback) -> None:
    program = (
        "import asyncio, sys\n"
        "from engine.collect.client.openai_transport import OpenAITransport\n"
        "from engine.collect.configuration.config import ModelConfig\n"
        "async def ask():\n"
        f"    config = ModelConfig(model='openai/ok', api_base='{server.url}')\n"
        "    async with OpenAITransport({'m': config}) as transport:\n"
        "        return await transport.complete('m', [{'role': 'user', 'content': 'outcome?'}], {})\n"
        "print(asyncio.run(ask()).outcome.text)\n"
        "sys.exit('litellm' in sys.modules or 'openai' in sys.modules)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, '{"outcome": "A is better"}\n', "")


def test_no_more_connections_are_open_than_calls_may_be_under_way() -> None:
    async def ask(url: str) -> list[Attempt]:
        config = ModelConfig(model="openai/ok", api_base=url)
        async with OpenAITransport({"m": config}, connections=3) as transport:
            return await asyncio.gather(*(transport.complete("m", QUESTION, {}) for _ in range(12)))

    with serving(delay_s=0.05) as slow:
        done = asyncio.run(ask(slow.url))

    assert all(isinstance(each.outcome, Reply) for each in done)
    assert slow.most_in_flight <= 3


@pytest.mark.parametrize(("ceiling", "connections"), [(4, 8), (None, 1_024)])
def test_a_run_opens_as_many_connections_as_its_concurrency_allows_for_each_provider(
    ceiling: int | None, connections: int
) -> None:
    addresses = {"a": "http://127.0.0.1:1/v1", "b": "http://127.0.0.1:1/v1", "c": "http://127.0.0.1:2/v1"}
    configs = {name: ModelConfig(model=f"openai/{name}", api_base=url) for name, url in addresses.items()}

    assert Models(configs, ceiling=ceiling).servers.connections == connections
