"""How often a call is repeated, with its attempts themselves replaced by given ones."""

import asyncio
import logging
from typing import Any

import pytest

from engine.collect.calls import Failure, Reply
from engine.collect.client.litellm_errors import AttemptError
from engine.collect.client.model_client import CallOutcome, Models
from engine.collect.client.openai_transport import Attempt
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.limits.rate_limits import RateLimits
from engine.collect.limits.spending import Charge
from engine.errors import UsageError

from .asking import QUESTION, logged

PRICE = Price(input_per_million=1.0, output_per_million=1.0)
FREE = Price(input_per_million=0.0, output_per_million=0.0)
OK = Attempt(Reply("A", first_token=(("A", 1.0),)))
DOWN = Attempt(Failure("server", "down", 500))
LATE = Attempt(Failure("timeout", "late"), unknown_charge=True)
GATEWAY = Attempt(Failure("server", "late", 504), unknown_charge=True)
UNREAD = Attempt(Failure("answer", "odd", 200), unknown_charge=True, charge=Charge(None, 3, 4))
RESET = Attempt(Failure("connection", "reset"), unknown_charge=True)
NO_KEY = Attempt(Failure("key", "no", 401, "wrong_key"))
BAD = Attempt(Failure("request", "no", 400))


class Client:
    """A model whose attempts end as given."""

    def __init__(self, *attempts: Attempt, **fields: Any) -> None:
        settings = {
            key: fields.pop(key) for key in ("retries", "retry_on", "longest_wait_s") if key in fields
        }
        config = ModelConfig(
            **({"model": "openai/x", "api_base": "http://127.0.0.1:9/v1", "price": PRICE} | fields)
        )
        self.models = Models({"m": config}, **{"retries": 9, **settings})
        self.attempts = list(attempts)
        self.charges: list[Charge] = []
        self.may_repeat = True
        self.tokens: list[int] = []

        async def attempt(name: str, messages: Any, tokens: int, **_: Any) -> Attempt:
            assert (name, messages) == ("m", QUESTION)
            self.tokens.append(tokens)
            return self.attempts.pop(0)

        self.models.servers.attempt = attempt  # type: ignore[method-assign]

    def call(self, **how: Any) -> CallOutcome:
        def on_charge(charge: Charge) -> bool:
            self.charges.append(charge)
            return self.may_repeat

        return asyncio.run(self.models.ask("m", QUESTION, on_charge=on_charge, **how))


@pytest.mark.parametrize(
    ("attempts", "calls"),
    [
        ([DOWN, DOWN, OK], 3),
        ([LATE, LATE], 2),  # repeated once
        ([GATEWAY, GATEWAY], 2),
        ([LATE, GATEWAY], 2),
        ([LATE, DOWN, LATE], 3),
        ([UNREAD, UNREAD, UNREAD], 3),  # three times at most
        ([LATE, UNREAD, UNREAD], 3),
        ([RESET] * 5 + [OK], 6),  # which is not the call's fault
        ([BAD], 1),
        ([NO_KEY], 1),
        ([DOWN] * 10, 10),  # nine retries
    ],
)
def test_a_call_is_repeated_by_what_its_attempts_may_have_cost(attempts: list[Attempt], calls: int) -> None:
    client = Client(*attempts)

    outcome = client.call()

    assert (outcome.calls, client.attempts) == (calls, [])
    assert outcome.outcome == attempts[-1].outcome


def test_a_call_lost_three_times_is_not_repeated_though_others_are_answered_meanwhile() -> None:
    client = Client()

    async def attempt(_: str, __: Any, tokens: int, **___: Any) -> Attempt:
        if tokens == 1:
            return OK
        await client.models.ask("m", QUESTION, tokens=1)
        return UNREAD

    client.models.servers.attempt = attempt  # type: ignore[method-assign]

    assert client.call(tokens=2) == CallOutcome(UNREAD.outcome, 3)
    assert client.models.given_up == {}


def test_a_free_models_lost_answers_count_for_nothing() -> None:
    client = Client(*[UNREAD] * 5, OK, price=FREE)

    assert client.call().calls == 6
    assert client.models.given_up == {}


def test_each_attempt_that_may_be_charged_is_told_and_may_be_the_last() -> None:
    client = Client(DOWN, UNREAD, RESET)
    client.may_repeat = False

    outcome = client.call()

    assert (outcome.calls, outcome.outcome) == (2, UNREAD.outcome)
    assert client.charges == [Charge(None, 3, 4)]


def test_a_model_is_given_up_at_the_third_lost_answer_of_its_calls() -> None:
    client = Client(UNREAD, OK, UNREAD, UNREAD, UNREAD)
    first = client.call()

    second, third = client.call(), client.call()

    assert (first.calls, second.calls, third.calls) == (2, 3, 0)
    assert third.outcome == client.models.given_up["m"]


GONE = Failure("key", "no")


@pytest.mark.parametrize(("ended", "outcome"), [(UNREAD, UNREAD.outcome), (DOWN, GONE)])
def test_a_lost_answer_of_a_model_that_was_given_up_meanwhile_is_the_calls_last(
    ended: Attempt, outcome: Failure
) -> None:
    client = Client(ended)

    async def attempt(*_: Any, **__: Any) -> Attempt:
        client.models.given_up["m"] = GONE
        return client.attempts.pop(0)

    client.models.servers.attempt = attempt  # type: ignore[method-assign]

    assert client.call() == CallOutcome(outcome, 1)
    assert client.call() == CallOutcome(GONE, 0)


def test_a_key_refused_among_answers_is_asked_three_times() -> None:
    client = Client(OK, NO_KEY, NO_KEY, NO_KEY, OK)
    client.call()

    failed, answered = client.call(), client.call()

    assert (failed.calls, answered.calls) == (3, 1)
    assert isinstance(failed.outcome, Failure)
    assert failed.outcome.kind == "request"


def test_a_continuation_without_probabilities_counts_against_its_model() -> None:
    client = Client(*[Attempt(Reply("A"))] * 6)
    for _ in range(3):
        client.call()
    before = dict(client.models.given_up)

    for _ in range(3):
        client.call(logprobs=("A", "B"))

    assert before == {}
    assert list(client.models.given_up) == ["m"]


def test_the_tokens_of_a_prompt_are_counted_unless_they_are_known() -> None:
    client = Client(OK, OK)

    client.call(tokens=7)
    client.call()

    assert client.tokens[0] == 7
    assert client.tokens[1] > 8  # those around the message alone are 8


def test_each_repeat_is_logged_with_its_cause() -> None:
    client = Client(DOWN, LATE, OK)

    with logged(logging.INFO) as lines:
        client.call()

    assert lines == [f"model 'm' is called again after: {kind}" for kind in ("server", "timeout")]


def error(attempt: Attempt, wait_s: float | None = None, *, again: bool = False) -> AttemptError:
    assert isinstance(attempt.outcome, Failure)
    return AttemptError(attempt.outcome, wait_s, again=again)


@pytest.mark.parametrize(
    ("problem", "again"),
    [
        (error(DOWN), True),
        (error(BAD), False),
        (error(BAD, again=True), True),
        (error(Attempt(Failure("request", "x", 418))), True),  # in `retry_on`
        (ValueError("x"), False),
    ],
)
def test_what_may_pass_is_tried_again(problem: Exception, again: bool) -> None:
    assert Client(retry_on=[418]).models._wait(problem) is again


@pytest.mark.parametrize(
    ("asked_s", "least", "most"), [(0.0, 0.0, 0.0), (0.5, 0.5, 1.0), (10.0, 10.0, 11.0), (50.0, 30.0, 30.0)]
)
def test_a_server_that_asks_to_wait_is_waited_for_and_a_little_longer(
    asked_s: float, least: float, most: float
) -> None:
    models = Client(longest_wait_s=30.0).models

    waits = [models._wait(error(DOWN, asked_s)) for _ in range(50)]

    assert all(least <= wait <= most for wait in waits)
    assert (len(set(waits)) > 1) is (least < most)


def test_waits_of_an_attempts_headers_reach_the_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(Attempt(Failure("server", "down", 503), limits=RateLimits(wait_s=4.0)), OK)
    seen: list[float | None] = []

    def wait(problem: Exception) -> bool:
        assert isinstance(problem, AttemptError)
        seen.append(problem.wait_s)
        return True

    monkeypatch.setattr(client.models, "_wait", wait)
    client.call()

    assert seen == [4.0]


def test_only_models_of_the_run_are_called_and_priced() -> None:
    models = Client().models

    with pytest.raises(UsageError, match="unknown model 'n'"):
        models.price("n")
    with pytest.raises(UsageError, match="unknown model 'n'"):
        asyncio.run(models.ask("n", QUESTION))
    assert (models.price("m"), models.has_room("n"), repr(models)) == (PRICE, True, "Models(m)")
