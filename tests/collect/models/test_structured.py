"""Answers constrained by a JSON schema, if the server accepts one."""

import asyncio
from typing import Any

import pytest
from loopback import Response, completion_with, giving
from loopback.responses import ResponseServer

from engine.collect.calls import Failure, Reply
from engine.collect.client.model_client import Models

from .asking import QUESTION, logged, model_on

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
OK = Response(completion_with())
LITELLM = {"ssl_verify": True}
"""A parameter that means something to litellm alone, so that the model is asked through it."""


def refused(words: str) -> Response:
    return Response({"error": {"message": words, "type": "invalid_request_error", "code": None}}, 400)


def ask(server: ResponseServer, calls: int = 1, **fields: Any) -> tuple[list[Reply | Failure], list[str]]:
    """Ask `calls` times; return the outcomes and the notes about the model."""

    async def ask_in_turn() -> list[Reply | Failure]:
        configs = {"m": model_on(server.url, "openai/m", **fields)}
        async with Models(configs, timeout_s=10, first_wait_s=0.01) as models:
            return [(await models.ask("m", QUESTION, schema=SCHEMA)).outcome for _ in range(calls)]

    with logged() as notices:
        return asyncio.run(ask_in_turn()), notices


def has_schema(server: ResponseServer) -> list[bool]:
    """Return whether each request asked for the schema."""
    formats = [body.get("response_format") for body in server.bodies]
    assert all(each is None or each["json_schema"]["schema"] == SCHEMA for each in formats)
    return [each is not None for each in formats]


def test_a_server_that_accepts_a_schema_gets_it_with_every_call() -> None:
    with giving(OK) as server:
        outcomes, notices = ask(server, 2)

    assert has_schema(server) == [True, True]
    assert [isinstance(each, Reply) and each.structured for each in outcomes] == [True, True]
    assert notices == []


@pytest.mark.parametrize(
    "words",
    [
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "This response_format type is unavailable now",
        "guided decoding is disabled",
        "Bad request",  # ambiguous: the answer without a schema decides
    ],
)
def test_after_refusing_a_schema_a_server_is_never_sent_one_again(words: str) -> None:
    with giving(refused(words), OK) as server:
        outcomes, notices = ask(server, 3)

    assert has_schema(server) == [True, False, False, False]
    assert [isinstance(each, Reply) and not each.structured for each in outcomes] == [True, True, True]
    assert [("'m'" in each, "JSON schema" in each) for each in notices] == [(True, True)]


def test_a_request_that_also_fails_without_a_schema_is_not_evidence_about_schemas() -> None:
    with giving(refused("Bad request"), refused("Bad request"), OK) as server:
        outcomes, notices = ask(server, 2)

    assert has_schema(server) == [True, False, True]
    assert isinstance(outcomes[0], Failure)
    assert isinstance(outcomes[1], Reply)
    assert outcomes[1].structured
    assert notices == []


@pytest.mark.parametrize("words", ["maximum context length is 4096 tokens", "the model `m` does not exist"])
def test_a_refusal_with_another_stated_cause_is_not_retried_without_a_schema(words: str) -> None:
    with giving(refused(words)) as server:
        ask(server)

    assert has_schema(server) == [True]


def test_always_sends_the_schema_even_through_litellm_and_a_refusal_is_an_error() -> None:
    words = "response_format: json_schema is not supported"
    for params in ({}, LITELLM):
        with giving(OK, refused(words)) as server:
            outcomes, notices = ask(server, 2, structured="always", params=params)

        assert has_schema(server) == [True, True]
        assert isinstance(outcomes[0], Reply)
        assert outcomes[0].structured
        assert isinstance(outcomes[1], Failure)
        assert words in outcomes[1].message
        assert notices == []


@pytest.mark.parametrize("fields", [{"structured": "never"}, {"params": LITELLM}])
def test_no_schema_is_sent_if_it_is_off_or_the_call_goes_through_litellm(fields: dict[str, Any]) -> None:
    with giving(OK) as server:
        outcomes, _ = ask(server, **fields)

    assert has_schema(server) == [False]
    assert isinstance(outcomes[0], Reply)
    assert not outcomes[0].structured


def test_the_users_response_format_precedes_ours() -> None:
    with giving(OK) as server:
        ask(server, params={"response_format": {"type": "json_object"}})

    assert server.bodies[0]["response_format"] == {"type": "json_object"}


def failed(words: str) -> Response:
    return Response({"error": {"message": words, "type": "server_error", "code": None}}, 500)


def test_a_server_that_fails_on_a_schema_is_called_without_one_from_then_on() -> None:
    with giving(failed("grammar compilation failed"), OK) as server:
        outcomes, notices = ask(server, 2)

    assert has_schema(server) == [True, False, False]
    assert all(isinstance(each, Reply) for each in outcomes)
    assert [("'m'" in each, "JSON schema" in each) for each in notices] == [(True, True)]


def test_a_server_that_breaks_twice_without_saying_why_is_tried_without_a_schema() -> None:
    broken = failed("Internal Server Error")
    with giving(broken, broken, OK) as server:
        outcomes, notices = ask(server, 2)

    assert has_schema(server) == [True, True, False, False]
    assert all(isinstance(each, Reply) for each in outcomes)
    assert ["JSON schema" in each for each in notices] == [True]


def test_a_server_that_breaks_without_a_schema_too_is_sent_one_again() -> None:
    broken = failed("Internal Server Error")
    with giving(broken, broken, broken, OK) as server:
        outcomes, notices = ask(server, 2)

    assert has_schema(server) == [True, True, False, True, True]
    assert all(isinstance(each, Reply) and each.structured for each in outcomes)
    assert notices == []


def test_a_server_that_accepted_a_schema_before_keeps_it_through_an_outage() -> None:
    broken = failed("Internal Server Error")
    with giving(OK, broken, broken, broken, OK) as server:
        ask(server, 2)

    assert has_schema(server) == [True] * 5
