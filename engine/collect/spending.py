"""What a model's calls need and cost: keys, parameters, prices, and what a run may still spend."""

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

# ------------------------------------------------------------------------------
# Keys and addresses of models, their prices, and the parameters that the runner sets itself.


SIMULATED = "simulated"

RESERVED = frozenset(
    {
        "api_base", "api_key", "base_url", "caching", "callbacks", "custom_llm_provider", "drop_params",
        "logprobs", "max_retries", "messages", "mock_response", "model", "n", "num_retries", "shared_session",
        "stream", "timeout", "top_logprobs",
    }
)  # fmt: skip
"""Parameters that are set here, or that have a field of their own."""


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
"""Where providers' keys are looked for when a configuration does not say; the first is the one to name."""


def missing_variable(config: ModelConfig) -> str | None:
    """Return the environment variable that the model's key is wanted in and is not; None where none is.

    A server of the user's own needs no key unless `api_key_env` names one; of a provider that is not listed
    here nothing is known.
    """
    if config.api_key_env:
        return None if os.environ.get(config.api_key_env) else config.api_key_env
    wanted = () if config.api_base else KEY_VARIABLES.get(provider_of(config.model), ())
    if not wanted or any(os.environ.get(name) for name in wanted):
        return None
    return wanted[0]


def key_of(config: ModelConfig) -> str | None:
    """Return the key in the variable that the configuration names; None where it names none."""
    return os.environ[config.api_key_env] if config.api_key_env else None


def address_of(config: ModelConfig) -> str:
    """Return where litellm asks a model; empty for the provider's usual place."""
    provider = provider_of(config.model).upper()
    named = (os.environ.get(f"{provider}_{ending}") for ending in ("API_BASE", "BASE_URL"))
    return (config.api_base or next(filter(None, named), "")).rstrip("/")


def provider_of(model: str) -> str:
    """Return the part of a litellm model string that names the provider; empty where there is none."""
    return model.partition("/")[0] if "/" in model else ""


def answer_bound(config: ModelConfig) -> int | None:
    """Return the tokens that an answer has at most by what is sent; None where nothing bounds it."""
    limits = (config.params.max_tokens, config.params.sent().get("max_completion_tokens"))
    return min((each for each in limits if isinstance(each, int)), default=None)


def wanted_logprobs(config: ModelConfig, request: CallRequest) -> Logprobs:
    """Return which log-probabilities a request asks for."""
    if request.paradigm is not None and TRAITS[request.paradigm].gives == "likelihood":
        return "prompt"
    return config.logprobs and request.role == "judge"


def sent_params(name: str, config: ModelConfig) -> dict[str, Any]:
    """Return the parameters to send; UsageError where one of them is not the user's to set."""
    params = config.params.sent()
    for wrong in sorted(RESERVED & params.keys()):
        raise UsageError(
            f"models.{name}.params: {wrong!r} is not a parameter of the model; leave it out "
            "(the address, the key's variable, logprobs, time-outs and retries have settings of their own)"
        )
    return params


# ------------------------------------------------------------------------------
# Keys kept out of every text that leaves this package.


HIDDEN = "[key]"
SHORTEST = 6  # characters of a value that is worth hiding: a shorter one would blank out words

_LOOKS_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SHAPES = re.compile(
    r"""\b(?:sk|pk|rk|gsk|xai|hf|nvapi|r8|pplx)[-_](?=[\w.\-]*[\d*])[\w*.\-]{6,}  # also masked in part
      | \bAIza[\w\-]{10,} | \bAKIA[0-9A-Z]{12,} | \bghp_\w{10,} | \beyJ[\w\-]{10,}\.[\w\-.]+
      | (?<=[Bb]earer[ ])[^\s"',}]+
      | (?<=api_key=)[^\s"'&,}]+ | (?<=[?&]key=)[^\s"'&,}]+""",
    re.VERBOSE,
)


def scrub(text: str, secrets: Iterable[str | None] = ()) -> str:
    """Return the text with every key in it hidden.

    Hidden are the `secrets`, where they are not None, the values of environment variables whose names end in
    KEY, TOKEN, SECRET, PASSWORD or CREDENTIALS, and whatever is shaped like a key.
    """
    held = (value for name, value in os.environ.items() if _LOOKS_SECRET.search(name))
    values = {value for value in (*secrets, *held) if value and len(value) >= SHORTEST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return _SHAPES.sub(HIDDEN, text)


def without(reply: Reply, key: str | None) -> Reply:
    """Return the reply with the key hidden that was sent for it, which a server may repeat in an answer.

    Nothing else is hidden in an answer: what looks like a key may be what was asked for.
    """
    if key is None or len(key) < SHORTEST:
        return reply
    fields = {name: text for name, text in asdict(reply).items() if isinstance(text, str) and key in text}
    hidden: dict[str, Any] = {name: text.replace(key, HIDDEN) for name, text in fields.items()}
    return replace(reply, **hidden)


# ------------------------------------------------------------------------------
# Parameters that a model refuses: left out, or made smaller, and remembered for its next calls.


TOP, FEWER = 20, 5  # alternatives at a token: as many as any provider gives, and as many as some do
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
    """What one model was found not to take; `takes_schema` is None until an answer has told."""

    dropped: set[str] = field(default_factory=set)
    top: int = TOP
    takes_schema: bool | None = None

    def parameters(self, params: dict[str, Any], *, logprobs: bool) -> dict[str, Any]:
        """Return the parameters to send."""
        wanted = {**params, "logprobs": True, "top_logprobs": self.top} if logprobs else params
        return {name: value for name, value in wanted.items() if name not in self.dropped}

    def learn(self, words: str, sent: dict[str, Any]) -> str | None:
        """Take a lesson from the words of a bad request; what was changed, None where nothing can be.

        `sent` are the parameters of the call, so that calls which were under way together learn once.
        """
        if sent.get("top_logprobs", 0) > FEWER and "top_logprobs" in words and not _REFUSES.search(words):
            known, self.top = self.top == FEWER, FEWER
            return "" if known else f"takes {FEWER} top_logprobs at most"
        if not _REFUSES.search(words):
            return None
        for name in DROPPABLE:
            if name in sent and re.search(rf"\b{name}\b", words):
                gone = {"logprobs", "top_logprobs"} if name.endswith("logprobs") else {name}
                known = gone <= self.dropped
                self.dropped |= gone
                return "" if known else f"does not accept {name!r}; it is not sent"
        return None

    def learn_of_schema(self, words: str) -> str | None:
        """Take a lesson from the words of a bad request that asked for a JSON schema, as `learn` does."""
        return self.refuse_schema() if _ABOUT_SCHEMA.search(words) else None

    def refuse_schema(self) -> str:
        """Ask for no JSON schema any more; the words of what was changed, empty where that is known."""
        known, self.takes_schema = self.takes_schema is False, False
        return "" if known else "supports no JSON schema (`response_format`); it is called without one"


IN_BATCHES = 0.5
PER = 1_000_000
FREE = Price(input_per_million=0.0, output_per_million=0.0)


def cost_usd(price: Price, prompt_tokens: float, completion_tokens: float) -> float:
    """Return the dollars for so many tokens of the prompt and of the answer, its reasoning included."""
    return (prompt_tokens * price.input_per_million + completion_tokens * price.output_per_million) / PER


def known_sum(numbers: Iterable[float | None]) -> float | None:
    """Return the sum of numbers such as costs; None where one of them is unknown."""
    known = list(numbers)
    return None if None in known else sum(number for number in known if number is not None)


def batch_price(price: Price) -> Price:
    """Return what providers ask in batches unless they say otherwise: half."""
    return Price(**{side: dollars * IN_BATCHES for side, dollars in price})


# ------------------------------------------------------------------------------
# litellm's list of prices, read from its file: importing litellm for it would take four seconds.


_FILE = "model_prices_and_context_window_backup.json"
_MODES = ("chat", "completion", "responses")


def listed_price(model: str, *, batch: bool = False) -> Price | None:
    """Return the listed price of a litellm model string; None where that provider's is not in the list.

    `batch`: that of calls in batches, None too where the list does not know it.
    """
    provider, _, bare = model.partition("/") if "/" in model else ("", "", model)
    kind = "_batches" if batch else ""
    for name in (model, bare):
        entry = _list().get(name)
        if not isinstance(entry, dict):
            continue
        listed_by = str(entry.get("litellm_provider", ""))
        if provider and name == bare and not listed_by.startswith(provider):
            continue
        sent, received = (entry.get(f"{side}_cost_per_token{kind}") for side in ("input", "output"))
        if not isinstance(sent, int | float) or not isinstance(received, int | float):
            continue
        if entry.get("mode", "chat") in _MODES:
            return Price(input_per_million=sent * PER, output_per_million=received * PER)
    return None


def longest_answer(model: str) -> int | None:
    """Return how many tokens the list says that a model writes at most; None where it does not say."""
    for name in dict.fromkeys((model, model.partition("/")[2] or model)):
        entry = _list().get(name)
        tokens = entry.get("max_output_tokens") if isinstance(entry, dict) else None
        if isinstance(tokens, int) and tokens > 0:
            return tokens
    return None


@functools.cache
def _list() -> dict[str, Any]:
    """Return the list, empty where this litellm keeps it elsewhere."""
    spec = find_spec("litellm")  # finds the package without importing it
    if spec is None or spec.origin is None:
        return {}
    try:
        read: dict[str, Any] = json.loads((Path(spec.origin).parent / _FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return read


# ------------------------------------------------------------------------------
# What a run may still spend, where nobody knows beforehand how long an answer is.
#
# A call's prompt is known, and its answer where `max_tokens` bounds it. Where nothing does, the first
# answers of each model and paradigm tell: they are asked for two at a time, and one more is with each that
# has come. Two sums are kept of the calls under way. What is reserved is the longest answer seen, with a
# margin. What is doubted is the longest that may come: `max_tokens`, else what the model can write, else
# 32,768 tokens or twice the longest seen. A call is made where both leave room under the cap, or where the
# reserve does and no more than two calls of unknown length are under way. So the cap is passed by what two
# calls cost at most, as long as no answer is longer than was doubted, and far from the cap nobody waits.
#
# What was charged counts, whether the answer could be read or not, with all its thinking; an answer of which
# nobody knows what it cost counts as what was reserved for it.


Leave = Literal["yes", "wait", "no"]
AT_FIRST = 2
"""Calls of unknown length that are under way together while nothing is known, or where the cap is near."""
MARGIN = 1.25
"""What is reserved, beside the longest answer seen."""
LONGEST_LIKELY = 32_768
"""Tokens that an answer may have where nobody says."""
_TOKENS_AT_FIRST = 1_000
"""Tokens reserved for an answer before one was seen."""


class Kind(NamedTuple):
    """Calls whose answers are alike: to one model, in one paradigm (None: a generator's)."""

    model: str
    paradigm: str | None


@dataclass(frozen=True, slots=True)
class Terms:
    """What is known of all calls of a kind: their price, and `max_tokens` where they are set.

    `longest_answer` are the tokens that the model writes at most, where its price list says so.
    """

    kind: Kind
    price: Price
    max_tokens: int | None = None
    longest_answer: int | None = None


@dataclass(frozen=True, slots=True)
class Reserved:
    """A call under way, of about so many tokens in its prompt."""

    terms: Terms
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class Charge:
    """What one answer cost, as far as it is known; `completion_tokens` with its thinking."""

    cost_usd: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(slots=True)
class _Answers:
    """What was seen of a kind's answers, and the number and prompts of its calls under way."""

    terms: Terms
    count: int = 0
    longest: int = 0
    prompt_ratio: float = 1.0  # of a prompt's tokens to what they were thought to be, at most
    calls: int = 0
    prompts: int = 0

    @property
    def is_bounded(self) -> bool:
        """Whether no answer is longer than `max_tokens`, as far as is known."""
        return self.terms.max_tokens is not None and self.longest <= self.terms.max_tokens

    def reserved(self, calls: int, prompts: int) -> float:
        """Return the dollars to reserve for so many calls, of so many tokens in all their prompts."""
        tokens = math.ceil(self.longest * MARGIN) if self.count else _TOKENS_AT_FIRST
        return self._usd(calls, prompts, tokens)

    def doubted(self, calls: int, prompts: int) -> float:
        """Return the dollars that so many calls may cost."""
        listed = self.terms.longest_answer
        return self._usd(calls, prompts, max(LONGEST_LIKELY if listed is None else listed, 2 * self.longest))

    def _usd(self, calls: int, prompts: int, tokens: int) -> float:
        """Return the price of calls with answers of `max_tokens`, or `tokens` where those bound nothing."""
        most = (self.terms.max_tokens or 0) if self.is_bounded else tokens
        return cost_usd(self.terms.price, prompts * self.prompt_ratio, calls * most)

    def see(self, prompt_tokens: int, charge: Charge) -> None:
        """Take note of how long an answer was, or, from its cost, must have been."""
        tokens, price = charge.completion_tokens, self.terms.price
        sent = prompt_tokens if charge.prompt_tokens is None else charge.prompt_tokens
        if charge.cost_usd is not None and price.output_per_million > 0:
            paid = charge.cost_usd * PER - sent * price.input_per_million
            tokens = max(tokens or 0, round(paid / price.output_per_million))
        if tokens is not None:
            self.count += 1
            self.longest = max(self.longest, tokens)
        if charge.prompt_tokens is not None and prompt_tokens > 0:
            self.prompt_ratio = max(self.prompt_ratio, charge.prompt_tokens / prompt_tokens)


@dataclass(eq=False)
class Spending:
    """A cap in US dollars over the whole run; None: nothing is refused.

    `spent` is what answers cost so far, in this process and earlier ones; `guessed` of them counted as what
    was reserved, as nobody knows what they cost.
    """

    cap: float | None = None
    spent: float = 0.0
    guessed: int = 0
    _kinds: dict[Kind, _Answers] = field(default_factory=dict)
    _held: float = 0.0
    _holds: int = 0

    def leave(self, terms: Terms, prompt_tokens: int) -> Leave:
        """Return whether a call may be made now.

        `wait`: not before another has ended, which may turn out cheaper or tell how long answers are. `no`:
        nothing is under way, and there is no room.
        """
        if self.cap is None:
            return "yes"
        answers = self._answers(terms)
        if self._committed(_Answers.reserved) + answers.reserved(1, prompt_tokens) > self.cap:
            return "wait" if self._calls_under_way() else "no"
        if not answers.is_bounded and answers.calls >= AT_FIRST + answers.count:
            return "wait"
        unbounded = sum(each.calls for each in self._kinds.values() if not each.is_bounded)
        if unbounded + (not answers.is_bounded) <= AT_FIRST:
            return "yes"
        in_doubt = self._committed(_Answers.doubted) + answers.doubted(1, prompt_tokens)
        return "yes" if in_doubt <= self.cap else "wait"

    def begin(self, terms: Terms, prompt_tokens: int) -> Reserved:
        """Count a call as under way."""
        answers = self._answers(terms)
        answers.calls += 1
        answers.prompts += prompt_tokens
        return Reserved(terms, prompt_tokens)

    def likely(self, call: Reserved) -> float:
        """Return what is reserved for a call under way: what it counts as where nobody knows its cost."""
        return self._answers(call.terms).reserved(1, call.prompt_tokens)

    def charge(self, call: Reserved, charge: Charge) -> None:
        """Count what an answer cost, read or not; a call that is tried again may have several."""
        answers = self._answers(call.terms)
        if charge.cost_usd is not None:
            self.spent += charge.cost_usd
        elif charge.prompt_tokens is not None and charge.completion_tokens is not None:
            self.spent += cost_usd(answers.terms.price, charge.prompt_tokens, charge.completion_tokens)
        else:
            self.spent += answers.reserved(1, call.prompt_tokens)
            self.guessed += 1
        answers.see(call.prompt_tokens, charge)

    def may_try_again(self) -> bool:
        """Return whether a call under way may be sent once more, after an answer that could not be read."""
        return self.cap is None or self._committed(_Answers.reserved) <= self.cap

    def end(self, call: Reserved) -> None:
        """Count a call as ended."""
        answers = self._answers(call.terms)
        answers.calls -= 1
        answers.prompts -= call.prompt_tokens

    def fits(self, most: float) -> Leave:
        """Return whether a batch of calls that cost `most` dollars together may be handed over."""
        if self.cap is None or self._committed(_Answers.reserved) + most <= self.cap:
            return "yes"
        return "wait" if self._calls_under_way() else "no"

    def most(self, terms: Terms, prompt_tokens: int) -> float:
        """Return what a call may cost, for a batch, whose calls are all under way before one has ended."""
        return self._answers(terms).doubted(1, prompt_tokens)

    def hold(self, most: float) -> None:
        """Count a batch as under way."""
        self._held += most
        self._holds += 1

    def release(self, most: float, cost: float | None) -> None:
        """Count a batch as ended; of unknown cost, it has cost what it may have at most."""
        self._holds -= 1
        self._held = self._held - most if self._holds else 0.0
        self.spent += most if cost is None else cost

    @property
    def reserved(self) -> float:
        """The dollars reserved for the calls and batches under way."""
        return self._committed(_Answers.reserved) - self.spent

    @property
    def words(self) -> str:
        """What the cap has the run do, empty where it has it do nothing."""
        if self.cap is None:
            return ""
        open_kinds = ((kind, each) for kind, each in self._kinds.items() if not each.is_bounded)
        unknown = [kind for kind, each in open_kinds if each.calls and not each.count]
        if unknown:
            names = ", ".join(f"{kind.model} ({kind.paradigm or 'responses'})" for kind in unknown[:3])
            more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
            return f"two calls at a time until answers have told how long they are: {names}{more}"
        return f"${self.spent:,.4g} of ${self.cap:,.4g} spent, ${self.reserved:,.4g} reserved"

    def _answers(self, terms: Terms) -> _Answers:
        return self._kinds.setdefault(terms.kind, _Answers(terms))

    def _calls_under_way(self) -> int:
        return self._holds + sum(each.calls for each in self._kinds.values())

    def _committed(self, dollars: Callable[[_Answers, int, int], float]) -> float:
        """Return what is spent, with what the calls under way take by one of the two sums."""
        under_way = sum(dollars(each, each.calls, each.prompts) for each in self._kinds.values())
        return self.spent + self._held + under_way


# ------------------------------------------------------------------------------
# What the run will cost, as its answers tell: how the estimate made before it has moved.


SEEN_ENOUGH = 5
"""Answers of a model that say how long its others are."""
_AS_FORESEEN = 1.1


@dataclass(slots=True)
class _Course:
    """What a model's answers took, beside what was foreseen of the same calls."""

    answers: int = 0
    cost_usd: float | None = 0.0
    foreseen_usd: float | None = 0.0
    tokens: int = 0
    foreseen_tokens: int = 0


class Outlook:
    """What a run's calls will cost in all, by what their answers cost so far; `left` are calls by model."""

    def __init__(self) -> None:
        self.left: Counter[str] = Counter()
        self._courses: dict[str, _Course] = {}

    def see(
        self,
        model: str,
        *,
        cost_usd: float | None,
        tokens: int,
        foreseen_usd: float | None,
        foreseen_tokens: int,
    ) -> None:
        """Take note of an answer; its tokens, as those foreseen, are the completion's."""
        course = self._courses.setdefault(model, _Course())
        course.answers += 1
        course.cost_usd = known_sum((course.cost_usd, cost_usd))
        course.foreseen_usd = known_sum((course.foreseen_usd, foreseen_usd))
        course.tokens += tokens
        course.foreseen_tokens += foreseen_tokens

    def state(self) -> dict[str, float | int | None] | None:
        """Return the answers seen with their cost, what was foreseen for them, and what is still to come.

        None while a model that is asked has given too few; a sum is None where a price is unknown.
        """
        waiting = [name for name, calls in self.left.items() if calls > 0]
        courses = self._courses
        if not courses or any(name not in courses or courses[name].answers < SEEN_ENOUGH for name in waiting):
            return None
        seen: dict[str, float | int | None] = {
            name: sum(getattr(each, name) for each in courses.values())
            for name in ("answers", "tokens", "foreseen_tokens")
        }
        for name in ("cost_usd", "foreseen_usd"):
            seen[name] = known_sum(getattr(each, name) for each in courses.values())
        costs = {name: courses[name].cost_usd for name in waiting}
        seen["to_come_usd"] = known_sum(
            None if cost is None else self.left[name] * cost / courses[name].answers
            for name, cost in costs.items()
        )
        return seen

    def words(self, spent: float) -> str:
        """Return what the run will cost, and how the estimate has moved; empty where nothing is paid."""
        seen = self.state()
        if seen is None:
            return ""
        cost, foreseen, to_come = seen["cost_usd"], seen["foreseen_usd"], seen["to_come_usd"]
        if cost is None or to_come is None:
            times = _times(seen["tokens"], seen["foreseen_tokens"])
            return f"answers are {times} as long as was foreseen" if times else ""
        if not cost:
            return ""
        times = _times(cost, foreseen)
        compared = f"{times} as much as was foreseen" if times else "as was foreseen"
        return f"about ${spent + to_come:,.4g} with the calls still to come: answers cost {compared}"


def _times(real: float | None, foreseen: float | None) -> str:
    """Return a ratio in words, empty where it is about 1 or undefined."""
    if not real or not foreseen or 1 / _AS_FORESEEN <= real / foreseen <= _AS_FORESEEN:
        return ""
    return f"{real / foreseen:,.2g} times"
