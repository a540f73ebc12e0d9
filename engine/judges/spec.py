"""What a model's configuration says of calling it."""

import os
from typing import Any

from engine.config import ModelConfig
from engine.errors import UsageError

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


def provider_of(model: str) -> str:
    """Return the part of a litellm model string that names the provider; empty where there is none."""
    return model.partition("/")[0] if "/" in model else ""


def sent_params(name: str, config: ModelConfig) -> dict[str, Any]:
    """Return the parameters to send; UsageError where one of them is not the user's to set."""
    params = config.params.sent()
    for wrong in sorted(RESERVED & params.keys()):
        raise UsageError(
            f"models.{name}.params: {wrong!r} is not a parameter of the model; leave it out "
            "(the address, the key's variable, logprobs, time-outs and retries have settings of their own)"
        )
    return params
