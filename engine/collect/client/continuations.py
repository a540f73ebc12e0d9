"""Models called by text completion, as base models are: their prompts, and verdicts by continuations.

A judge's prompt ends before the verdict. One call gives the probabilities of the tokens that may come next;
the option whose continuation is likelier is the verdict, and the probabilities of all are kept.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.collect.calls import CONTINUED_TOKENS, Message, Reply
from engine.collect.client.openai_replies import reply_of
from engine.collect.configuration.config import Price
from engine.values import parse_float

ENDING = "Answer:"
"""The end of a prompt that does not end in a colon itself."""
_SETTINGS = ("top_logprobs", "logprobs", "max_tokens", "max_completion_tokens", "temperature", "top_p")
"""Parameters of answers that do not affect the probabilities of a continuation, or have another form."""
_BLANKS = re.compile(r"[\s▁ĠĊ]+")


def continued_prompt(messages: Sequence[Message]) -> str:
    """Return the text that a model continues: the messages' own, without roles, ended by a colon."""
    text = "\n\n".join(message["content"].strip() for message in messages)
    return text if text.endswith(":") else f"{text}\n\n{ENDING}"


def continued_fields(
    messages: Sequence[Message], params: Mapping[str, Any], options: Sequence[str]
) -> dict[str, Any]:
    """Return the fields of a text completion; with `options` one that gives their probabilities."""
    prompt = {"prompt": continued_prompt(messages)}
    if not options:
        return {**params, **prompt}
    others = {name: value for name, value in params.items() if name not in _SETTINGS}
    alternatives = {"logprobs": params["top_logprobs"]} if "top_logprobs" in params else {}
    return {**others, **prompt, **alternatives, "max_tokens": CONTINUED_TOKENS, "temperature": 0}


def continued_reply(
    content: object, options: Sequence[str], price: Price | None, latency_s: float | None
) -> Reply:
    """Return a text completion as a reply; with `options` its text is the likelier of them.

    `first_token` then has the options with their probabilities: empty if none of them is among the tokens
    that may come next, None if the server gives no probabilities. Without any, and where two are equally
    likely, the text is empty.
    """
    reply = reply_of(content, price, latency_s)
    if not options:
        return reply
    shares = _probabilities(content, options)
    ranked = sorted(shares or {}, key=(shares or {}).__getitem__, reverse=True)
    is_tied = len(ranked) > 1 and shares is not None and shares[ranked[0]] == shares[ranked[1]]
    return replace(
        reply,
        text=ranked[0] if ranked and not is_tied else "",
        finish_reason="stop",
        refusal=None,
        reasoning=None,
        first_token=None if shares is None else tuple(shares.items()),
        shortfall=None,
        continued=True,
    )


def _probabilities(content: object, options: Sequence[str]) -> dict[str, float] | None:
    """Return the options that may come next with their probabilities; None if the server gives none."""
    given = False
    for token, alternatives in _places(content):
        given = True
        shares: dict[str, float] = {}
        for name, logprob in alternatives:
            option = _BLANKS.sub("", name)
            if option in options:
                shares[option] = min(shares.get(option, 0.0) + math.exp(min(0.0, logprob)), 1.0)
        if shares:
            return {option: shares[option] for option in options if option in shares}
        if _BLANKS.sub("", token):
            break  # another word than an option begins here
    return {} if given else None


def _places(content: object) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Yield each token of the completion with those that might stand in its place and their logarithms."""
    choices = content.get("choices") if isinstance(content, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    logprobs = choice.get("logprobs") if isinstance(choice, Mapping) else None
    if not isinstance(logprobs, Mapping):
        return
    if isinstance(chat_form := logprobs.get("content"), list):  # as chat completions have them
        for place in chat_form:
            if isinstance(place, Mapping) and isinstance(place.get("top_logprobs"), list):
                pairs = [(each.get("token"), each.get("logprob")) for each in place["top_logprobs"] if each]
                yield str(place.get("token")), _numbers(pairs)
        return
    tops, tokens = logprobs.get("top_logprobs"), logprobs.get("tokens")
    for number, alternatives in enumerate(tops if isinstance(tops, list) else ()):
        if isinstance(alternatives, Mapping):
            name = tokens[number] if isinstance(tokens, list) and number < len(tokens) else ""
            yield str(name), _numbers(list(alternatives.items()))


def _numbers(pairs: Sequence[tuple[object, object]]) -> list[tuple[str, float]]:
    numbers = [(name, parse_float(value)) for name, value in pairs]
    return [(name, value) for name, value in numbers if isinstance(name, str) and value is not None]
