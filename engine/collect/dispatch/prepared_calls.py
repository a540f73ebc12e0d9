"""A call that is ready to be made: what is sent, and the estimate of what it takes."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from engine.collect.calls import CallRequest, Logprobs, Message
from engine.collect.client.token_counts import message_tokens
from engine.collect.configuration.config import Price, RunConfig
from engine.collect.configuration.model_keys import requested_logprobs
from engine.collect.configuration.prices import cost_usd
from engine.collect.paradigms.answer_schemas import Schema
from engine.collect.plan.token_estimates import expected_answer


class ForeseenAnswer(NamedTuple):
    """The estimate of an answer's tokens, and of its cost with its prompt's; None if the price is unknown."""

    tokens: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A request with all that is sent for it; `prompt_tokens` is a high count of its prompt's tokens."""

    request: CallRequest
    messages: list[Message]
    schema: Schema | None
    logprobs: Logprobs
    prompt_tokens: int
    foreseen: ForeseenAnswer

    def with_model(self, name: str, config: RunConfig) -> "PreparedCall":
        """Return the same call to another model; what is foreseen stays that of the model replaced."""
        request = replace(self.request, model=name)
        return replace(self, request=request, logprobs=requested_logprobs(config.models[name], request))


def prepare_call(
    request: CallRequest,
    messages: list[Message],
    schema: Schema | None,
    config: RunConfig,
    price: Price | None,
) -> PreparedCall:
    prompt, answer = message_tokens(messages), expected_answer(request, config)
    usd = None if price is None else cost_usd(price, prompt.middle, answer)
    logprobs = requested_logprobs(config.models[request.model], request)
    return PreparedCall(request, messages, schema, logprobs, prompt.high, ForeseenAnswer(answer, usd))
