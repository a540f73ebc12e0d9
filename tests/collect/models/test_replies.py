"""litellm's responses are read as replies like those of our own transport."""

from typing import Any

import pytest
from loopback import completion_with

from engine.collect.client.litellm_gateway import litellm_reply
from engine.collect.configuration.config import Price

PRICE = Price(input_per_million=3, output_per_million=5)


class Response:
    """The parts of litellm's response that are read."""

    def __init__(self, response_cost: float | None = None, **fields: Any) -> None:
        self._hidden_params = {"response_cost": response_cost}
        self._fields = fields

    def model_dump(self) -> dict[str, Any]:
        """Return the response as it would have come over the wire."""
        return completion_with(**self._fields)


def test_the_users_price_precedes_litellms_own_cost_which_precedes_its_listed_price() -> None:
    response = Response(response_cost=0.75)  # with a discount for a cached prompt, say

    assert litellm_reply(response, 0.5, PRICE, own_price=False).cost_usd == 0.75
    assert litellm_reply(response, 0.5, PRICE, own_price=True).cost_usd == pytest.approx(
        (10 * 3 + 20 * 5) / 1e6
    )
    assert litellm_reply(Response(), 0.5, PRICE, own_price=False).cost_usd == pytest.approx(130 / 1e6)
    assert litellm_reply(response, 0.5, None, own_price=False).cost_usd is None


def test_a_refusal_is_read_from_litellms_field() -> None:
    message = {"content": None, "provider_specific_fields": {"refusal": "I will not."}}

    reply = litellm_reply(Response(message=message), 0.5, None, own_price=False)

    assert (reply.refused, reply.refusal, reply.shortfall) == (True, "I will not.", None)


def test_an_answer_in_parts_is_read_and_its_shortfall_reported() -> None:
    parts = [{"type": "text", "text": '{"criteria_met": '}, {"type": "text", "text": "tr"}]

    reply = litellm_reply(
        Response(message={"content": parts}, finish_reason="length"), 0.5, None, own_price=False
    )

    assert (reply.text, reply.shortfall) == ('{"criteria_met": tr', "cut_off")
