"""Which models can be called in OpenAI's chat protocol, without litellm."""

import re
from collections.abc import Collection

from engine.collect.configuration.config import ModelConfig

_OTHER_PROTOCOL = re.compile(r".*(?:-pro\b|codex|deep-research|-instruct)|(?:ft:)?(?:davinci|babbage)")
"""OpenAI's models that need another protocol than chat."""


_LITELLMS_OWN = frozenset(
    {
        "additional_drop_params", "allowed_openai_params", "api_version", "cache", "fallbacks",
        "context_window_fallback_dict", "input_cost_per_token", "output_cost_per_token", "ssl_verify",
    }
)  # fmt: skip
"""Parameters that only litellm understands, not a server."""


def serves(
    model: str, api_base: str | None, params: Collection[str] = (), *, continues: bool = False
) -> bool:
    """Return whether the chat protocol can call a model, named as in litellm.

    It can for `openai/NAME` and, with `api_base`, `hosted_vllm/NAME`; but not for OpenAI's models that need
    another protocol than chat, unless the model `continues` a text, nor with `params` that only litellm
    understands.
    """
    provider, _, name = model.partition("/")
    if not name or name.startswith("responses/") or not _LITELLMS_OWN.isdisjoint(params):
        return False
    if provider == "hosted_vllm":
        return api_base is not None
    is_openais = api_base is None or "//api.openai.com" in api_base
    is_other = is_openais and not continues and _OTHER_PROTOCOL.match(name)
    return provider == "openai" and not is_other


def serves_model(config: ModelConfig) -> bool:
    """Return whether the chat protocol can call a configured model."""
    params = config.params.to_dict()
    return serves(config.model, config.api_base, params, continues=config.protocol == "completion")
