"""Keys and addresses of models, and the parameters that the runner sets itself."""

import os
from typing import Any

from engine.collect.calls import CONTINUED_TOKENS, CallRequest, Logprobs, Role
from engine.collect.configuration.config import ModelConfig
from engine.collect.paradigms.answers.pairwise import option_letters
from engine.errors import UsageError
from engine.paradigms import TRAITS

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


def key_variables(config: ModelConfig) -> tuple[str, ...]:
    """Return the environment variables of which one must have the model's key; empty if it needs none.

    A user's own server needs no key unless `api_key_env` names one. Providers not listed here are not
    checked.
    """
    if config.api_key_env:
        return (config.api_key_env,)
    return () if config.api_base else KEY_VARIABLES.get(provider_of(config.model), ())


def missing_variable(config: ModelConfig) -> str | None:
    """Return the environment variable that lacks the model's key; None if none is missing."""
    variables = key_variables(config)
    return None if any(map(os.environ.get, variables)) else next(iter(variables), None)


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


def answer_bound(config: ModelConfig, role: Role = "generator") -> int | None:
    """Return the maximum tokens of an answer by the sent parameters; None if nothing bounds it."""
    if config.protocol == "completion" and role == "judge":
        return CONTINUED_TOKENS
    limits = (config.params.max_tokens, config.params.to_dict().get("max_completion_tokens"))
    return min((each for each in limits if isinstance(each, int)), default=None)


def requested_logprobs(config: ModelConfig, request: CallRequest) -> Logprobs:
    if request.paradigm is not None and TRAITS[request.paradigm].gives == "likelihood":
        return "prompt"
    if config.protocol == "completion" and request.role == "judge":
        return option_letters(request)
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
