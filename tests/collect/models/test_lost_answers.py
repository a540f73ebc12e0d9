"""Answers that were lost, late or unreadable, but may have been charged: how often a call is repeated."""

import asyncio

import pytest
from loopback import Charged, billing
from loopback.billing import How

from engine.collect.calls import Failure, Reply
from engine.collect.client.model_client import CallOutcome, Models
from engine.collect.configuration.config import Price
from engine.collect.limits.spending import Charge

from .asking import QUESTION, ask, model_on

PRICE = Price(input_per_million=2.5, output_per_million=10.0)


def ask_at_once(url: str, calls: int, price: Price | None = PRICE) -> list[CallOutcome]:
    """Make calls to one model at the same time."""

    async def outcomes() -> list[CallOutcome]:
        async with Models({"m": model_on(url, price=price)}, timeout_s=0.2, first_wait_s=0.01) as models:
            return list(await asyncio.gather(*(models.ask("m", QUESTION) for _ in range(calls))))

    return asyncio.run(outcomes())


@pytest.mark.parametrize("how", ["late", "gateway"])
def test_a_late_answer_is_asked_for_once_more_and_not_again(how: How) -> None:
    with billing(lambda _: Charged(300, how)) as server:
        outcome, calls = ask(model_on(server.url), timeout_s=0.2, first_wait_s=0.01)

    assert isinstance(outcome, Failure)
    assert calls == server.calls == 2


@pytest.mark.parametrize("how", ["stream", "page", "half"])
def test_an_unreadable_answer_is_asked_for_three_times_at_most(how: How) -> None:
    with billing(lambda _: Charged(300, how)) as server:
        outcome, calls = ask(model_on(server.url), first_wait_s=0.01)

    assert isinstance(outcome, Failure)
    assert outcome.kind == "answer"
    assert calls == server.calls == 3


def test_a_streaming_server_is_told_from_other_unreadable_answers() -> None:
    with billing(lambda _: Charged(300, "stream")) as server:
        outcome, _ = ask(model_on(server.url), retries=0)

    assert isinstance(outcome, Failure)
    assert "it came as a stream (its server must answer without streaming)" in outcome.message


@pytest.mark.parametrize("how", ["late", "stream"])
def test_a_model_is_given_up_at_the_third_lost_answer_in_a_row(how: How) -> None:
    async def ask_in_turn(url: str) -> tuple[list[int], str]:
        async with Models({"m": model_on(url, price=PRICE)}, timeout_s=0.2, retries=0) as models:
            calls = [(await models.ask("m", QUESTION)).calls for _ in range(5)]
            return calls, models.given_up["m"].message

    with billing(lambda _: Charged(300, how)) as server:
        calls, words = asyncio.run(ask_in_turn(server.url))

    assert calls == [1, 1, 1, 0, 0]
    assert all(remedy in words for remedy in ("timeout_s", "now 0.2", "max_tokens", "stream"))


def test_four_late_answers_at_once_are_not_asked_for_again() -> None:
    with billing(lambda _: Charged(300, "late")) as server:
        outcomes = ask_at_once(server.url, 4)

    assert 3 <= server.calls == sum(outcome.calls for outcome in outcomes) <= 4


def test_an_answer_in_between_ends_the_row() -> None:
    async def ask_in_turn(url: str) -> list[bool]:
        async with Models({"m": model_on(url, price=PRICE)}, retries=0) as models:
            return [isinstance((await models.ask("m", QUESTION)).outcome, Reply) for _ in range(9)]

    with billing(lambda number: Charged(300, "whole" if number % 3 == 2 else "page")) as server:
        answered = asyncio.run(ask_in_turn(server.url))

    assert answered == [False, False, True] * 3


def test_a_free_model_is_not_given_up() -> None:
    free = Price(input_per_million=0, output_per_million=0)

    with billing(lambda number: Charged(300, "whole" if number >= 8 else "page")) as server:
        outcomes = ask_at_once(server.url, 4, free)

    assert all(isinstance(each.outcome, Reply) for each in outcomes)


def test_connections_broken_at_once_do_not_give_up_a_model() -> None:
    with billing(lambda number: Charged(300, "reset" if number < 4 else "whole")) as server:
        outcomes = ask_at_once(server.url, 4)

    assert all(isinstance(each.outcome, Reply) for each in outcomes)


@pytest.mark.parametrize(("how", "known"), [("stated", True), ("stream", False)])
def test_an_unreadable_answer_is_charged_for_the_tokens_that_it_states(how: How, known: bool) -> None:
    charges: list[Charge] = []

    async def listen(url: str) -> None:
        async with Models({"m": model_on(url, price=PRICE)}, retries=0) as models:
            await models.ask("m", QUESTION, on_charge=lambda charge: bool(charges.append(charge)))

    with billing(lambda _: Charged(321, how)) as server:
        asyncio.run(listen(server.url))

    assert charges == [Charge(None, 6, 321) if known else Charge()]
