"""An estimate of a plan's tokens, before any call."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.collect.calls import CONTINUED_TOKENS, CallRequest, Message, Reply
from engine.collect.client.token_counts import TokenRange, message_tokens
from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.model_keys import answer_bound, requested_logprobs
from engine.collect.configuration.prices import longest_answer, may_think
from engine.collect.limits.spending import LONGEST_LIKELY
from engine.collect.paradigms.answer_schemas import Schema
from engine.collect.plan.stage_calls import ASSUMED_RESPONSE, Plan
from engine.paradigms import TRAITS
from engine.schema import DIMENSIONS
from engine.shown_order import shown_models

_CHAIN_OF_THOUGHT = 400
_SHORTER, _LONGER = 2, 4
"""By how many times an answer without thinking may be shorter or longer than expected."""


CachedAnswer = Callable[[CallRequest, list[Message], Schema | None], Reply | None]
"""Returns the cached answer of a call, if any."""


@dataclass(slots=True)
class EstimateLine:
    """The calls to one model with one role, paradigm and variant, and an estimate of their cost.

    Calls answered from the cache count as `cached`, not `calls`; `saved_usd` is what their answers cost
    originally. `cost_usd` is None if the price is unknown; it lies between `cost_usd_low` and
    `cost_usd_high`, as the tokens do. `answers_usd` is its part that depends on the length of answers,
    unknown beforehand; `most_usd` is the maximum cost, None if `max_tokens` does not bound it.
    """

    model: str
    role: str
    paradigm: str | None
    variant: str | None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    cached: int = 0
    saved_usd: float = 0.0
    answers_usd: float | None = None
    most_usd: float | None = None
    prompt_tokens_low: int = 0
    prompt_tokens_high: int = 0
    completion_tokens_low: int = 0
    completion_tokens_high: int = 0
    cost_usd_low: float | None = None
    cost_usd_high: float | None = None

    def add(self, prompt: TokenRange, expected: int, answer: TokenRange) -> None:
        """Add a call with the tokens of its prompt and its answer."""
        self.calls += 1
        self.prompt_tokens += prompt.middle
        self.prompt_tokens_low += prompt.low
        self.prompt_tokens_high += prompt.high
        self.completion_tokens += expected
        self.completion_tokens_low += answer.low
        self.completion_tokens_high += answer.high


def estimate(plan: Plan, config: RunConfig, lookup: CachedAnswer | None = None) -> list[EstimateLine]:
    """Return the calls and tokens of a plan by model, paradigm and variant, in the order of the plan.

    Assumes the typical length of each paradigm's answers, and 500 tokens per response, neither longer than
    the model's max_tokens. Cached answers are counted separately and take no tokens.
    """
    totals: dict[tuple[str, str, str | None, str], EstimateLine] = {}
    for request in plan:
        name = (request.model, request.role, request.paradigm, request.variant)
        total = totals.setdefault(name, EstimateLine(*name))
        messages = plan.messages(request)
        if lookup is not None and (reply := lookup(request, messages, plan.schema(request))) is not None:
            total.cached += 1
            total.saved_usd += reply.saved_usd or 0.0
            continue
        total.add(message_tokens(messages), expected_answer(request, config), answer_range(request, config))
    return list(totals.values())


def answer_range(request: CallRequest, config: RunConfig) -> TokenRange:
    """Return the tokens that an answer may have: that of a model that may think up to its limit."""
    expected, model = expected_answer(request, config), config.models[request.model]
    limit = answer_bound(model, request.role) or longest_answer(model.model) or LONGEST_LIKELY
    if requested_logprobs(model, request) == "prompt":
        return TokenRange(expected, expected)
    if model.protocol == "completion" and request.role == "judge":
        return TokenRange(1, limit)
    high = limit if may_think(model) else min(expected * _LONGER, limit)
    return TokenRange(expected // _SHORTER, max(high, expected))


def expected_answer(request: CallRequest, config: RunConfig) -> int:
    model = config.models.get(request.model)
    if request.role == "generator":
        expected = len(ASSUMED_RESPONSE) // 4
    elif model is not None and model.protocol == "completion":
        return CONTINUED_TOKENS
    elif request.variant in ("forced", "forced_tie"):
        expected = 1
    elif request.variant == "cot":
        expected = _CHAIN_OF_THOUGHT
    else:  # verdicts alone
        traits = TRAITS[request.paradigm or ""]
        expected = traits.answer_tokens
        if traits.lists_rubrics:
            expected *= 1 + len(request.subject.rubric_ids)
        elif traits.of_lists:
            expected *= 1 + len(shown_models(request.subject.ordering) or ())
        elif request.variant == "structured":
            expected *= len(DIMENSIONS)
    limit = None if model is None else model.params.max_tokens
    return expected if limit is None else min(expected, limit)
