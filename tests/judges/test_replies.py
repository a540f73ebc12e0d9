"""Responses read as replies: thinking, first tokens, costs."""

import math
from types import SimpleNamespace as Made
from typing import Any

import pytest

from engine.config import Price
from engine.judges.replies import NoAnswerError, reply_of


def response(content: Any, *, tokens: list[str] | None = None, **message: Any) -> Any:
    """Return what litellm returns, as far as it is read."""
    logprobs = None
    if tokens is not None:
        tops = [Made(token=f"{token}!", logprob=math.log(0.5)) for token in tokens]
        listed = [
            Made(token=token, logprob=math.log(0.25), top_logprobs=[top])
            for token, top in zip(tokens, tops, strict=True)
        ]
        logprobs = Made(content=listed)
    choice = Made(message=Made(content=content, **message), finish_reason="stop", logprobs=logprobs)
    return Made(choices=[choice], model="m-1", usage=Made(prompt_tokens=10, completion_tokens=20))


def read(made: Any, price: Price | None = None, *, own_price: bool = False) -> Any:
    return reply_of(made, 0.5, price, own_price=own_price)


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ("<think>\nHm.\n</think>\n\nYes.", "Yes.", "Hm."),
        ("<thinking>Hm.</thinking>Yes.", "Yes.", "Hm."),
        ("<think>Hm, and on and", "", "Hm, and on and"),  # cut off while it thought
        ("Hm.</think>\nYes.", "Yes.", "Hm."),  # the opening tag was part of the prompt
        ("<think></think>Yes.", "Yes.", None),
        ("Yes.", "Yes.", None),
        ("  Yes.", "  Yes.", None),
        ("Write <think> and </think> around it.", "Write <think> and </think> around it.", None),
    ],
)
def test_thinking_in_the_content_is_cut_off(content: str, text: str, reasoning: str | None) -> None:
    reply = read(response(content))

    assert (reply.text, reply.reasoning) == (text, reasoning)


def test_thinking_of_the_providers_own_fields_is_taken() -> None:
    apart = read(response("Yes.", reasoning_content="Hm."))
    blocks = read(
        response("Yes.", thinking_blocks=[{"type": "thinking", "thinking": "Hm."}, {"type": "redacted"}])
    )

    assert apart.reasoning == blocks.reasoning == "Hm."
    assert apart.text == blocks.text == "Yes."


def test_content_that_is_no_text_is_an_empty_answer() -> None:
    assert read(response(None)).text == ""
    assert read(response([{"type": "image"}])).text == ""


def test_a_response_without_choices_is_no_answer() -> None:
    with pytest.raises(NoAnswerError):
        read(Made(choices=[]))


@pytest.mark.parametrize(
    ("tokens", "first"),
    [
        (["A", " is"], "A!"),
        (["\n", " A"], " A!"),
        (["<think>", "B", "</think>", "\n\n", "A"], "A!"),
        (["<th", "ink>B</", "think>", "A"], "A!"),
        (["B", "</think>", "A"], "A!"),
    ],
)
def test_the_first_token_is_the_answers_own(tokens: list[str], first: str) -> None:
    reply = read(response("".join(tokens), tokens=tokens))

    assert reply.first_token == ((first, pytest.approx(0.5)),)


@pytest.mark.parametrize("tokens", [[], ["<think>", "B"], ["\n"]])
def test_an_answer_without_a_token_has_no_probabilities(tokens: list[str]) -> None:
    assert read(response("".join(tokens), tokens=tokens)).first_token is None


def test_a_chosen_token_without_alternatives_stands_for_itself() -> None:
    made = response("A", tokens=["A"])
    made.choices[0].logprobs.content[0].top_logprobs = []

    assert read(made).first_token == (("A", pytest.approx(0.25)),)


def test_the_cost_is_of_the_price_and_unknown_without_one_or_without_tokens() -> None:
    price = Price(input_per_million=3, output_per_million=5)
    uncounted = response("Yes.")
    uncounted.usage = None

    assert read(response("Yes."), price, own_price=True).cost_usd == pytest.approx((10 * 3 + 20 * 5) / 1e6)
    assert read(response("Yes.")).cost_usd is None
    assert read(uncounted, price).cost_usd is None
    assert read(uncounted, price).prompt_tokens is None


def test_litellms_own_sum_goes_before_its_listed_price_and_the_users_price_before_both() -> None:
    price = Price(input_per_million=3, output_per_million=5)
    made = response("Yes.")
    made._hidden_params = {"response_cost": 0.75}  # with a discount for a remembered prompt, say

    assert read(made, price).cost_usd == 0.75
    assert read(made, price, own_price=True).cost_usd == pytest.approx(130 / 1e6)


def test_what_is_no_name_or_number_of_tokens_is_left_out() -> None:
    made = response("Yes.")
    made.model, made.choices[0].finish_reason = 9007199254740993, ["stop"]
    made.usage = Made(prompt_tokens=True, completion_tokens=2**63)

    reply = read(made, Price(input_per_million=1.0, output_per_million=1.0))

    assert (reply.model_id, reply.finish_reason) == (None, None)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost_usd) == (None, None, None)


@pytest.mark.parametrize("spoilt", [7, [7], [Made(logprob=0.0)], [Made(token=7, top_logprobs=[None])]])
def test_an_answer_stands_where_its_probabilities_are_of_another_form(spoilt: Any) -> None:
    made = response("Yes.", tokens=["Yes"])
    made.choices[0].logprobs = Made(content=spoilt)

    reply = read(made)

    assert (reply.text, reply.first_token) == ("Yes.", None)
