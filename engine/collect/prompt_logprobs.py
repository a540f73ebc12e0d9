"""How likely the last turn of a conversation is to a model, where its server can say so.

Two ways: chat completions with `prompt_logprobs`, as vLLM has them, where the conversation stands in the
model's own chat format; and completions with `echo` and `logprobs`, for base models and other servers.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.collect.calls import Message, Reply
from engine.collect.config import Price
from engine.collect.openai_replies import reply_of, token_counts

_PASSED_ON = ("extra_body", "extra_headers", "headers")
"""Parameters of the user's that are sent here too; those of sampling change nothing about a prompt."""

_ONE_TOKEN = {"max_tokens": 1, "temperature": 0}
_CHAT = _ONE_TOKEN | {"prompt_logprobs": 0, "add_generation_prompt": False, "continue_final_message": True}
_ECHO = _ONE_TOKEN | {"echo": True, "logprobs": 1}
_LEAST = -9_000.0
"""At and below it a log-probability is a server's way to write minus infinity in JSON."""

_BLANKS = "▁ĠĊ"
"""What stands for blanks and line ends in the tokens of some tokenizers."""

Tokens = Sequence[tuple[str, float | None]]
"""The tokens of a prompt with their log-probabilities; None for the first, before which nothing stands."""


def chat_fields(messages: Sequence[Message], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a chat completion that gives the log-probabilities of its own prompt."""
    return {"messages": list(messages), **_passed_on(params), **_CHAT}


def echo_fields(messages: Sequence[Message], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a completion that repeats its prompt, with log-probabilities."""
    return {"prompt": plain_prompt(messages), **_passed_on(params), **_ECHO}


def plain_prompt(messages: Sequence[Message]) -> str:
    """Return a conversation as plain text, each turn after its role."""
    return "\n\n".join(f"{message['role'].capitalize()}: {message['content']}" for message in messages)


def _passed_on(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: params[name] for name in _PASSED_ON if name in params}


def likelihood_reply(
    content: object, messages: Sequence[Message], price: Price | None, latency_s: float
) -> Reply | None:
    """Return what a server says of the last turn, as `{"logprob": ..., "tokens": ...}`.

    None where it gives no log-probabilities of the prompt: some leave the parameter out of account, some give
    those of what they wrote themselves. An answer without text is one whose tokens do not hold the turn.
    """
    fields = content if isinstance(content, Mapping) else {}
    tokens = _chat_tokens(fields) or _echoed_tokens(fields, plain_prompt(messages))
    if tokens is None:
        return None
    reply = reply_of(fields, price, latency_s)
    likelihood = of_last_turn(tokens, messages[-1]["content"])
    text = "" if likelihood is None else json.dumps({"logprob": likelihood[0], "tokens": likelihood[1]})
    return replace(
        reply,
        text=text,
        finish_reason="stop",
        refusal=None,
        reasoning=None,
        first_token=None,
        shortfall=None if text else "malformed",
    )


def _chat_tokens(fields: Mapping[str, Any]) -> Tokens | None:
    """Return the prompt's tokens of a chat completion: the first named of each place is the prompt's own."""
    listed = fields.get("prompt_logprobs")
    if not isinstance(listed, list):
        return None
    tokens = []
    for place in listed:
        named = next(iter(place.values()), None) if isinstance(place, Mapping) else None
        if isinstance(named, Mapping):
            tokens.append((str(named.get("decoded_token") or ""), _logprob(named.get("logprob"))))
    return tokens or None


def _echoed_tokens(fields: Mapping[str, Any], prompt: str) -> Tokens | None:
    """Return the prompt's tokens of a completion that repeats it."""
    choices = fields.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    given = choice.get("logprobs") if isinstance(choice, Mapping) else None
    if not isinstance(given, Mapping):
        return None
    names, logprobs = given.get("tokens"), given.get("token_logprobs")
    if not isinstance(names, list) or not isinstance(logprobs, list) or len(names) != len(logprobs):
        return None
    prompt_tokens = token_counts(fields.get("usage"))[0]
    if prompt_tokens is not None:
        if len(names) < prompt_tokens:
            return None  # those of what it wrote itself
        names, logprobs = names[:prompt_tokens], logprobs[:prompt_tokens]
    offsets = given.get("text_offset")
    within = [True] * len(names)
    if isinstance(offsets, list):
        within = [not isinstance(offset, int) or offset < len(prompt) for offset in offsets[: len(names)]]
    tokens = zip(names, logprobs, within, strict=False)
    return [(str(name), _logprob(logprob)) for name, logprob, inside in tokens if inside] or None


def _logprob(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return min(0.0, float(value)) if value > _LEAST else None


def of_last_turn(tokens: Tokens, text: str) -> tuple[float, int] | None:
    """Return the sum of the log-probabilities of a text at a prompt's end, and how many tokens it has.

    The text is looked for in the tokens' words, blanks left out on both sides, since tokenizers write them
    in many ways; parts of characters match any character that is not of ASCII. None where it is not there,
    or one of its tokens has no log-probability.
    """
    pieces, wanted = [_squeezed(name) for name, _ in tokens], _squeezed(text)
    span = _last_span("".join(pieces), wanted)
    if span is None:
        return None
    start, end = span
    total, number, at = 0.0, 0, 0
    for piece, (_, logprob) in zip(pieces, tokens, strict=True):
        first, at = at, at + len(piece)
        if (at > start and first < end) if piece else (start < first < end):
            if logprob is None:
                return None
            total, number = total + logprob, number + 1
    return round(total, 6), number


def _squeezed(text: str) -> str:
    return "".join(text.translate(_NO_BLANKS).split())


_NO_BLANKS = str.maketrans("", "", _BLANKS)
_RUNS = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")


def _last_span(words: str, wanted: str) -> tuple[int, int] | None:
    """Return where a text stands last; a character in parts stands there as U+FFFD or as `<0xE4>`."""
    if not wanted:
        return None
    start = words.rfind(wanted)
    if start >= 0:
        return start, start + len(wanted)
    if wanted.isascii():
        return None
    parts = "".join(sorted({each for each in wanted if not each.isascii()}))
    broken = rf"(?:<0x[0-9A-F]{{2}}>|[\ufffd{re.escape(parts)}])"
    pattern = "".join(re.escape(run) if run.isascii() else f"{broken}++" for run in _RUNS.findall(wanted))
    ahead = "" if wanted[0].isascii() else rf"(?<![\ufffd{re.escape(parts)}>])"
    last = None
    for last in re.finditer(ahead + pattern, words):  # noqa: B007 - the last one is wanted
        pass
    return last.span() if last else None
