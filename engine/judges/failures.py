"""litellm's exceptions read as failures: which kind, in which words, and how long to wait."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from engine.calls import Failure, FailureKind, Reply
from engine.judges.secrets import scrub
from engine.judges.wire import LONGEST_BODY, Wire

RETRIED: frozenset[FailureKind] = frozenset({"rate_limit", "server", "timeout", "connection", "answer"})
FOR_GOOD: frozenset[FailureKind] = frozenset({"key", "model"})
"""Kinds that are the same for every call of a model."""

LONGEST_WORDS = 300  # characters of the provider's own words that a message repeats

_KIND_OF_STATUS: dict[int, FailureKind] = {
    401: "key", 402: "key", 403: "key", 404: "model", 408: "timeout", 409: "server", 425: "server",
    429: "rate_limit",
}  # fmt: skip
_MEANING: dict[FailureKind, str] = {
    "rate_limit": "too many requests",
    "server": "the server failed",
    "timeout": "no answer in time",
    "connection": "the connection broke",
    "answer": "the answer could not be read",
    "request": "the request was refused",
    "key": "the key was refused",
    "model": "the server does not know this model",
}
_FILTER_CODES = ("content_policy_violation", "content_filter")
_NO_CREDIT = re.compile(r"insufficient[_ ](quota|credit|funds|balance)|exceeded your current quota", re.I)
_NO_KEY = re.compile(r"api[_ ]key|credentials", re.I)
_PREFIXES = re.compile(r"^(?:litellm\.)?\w+(?:Error|Exception|Timeout):? (?:- )?", re.I)
_TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.I | re.S)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A failed attempt: the failure, and the seconds the server asks to wait before the next."""

    failure: Failure
    wait_s: float | None = None

    @property
    def retried(self) -> bool:
        """Whether another try is worth it."""
        return self.failure.kind in RETRIED


class TroubleError(Exception):
    """A failed attempt, for what tries again; its words hold no key."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.failure.message)
        self.trouble = trouble


def trouble_of(name: str, error: Exception, wire: Wire, secrets: Iterable[str]) -> Trouble:
    """Return what the exception of one attempt at the model `name` means."""
    words = words_of(error)
    status = _status(error, wire)
    kind = _kind(error, status, wire)
    if kind == "key" and status == 500:
        status = None  # litellm's, of a call that it did not make
    said = words
    if kind == "rate_limit" and _NO_CREDIT.search(str(error) + str(getattr(error, "body", ""))):
        kind, said = "key", f"the account has no credit left: {words}"
    if wire.ended == "too long":
        said = f"more than {LONGEST_BODY:,} bytes"
    number = "" if status is None or kind == "answer" else f" (HTTP {status})"
    message = f"model {name!r}: {_MEANING[kind]}{number}"
    text = f"{message}: {said}" if said else message
    failure = Failure(kind, scrub(text, secrets)[:LONGEST_WORDS], status)
    return Trouble(failure, retry_after_s(wire.retry_after or _header(error)) if kind in RETRIED else None)


def stopped_by_filter(error: Exception, secrets: Iterable[str]) -> Reply | None:
    """Return the refusal that a provider's filter gives as an error, before any model saw the prompt.

    It costs nothing, as no model was asked.
    """
    code = getattr(error, "code", None)
    if type(error).__name__ != "ContentPolicyViolationError" and code not in _FILTER_CODES:
        return None
    return Reply("", finish_reason="content_filter", refusal=scrub(words_of(error), secrets), cost_usd=0.0)


def retry_after_s(value: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for: a number or an HTTP date, else None."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            until = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if seconds < float("inf") else None


def _kind(error: Exception, status: int | None, wire: Wire) -> FailureKind:
    if wire.ended == "too long":
        return "answer"
    if wire.ended == "broken":
        return "connection"
    if wire.status == 200 and status in (None, 200, 500):
        return "answer"  # litellm says 500 where an answer of status 200 cannot be read
    if not wire.requests and _NO_KEY.search(str(error)):
        return "key"  # litellm found none, and did not call
    if status is None:
        return "connection" if wire.requests else "request"
    if status in _KIND_OF_STATUS:
        return _KIND_OF_STATUS[status]
    return "server" if status >= 500 else "request"


def _status(error: Exception, wire: Wire) -> int | None:
    """Return the HTTP status: the network's, or that of an error object within an answer."""
    said = getattr(error, "status_code", None)
    if wire.status is not None and wire.status != 200:
        return wire.status
    if wire.requests and wire.status is None:
        return None
    return said if isinstance(said, int) else None


def _header(error: Exception) -> str | None:
    """Return the Retry-After of a provider whose requests do not go through the shared session."""
    response = getattr(error, "response", None)
    for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
        value = headers.get("retry-after") if headers is not None else None
        if isinstance(value, str):
            return value
    return None


def words_of(error: Exception) -> str:
    """Return the provider's own words in one line, without litellm's names for it and without markup."""
    text = str(getattr(error, "message", None) or error)
    while (shorter := _PREFIXES.sub("", text)) != text:
        text = shorter
    if (start := text.find('{"error"')) >= 0:
        text = _said(text[start:]) or text
    return " ".join(_TAGS.sub(" ", text).split())


def _said(text: str) -> str | None:
    """Return the message of an error object in JSON."""
    try:
        error = json.JSONDecoder().raw_decode(text)[0]["error"]
    except (ValueError, KeyError, TypeError):
        return None
    return str(error["message"]) if isinstance(error, dict) and "message" in error else None
