"""Keys, reserved parameters, prices, budget, parameter fallback."""

import functools
import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engine.collect.calls import CallRequest, Logprobs, Reply
from engine.collect.config import ModelConfig, Price
from engine.errors import UsageError
from engine.schema import TRAITS

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
    return Price(
        input_per_million=price.input_per_million * IN_BATCHES,
        output_per_million=price.output_per_million * IN_BATCHES,
    )


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
