"""litellm's batch functions: files up and down, batches made, found and asked after."""

import asyncio
from typing import Any

from engine.config import ModelConfig
from engine.judges import gateway
from engine.judges.spec import provider_of

PROVIDERS = ("openai", "hosted_vllm", "litellm_proxy")
"""Whose batches are asked for in OpenAI's way, with files; litellm has others', which are made otherwise."""

ENDPOINT = "/v1/chat/completions"
_LABEL = "spb_batch"
_PAGE = 100


def has_batches(model: str) -> bool:
    """Return whether calls of a litellm model string can be made in batches."""
    return provider_of(model) in PROVIDERS


def request_body(config: ModelConfig, params: dict[str, Any]) -> dict[str, Any]:
    """Return what a live call would send beside its messages; raises litellm's errors for a parameter."""
    litellm = gateway.load()
    model = config.model.partition("/")[2]
    mapped = litellm.utils.get_optional_params(
        model=model, custom_llm_provider=provider_of(config.model), **params
    )
    more = mapped.pop("extra_body", None) or {}
    mapped.pop("stream", None)
    return {"model": model, **mapped, **more}


def response_of(body: dict[str, Any]) -> Any:
    """Return the body of an answer as litellm's response."""
    litellm = gateway.load()
    types = litellm.litellm_core_utils.llm_response_utils.convert_dict_to_response
    return types.convert_to_model_response_object(
        response_object=body, model_response_object=litellm.ModelResponse()
    )


async def upload(config: ModelConfig, key: str | None, content: bytes, timeout_s: float) -> str:
    """Bring the lines of a batch to the provider and return the file's id."""
    file = ("batch.jsonl", content, "application/jsonl")
    made = await _called("create_file", config, key, timeout_s, file=file, purpose="batch")
    return str(made.id)


async def make(config: ModelConfig, key: str | None, file_id: str, label: str, timeout_s: float) -> str:
    """Make a batch of an uploaded file, which is paid for from then on, and return its id."""
    batch = await _called(
        "create_batch",
        config,
        key,
        timeout_s,
        completion_window="24h",
        endpoint=ENDPOINT,
        input_file_id=file_id,
        metadata={_LABEL: label},
    )
    return str(batch.id)


async def find(
    config: ModelConfig, key: str | None, label: str, since: float, timeout_s: float
) -> str | None:
    """Return the id of the batch that was made with the label, None where there is none.

    The provider's list has the newest first; what was made before `since` (seconds of the epoch) is not
    looked at.
    """
    after: dict[str, str] = {}
    while True:
        page = await _called("list_batches", config, key, timeout_s, limit=_PAGE, **after)
        batches = list(page.data)
        page._client.close()  # litellm sends lists without the headers that would close it
        for batch in batches:
            if (batch.metadata or {}).get(_LABEL) == label:
                return str(batch.id)
        if not batches or batches[-1].created_at < since or not getattr(page, "has_more", False):
            return None
        after = {"after": str(batches[-1].id)}


async def retrieve(config: ModelConfig, key: str | None, batch_id: str, timeout_s: float) -> Any:
    """Return what the provider says of a batch."""
    return await _called("retrieve_batch", config, key, timeout_s, batch_id=batch_id)


async def content(config: ModelConfig, key: str | None, file_id: str, timeout_s: float) -> bytes:
    """Return the content of a file."""
    found = await _called("file_content", config, key, timeout_s, file_id=file_id)
    read: bytes = found.content
    return read


async def _called(name: str, config: ModelConfig, key: str | None, timeout_s: float, **given: Any) -> Any:
    """Call one of litellm's functions in a thread.

    It makes a client for each request, which its asynchronous functions leave open; here the connection ends
    with the answer.
    """
    return await asyncio.to_thread(
        getattr(gateway.load(), name),
        custom_llm_provider=provider_of(config.model),
        timeout=timeout_s,
        num_retries=0,
        max_retries=0,  # a batch that is made twice is paid for twice
        extra_headers={"Connection": "close"},
        **gateway.address(config, key),
        **given,
    )
