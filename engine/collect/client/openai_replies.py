"""Parsing a chat completion's JSON, whatever its shape, into answer, thinking, tokens and cost.

The input is not trusted. An answer is read wherever it is: in text, in parts, or in the arguments of a tool
call, and never in the thinking. If there is none, the reply names the shortfall, and its cost still counts.
"""

import json
import math
import re
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from engine.collect.calls import Reply, whole_characters
from engine.collect.configuration.config import Price
from engine.collect.configuration.prices import cost_usd
from engine.collect.paradigms.thinking import answer_start, split_thinking
from engine.paradigms import Shortfall

LONGEST = 200_000  # characters kept of an answer
LONGEST_NAME = 300  # characters kept of a model's or a finish reason's name
MOST_TOKENS = 10**9  # more than any model reads; bounds a run's sums
MOST_ALTERNATIVES = 100  # per token; five times what any provider gives

_COUNT = re.compile(r"[0-9]{1,10}")
_FINISH_REASONS = {
    **dict.fromkeys(("max_tokens", "max_output_tokens", "max_length", "model_length"), "length"),
    **dict.fromkeys(
        ("content-filter", "safety", "prohibited_content", "blocklist", "spii"), "content_filter"
    ),
    **dict.fromkeys(("recitation", "refusal", "sensitive"), "content_filter"),
}
"""Other providers' names for OpenAI's `length` and `content_filter`."""

_THINKING_PARTS = ("thinking", "reasoning", "reasoning_text", "reasoning.text")
_AS_JSON = json.JSONEncoder(ensure_ascii=False)


def reply_of(response: object, price: Price | None, latency_s: float | None = None) -> Reply:
    """Return the reply in the decoded JSON of a response with status 200; never raises.

    `text` is the answer without its thinking, or, if there is no text, the arguments of a tool call. Thinking
    is never an answer, as it may hold drafts: alone, its `shortfall` is `only_thinking`. Of a reply of more
    than 200,000 characters only the two ends are kept, and its finish reason is `length`.

    Completion tokens include thinking, which some providers count separately. The cost covers prompt and
    completion, None if the price or either count is unknown. NUL and lone surrogates are replaced by U+FFFD.
    """
    fields = fields_of(response)
    choice = fields_of(next(iter(list_of(fields.get("choices"))), None))
    message = fields_of(choice.get("message"))
    finish_reason = finish_reason_of(choice)
    refusal = _refusal(message)
    prompt_tokens, completion_tokens, thinking_tokens = token_counts(fields.get("usage"))

    # Whether there is a field for an answer, even if it is empty.
    content = message.get("content", choice.get("text"))
    shaped = ("content" in message or "text" in choice) and isinstance(content, str | list | Mapping | None)
    thinking, text = _answer(message, content)
    shortfall = _shortfall(text, finish_reason, thinking=bool(thinking or thinking_tokens), shaped=shaped)
    if completion_tokens == 0 and (text or thinking):
        completion_tokens = None
    shortened = _shorten(text)
    if shortened is not text:
        finish_reason, shortfall = "length", "cut_off"
    refused = refusal is not None or finish_reason == "content_filter"
    cost = None
    if price is not None and prompt_tokens is not None and completion_tokens is not None:
        cost = cost_usd(price, prompt_tokens, completion_tokens)
    return Reply(
        text=shortened,
        finish_reason=finish_reason,
        refusal=refusal,
        reasoning=None if thinking is None else _shorten(thinking),
        model_id=_name(fields.get("model")),
        fingerprint=_name(fields.get("system_fingerprint")),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost_usd=cost,
        latency_s=latency_s,
        first_token=first_token(choice.get("logprobs")),
        shortfall=None if refused else shortfall,
    )


def finish_reason_of(choice: Mapping[str, Any]) -> str | None:
    """Return why a choice ends: OpenAI's word for a limit or a filter, else the provider's own word."""
    reason = _name(choice.get("finish_reason"))
    word = (reason or "").lower().partition(":")[0].strip()  # Gemini writes `content_filter: SAFETY`
    return word if word in ("length", "content_filter", "error") else _FINISH_REASONS.get(word, reason)


def is_answer(content: object) -> bool:
    """Return whether a response of status 200 has a choice that states no error."""
    choice = fields_of(next(iter(list_of(fields_of(content).get("choices"))), None))
    error = bool(choice.get("error")) or finish_reason_of(choice) == "error"
    return not error and not lacks_choice(content)


def lacks_choice(content: object) -> bool:
    """Return whether a response of status 200 has no choice: it is no answer, not even an empty one."""
    choice = fields_of(next(iter(list_of(fields_of(content).get("choices"))), None))
    return all(value is None for name, value in choice.items() if name != "index")


def clean_text(text: str) -> str:
    """Return the text with NUL and lone surrogates, which cannot be stored, replaced by U+FFFD."""
    return whole_characters(text.replace("\0", "\ufffd"))


def token_counts(usage: object) -> tuple[int | None, int | None, int | None]:
    """Return the numbers of tokens: prompt, completion including thinking, and thinking.

    Each is None if `usage` lacks it, or has zero for a prompt. If the total exceeds its parts, or thinking
    exceeds the completion, thinking was counted separately and is added, so that costs are overestimated
    rather than underestimated.
    """
    if not isinstance(usage, Mapping):
        return None, None, None
    prompt = _first_count(usage, "prompt_tokens", "input_tokens")
    completion = _first_count(usage, "completion_tokens", "output_tokens")
    total = _count(usage.get("total_tokens"))
    places = (usage.get("completion_tokens_details"), usage.get("output_tokens_details"), usage)
    names = ("reasoning_tokens", "thinking_tokens", "thoughts_tokens")
    counts = (_first_count(fields_of(place), *names) for place in places)
    thinking = next((count for count in counts if count is not None), None)
    if prompt is None and total is not None and completion is not None and total >= completion:
        prompt = total - completion
    if prompt is not None and total is not None and total - prompt >= (completion or 0):
        completion = total - prompt
    if completion is not None and thinking is not None and thinking > completion:
        completion += thinking
    if not prompt:  # some gateways write zeros for what they do not count
        return None, completion or None, thinking
    return prompt, completion, thinking


def first_token(logprobs: object) -> tuple[tuple[str, float], ...] | None:
    """Return the alternatives for the answer's first token, with their probabilities.

    Thinking and blank tokens before it are skipped. None if there are no alternatives, or if they are
    malformed: the answer was paid for and is valid without them.
    """
    tokens = list_of(fields_of(logprobs).get("content"))
    try:
        start = _answer_start([token["token"] for token in tokens])
        for token in tokens[start:]:
            if token["token"].strip():
                alternatives = token.get("top_logprobs") or [token]
                return tuple(map(_alternative, alternatives[:MOST_ALTERNATIVES]))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return None
    return None


def _answer(message: Mapping[str, Any], content: object) -> tuple[str | None, str]:
    parts, part_thinking = _content(content)
    thinking, text = _without_thinking(parts, _join_thinking(_thinking(message), part_thinking))
    if not text.strip():
        text = _tool_arguments(message) or text
    return (None if thinking is None else clean_text(thinking)), clean_text(text)


def _content(content: object) -> tuple[str, str | None]:
    if isinstance(content, str):
        return content, None
    if isinstance(content, Mapping):
        if "type" not in content and "text" not in content:  # an answer in JSON that the server decoded
            return _as_json(content), None
        content = [content]
    if not isinstance(content, list):
        return "", None
    texts, thoughts = [], []
    for part in content:
        if fields_of(part).get("type") in _THINKING_PARTS:
            thoughts.append(_part_text(part.get("thinking") or part.get("reasoning") or part))
        else:
            texts.append(_part_text(part))
    return "".join(texts), "\n".join(thought for thought in thoughts if thought) or None


def _part_text(part: object) -> str:
    """Return the text of a part, which may be its field `text`, that field's `value`, or a list of parts."""
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "".join(each for inner in part if isinstance(each := _text_field(inner), str))
    text = _text_field(part)
    return text if isinstance(text, str) else ""


def _text_field(part: object) -> object:
    if not isinstance(part, Mapping):
        return part
    text = part.get("text")
    return text.get("value") if isinstance(text, Mapping) else text


def _thinking(message: Mapping[str, Any]) -> str | None:
    """Return the thinking that the provider returns separately; each provider has its own field."""
    for name in ("reasoning_content", "reasoning", "thinking"):
        if text := _part_text(message.get(name)).strip():
            return text
    for name in ("thinking_blocks", "reasoning_details"):
        blocks = [block for block in list_of(message.get(name)) if isinstance(block, Mapping)]
        texts = [_part_text(block.get("thinking") or block) for block in blocks]
        if thinking := "\n".join(text for text in texts if text):
            return thinking
    return None


def _without_thinking(content: str, thinking: str | None) -> tuple[str | None, str]:
    """Return the thinking, and the answer of a text that may begin with its own."""
    answer, thought = split_thinking(content)
    if thought is None and answer == content:
        return thinking, content.lstrip() if thinking else content
    return _join_thinking(thinking, thought), answer


def _join_thinking(thinking: str | None, addition: str | None) -> str | None:
    return "\n".join(part for part in (thinking, (addition or "").strip()) if part) or None


def _tool_arguments(message: Mapping[str, Any]) -> str:
    """Return the arguments of the model's tool calls, which are an answer in another form."""
    functions = [fields_of(call).get("function") for call in list_of(message.get("tool_calls"))]
    arguments = [fields_of(each).get("arguments") for each in (*functions, message.get("function_call"))]
    objects = [each for each in arguments if isinstance(each, str | Mapping)]
    return "\n".join(each if isinstance(each, str) else _as_json(each) for each in objects)


def _shortfall(text: str, finish_reason: str | None, *, thinking: bool, shaped: bool) -> Shortfall | None:
    if thinking and not text.strip():
        return "only_thinking"
    if finish_reason == "length":
        return "cut_off"
    if text.strip():
        return None
    return "empty" if shaped else "malformed"


def _refusal(message: Mapping[str, Any]) -> str | None:
    litellm_fields = fields_of(message.get("provider_specific_fields"))  # where litellm puts it
    refusal = message.get("refusal") or litellm_fields.get("refusal")
    if isinstance(refusal, str) and refusal:
        return _shorten(clean_text(refusal))
    for part in map(fields_of, list_of(message.get("content"))):
        if part.get("type") == "refusal":
            return _shorten(clean_text(str(part.get("refusal") or "refused")))
    return None


def _name(value: object) -> str | None:
    return clean_text(value[:LONGEST_NAME]) if isinstance(value, str) else None


def _shorten(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"


def _as_json(value: Mapping[str, Any]) -> str:
    try:
        return _AS_JSON.encode(value)
    except (RecursionError, ValueError):
        return ""


def list_of(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def fields_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _first_count(usage: Mapping[str, Any], *names: str) -> int | None:
    return next((count for name in names if (count := _count(usage.get(name))) is not None), None)


def _count(value: object) -> int | None:
    """Return a number of tokens, which may be digits or a whole float; None for anything else."""
    if isinstance(value, str) and _COUNT.fullmatch(value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def _alternative(fields: Mapping[str, Any]) -> tuple[str, float]:
    token, logprob = fields["token"], fields["logprob"]
    if not isinstance(token, str) or isinstance(logprob, bool) or math.isnan(logprob):
        raise ValueError(fields)
    return clean_text(token), math.exp(min(0.0, logprob))


def _answer_start(tokens: list[str]) -> int:
    place = answer_start("".join(tokens))
    if place is None:
        return len(tokens)
    starts = accumulate(map(len, tokens), initial=0)
    return next(index for index, start in enumerate(starts) if start >= place)
