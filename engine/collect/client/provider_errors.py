"""A provider's error: its message, its cause, and what the user can do about it."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.collect.calls import Cause, Failure, FailureKind
from engine.collect.client.openai_replies import clean_text, finish_reason_of, lacks_choice
from engine.collect.hidden_secrets import scrub
from engine.collect.limits.rate_limits import DURATION, seconds_until
from engine.phrases import shortened

LONGEST_WORDS = 300  # characters of the provider's message that are quoted
_LONGEST_READ = 20_000  # characters of an error that are examined


REMEDIES: dict[Cause, str] = {
    "rate_limit": "the call is retried automatically; if this continues, lower `concurrency` or set "
    "`requests_per_minute`",
    "overloaded": "the call is retried automatically; if this continues, lower `concurrency` or try later",
    "context_length": "lower `max_tokens`, leave long answers out, or take a model with a longer context",
    "unknown_model": "check the model's name in `model`, and that this account may use it",
    "wrong_address": "check `api_base`, which usually ends in /v1",
    "bad_parameter": "change that parameter in the model's `params`, or leave it out",
    "quota": "add credit to the account or raise its spending limit, then continue",
    "content_policy": "the provider's filter stopped it; it counts as refused",
    "wrong_key": "check the key in the environment variable that `api_key_env` names",
    "unreachable": "check that its server runs and can be reached, and its address in `api_base`",
}
"""What the user can do about each cause, shown after the provider's message."""

MEANINGS: dict[Cause | FailureKind, str] = {
    "rate_limit": "too many requests",
    "overloaded": "the server is overloaded",
    "context_length": "the prompt and the answer do not fit into the model's context",
    "unknown_model": "the server does not know this model",
    "wrong_address": "nothing answers calls at this address",
    "bad_parameter": "a parameter was refused",
    "quota": "the account has no credit left",
    "content_policy": "the provider's filter stopped the prompt",
    "wrong_key": "the key was refused",
    "unreachable": "cannot connect to its server",
    "server": "the server failed",
    "timeout": "no answer in time",
    "connection": "the connection broke",
    "answer": "the answer could not be read",
    "request": "the request was refused",
    "key": "the key was refused",
    "model": "the server does not know this model",
}
"""What each cause and kind of failure means."""

_KINDS: dict[Cause, FailureKind] = {
    "rate_limit": "rate_limit", "overloaded": "server", "context_length": "request", "unknown_model": "model",
    "wrong_address": "model", "bad_parameter": "request", "quota": "key", "content_policy": "request",
    "wrong_key": "key", "unreachable": "connection",
}  # fmt: skip
RETRIED: frozenset[FailureKind] = frozenset({"rate_limit", "server", "timeout", "connection", "answer"})
"""Kinds of failures that are retried."""


_FILTERS = (
    "content_policy_violation", "content_filter", "content_policy", "moderation_blocked",
    "data_inspection_failed", "ResponsibleAIPolicyViolation",
)  # fmt: skip
_MODERATION = re.compile(
    r"(?i)violat\w*\b.{0,60}\b(?:guidelines?|polic(?:y|ies)|terms of (?:use|service)|community standards)"
    r"|content[ _-]?(?:management|filter(?:s|ed|ing)?|moderation|safety|policy)\b|\bmoderation|\bmoderated\b"
    r"|\bflagged\b|\bsafety[ _-](?:systems?|checks?|filters?|reasons|violation|block)|\bsafety_check"
    r"|(?:inappropriate|prohibited|unsafe|harmful|sensitive|disallowed)[ _]content|content exists risk"
    r"|considered high risk|data_?inspection_?failed|responsible ?ai ?policy"
    r"|blocked by .{0,30}(?:guardrails?|filters?)\b|guardrails?\b.{0,30}\b(?:intervened|blocked|triggered)"
    r"|不安全|敏感内容"
)
_INVALID_PROMPT = re.compile(r"\binvalid[_ ]prompt\b", re.I)
_SUSPENDED = re.compile(
    r"(?i)\b(?:account|organi[sz]ation|workspace|project|consumer|api[ _]?key|users?)\b.{0,60}"
    r"\b(?:suspended|disabled|deactivated|banned|terminated|restricted)"
    r"|\b(?:suspended|disabled|deactivated|banned|terminated)\b.{0,40}\b(?:account|organi[sz]ation)"
)
_ACCOUNT = re.compile(
    rf"{_SUSPENDED.pattern}|\borgani[sz]ation\b.{{0,60}}\b(?:not|must be) verified"
    r"|data polic(?:y|ies)|organi[sz]ation(?:'s)? polic(?:y|ies)"
)
"""Words about an account or its settings, whose mention of a policy is not about a prompt."""
_OUTAGE = re.compile(
    r"(?i)\b(?:is|service|server|temporarily|currently) unavailable|timed? ?-?out|failed to|could not"
    r"|internal (?:server )?error|again later"
)
_UNKNOWN_PARAMETER = re.compile(
    r"(?:unknown|unsupported|unrecogni[sz]ed|unexpected|extra)\b.{0,20}\b(?:param|arg|field|keyword|input)",
    re.I,
)
_NO_CREDIT = re.compile(
    r"(?i)insufficient[_ ](?:user[_ ])?(?:quota|credits?|funds|balance)|exceeded your current quota"
    r"|billing[_ ](?:hard[_ ]limit|not[_ ]active)|credit balance is too low|specified api usage limits"
    r"|\bbudget has been exceeded|\barrearage|(?:doesn't|does not|don't) have any credits"
)
_NO_KEY = re.compile(
    r"(?:invalid|incorrect|missing|wrong)[_ ]api[_ ]?key"
    r"|api[_ ]?key (?:is )?(?:not valid|invalid|missing|expired)",
    re.I,
)
_TOO_LONG = re.compile(
    r"(?i)context[_ ]length|context[_ ](?:window|size)|maximum (?:model |input )?length|max_model_len"
    r"|(?:prompt|input|request)\b.{0,40}\btoo (?:long|large)|too many (?:input |prompt )?tokens"
    r"|(?:exceeds?|longer than)\b.{0,60}\b(?:token limit|context|max(?:imum)? (?:input )?tokens)"
)
_NO_MODEL = re.compile(
    r"(?is)model[_ ]not[_ ]found|invalid[_ ]model|unknown model|no such model|not a valid model"
    r"|\bmodel\b.{0,120}(?:does not exist|do(?:es)?n't exist|not found|is not available|not supported on)"
    r"|(?:do not|don't) have access to (?:the )?model"
)
_PARAMETER = re.compile(
    r"(?i)param(?:eter)?\b|unsupported[_ ]value|unrecogni[sz]ed|unexpected keyword|extra (?:inputs|fields)"
    r"|response_format|json_schema|logprobs|temperature|top_p|max_(?:completion_)?tokens|reasoning_effort"
)
_OVERLOADED = re.compile(r"overloaded|at capacity|no available (?:server|worker|capacity)", re.I)
_REQUEST_TOO_LARGE = re.compile(r"request too large", re.I)
_TOO_MANY = re.compile(r"rate[_ ]?limit|too many requests|throttl", re.I)
_UNTIL_LATER = re.compile(
    r"(?i)\b(?:per|a|/) ?(?:second|sec|minute|min|hour|day)\b|per(?:second|minute|hour|day)|\b[rt]p[smd]\b"
    r"|(?:try|retry)(?: again)? (?:in|after)\b"
)
"""Words of a limit that is renewed, unlike an account's credit."""
_WAIT = re.compile(
    r"(?i)\b(?:try|retry)(?: again)? (?:in|after) "
    r"((?:[0-9]+(?:\.[0-9]+)? ?(?:ms|milliseconds?|s|seconds?|sec|m|minutes?|min|h|hours?)\b ?)+"
    r"|(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+)"
)
_WAIT_PART = re.compile(r"(?i)([0-9]+(?:\.[0-9]+)?) ?(ms|mil|s|m|h)")
_OF_PROMPTS = re.compile(r"(?:messages|prompt|input|contents?)\b", re.I)
"""Parameters that hold the prompt, which differ from call to call."""
_LONGEST_SEARCHED = 1_000
"""Characters of a message that are searched for its cause: what follows may quote the prompt."""
TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.I | re.S)


@dataclass(frozen=True, slots=True)
class ProviderError:
    """A provider's error: its message in one line, its code or type, and the parameter it names."""

    words: str = ""
    code: str = ""
    parameter: str | None = None
    number: int | None = None
    """The status that the error itself states, for example if it comes with status 200."""
    wait_s: float | None = None
    """How long it asks to wait, in a field of its own or in its words."""


def read_error(content: object) -> ProviderError:
    """Return the error in a body: decoded JSON, or text if it is not JSON (HTML, say)."""
    if isinstance(content, str):
        return ProviderError(_one_line(TAGS.sub(" ", content[:_LONGEST_READ])))
    if isinstance(content, list):
        return read_error(content[0]) if content and isinstance(content[0], Mapping) else ProviderError()
    if not isinstance(content, Mapping):
        return ProviderError()
    error = content.get("error") or content
    if not isinstance(error, Mapping):
        return ProviderError(_one_line(_words(error)))
    names = ("message", "msg", "detail", "errors")
    words = next((_words(error[name]) for name in names if error.get(name)), "")
    metadata = error.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(metadata.get("raw"), str):
        words = f"{words}: {metadata['raw']}"  # a router's message, and that of the provider behind it
    fields = [error.get(name) for name in ("code", "type", "status")]
    codes = " ".join(each[:100] for each in fields if isinstance(each, str))
    parameter = error.get("param")
    return ProviderError(
        words=_one_line(words),
        code=clean_text(codes),
        parameter=clean_text(parameter[:100]) if isinstance(parameter, str) else None,
        number=next((number for each in fields if (number := _status(each)) is not None), None),
        wait_s=_delay(error.get("details"), words),
    )


def error_within(content: object) -> ProviderError | None:
    """Return the error in a response of status 200: instead of its choices, or inside the first of them.

    What a choice with an error, or with the finish reason `error`, holds is the beginning of an answer at
    most.
    """
    if isinstance(content, list):
        inner = content[0] if content else None
        return read_error(inner) if isinstance(inner, Mapping) and inner.get("error") else None
    if not isinstance(content, Mapping):
        return None
    choices = content.get("choices")
    if content.get("error") and not choices:
        return read_error(content)
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        return None
    if _states(choice.get("error")):
        return read_error(choice)
    return ProviderError() if finish_reason_of(choice) == "error" else None


def _states(error: object) -> bool:
    """Return whether an error says anything: some servers send an empty one with each answer."""
    return any(error.values()) if isinstance(error, Mapping) else bool(error)


def blocked_prompt(content: object) -> str | None:
    """Return the reason if a response of status 200 has no choice because a filter stopped the prompt."""
    if not isinstance(content, Mapping) or not lacks_choice(content):
        return None
    for name in ("promptFeedback", "prompt_feedback"):
        feedback = content.get(name)
        reason = isinstance(feedback, Mapping) and (
            feedback.get("blockReason") or feedback.get("block_reason")
        )
        if reason:
            return _one_line(f"the prompt was blocked: {_words(reason)}")
    results = content.get("prompt_filter_results")
    for result in results if isinstance(results, list) else ():
        filters = result.get("content_filter_results") if isinstance(result, Mapping) else None
        for name, verdict in filters.items() if isinstance(filters, Mapping) else ():
            if isinstance(verdict, Mapping) and verdict.get("filtered") is True:
                return _one_line(f"the prompt was filtered: {_words(name)}")
    return None


def cause_of(status: int | None, error: ProviderError, wait_s: float | None = None) -> Cause | None:
    """Return an error's cause, if its words or its status (None: the error came with 200) reveal it.

    Words come first: a 403 may be a filter's. `wait_s` is how long the server asks to wait, if it does, which
    an empty account does not.
    """
    text = f"{error.code} {error.words}"[:_LONGEST_SEARCHED]
    if _is_moderation(status, error, text):
        return "content_policy"
    renewed = status in (429, 403, None) and (wait_s is not None or _UNTIL_LATER.search(text) is not None)
    if status == 402 or ((status is None or 400 <= status < 500) and _NO_CREDIT.search(text) and not renewed):
        return "quota"
    if status == 429 and _REQUEST_TOO_LARGE.search(text):
        return "context_length"  # larger than a whole minute's allowance: waiting does not help
    limited = _TOO_MANY.search(text) or (renewed and "quota" in text.lower())
    if status == 429 or (status in (403, None) and limited):
        return "rate_limit"
    if status in (401, 403) or (status in (None, 400) and _NO_KEY.search(text)):
        return "wrong_key"
    if status in (None, 400, 412) and _SUSPENDED.search(text):
        return "wrong_key"
    if status in (503, 529) or ((status is None or status >= 500) and _OVERLOADED.search(text)):
        return "overloaded"
    if status is not None and status >= 500:
        return None
    if status in (None, 400, 404, 422) and _NO_MODEL.search(text):
        return "unknown_model"
    if _TOO_LONG.search(text):
        return "context_length"
    if status in (404, 405, 410) or (status is not None and 300 <= status < 400):
        return "wrong_address"
    if status in (400, 422) and not _OF_PROMPTS.match(error.parameter or ""):
        return "bad_parameter" if error.parameter or _PARAMETER.search(text) else None
    return None


def _is_moderation(status: int | None, error: ProviderError, text: str) -> bool:
    """Return whether a filter stopped the prompt, by the provider's code or words, whatever the status."""
    if any(code in _FILTERS for code in error.code.split()):
        return True
    if error.parameter not in (None, "prompt"):
        return False  # the words may quote what is wrong with it
    others = [_ACCOUNT, _NO_MODEL, _NO_CREDIT, _NO_KEY, _UNKNOWN_PARAMETER, _OUTAGE]
    others += [_TOO_MANY, _UNTIL_LATER] if status == 429 else []
    if any(pattern.search(text) for pattern in others):
        return False
    if _MODERATION.search(text):
        return True
    return status in (None, 400) and bool(_INVALID_PROMPT.search(text)) and not _TOO_LONG.search(text)


def stated_wait_s(words: str) -> float | None:
    """Return how long a message asks to wait (`try again in 1m26.4s`), in seconds; None if it does not."""
    match = _WAIT.search(words[:_LONGEST_SEARCHED])
    if match is None:
        return None
    units = {"ms": 0.001, "mil": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
    return sum(float(number) * units[unit.lower()] for number, unit in _WAIT_PART.findall(match[1]))


def kind_of(status: int | None, cause: Cause | None) -> FailureKind:
    """Return the kind of an error, which decides whether to retry and whether to give up the model."""
    if cause is not None:
        return _KINDS[cause]
    if status == 408:
        return "timeout"
    if status is None or status >= 500 or status in (409, 425):
        return "server"
    return "request"


def failure_of(
    name: str,
    status: int | None,
    error: ProviderError,
    secrets: Iterable[str | None] = (),
    *,
    key: str | None = None,
    wait_s: float | None = None,
) -> Failure:
    """Return what a provider's error means for a call to the model `name`; see `cause_of` and `failure`."""
    cause = cause_of(status, error, wait_s)
    return failure(name, kind_of(status, cause), error.words, secrets, status=status, cause=cause, key=key)


def failure(
    name: str,
    kind: FailureKind,
    words: str,
    secrets: Iterable[str | None] = (),
    *,
    status: int | None = None,
    cause: Cause | None = None,
    remedy: str | None = None,
    key: str | None = None,
    meaning: str | None = None,
) -> Failure:
    """Return a failure with its meaning, the provider's message without keys, cut short, and the remedy.

    `key` is the environment variable of the model's key, named if the key was refused. `meaning` replaces
    that of the cause.
    """
    number = "" if status is None or kind == "answer" else f" (HTTP {status})"
    quote = shortened(scrub(words, secrets), LONGEST_WORDS)
    if cause == "wrong_key" and key is not None:
        remedy = f"check the key in the environment variable {key}"
    remedy = remedy or (REMEDIES[cause] if cause is not None else None)
    message = f"model {name!r}: {meaning or MEANINGS[cause or kind]}{number}"
    if quote:
        message = f"{message}: {quote}"
    return Failure(kind, f"{message} ({remedy})" if remedy else message, status, cause)


def no_key(name: str, variable: str | None) -> Failure:
    words = f"model {name!r} needs its key in the environment variable {variable}, which is not set; set it"
    return Failure("key", words, cause="wrong_key")


def timeout_failure(name: str, timeout_s: float) -> Failure:
    return Failure("timeout", f"model {name!r}: no answer within {timeout_s:g} s")


def _words(value: object) -> str:
    """Return the message in a value: a text, the messages of a list of errors, or the value as JSON."""
    if isinstance(value, str):
        return value[:_LONGEST_READ]
    if isinstance(value, list):
        return "; ".join(_words(each) for each in value[:5] if isinstance(each, str | Mapping))
    if isinstance(value, Mapping):
        for name in ("message", "msg", "error"):
            if isinstance(value.get(name), str):
                where = value.get("loc")
                place = ".".join(map(str, where)) if isinstance(where, list) else ""
                return f"{place}: {value[name][:_LONGEST_READ]}" if place else value[name][:_LONGEST_READ]
        try:
            return json.dumps(value, ensure_ascii=False)[:_LONGEST_READ]
        except (RecursionError, ValueError):
            return ""
    return "" if value is None else str(value)[:100]


def _delay(details: object, words: str) -> float | None:
    """Return how long an error asks to wait: in Google's details (`retryDelay`), else in its words."""
    for each in details if isinstance(details, list) else ():
        delay = each.get("retryDelay") if isinstance(each, Mapping) else None
        if isinstance(delay, str) and DURATION.fullmatch(delay):
            return seconds_until(delay, 0.0)
    return stated_wait_s(words)


def _one_line(words: str) -> str:
    return " ".join(clean_text(words).split())


def _status(value: Any) -> int | None:
    """Return the HTTP error status in a value, a number or digits; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) == 3:
        value = int(value)
    return value if type(value) is int and 400 <= value < 600 else None
