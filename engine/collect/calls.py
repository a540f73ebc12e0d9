"""What passes between planning, calling and reading: requests, replies and failures.

A plan makes `CallRequest`s, a model turns each into a `Reply` or a `Failure`, and a paradigm reads rows from
those. Nothing here depends on how that is done, so that each step can be tested alone.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from engine.paradigms import Paradigm, Shortfall

_AS_JSON = json.JSONEncoder(ensure_ascii=False)

Role = Literal["judge", "generator"]
Message = dict[str, str]
"""A chat message: `role` and `content`."""

Logprobs = bool | Literal["prompt"] | tuple[str, ...]
"""The log-probabilities that a call requests: none, the answer's first token's, the prompt's, or options'.

Options are texts of which one may continue the prompt.
"""

CONTINUED_TOKENS = 2
"""Tokens of a judge's continuation: some tokenizers begin an option with a token of its blank alone."""

FailureKind = Literal[
    "rate_limit", "server", "timeout", "connection", "answer", "request", "key", "model", "budget"
]
"""Why a call has no reply.

The first five are retried: 429, 5xx, no answer in time, a broken connection, an unreadable answer (truncated
JSON, an HTML page). `request` (400), `key` (401, 403) and `model` (404) are not; the last two affect every
call of that model. `budget`: not called, as it would have exceeded the cap.
"""

PERMANENT: frozenset[FailureKind] = frozenset({"key", "model"})
"""Kinds that affect every call of a model."""

Cause = Literal[
    "rate_limit", "overloaded", "context_length", "unknown_model", "wrong_address", "bad_parameter", "quota",
    "content_policy", "wrong_key", "unreachable",
]  # fmt: skip
"""The cause of a provider's error, if its status and message reveal it; finer than the kind."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What one call is about: the response or responses, the rubrics, and their order.

    `rubric_ids` are in the order shown: one for single_rubric and score_rubric, all shown ones for
    all_rubrics and direct_assessment, none for pairs, quality and generators. `first` is the response of a
    pair that is shown first. `ordering` and `trial` are as in the judgments table.
    """

    instance_id: str
    generator: str
    opponent: str | None = None
    first: Literal["generator", "opponent"] | None = None
    transform: str = "none"
    rubric_ids: tuple[str, ...] = ()
    ordering: str | None = None
    trial: int = 0


@dataclass(frozen=True)
class CallRequest:
    """One call to make: the model, its role, the template and the subject.

    For the role `generator`, `paradigm` is None and `variant` is `default` or the template of a transform.
    """

    role: Role
    model: str
    paradigm: Paradigm | None
    variant: str
    subject: Subject

    @cached_property
    def key(self) -> str:
        """The request's identity within its run, as 32 hexadecimal digits; equal on every machine."""
        subject = self.subject
        # Written out in order of names: `asdict` takes four times as long, and plans have many requests.
        text = _AS_JSON.encode(
            {
                "model": self.model,
                "paradigm": self.paradigm,
                "role": self.role,
                "subject": {
                    "first": subject.first,
                    "generator": subject.generator,
                    "instance_id": subject.instance_id,
                    "opponent": subject.opponent,
                    "ordering": subject.ordering,
                    "rubric_ids": subject.rubric_ids,
                    "transform": subject.transform,
                    "trial": subject.trial,
                },
                "variant": self.variant,
            }
        )
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer and its cost.

    `text` is the answer alone; `reasoning` is the thinking returned separately, which no judge sees.
    `refusal` is the provider's own field. `first_token` has the alternatives for the answer's first token
    with their probabilities, if requested. `cost_usd` is None if the price is unknown. `shortfall` is what
    the answer lacks, if anything; it may be readable nevertheless. `structured`: the server accepted a JSON
    schema for the answer. `continued`: the text is the likelier option of a prompt's continuations, and
    `first_token` has the options. `model_id` and `fingerprint` are the server's names of the model and of
    its own state; `address` is where it was called, None for the provider's own. A `cached` answer costs
    nothing; `saved_usd` is what it cost originally, if known.
    """

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    model_id: str | None = None
    fingerprint: str | None = None
    address: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    first_token: tuple[tuple[str, float], ...] | None = None
    shortfall: Shortfall | None = None
    structured: bool = False
    continued: bool = False
    cached: bool = False
    saved_usd: float | None = None

    @property
    def refused(self) -> bool:
        """Whether the provider reports a refusal (a refusal in the text does not count)."""
        return bool(self.refusal) or self.finish_reason == "content_filter"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call has no reply, with a message for the user and the HTTP `status`, if there is one.

    `cause` is the cause of the provider's error, if known.
    """

    kind: FailureKind
    message: str
    status: int | None = None
    cause: Cause | None = None


def whole_characters(text: str) -> str:
    """Return a text with lone surrogates, which UTF-8 cannot encode, replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


Row = Mapping[str, object]
"""A row of the judgments or responses table, without its run_id."""
