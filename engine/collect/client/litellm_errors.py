"""litellm's exceptions as failures: the kind, the message, and how long to wait."""

import json
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress

from engine.collect.calls import Failure, FailureKind, Reply
from engine.collect.client import provider_errors
from engine.collect.client.openai_transport import LONGEST_BODY
from engine.collect.client.provider_errors import RETRIED, TAGS, ProviderError
from engine.collect.client.wire import Wire
from engine.collect.hidden_secrets import scrub
from engine.collect.limits.rate_limits import NO_LIMITS, RateLimits, rate_headers

_NO_KEY = re.compile(r"api[_ ]key|credentials", re.I)
_ONLY_A_STATUS = re.compile(r"Error code: [0-9]+")
_PREFIXES = re.compile(r"^(?:litellm\.)?\w+(?:Error|Exception|Timeout):? (?:- )?", re.I)


class AttemptError(Exception):
    """A failed attempt, for the retry loop, without any key; `wait_s` is what the server asks for.

    `again`: it is retried even if failures of its kind are not.
    """

    def __init__(self, failure: Failure, wait_s: float | None = None, *, again: bool = False) -> None:
        super().__init__(failure.message)
        self.failure, self.wait_s, self._again = failure, wait_s, again

    @property
    def may_retry(self) -> bool:
        return self._again or self.failure.kind in RETRIED


def attempt_error_of(name: str, error: Exception, wire: Wire, secrets: Iterable[str | None]) -> AttemptError:
    words = words_of(error)
    status = _status(error, wire)
    kind = _kind(error, status, wire)
    if kind == "key" and status == 500:
        status = None  # litellm's own, for a call that it did not make
    if wire.problem == "too long":
        words = f"more than {LONGEST_BODY:,} bytes"
    wait_s = _wait_s(error, wire, words)
    cause = None
    if kind not in ("answer", "connection", "timeout") and status is not None:
        cause = provider_errors.cause_of(status, _details(error, words), wait_s)
    if cause is not None and cause != "content_policy":
        kind = provider_errors.kind_of(status, cause)
    elif kind == "connection" and wire.unsent:
        cause = "unreachable"
    failure = provider_errors.failure(name, kind, words, secrets, status=status, cause=cause)
    return AttemptError(failure, wait_s if kind in RETRIED else None)


def filter_refusal(error: Exception, wire: Wire, secrets: Iterable[str | None]) -> Reply | None:
    """Return the refusal of a provider's filter, if the error is one; free, as no model saw the prompt."""
    words, status = words_of(error), _status(error, wire)
    is_answer = wire.status == 200 and status in (None, 200, 500)
    by_words = wire.requests > 0 and wire.problem is None and not is_answer
    if type(error).__name__ != "ContentPolicyViolationError" and not (
        by_words
        and provider_errors.cause_of(status, _details(error, words), _wait_s(error, wire, words))
        == "content_policy"
    ):
        return None
    refusal = scrub(words, secrets) or "stopped"
    return Reply("", finish_reason="content_filter", refusal=refusal, cost_usd=0.0)


def _details(error: Exception, words: str) -> ProviderError:
    """Return an error as its provider wrote it, with the code in its body if litellm passed that on."""
    inner = provider_errors.read_error(_body(error))
    code = getattr(error, "code", None)
    codes = f"{code} {inner.code}" if isinstance(code, str) else inner.code
    return ProviderError(words, codes.strip(), inner.parameter)


def _wait_s(error: Exception, wire: Wire, words: str) -> float | None:
    wait_s = limits_of(error, wire).wait_s
    if wait_s is not None:
        return wait_s
    stated = provider_errors.stated_wait_s(words)
    return provider_errors.read_error(_body(error)).wait_s if stated is None else stated


def _body(error: BaseException | None) -> object:
    """Return the body of the provider's error, which may be with the error that litellm replaced."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if (body := getattr(error, "body", None)) is not None:
            return body
        error = error.__cause__ or error.__context__
    return None


def _kind(error: Exception, status: int | None, wire: Wire) -> FailureKind:
    if wire.problem == "too long":
        return "answer"
    if wire.problem == "broken":
        return "connection"
    if wire.status == 200 and status in (None, 200, 500):
        return "answer"  # litellm says 500 if an answer of status 200 cannot be read
    if not wire.requests and _NO_KEY.search(str(error)):
        return "key"  # litellm found none and made no call
    if status is None:
        return "connection" if wire.requests else "request"
    return provider_errors.kind_of(status, provider_errors.cause_of(status, ProviderError()))


def _status(error: Exception, wire: Wire) -> int | None:
    """Return the HTTP status of the network, or of an error object within an answer."""
    code = getattr(error, "status_code", None)
    if wire.status is not None and wire.status != 200:
        return wire.status
    if wire.requests and wire.status is None:
        return None
    return code if isinstance(code, int) else None


def limits_of(error: Exception, wire: Wire) -> RateLimits:
    """Return the rate limits in an error's headers; litellm passes on those that `wire` did not see."""
    if wire.limits != NO_LIMITS:
        return wire.limits
    response = getattr(error, "response", None)
    for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
        if isinstance(headers, Mapping) and headers:
            return rate_headers(headers, time.time())
    return NO_LIMITS


def words_of(error: Exception) -> str:
    """Return the provider's message in one line, without litellm's prefixes and without markup."""
    text = str(getattr(error, "message", None) or error)
    while (shorter := _PREFIXES.sub("", text)) != text:
        text = shorter
    if (start := text.find('{"error"')) >= 0:
        with suppress(ValueError, KeyError, TypeError):
            text = str(json.JSONDecoder().raw_decode(text[start:])[0]["error"]["message"]) or text
    text = text.partition("Traceback (most recent call last)")[0]  # litellm's own, of no use here
    if _ONLY_A_STATUS.fullmatch(text.strip()):
        text = provider_errors.read_error(_body(error)).words or text
    if text.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            text = provider_errors.read_error(json.loads(text)).words or text
    return " ".join(TAGS.sub(" ", text).split())
