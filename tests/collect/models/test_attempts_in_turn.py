"""One attempt at a model's server, with the requests themselves replaced by given outcomes."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from engine.collect.calls import Failure, Message, Reply
from engine.collect.client.model_servers import ModelServers
from engine.collect.client.openai_transport import Attempt
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.limits.pacing import Turn
from engine.collect.limits.rate_limits import RateLimits

QUESTION: list[Message] = [{"role": "user", "content": "Which?"}]
SCHEMA = {"type": "object"}
OK = Attempt(Reply("A", prompt_tokens=10, completion_tokens=2))
SERVER_DOWN = Attempt(Failure("server", "down", 500), words="down")
TOO_MANY = Attempt(Failure("rate_limit", "too many", 429, "rate_limit"), limits=RateLimits(wait_s=0.0))


def bad(words: str, cause: Any = None) -> Attempt:
    return Attempt(Failure("request", words, 400, cause), words=words)


class Requests:
    """Gives outcomes in turn, and records the parameters of each request."""

    def __init__(self, servers: ModelServers, outcomes: list[Attempt]) -> None:
        self.outcomes, self.sent = outcomes, list[dict[str, Any]]()
        self.likelihoods = 0
        servers.request = self.request  # type: ignore[method-assign]

    async def request(
        self,
        name: str,
        messages: list[Message],
        params: dict[str, Any],
        *,
        likelihood: bool = False,
        options: tuple[str, ...] = (),
    ) -> Attempt:
        assert (name, messages) == ("m", QUESTION)
        self.sent.append(params | ({"options": options} if options else {}))
        self.likelihoods += likelihood
        return self.outcomes.pop(0)


def servers_of(
    given_up: dict[str, Failure] | None = None, *, ceiling: int | None = None, **fields: Any
) -> ModelServers:
    config = ModelConfig(**({"model": "openai/x", "api_base": "http://127.0.0.1:9/v1"} | fields))
    return ModelServers(
        {"m": config}, lambda _: None, given_up or {}, timeout_s=5.0, ceiling=ceiling, patience_s=900.0
    )


def attempts(
    servers: ModelServers, outcomes: list[Attempt], calls: int = 1, **how: Any
) -> tuple[list[Attempt], Requests]:
    """Make some attempts; return what each ended with, and the requests."""
    requests = Requests(servers, outcomes)
    how = {"logprobs": False, "schema": SCHEMA} | how

    async def make() -> list[Attempt]:
        try:
            return [await servers.attempt("m", QUESTION, 7, **how) for _ in range(calls)]
        finally:
            await servers.aclose()

    return asyncio.run(make()), requests


def with_schema(requests: Requests) -> list[bool]:
    return ["response_format" in sent for sent in requests.sent]


def test_after_two_failures_with_a_schema_a_call_is_tried_without_and_remembered() -> None:
    servers = servers_of()

    ended, requests = attempts(servers, [SERVER_DOWN, SERVER_DOWN, OK, OK], calls=4)

    assert with_schema(requests) == [True, True, False, False]
    assert [each.outcome for each in ended[:2]] == [SERVER_DOWN.outcome] * 2
    assert isinstance(ended[2].outcome, Reply)
    assert not ended[2].outcome.structured
    assert len(servers.notes) == 1


def test_a_failure_without_a_schema_too_lets_the_next_call_have_one() -> None:
    _, requests = attempts(servers_of(), [SERVER_DOWN, SERVER_DOWN, SERVER_DOWN, OK, OK], calls=5)

    assert with_schema(requests) == [True, True, False, True, True]


def test_an_answer_with_a_schema_ends_the_doubt_about_it() -> None:
    servers = servers_of()

    ended, requests = attempts(servers, [SERVER_DOWN, OK, *[SERVER_DOWN] * 3], calls=5)

    assert with_schema(requests) == [True] * 5
    assert isinstance(ended[1].outcome, Reply)
    assert ended[1].outcome.structured
    assert servers.fallbacks["m"].failed_with_schema == 0
    assert servers.notes == []


@pytest.mark.parametrize("kind", ["server", "connection", "answer"])
def test_words_about_the_schema_end_it_at_once_unless_the_answer_may_be_charged(kind: Any) -> None:
    words = "the grammar is broken"
    failed = Attempt(Failure(kind, words, 500), words=words)
    charged = Attempt(Failure(kind, words, 500), words=words, unknown_charge=True)

    ended, requests = attempts(servers_of(), [failed, OK])
    once, after = attempts(servers_of(), [charged])

    assert with_schema(requests) == [True, False]
    assert (ended[0].requests, isinstance(ended[0].outcome, Reply)) == (2, True)
    assert (once[0].outcome, with_schema(after)) == (charged.outcome, [True])


@pytest.mark.parametrize("kind", ["timeout", "rate_limit", "key", "model"])
def test_other_failures_say_nothing_about_the_schema(kind: Any) -> None:
    servers = servers_of()
    failed = Attempt(Failure(kind, "no json schema"), words="no json schema")

    _, requests = attempts(servers, [failed] * 3, calls=3)

    assert with_schema(requests) == [True] * 3
    assert servers.fallbacks["m"].failed_with_schema == 0


def test_a_bad_request_is_made_once_more_without_the_schema_that_may_have_caused_it() -> None:
    servers = servers_of()

    ended, requests = attempts(servers, [bad("no"), bad("no"), bad("no"), OK, OK], calls=3)

    # The prompt was at fault, as it failed without the schema too; the second call shows the server's limits.
    assert with_schema(requests) == [True, False, True, False, False]
    assert ended[0].outcome == bad("no").outcome
    assert [each.requests for each in ended] == [2, 2, 1]
    assert len(servers.notes) == 1


@pytest.mark.parametrize("cause", ["context_length", "content_policy"])
def test_a_bad_request_with_another_cause_is_not_repeated(cause: Any) -> None:
    ended, requests = attempts(servers_of(), [bad("no", cause)])

    assert (ended[0].outcome, len(requests.sent)) == (bad("no", cause).outcome, 1)


def test_where_a_schema_is_always_wanted_it_is_never_left_out() -> None:
    servers = servers_of(structured="always")

    _, requests = attempts(servers, [bad("no json schema"), *[SERVER_DOWN] * 3], calls=4)

    assert with_schema(requests) == [True] * 4


@pytest.mark.parametrize(
    "fields",
    [
        {"structured": "never"},
        {"protocol": "completion"},
        {"params": {"response_format": {"type": "text"}}},
        {"model": "simulated/x", "api_base": None, "simulated": {}},
        {"model": "anthropic/x", "api_base": None},  # litellm would emulate it
    ],
)
def test_no_schema_is_sent_where_it_is_not_wanted_or_not_spoken(fields: dict[str, Any]) -> None:
    assert not servers_of(**fields).wants_schema("m")
    assert servers_of().wants_schema("m")


def test_without_a_schema_none_is_sent() -> None:
    _, requests = attempts(servers_of(), [OK], schema=None)

    assert with_schema(requests) == [False]


def test_a_refused_parameter_is_left_out_beside_the_schema() -> None:
    servers = servers_of(params={"temperature": 0.0})
    refusal = bad("temperature is not supported")

    ended, requests = attempts(servers, [refusal, OK], logprobs=True)

    assert [sorted(sent) for sent in requests.sent] == [
        ["logprobs", "response_format", "temperature", "top_logprobs"],
        ["logprobs", "response_format", "top_logprobs"],
    ]
    assert ended[0].requests == 2
    assert servers.notes == ["model 'm' does not accept 'temperature'; it is not sent"]


def test_a_call_refused_for_too_many_waits_for_another_turn() -> None:
    ended, requests = attempts(servers_of(), [TOO_MANY, OK])

    assert (len(requests.sent), ended[0].requests) == (2, 2)
    assert isinstance(ended[0].outcome, Reply)


def test_the_options_of_a_continuation_are_sent_with_it() -> None:
    _, requests = attempts(servers_of(protocol="completion"), [OK], logprobs=("A", "B"))

    assert requests.sent[0]["options"] == ("A", "B")


def test_a_model_without_likelihoods_is_asked_for_them_once() -> None:
    servers, failure = servers_of(), bad("no prompt_logprobs", "bad_parameter")

    ended, requests = attempts(servers, [TOO_MANY, failure], calls=3, logprobs="prompt")

    assert requests.sent == [{"max_tokens": 1}] * 2
    assert requests.likelihoods == 2
    assert [each.outcome for each in ended] == [failure.outcome] * 3
    assert [each.requests for each in ended] == [2, 0, 0]


def test_a_passing_failure_of_a_likelihood_is_not_remembered() -> None:
    ended, requests = attempts(servers_of(), [SERVER_DOWN, OK], calls=2, logprobs="prompt")

    assert (ended[0].outcome, len(requests.sent)) == (SERVER_DOWN.outcome, 2)
    assert isinstance(ended[1].outcome, Reply)


def test_a_model_that_litellm_calls_gives_no_likelihoods() -> None:
    servers = servers_of(model="anthropic/x", api_base="http://127.0.0.1:9")

    attempt = asyncio.run(servers.request("m", QUESTION, {}, likelihood=True))

    assert isinstance(attempt.outcome, Failure)
    assert (attempt.requests, attempt.outcome.cause) == (0, "bad_parameter")


def test_a_model_given_up_while_a_call_waited_is_not_called() -> None:
    gone = Failure("key", "no key")

    ended, requests = attempts(servers_of({"m": gone}), [])

    assert (ended[0].outcome, ended[0].requests, requests.sent) == (gone, 0, [])


@pytest.mark.parametrize(("set_key", "requests"), [(False, 0), (True, 1)])
def test_a_call_without_its_key_is_not_made(
    monkeypatch: pytest.MonkeyPatch, set_key: bool, requests: int
) -> None:
    monkeypatch.delenv("M_KEY", raising=False)
    if set_key:
        monkeypatch.setenv("M_KEY", "secret")

    ended, requests_made = attempts(servers_of(api_key_env="M_KEY"), [OK])

    assert (ended[0].requests, len(requests_made.sent)) == (requests, requests)


Ended = tuple[float, str, float | None]


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelServers], list[Ended]]:
    """Return a function that records the tokens, the outcome and the actual tokens of each turn."""

    def record(servers: ModelServers) -> list[Ended]:
        ended: list[Ended] = []
        end = servers.turns["m"].end

        def recorded(turn: Turn, outcome: Any, limits: RateLimits, *, tokens: float | None) -> None:
            ended.append((turn.tokens, outcome, tokens))
            end(turn, outcome, limits, tokens=tokens)

        monkeypatch.setattr(servers.turns["m"], "end", recorded)
        return ended

    return record


@pytest.mark.parametrize(
    ("outcome", "turn"),
    [
        (OK, ("answered", 12)),
        (Attempt(Reply("A", prompt_tokens=10)), ("answered", 10)),
        (Attempt(Reply("A", completion_tokens=2)), ("answered", None)),
        (SERVER_DOWN, ("passed", None)),
        (Attempt(Failure("timeout", "late")), ("lost", None)),
        (Attempt(Failure("key", "no credit", 429, "quota")), ("passed", None)),
        (Attempt(Failure("key", "refused", 403)), ("passed", None)),
    ],
)
def test_a_turn_ends_with_its_outcome_and_its_tokens(
    turns: Callable[[ModelServers], list[Ended]], outcome: Attempt, turn: tuple[str, float | None]
) -> None:
    servers = servers_of()
    ended = turns(servers)

    attempts(servers, [outcome], schema=None)

    assert ended == [(7 + 300, *turn)]  # the prompt's 7, and an answer of unknown length


@pytest.mark.parametrize(
    "refusal",
    [
        Failure("rate_limit", "x", 429),
        Failure("server", "x", 529),
        Failure("rate_limit", "x", 403, "rate_limit"),
    ],
)
def test_too_many_and_overloaded_end_a_turn_as_refused(
    turns: Callable[[ModelServers], list[Ended]], refusal: Failure
) -> None:
    servers = servers_of(params={"max_tokens": 9})
    ended = turns(servers)

    attempts(servers, [Attempt(refusal, limits=RateLimits(wait_s=0.0)), OK])

    assert ended == [(16, "refused", None), (16, "answered", 12)]


def test_an_answer_has_the_address_where_it_was_called_without_what_may_be_secret() -> None:
    servers = servers_of(api_base="http://127.0.0.1:9/v1?token=secret")

    ended, _ = attempts(servers, [OK])

    assert isinstance(ended[0].outcome, Reply)
    assert ended[0].outcome.address == "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(("ceiling", "connections"), [(None, 512), (3, 3)])
def test_there_are_connections_for_as_many_calls_as_may_be_under_way(
    ceiling: int | None, connections: int
) -> None:
    price = Price(input_per_million=1, output_per_million=1)
    simulated = {"s": ModelConfig(model="simulated/x", price=price)}
    servers = ModelServers(simulated, lambda _: price, {}, timeout_s=1.0, ceiling=ceiling, patience_s=1.0)

    assert servers_of(ceiling=ceiling).connections == connections
    assert servers.connections == connections
    assert servers_of(timeout_s=2.5).timeouts == {"m": 2.5}
    assert servers.timeouts == {"s": 1.0}
