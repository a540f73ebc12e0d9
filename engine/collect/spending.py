"""What a model's calls need and cost: keys, parameters, prices, and a run's spending cap."""

import functools
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from engine.collect.calls import CallRequest, Logprobs, Reply
from engine.collect.config import ModelConfig, Price
from engine.errors import UsageError
from engine.schema import TRAITS
from engine.values import quantity

# ------------------------------------------------------------------------------
# Keys and addresses of models, and the parameters that the runner sets itself.


SIMULATED = "simulated"

RESERVED = frozenset(
    {
        "api_base", "api_key", "base_url", "caching", "callbacks", "custom_llm_provider", "drop_params",
        "logprobs", "max_retries", "messages", "mock_response", "model", "n", "num_retries", "shared_session",
        "stream", "timeout", "top_logprobs",
    }
)  # fmt: skip
"""Parameters that the runner sets itself, or that have their own field."""


KEY_VARIABLES = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN", "TOGETHER_API_KEY"),
    "xai": ("XAI_API_KEY",),
}
"""The variables of providers' keys, if a configuration names none; messages name the first."""


def missing_variable(config: ModelConfig) -> str | None:
    """Return the environment variable that lacks the model's key; None if none is missing.

    A user's own server needs no key unless `api_key_env` names one. Providers not listed here are not
    checked.
    """
    if config.api_key_env:
        return None if os.environ.get(config.api_key_env) else config.api_key_env
    variables = () if config.api_base else KEY_VARIABLES.get(provider_of(config.model), ())
    if not variables or any(os.environ.get(name) for name in variables):
        return None
    return variables[0]


def key_of(config: ModelConfig) -> str | None:
    """Return the key in the variable that the configuration names; None if it names none."""
    return os.environ[config.api_key_env] if config.api_key_env else None


def address_of(config: ModelConfig) -> str:
    """Return the address at which litellm calls a model; empty for the provider's default."""
    provider = provider_of(config.model).upper()
    addresses = (os.environ.get(f"{provider}_{ending}") for ending in ("API_BASE", "BASE_URL"))
    return (config.api_base or next(filter(None, addresses), "")).rstrip("/")


def provider_of(model: str) -> str:
    """Return the provider's part of a model's name in litellm; empty if there is none."""
    return model.partition("/")[0] if "/" in model else ""


def answer_bound(config: ModelConfig) -> int | None:
    """Return the maximum tokens of an answer by the sent parameters; None if nothing bounds it."""
    limits = (config.params.max_tokens, config.params.to_dict().get("max_completion_tokens"))
    return min((each for each in limits if isinstance(each, int)), default=None)


def requested_logprobs(config: ModelConfig, request: CallRequest) -> Logprobs:
    if request.paradigm is not None and TRAITS[request.paradigm].gives == "likelihood":
        return "prompt"
    return config.logprobs and request.role == "judge"


def allowed_params(name: str, config: ModelConfig) -> dict[str, Any]:
    """Return the parameters to send; UsageError if users may not set one of them."""
    params = config.params.to_dict()
    for wrong in sorted(RESERVED & params.keys()):
        raise UsageError(
            f"models.{name}.params: {wrong!r} is not a parameter of the model; leave it out "
            "(the address, the key's variable, logprobs, time-outs and retries have settings of their own)"
        )
    return params


# ------------------------------------------------------------------------------
# Hiding keys in every text that leaves this package.


HIDDEN = "[key]"
SHORTEST = 6  # shortest value to hide, in characters: a shorter one would blank out words

_LOOKS_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SHAPES = re.compile(
    r"""\b(?:sk|pk|rk|gsk|xai|hf|nvapi|r8|pplx)[-_](?=[\w.\-]*[\d*])[\w*.\-]{6,}  # also masked in part
      | \bAIza[\w\-]{10,} | \bAKIA[0-9A-Z]{12,} | \bghp_\w{10,} | \beyJ[\w\-]{10,}\.[\w\-.]+
      | (?<=[Bb]earer[ ])[^\s"',}]+
      | (?<=api_key=)[^\s"'&,}]+ | (?<=[?&]key=)[^\s"'&,}]+""",
    re.VERBOSE,
)


def scrub(text: str, secrets: Iterable[str | None] = ()) -> str:
    """Return the text with all keys hidden.

    Hidden are the `secrets` that are not None, the values of environment variables whose names end in KEY,
    TOKEN, SECRET, PASSWORD or CREDENTIALS, and anything shaped like a key.
    """
    environment = (value for name, value in os.environ.items() if _LOOKS_SECRET.search(name))
    values = {value for value in (*secrets, *environment) if value and len(value) >= SHORTEST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return _SHAPES.sub(HIDDEN, text)


def without_key(reply: Reply, key: str | None) -> Reply:
    """Return the reply with the sent key hidden, which a server may repeat in an answer.

    Nothing else is hidden: a text that looks like a key may be the requested answer.
    """
    if key is None or len(key) < SHORTEST:
        return reply
    fields = {name: text for name, text in asdict(reply).items() if isinstance(text, str) and key in text}
    hidden: dict[str, Any] = {name: text.replace(key, HIDDEN) for name, text in fields.items()}
    return replace(reply, **hidden)


# ------------------------------------------------------------------------------
# Parameters that a model refuses: omitted or reduced, and remembered for its next calls.


TOP, FEWER = 20, 5  # alternatives per token: the most that any provider gives, and the limit of some
DROPPABLE = ("temperature", "top_p", "seed", "top_logprobs", "logprobs", "response_format")
_REFUSES = re.compile(
    r"unsupported|deprecated|unrecogni[sz]ed|only the default|unknown (?:name|param|arg)|extra inputs"
    r"|(?:not|n't|cannot|no longer) (?:be )?(?:\w+ )?(?:support|allow|permit|accept|available|compatible)",
    re.I,
)


_ABOUT_SCHEMA = re.compile(
    r"response_format|json[_ -]?schema|json[_ -]?mode|structured|guided|grammar|\bschema\b", re.I
)


@dataclass
class ParameterFallback:
    """What one model refuses; `takes_schema` is None until an answer has shown it."""

    dropped: set[str] = field(default_factory=set)
    top: int = TOP
    takes_schema: bool | None = None

    def parameters(self, params: dict[str, Any], *, logprobs: bool) -> dict[str, Any]:
        all_params = {**params, "logprobs": True, "top_logprobs": self.top} if logprobs else params
        return {name: value for name, value in all_params.items() if name not in self.dropped}

    def update(self, words: str, params: dict[str, Any]) -> str | None:
        """Adapt to the message of a bad request; return what was changed, None if nothing can be.

        `params` are those of the call, so that concurrent calls change something only once (empty text).
        """
        if params.get("top_logprobs", 0) > FEWER and "top_logprobs" in words and not _REFUSES.search(words):
            was_known, self.top = self.top == FEWER, FEWER
            return "" if was_known else f"takes {FEWER} top_logprobs at most"
        if not _REFUSES.search(words):
            return None
        for name in DROPPABLE:
            if name in params and re.search(rf"\b{name}\b", words):
                names = {"logprobs", "top_logprobs"} if name.endswith("logprobs") else {name}
                was_known = names <= self.dropped
                self.dropped |= names
                return "" if was_known else f"does not accept {name!r}; it is not sent"
        return None

    def update_schema(self, words: str) -> str | None:
        """Adapt to the message of a bad request with a JSON schema, like `update`."""
        return self.refuse_schema() if _ABOUT_SCHEMA.search(words) else None

    def refuse_schema(self) -> str:
        """Stop requesting a JSON schema; return a description of the change, empty if already made."""
        was_known, self.takes_schema = self.takes_schema is False, False
        return "" if was_known else "supports no JSON schema (`response_format`); it is called without one"


IN_BATCHES = 0.5
PER = 1_000_000
FREE = Price(input_per_million=0.0, output_per_million=0.0)


def is_free(price: Price | None) -> bool:
    """Return whether a price is known to be nothing."""
    return price is not None and not price.input_per_million and not price.output_per_million


def cost_usd(price: Price, prompt_tokens: float, completion_tokens: float) -> float:
    """Return the US dollars for the tokens of a prompt and an answer, including its reasoning."""
    return (prompt_tokens * price.input_per_million + completion_tokens * price.output_per_million) / PER


def known_sum(numbers: Iterable[float | None]) -> float | None:
    """Return the sum of numbers such as costs; None if one of them is unknown."""
    values = list(numbers)
    return None if None in values else sum(number for number in values if number is not None)


def batch_price(price: Price) -> Price:
    """Return the usual price of providers in batches: half."""
    return Price(**{side: dollars * IN_BATCHES for side, dollars in price})


# ------------------------------------------------------------------------------
# litellm's price list, read from its file: importing litellm would take four seconds.


_FILE = "model_prices_and_context_window_backup.json"
_MODES = ("chat", "completion", "responses")


def listed_price(model: str, *, batch: bool = False) -> Price | None:
    """Return the listed price of a model (litellm's name); None if the list lacks it for that provider.

    `batch`: the price of calls in batches, None if the list lacks that.
    """
    provider, _, bare = model.partition("/") if "/" in model else ("", "", model)
    kind = "_batches" if batch else ""
    for name in (model, bare):
        entry = _list().get(name)
        if not isinstance(entry, dict):
            continue
        listed_by = str(entry.get("litellm_provider", ""))
        is_others = provider and name == bare and not listed_by.startswith(provider)
        if is_others or entry.get("mode", "chat") not in _MODES:
            continue
        prompt_cost, answer_cost = (entry.get(f"{side}_cost_per_token{kind}") for side in ("input", "output"))
        if isinstance(prompt_cost, int | float) and isinstance(answer_cost, int | float):
            return Price(input_per_million=prompt_cost * PER, output_per_million=answer_cost * PER)
    return None


def longest_answer(model: str) -> int | None:
    """Return the maximum tokens of a model's answer by the list; None if it does not state them."""
    for name in dict.fromkeys((model, model.partition("/")[2] or model)):
        entry = _list().get(name)
        tokens = entry.get("max_output_tokens") if isinstance(entry, dict) else None
        if isinstance(tokens, int) and tokens > 0:
            return tokens
    return None


def may_think(config: ModelConfig) -> bool:
    """Return whether a model may think before it answers; also if nothing is known of it."""
    if provider_of(config.model) == SIMULATED:
        return False
    params = config.params.to_dict()
    settings = [params[name] for name in ("reasoning_effort", "reasoning", "thinking") if name in params]
    if settings or config.stage == "reasoning":
        return not any(each in ("none", "disabled", {"type": "disabled"}) for each in settings)
    names = (config.model, config.model.partition("/")[2])
    entry = next((entry for name in names if isinstance(entry := _list().get(name), dict)), None)
    if entry is None:
        return config.stage is None
    return (
        bool(entry.get("supports_reasoning")) and entry.get("litellm_provider") != "anthropic"
    )  # on request


@functools.cache
def _list() -> dict[str, Any]:
    """Return the list, empty if this version of litellm has it elsewhere."""
    spec = find_spec("litellm")  # finds the package without importing it
    if spec is None or spec.origin is None:
        return {}
    try:
        prices: dict[str, Any] = json.loads((Path(spec.origin).parent / _FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return prices


# ------------------------------------------------------------------------------
# The spending cap of a run, although the length of answers is unknown beforehand.
# The longest answer of a call is its `max_tokens`, else the model's own limit, else 32,768 tokens or twice
# the longest seen. Each call under way is reserved at that length, and begins if all reserves fit under the
# cap. Where they do not fit, at most two calls of a length that `max_tokens` does not bound are under way, if
# what they will likely cost fits: the longest answer seen, with a margin. So the cap is exceeded by at most
# the cost of two calls, and far from the cap no call waits. The first calls of each model and paradigm go two
# at a time, as a server may ignore `max_tokens`.
# Every charge counts, including thinking. A lost answer (late, or unreadable) may have been charged: it
# counts at its longest, unless the server stated its tokens nevertheless.


Admission = Literal["yes", "wait", "no"]
AT_FIRST = 2
"""Calls under way together as long as no answer was seen, and calls of unknown length if the cap is near."""
MARGIN = 1.25
"""The likely length of an answer, relative to the longest seen."""
LONGEST_LIKELY = 32_768
"""Assumed maximum tokens of an answer, if no limit is known."""
_TOKENS_AT_FIRST = 1_000
"""Likely tokens of an answer before any was seen."""


class Kind(NamedTuple):
    """Calls with similar answers: to one model, in one paradigm (None: a generator's)."""

    model: str
    paradigm: str | None


@dataclass(frozen=True, slots=True)
class Terms:
    """What is known about the calls of a kind: their price, and `max_tokens` if set.

    `longest_answer` is the model's own limit, in tokens, if the price list states it.
    """

    kind: Kind
    price: Price
    max_tokens: int | None = None
    longest_answer: int | None = None


def terms_of(request: CallRequest, config: ModelConfig, price: Price | None) -> Terms:
    """Return what is known beforehand about a call's cost; an unknown price counts as free."""
    kind = Kind(request.model, request.paradigm)
    return Terms(kind, price or FREE, answer_bound(config), longest_answer(config.model))


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
    """

    cap: float | None = None
    spent: float = 0.0
    assumed: int = 0
    assumed_usd: float = 0.0
    _kinds: dict[Kind, _Answers] = field(default_factory=dict)
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
        words = f"${self.spent:,.4g} of ${self.cap:,.4g} spent, ${self.reserved:,.4g} reserved"
        return f"{words}; {assumed_words(self.assumed, self.assumed_usd)}" if self.assumed_usd else words

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


ENOUGH_ANSWERS = 5
"""Answers of a model that are enough to predict the others."""
_AS_FORESEEN = 1.1


class AnswerCosts(NamedTuple):
    """The tokens and cost of answers, without their prompts' tokens, and the estimates for the same calls."""

    answers: int
    tokens: int
    foreseen_tokens: int
    cost_usd: float | None
    foreseen_usd: float | None


class Outlook:
    """The expected total cost of a run, by the cost of its answers so far; `calls_left` are by model."""

    def __init__(self) -> None:
        self.calls_left: Counter[str] = Counter()
        self._costs: dict[str, AnswerCosts] = {}

    def record(self, model: str, costs: AnswerCosts) -> None:
        recorded = [self._costs[model]] if model in self._costs else []
        self._costs[model] = _total([*recorded, costs])

    def state(self) -> dict[str, float | int | None] | None:
        """Return the answers seen, their cost, its estimate, and the cost still to come.

        None while a model in use has given too few answers; a sum is None if a price is unknown.
        """
        names = [name for name, calls in self.calls_left.items() if calls > 0]
        costs = self._costs
        if not costs or any(name not in costs or costs[name].answers < ENOUGH_ANSWERS for name in names):
            return None
        model_costs = {name: costs[name].cost_usd for name in names}
        to_come_usd = known_sum(
            None if cost is None else self.calls_left[name] * cost / costs[name].answers
            for name, cost in model_costs.items()
        )
        return {**_total(costs.values())._asdict(), "to_come_usd": to_come_usd}

    def words(self, spent: float) -> str:
        """Return the expected cost, compared with the estimate; empty if unknown or free."""
        state = self.state()
        if state is None:
            return ""
        cost, foreseen, to_come = state["cost_usd"], state["foreseen_usd"], state["to_come_usd"]
        if cost is None or to_come is None:
            times = _times(state["tokens"], state["foreseen_tokens"])
            return f"answers are {times} as long as estimated" if times else ""
        if not cost:
            return ""
        times = _times(cost, foreseen)
        comparison = f"{times} as much as estimated" if times else "as much as estimated"
        return f"about ${spent + to_come:,.4g} with the calls still to come: answers cost {comparison}"


def _total(costs: Iterable[AnswerCosts]) -> AnswerCosts:
    return AnswerCosts._make(map(known_sum, zip(*costs, strict=True)))


def _times(real: float | None, foreseen: float | None) -> str:
    """Return a ratio in words, empty if it is about 1 or undefined."""
    if not real or not foreseen or 1 / _AS_FORESEEN <= real / foreseen <= _AS_FORESEEN:
        return ""
    return f"{real / foreseen:,.2g} times"
