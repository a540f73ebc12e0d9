"""The likelihood of a conversation's last message for a model, if its server can give it.

Two ways: chat completions with `prompt_logprobs`, as in vLLM, with the conversation in the model's own chat
format; and completions with `echo` and `logprobs`, for base models and other servers.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.collect.calls import Message, Reply
from engine.collect.client.openai_replies import fields_of, list_of, reply_of, token_counts
from engine.collect.configuration.config import Price
from engine.paradigms import Shortfall
from engine.values import parse_float

_EXTRA_FIELDS = ("extra_body", "extra_headers", "headers")
"""The user's parameters that are sent here too; sampling parameters do not affect a prompt."""

_ONE_TOKEN = {"max_tokens": 1, "temperature": 0}
_CHAT = _ONE_TOKEN | {"prompt_logprobs": 0, "add_generation_prompt": False, "continue_final_message": True}
_ECHO = _ONE_TOKEN | {"echo": True, "logprobs": 1}
_LEAST = -9_000.0
"""Log-probabilities of this or less are a server's way to write minus infinity in JSON."""

_BLANKS = "▁ĠĊ"
"""Characters that represent blanks and line ends in the tokens of some tokenizers."""

Tokens = Sequence[tuple[str, float | None]]
"""The tokens of a prompt with their log-probabilities; None for the first, which has no context."""


def likelihood_fields(
    messages: Sequence[Message], params: Mapping[str, Any], *, echoes: bool
) -> dict[str, Any]:
    """Return the fields of a call that gives the log-probabilities of its own prompt."""
    prompt = {"prompt": plain_prompt(messages), **_ECHO} if echoes else {"messages": list(messages), **_CHAT}
    return {name: params[name] for name in _EXTRA_FIELDS if name in params} | prompt


def plain_prompt(messages: Sequence[Message]) -> str:
    return "\n\n".join(f"{message['role'].capitalize()}: {message['content']}" for message in messages)


def likelihood_reply(
    content: object, messages: Sequence[Message], price: Price | None, latency_s: float
) -> Reply | None:
    """Return the likelihood of the last message as a reply, `{"logprob": ..., "tokens": ...}`.

    None if the server gives no log-probabilities of the prompt: some ignore the parameter, some give those of
    their own output. The reply is without text if its tokens do not contain the message.
    """
    fields = fields_of(content)
    tokens = _chat_tokens(fields) or _echoed_tokens(fields, plain_prompt(messages))
    if tokens is None:
        return None
    reply = reply_of(fields, price, latency_s)
    likelihood = last_turn_likelihood(tokens, messages[-1]["content"])
    text = "" if likelihood is None else json.dumps({"logprob": likelihood[0], "tokens": likelihood[1]})
    shortfall: Shortfall | None = None if text else "malformed"
    no_words: dict[str, Any] = {"refusal": None, "reasoning": None, "first_token": None}
    return replace(reply, text=text, finish_reason="stop", shortfall=shortfall, **no_words)


def _chat_tokens(fields: Mapping[str, Any]) -> Tokens | None:
    """Return the prompt's tokens in a chat completion, which are the first alternatives per position."""
    places = list_of(fields.get("prompt_logprobs"))
    firsts = [next(iter(fields_of(place).values()), None) for place in places]
    tokens = [token for token in firsts if isinstance(token, Mapping)]
    return [(str(each.get("decoded_token") or ""), _logprob(each.get("logprob"))) for each in tokens] or None


def _echoed_tokens(fields: Mapping[str, Any], prompt: str) -> Tokens | None:
    choice = fields_of(next(iter(list_of(fields.get("choices"))), None))
    logprob_fields = fields_of(choice.get("logprobs"))
    names, logprobs = logprob_fields.get("tokens"), logprob_fields.get("token_logprobs")
    if not isinstance(names, list) or not isinstance(logprobs, list) or len(names) != len(logprobs):
        return None
    prompt_tokens = token_counts(fields.get("usage"))[0]
    if prompt_tokens is not None:
        if len(names) < prompt_tokens:
            return None  # those of its own output
        names, logprobs = names[:prompt_tokens], logprobs[:prompt_tokens]
    offsets = logprob_fields.get("text_offset")
    places = offsets if isinstance(offsets, list) else [None] * len(names)
    return [
        (str(name), _logprob(logprob))
        for name, logprob, place in zip(names, logprobs, places, strict=False)
        if not isinstance(place, int) or place < len(prompt)
    ] or None


def _logprob(value: object) -> float | None:
    logprob = parse_float(value)
    return None if logprob is None or logprob <= _LEAST else min(0.0, logprob)


def last_turn_likelihood(tokens: Tokens, text: str) -> tuple[float, int] | None:
    """Return the total log-probability of a text at a prompt's end, and its number of tokens.

    The text is searched in the joined tokens, ignoring blanks, since tokenizers write them in many ways;
    partial characters match any non-ASCII character. None if it is not found, or one of its tokens has no
    log-probability.
    """
    pieces, target = [_squeeze(name) for name, _ in tokens], _squeeze(text)
    span = _last_span("".join(pieces), target)
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


def _squeeze(text: str) -> str:
    return "".join(text.translate(_NO_BLANKS).split())


_NO_BLANKS = str.maketrans("", "", _BLANKS)
_RUNS = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")


def _last_span(text: str, target: str) -> tuple[int, int] | None:
    """Return the last span of a text; partial characters may appear as U+FFFD or like `<0xE4>`."""
    if not target:
        return None
    start = text.rfind(target)
    if start >= 0:
        return start, start + len(target)
    if target.isascii():
        return None
    characters = "".join(sorted({each for each in target if not each.isascii()}))
    fragment = rf"(?:<0x[0-9A-F]{{2}}>|[\ufffd{re.escape(characters)}])"
    pattern = "".join(re.escape(run) if run.isascii() else f"{fragment}++" for run in _RUNS.findall(target))
    lookbehind = "" if target[0].isascii() else rf"(?<![\ufffd{re.escape(characters)}>])"
    last = None
    for last in re.finditer(lookbehind + pattern, text):  # noqa: B007 - the last one is wanted
        pass
    return last.span() if last else None
