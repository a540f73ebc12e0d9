"""The spending cap of a run, although the length of answers is unknown beforehand.

The longest answer of a call is its `max_tokens`, else the model's own limit, else 32,768 tokens or twice the
longest seen. Each call under way is reserved at that length, and begins if all reserves fit under the cap.
Where they do not fit, at most two calls of a length that `max_tokens` does not bound are under way, if what
they will likely cost fits: the longest answer seen, with a margin. So the cap is exceeded by at most the cost
of two calls, and far from the cap no call waits. The first calls of each model and paradigm go two at a time,
as a server may ignore `max_tokens`.

Every charge counts, including thinking. A lost answer (late, or unreadable) may have been charged: it counts
at its longest, unless the server stated its tokens nevertheless.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from engine.collect.calls import CallRequest
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.configuration.model_keys import answer_bound
from engine.collect.configuration.prices import FREE, PER, cost_usd, is_free, longest_answer
from engine.phrases import quantity

Admission = Literal["yes", "wait", "no"]
AT_FIRST = 2
"""Calls under way together as long as no answer was seen, and calls of unknown length if the cap is near."""
MARGIN = 1.25
"""The likely length of an answer, relative to the longest seen."""
LONGEST_LIKELY = 32_768
"""Assumed maximum tokens of an answer, if no limit is known."""
_TOKENS_AT_FIRST = 1_000
"""Likely tokens of an answer before any was seen."""


class CallKind(NamedTuple):
    """Calls with similar answers: to one model, in one paradigm (None: a generator's)."""

    model: str
    paradigm: str | None


@dataclass(frozen=True, slots=True)
class Terms:
    """What is known about the calls of a kind: their price, and `max_tokens` if set.

    `longest_answer` is the model's own limit, in tokens, if the price list states it.
    """

    kind: CallKind
    price: Price
    max_tokens: int | None = None
    longest_answer: int | None = None


def terms_of(request: CallRequest, config: ModelConfig, price: Price | None) -> Terms:
    """Return what is known beforehand about a call's cost; an unknown price counts as free."""
    kind = CallKind(request.model, request.paradigm)
    return Terms(kind, price or FREE, answer_bound(config, request.role), longest_answer(config.model))


@dataclass(frozen=True, slots=True)
class Reservation:
    """A call under way, with the estimated tokens of its prompt."""

    terms: Terms
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class Charge:
    """What is known of the cost of one answer; `completion_tokens` include its thinking."""

    cost_usd: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(slots=True)
class _Answers:
    """The answers seen of a kind, and the number and prompt tokens of its calls under way."""

    terms: Terms
    count: int = 0
    longest: int = 0
    prompt_ratio: float = 1.0  # largest ratio of a prompt's actual to estimated tokens
    calls: int = 0
    prompts: int = 0

    @property
    def is_bounded(self) -> bool:
        """Whether `max_tokens` bounds the answers, judging by those seen."""
        return self.terms.max_tokens is not None and self.longest <= self.terms.max_tokens

    def likely(self, calls: int, prompts: int) -> float:
        """Return the likely dollars of a number of calls, with the tokens of all their prompts."""
        tokens = math.ceil(self.longest * MARGIN) if self.count else _TOKENS_AT_FIRST
        return self._usd(calls, prompts, tokens)

    def reserve(self, calls: int, prompts: int) -> float:
        """Return the dollars that a number of calls may cost at most, which are reserved for them."""
        limit = self.terms.longest_answer
        return self._usd(calls, prompts, max(LONGEST_LIKELY if limit is None else limit, 2 * self.longest))

    def _usd(self, calls: int, prompts: int, tokens: int) -> float:
        """Return the cost of calls with answers of `max_tokens` if that bounds them, else of `tokens`."""
        longest = (self.terms.max_tokens or 0) if self.is_bounded else tokens
        return cost_usd(self.terms.price, prompts * self.prompt_ratio, calls * longest)

    def record(self, prompt_tokens: int, charge: Charge) -> None:
        """Record the length of an answer, or the length implied by its cost."""
        tokens, price = charge.completion_tokens, self.terms.price
        prompt_count = prompt_tokens if charge.prompt_tokens is None else charge.prompt_tokens
        if charge.cost_usd is not None and price.output_per_million > 0:
            paid = charge.cost_usd * PER - prompt_count * price.input_per_million
            tokens = max(tokens or 0, round(paid / price.output_per_million))
        if tokens is not None:
            self.count += 1
            self.longest = max(self.longest, tokens)
        if charge.prompt_tokens is not None and prompt_tokens > 0:
            self.prompt_ratio = max(self.prompt_ratio, charge.prompt_tokens / prompt_tokens)


@dataclass(eq=False)
class Spending:
    """A cap in US dollars for the whole run; None: no limit.

    `spent` is the cost of answers so far, in this process and earlier ones. `assumed` is the number of
    answers of unknown cost, such as lost ones, which count as the amount reserved, and `assumed_usd` its sum.
    `before` is what earlier starts spent. Of a shard, `cap` is that and its share of the rest of `run_cap`.
    """

    cap: float | None = None
    spent: float = 0.0
    assumed: int = 0
    assumed_usd: float = 0.0
    run_cap: float | None = None
    before: float = 0.0
    _kinds: dict[CallKind, _Answers] = field(default_factory=dict)
    _batch_usd: float = 0.0
    _batches: int = 0

    def admission(self, terms: Terms, prompt_tokens: int) -> Admission:
        """Return whether a call may be made now.

        `wait`: another must end first, which may cost less than reserved or show the length of answers. `no`:
        nothing is under way, and there is no room.
        """
        if self.cap is None:
            return "yes"
        answers = self._answers(terms)
        if self._commitment(_Answers.likely) + answers.likely(1, prompt_tokens) > self.cap:
            return "wait" if self._calls_under_way() else "no"
        if is_free(terms.price):
            return "yes"
        is_known = answers.is_bounded and answers.count > 0
        if not is_known and answers.calls >= AT_FIRST + answers.count:
            return "wait"
        if self._unbounded_calls() + (not answers.is_bounded) <= AT_FIRST:
            return "yes"
        most = self._commitment(_Answers.reserve) + answers.reserve(1, prompt_tokens)
        return "yes" if most <= self.cap else "wait"

    def begin(self, terms: Terms, prompt_tokens: int) -> Reservation:
        answers = self._answers(terms)
        answers.calls += 1
        answers.prompts += prompt_tokens
        return Reservation(terms, prompt_tokens)

    def reserve(self, call: Reservation) -> float:
        """Return what an attempt under way may cost at most, and counts as if its cost stays unknown."""
        return self._answers(call.terms).reserve(1, call.prompt_tokens)

    def charge(self, call: Reservation, charge: Charge) -> float:
        """Count the cost of an answer, readable or not, and return it; a retried call may have several."""
        answers = self._answers(call.terms)
        if charge.cost_usd is not None:
            cost = charge.cost_usd
        elif charge.prompt_tokens is not None and charge.completion_tokens is not None:
            cost = cost_usd(answers.terms.price, charge.prompt_tokens, charge.completion_tokens)
        else:
            cost = answers.reserve(1, call.prompt_tokens)
            self.assumed += 1
            self.assumed_usd += cost
        self.spent += cost
        answers.record(call.prompt_tokens, charge)
        return cost

    def may_try_again(self) -> bool:
        """Return whether a call under way may be retried after an attempt that may have been charged."""
        if self.cap is None or self._commitment(_Answers.reserve) <= self.cap:
            return True
        return self._unbounded_calls() <= AT_FIRST and self._commitment(_Answers.likely) <= self.cap

    def end(self, call: Reservation) -> None:
        answers = self._answers(call.terms)
        answers.calls -= 1
        answers.prompts -= call.prompt_tokens

    def batch_admission(self, maximum: float) -> Admission:
        """Return whether a batch of calls that cost at most `maximum` dollars together may be submitted."""
        if self.cap is None or self._commitment(_Answers.reserve) + maximum <= self.cap:
            return "yes"
        return "wait" if self._calls_under_way() else "no"

    def maximum_cost(self, terms: Terms, prompt_tokens: int) -> float:
        """Return the maximum cost of a call in a batch, whose calls are all under way at once."""
        return self._answers(terms).reserve(1, prompt_tokens)

    def begin_batch(self, maximum: float) -> None:
        self._batch_usd += maximum
        self._batches += 1

    def end_batch(self, maximum: float, cost: float | None) -> None:
        """Count a batch as ended; if its cost is unknown, the maximum counts."""
        self._batches -= 1
        self._batch_usd = self._batch_usd - maximum if self._batches else 0.0
        self.spent += maximum if cost is None else cost

    @property
    def reserved(self) -> float:
        return self._commitment(_Answers.reserve) - self.spent

    @property
    def words(self) -> str:
        """The effect of the cap on the run; empty if there is none."""
        if self.cap is None:
            return ""
        unknown = [kind for kind, each in self._kinds.items() if each.calls and not each.count]
        if unknown:
            names = ", ".join(f"{kind.model} ({kind.paradigm or 'responses'})" for kind in unknown[:3])
            others = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
            return f"two calls at a time until the length of answers is known: {names}{others}"
        words = f"{self._spent_words(self.cap)}, ${self.reserved:,.4g} reserved"
        return f"{words}; {assumed_words(self.assumed, self.assumed_usd)}" if self.assumed_usd else words

    def _spent_words(self, cap: float) -> str:
        """Return what is spent of the cap; of a shard, what it spent of its share."""
        if self.run_cap is None:
            return f"${self.spent:,.4g} of ${cap:,.4g} spent"
        share = f"${cap - self.before:,.4g}, this shard's share of what was left of ${self.run_cap:,.4g}"
        return f"${self.spent - self.before:,.4g} spent of {share}"

    def _answers(self, terms: Terms) -> _Answers:
        return self._kinds.setdefault(terms.kind, _Answers(terms))

    def _unbounded_calls(self) -> int:
        return sum(each.calls for each in self._kinds.values() if not each.is_bounded)

    def _calls_under_way(self) -> int:
        return self._batches + sum(each.calls for each in self._kinds.values())

    def _commitment(self, dollars: Callable[[_Answers, int, int], float]) -> float:
        """Return the dollars spent, plus the likely or the greatest cost of the calls under way."""
        under_way = sum(dollars(each, each.calls, each.prompts) for each in self._kinds.values())
        return self.spent + self._batch_usd + under_way


def assumed_words(answers: int, usd: float) -> str:
    """Return how much of the spending is assumed, and for how many answers."""
    words = quantity(answers, "answer")
    return (
        f"${usd:,.4g} of the cost is assumed, for {words} that came late, unreadable or without their tokens"
    )
