"""litellm's responses read as replies: the answer apart from the thinking, its first token, its cost."""

import math
import re
from typing import Any

from engine.calls import Reply
from engine.config import Price
from engine.judges.prices import cost_usd

LONGEST = 200_000  # characters that are kept of an answer
MOST_TOKENS = 10**9  # more than any model reads; a run adds them up
_THOUGHT = re.compile(r"\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.S)
_CLOSING = re.compile(r"</think(?:ing)?>")


class NoAnswerError(Exception):
    """The response has no choice in it."""


def reply_of(response: Any, latency_s: float | None, price: Price | None, *, own_price: bool) -> Reply:
    """Return the reply in a litellm response.

    `own_price`: the price is the user's and not litellm's list, whose sum knows of discounts. Raises
    NoAnswerError where there is no choice. An answer of more than 200,000 characters keeps its two ends, and
    its finish reason is then `length`.
    """
    if not response.choices:
        raise NoAnswerError("it has no choices")
    choice = response.choices[0]
    message = choice.message
    content = message.content if isinstance(message.content, str) else ""
    reasoning, text = _parted(content, _thinking(message))
    short = _shortened(text)
    usage = getattr(response, "usage", None)
    prompt_tokens, completion_tokens = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    return Reply(
        text=short,
        finish_reason="length" if short != text else _text(choice.finish_reason),
        refusal=_refusal(message),
        reasoning=None if reasoning is None else _shortened(reasoning),
        model_id=_text(response.model),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost_usd=_cost(response, price, prompt_tokens, completion_tokens, own_price=own_price),
        latency_s=latency_s,
        first_token=_first_token(getattr(choice, "logprobs", None)),
    )


def _parted(content: str, reasoning: str | None) -> tuple[str | None, str]:
    """Return the thinking and the answer of a content that may begin with `<think>...</think>`.

    Where the thinking was cut off, all of it is thinking; where the opening tag was part of the prompt, the
    content begins within it.
    """
    if begun := _THOUGHT.match(content):
        return _joined(reasoning, begun[1]), content[begun.end() :].lstrip()
    closing = _CLOSING.search(content)
    if closing and "<think" not in content:
        return _joined(reasoning, content[: closing.start()]), content[closing.end() :].lstrip()
    return reasoning, content.lstrip() if reasoning else content


def _joined(reasoning: str | None, more: str) -> str | None:
    return "\n".join(part for part in (reasoning, more.strip()) if part) or None


def _thinking(message: Any) -> str | None:
    """Return what the provider keeps apart as thinking."""
    apart = getattr(message, "reasoning_content", None)
    if isinstance(apart, str) and apart.strip():
        return apart.strip()
    blocks = getattr(message, "thinking_blocks", None) or ()
    texts = [str(block.get("thinking") or "") for block in blocks if isinstance(block, dict)]
    return "\n".join(text for text in texts if text) or None


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"


def _refusal(message: Any) -> str | None:
    fields = getattr(message, "provider_specific_fields", None) or {}
    refusal = getattr(message, "refusal", None) or fields.get("refusal")
    return str(refusal) if refusal else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(usage: Any, name: str) -> int | None:
    """Return a number of tokens, None where what stands there is none."""
    count = getattr(usage, name, None)
    return count if type(count) is int and 0 <= count <= MOST_TOKENS else None


def _cost(
    response: Any,
    price: Price | None,
    prompt_tokens: int | None,
    completion_tokens: int | None,
    *,
    own_price: bool,
) -> float | None:
    if price is None or prompt_tokens is None or completion_tokens is None:
        return None
    listed = getattr(response, "_hidden_params", {}).get("response_cost")
    if not own_price and isinstance(listed, float | int):
        return float(listed)
    return cost_usd(price, prompt_tokens, completion_tokens)


def _first_token(logprobs: Any) -> tuple[tuple[str, float], ...] | None:
    """Return the alternatives at the answer's first token; None too where they are of another form.

    The answer was paid for and stands without them.
    """
    try:
        return _alternatives(getattr(logprobs, "content", None) or ())
    except (AttributeError, TypeError, ValueError):
        return None


def _alternatives(tokens: Any) -> tuple[tuple[str, float], ...] | None:
    """Return the alternatives at the first token after thinking and blank tokens."""
    start = _answer_start([str(token.token) for token in tokens])
    for token in tokens[start:]:
        if token.token.strip():
            listed = token.top_logprobs or [token]
            return tuple((str(one.token), math.exp(min(0.0, one.logprob))) for one in listed)
    return None


def _answer_start(tokens: list[str]) -> int:
    """Return the index of the first token that does not belong to `<think>...</think>`."""
    text = "".join(tokens)
    thought, closing = _THOUGHT.match(text), _CLOSING.search(text)
    if closing is None:
        return len(tokens) if thought else 0
    if not thought and "<think" in text:
        return 0
    seen = 0
    for index, token in enumerate(tokens):
        if seen >= closing.end():
            return index
        seen += len(token)
    return len(tokens)
