"""One call: its answer, its retries, and when it is given up."""

import asyncio
import logging

import pytest
from loopback import Loopback, Response, completion_with, giving

from engine.collect.calls import Failure, Reply
from engine.collect.client.model_client import CallOutcome, Models
from engine.collect.client.provider_errors import REMEDIES
from engine.collect.configuration.config import ModelConfig, Price
from engine.errors import UsageError

from .asking import QUESTION, ask, ask_all, logged, model_on

ROUTES = ("openai", "hosted_vllm")
OK = Response(completion_with())
NO_KEY = Response({"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}}, 401)


@pytest.mark.parametrize("route", ROUTES)
def test_transient_failures_are_retried_and_reported(server: Loopback, route: str) -> None:
    with logged(logging.INFO) as lines:
        reply, calls = ask(model_on(server.url, f"{route}/429-date,500,reset,half"))

    assert isinstance(reply, Reply)
    assert reply.text == '{"outcome": "A is better"}'
    kinds = ["rate_limit", "server", "connection", "answer"]
    assert lines == [f"model 'm' is called again after: {kind}" for kind in kinds]
    assert calls == server.calls == 5


def test_a_hanging_call_times_out_and_is_retried(server: Loopback) -> None:
    with logged(logging.INFO) as lines:
        reply, calls = ask(model_on(server.url, "openai/hang"), timeout_s=0.3)

    assert isinstance(reply, Reply)
    assert lines == ["model 'm' is called again after: timeout"]
    assert calls == server.calls == 2


def test_a_call_that_always_hangs_reports_the_time_waited(server: Loopback) -> None:
    failure, calls = ask(model_on(server.url, "openai/hang*"), timeout_s=0.3, retries=1)

    assert failure == Failure("timeout", "model 'm': no answer within 0.3 s")
    assert calls == server.calls == 2


def test_a_persistent_failure_is_final_after_the_last_try(server: Loopback) -> None:
    failure, calls = ask(model_on(server.url, "openai/503*"), retries=3)

    assert failure == Failure(
        "server",
        "model 'm': the server is overloaded (HTTP 503): The engine is overloaded. "
        f"({REMEDIES['overloaded']})",
        503,
        "overloaded",
    )
    assert calls == server.calls == 4


def test_a_refused_request_is_not_retried_and_the_model_stays_usable(server: Loopback) -> None:
    outcomes = ask_all({"m": model_on(server.url, "openai/400*")}, ["m", "m"])

    assert [outcome.kind for outcome, _ in outcomes if isinstance(outcome, Failure)] == ["request", "request"]
    assert server.calls == 2


@pytest.mark.parametrize(
    ("word", "kind", "words"),
    [
        ("401", "key", "the key was refused (HTTP 401)"),
        ("403", "key", "the key was refused (HTTP 403)"),
        ("404", "model", "the server does not know this model (HTTP 404)"),
        ("quota", "key", "no credit left"),
    ],
)
def test_a_refused_key_or_name_stops_that_model_alone(
    server: Loopback, word: str, kind: str, words: str
) -> None:
    configs = {"bad": model_on(server.url, f"openai/{word}*"), "good": model_on(server.url)}

    outcomes = ask_all(configs, ["bad", "bad", "good"])

    first, second, third = (outcome for outcome, _ in outcomes)
    assert isinstance(first, Failure)
    assert first.kind == kind
    assert words in first.message
    assert second == first
    assert isinstance(third, Reply)
    assert [calls for _, calls in outcomes] == [1, 0, 1]
    assert server.calls == 2


def test_an_absent_server_counts_as_a_broken_connection() -> None:
    failure, calls = ask(model_on("http://127.0.0.1:9/v1"), retries=1)

    assert isinstance(failure, Failure)
    assert failure.kind == "connection"
    assert calls == 2


def test_the_wait_is_what_the_server_asks_for_up_to_a_maximum(server: Loopback) -> None:
    waits = []

    async def measure() -> None:
        models = Models({"m": model_on(server.url)}, longest_wait_s=60)
        for word in ("429-after", "429-long", "500"):
            with pytest.raises(Exception, match="model") as error:
                await models_try(word)
            waits.append(models._wait(error.value))
        await models.aclose()

    async def models_try(word: str) -> None:
        from engine.collect.client.litellm_errors import AttemptError

        async with Models({"m": model_on(server.url, f"openai/{word}")}) as models:
            attempt = await models.servers.request("m", QUESTION, {})
        assert isinstance(attempt.outcome, Failure)
        raise AttemptError(attempt.outcome, attempt.wait_s)

    asyncio.run(measure())

    assert 1 <= waits[0] <= 2  # a second, and up to another so that calls do not return all at once
    assert waits[1] == 60
    assert waits[2] is True  # as long as the backoff says


def test_a_limit_on_alternatives_is_remembered_for_later_calls(server: Loopback) -> None:
    configs = {"m": model_on(server.url, "openai/400-top*")}

    with logged() as notices:
        outcomes = ask_all(configs, ["m", "m"], logprobs=True)

    assert [calls for _, calls in outcomes] == [2, 1]
    assert all(isinstance(reply, Reply) and reply.first_token for reply, _ in outcomes)
    assert [seen.parameters["top_logprobs"] for seen in server.requests] == [20, 5, 5]
    assert notices == ["model 'm' takes 5 top_logprobs at most"]


def test_a_refused_temperature_is_omitted_and_reported_once(server: Loopback) -> None:
    config = model_on(server.url, "openai/400-temperature*", params={"temperature": 0.0, "max_tokens": 9})

    with logged() as notices:
        outcomes = ask_all({"m": config}, ["m", "m"])

    assert [calls for _, calls in outcomes] == [2, 1]
    assert all(isinstance(reply, Reply) for reply, _ in outcomes)
    assert ["temperature" in seen.parameters for seen in server.requests] == [True, False, False]
    assert all(seen.parameters["max_tokens"] == 9 for seen in server.requests)
    assert notices == ["model 'm' does not accept 'temperature'; it is not sent"]


def test_a_temperature_that_litellm_knows_to_be_refused_is_omitted_from_the_start(
    server: Loopback,
) -> None:
    through_litellm = {"allowed_openai_params": []}
    config = model_on(server.url, "openai/o3-mini", params={"temperature": 0.3, **through_litellm})

    with logged() as notices:
        reply, calls = ask(config)

    assert isinstance(reply, Reply)
    assert calls == server.calls == 1
    assert notices == ["model 'm' does not accept 'temperature'; it is not sent"]


def test_parameters_that_are_set_elsewhere_are_refused_by_name() -> None:
    config = ModelConfig(model="openai/ok", params={"num_retries": 3})

    with pytest.raises(UsageError, match=r"models\.m\.params: 'num_retries' is not a parameter of the model"):
        Models({"m": config})


def test_a_model_outside_the_run_is_refused_with_the_choices(server: Loopback) -> None:
    with pytest.raises(UsageError, match="unknown model 'n'; choose from: m"):
        ask_all({"m": model_on(server.url)}, ["n"])


def test_many_concurrent_calls_are_each_answered_once_despite_failures() -> None:
    from loopback import Script, serving

    async def ask_together(url: str) -> list[int]:
        free = Price(input_per_million=0, output_per_million=0)  # so that it is not given up
        configs = {"m": model_on(url, "openai/steady", price=free)}
        async with Models(configs, retries=8, timeout_s=10) as models:
            questions = [[{"role": "user", "content": f"Question {number}."}] for number in range(80)]
            outcomes = await asyncio.gather(*(models.ask("m", question) for question in questions))
        assert all(isinstance(outcome, Reply) for outcome, _ in outcomes)
        return [calls for _, calls in outcomes]

    with serving(Script(share=0.3, seed=7)) as server:
        calls = asyncio.run(ask_together(server.url))

    assert len(server.answers) == 80
    assert set(server.answers.values()) == {1}
    assert sum(calls) == server.calls > 96  # 0.3 + 0.09 + ... of 80 on top


@pytest.mark.parametrize("word", ["401*", "404*"])
def test_a_wrong_key_or_name_costs_one_request_however_many_calls_are_queued(
    server: Loopback, word: str
) -> None:
    async def ask_together() -> list[CallOutcome]:
        async with Models({"m": model_on(server.url, f"openai/{word}")}, timeout_s=10) as models:
            questions = [[{"role": "user", "content": f"Question {number}."}] for number in range(50)]
            return await asyncio.gather(*(models.ask("m", question) for question in questions))

    answers = asyncio.run(ask_together())

    assert server.calls == sum(each.calls for each in answers) == 1
    assert all(isinstance(each.outcome, Failure) for each in answers)


def test_a_status_in_retry_on_is_retried_before_the_model_is_given_up(server: Loopback) -> None:
    config = model_on(server.url, "openai/403,404,ok")

    usual, patient = ask(config), ask(config, retry_on=[403, 404])

    assert isinstance(usual.outcome, Failure)
    assert usual.outcome.kind == "key"
    assert isinstance(patient.outcome, Reply)


def test_a_status_in_retry_on_stops_the_model_once_its_retries_are_used_up(server: Loopback) -> None:
    answers = ask_all({"m": model_on(server.url, "openai/404*")}, ["m", "m"], retry_on=[404], retries=2)

    assert [answer.calls for answer in answers] == [3, 0]
    assert {each.outcome.kind for each in answers if isinstance(each.outcome, Failure)} == {"model"}


@pytest.mark.parametrize("word", ["401", "403", "404"])
def test_a_refused_key_or_name_among_answers_is_asked_again(server: Loopback, word: str) -> None:
    answers = ask_all({"m": model_on(server.url, f"openai/ok,{word},ok")}, ["m"] * 3, first_wait_s=0.01)

    assert all(isinstance(each.outcome, Reply) for each in answers)
    assert sum(each.calls for each in answers) == server.calls == 4


def test_a_prompt_whose_key_is_refused_among_answers_fails_alone() -> None:
    with giving(OK, NO_KEY, NO_KEY, NO_KEY, OK) as server:
        answers = ask_all({"m": model_on(server.url)}, ["m"] * 3, first_wait_s=0.01)

    kinds = [getattr(each.outcome, "kind", "answered") for each in answers]
    assert kinds == ["answered", "request", "answered"]
    assert [each.calls for each in answers] == [1, 3, 1]


def test_a_key_that_is_withdrawn_on_the_way_gives_the_model_up_after_three_calls() -> None:
    with giving(OK, NO_KEY) as server:
        answers = ask_all({"m": model_on(server.url)}, ["m"] * 6, first_wait_s=0.01)

    kinds = [getattr(each.outcome, "kind", "answered") for each in answers]
    assert kinds == ["answered", "request", "request", "key", "key", "key"]
    assert [each.calls for each in answers] == [1, 3, 3, 3, 0, 0]


def test_a_parameter_that_every_call_is_refused_for_stops_the_model_after_three() -> None:
    with giving(Response({"error": {"message": "Unknown parameter: 'thinking_level'."}}, 400)) as server:
        answers = ask_all({"m": model_on(server.url, params={"thinking_level": "x"})}, ["m"] * 5)

    assert [each.calls for each in answers] == [1, 1, 1, 0, 0]
    assert [each.outcome.kind for each in answers if isinstance(each.outcome, Failure)] == [
        "request", "request", "model", "model", "model",
    ]  # fmt: skip
    assert isinstance(answers[-1].outcome, Failure)
    assert REMEDIES["bad_parameter"] in answers[-1].outcome.message


def test_a_parameter_refused_for_some_calls_only_stops_nothing() -> None:
    refusal = Response({"error": {"message": "Invalid max_tokens for this prompt."}}, 400)
    with giving(OK, refusal) as server:
        answers = ask_all({"m": model_on(server.url)}, ["m"] * 5)

    assert [each.calls for each in answers] == [1] * 5


def test_a_quota_with_a_time_to_wait_is_waited_for_and_uses_up_no_retry() -> None:
    words = {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}
    soon = Response(words, 429, headers={"retry-after": "0"})
    with giving(soon, soon, OK) as server:
        (answer,) = ask_all({"m": model_on(server.url)}, ["m"], retries=0)

    assert isinstance(answer.outcome, Reply)
    assert answer.calls == 3
