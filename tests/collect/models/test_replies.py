"""litellm's responses, read as replies as those of the transport of our own are."""

from typing import Any

import pytest
from loopback import completion_with

from engine.collect.config import Price
from engine.collect.litellm_gateway import litellm_reply

PRICE = Price(input_per_million=3, output_per_million=5)


class Response:
    """What litellm returns, as far as it is read."""

    def __init__(self, response_cost: float | None = None, **fields: Any) -> None:
        self._hidden_params = {"response_cost": response_cost}
        self._fields = fields

    def model_dump(self) -> dict[str, Any]:
        """Return the response as it would have come over the wire."""
        return completion_with(**self._fields)


def test_litellms_own_sum_goes_before_its_listed_price_and_the_users_price_before_both() -> None:
    response = Response(response_cost=0.75)  # with a discount for a remembered prompt, say

    assert litellm_reply(response, 0.5, PRICE, own_price=False).cost_usd == 0.75
    assert litellm_reply(response, 0.5, PRICE, own_price=True).cost_usd == pytest.approx(
        (10 * 3 + 20 * 5) / 1e6
    )
    assert litellm_reply(Response(), 0.5, PRICE, own_price=False).cost_usd == pytest.approx(130 / 1e6)
    assert litellm_reply(response, 0.5, None, own_price=False).cost_usd is None


def test_a_refusal_is_found_where_litellm_keeps_it() -> None:
    message = {"content": None, "provider_specific_fields": {"refusal": "I will not."}}

    reply = litellm_reply(Response(message=message), 0.5, None, own_price=False)

    assert (reply.refused, reply.refusal, reply.shortfall) == (True, "I will not.", None)


def test_an_answer_of_parts_is_read_and_its_shortfall_told() -> None:
    parts = [{"type": "text", "text": '{"criteria_met": '}, {"type": "text", "text": "tr"}]

    reply = litellm_reply(
        Response(message={"content": parts}, finish_reason="length"), 0.5, None, own_price=False
    )

    assert (reply.text, reply.shortfall) == ('{"criteria_met": tr', "cut_off")
