"""What a model's configuration says of calling it."""

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
