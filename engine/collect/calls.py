"""What passes between planning, calling and reading: requests, replies and failures.

A plan makes `Request`s, a judge turns each into a `Reply` or a `Failure`, a paradigm reads rows from the two.
Nothing here knows how any of that is done, so that each can be tested alone.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from engine.schema import Paradigm, Shortfall

_AS_JSON = json.JSONEncoder(ensure_ascii=False)

Role = Literal["judge", "generator"]
Message = dict[str, str]
"""A chat message: `role` and `content`."""

Logprobs = bool | Literal["prompt"]
"""Which log-probabilities a call asks for: none, those at the answer's first token, or of the prompt."""

FailureKind = Literal[
    "rate_limit", "server", "timeout", "connection", "answer", "request", "key", "model", "budget"
]
"""Why a call has no reply.

The first five are worth another try: 429, 5xx, no answer in time, a broken connection, an answer that is not
one (half a JSON, a page of HTML). `request` (400), `key` (401, 403) and `model` (404) are not; the last two
are the same for every call of that model. `budget`: not called, as the cap would have been passed.
"""

Cause = Literal[
    "rate_limit", "overloaded", "context_length", "unknown_model", "wrong_address", "bad_parameter", "quota",
    "content_policy", "wrong_key",
]  # fmt: skip
"""What a provider's error is about, where its status and words tell; finer than the kind."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What one call is about: whose response to which instance, beside which, in which order.

    `rubric_ids` are in the order shown: one for single_rubric and score_rubric, all that are shown for
    all_rubrics and direct_assessment, none for pairs, quality and generators. `first` says which response of
    a pair is shown first. `ordering` and `trial` are those of the judgments table.
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
    """One call to make: the model that is asked, in which role, with which template, about what.

    For the role `generator` paradigm is None; `variant` is then `default`, or the template of a transform.
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
        # Written out, names in order: `asdict` takes four times as long, and plans have many requests.
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
    """What a model said, and what it cost.

    `text` is the answer alone; `reasoning` the thinking that came apart from it, which no judge is shown.
    `refusal` is the provider's own field. `first_token` has the alternatives at the answer's first token with
    their probabilities, where they were asked for. `cost_usd` is None where the price is unknown. `shortfall`
    says what the answer lacks, None where nothing: something may be readable in it nevertheless.
    `structured`: the server was asked to hold the answer to a JSON schema, and took it. An answer that was
    `cached` costs nothing; `saved_usd` is what it cost when it was paid for, where that is known.
    """

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    model_id: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    first_token: tuple[tuple[str, float], ...] | None = None
    shortfall: Shortfall | None = None
    structured: bool = False
    cached: bool = False
    saved_usd: float | None = None

    @property
    def refused(self) -> bool:
        """Whether the provider says that the model refused (a refusal in words is not one)."""
        return bool(self.refusal) or self.finish_reason == "content_filter"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call has no reply, in words for the user; `status` is that of HTTP, where there is one.

    `cause` is what the provider's error is about, where that is known.
    """

    kind: FailureKind
    message: str
    status: int | None = None
    cause: Cause | None = None


CHARACTERS_A_TOKEN = 3.0
"""A low guess, so that a prompt's tokens are rather counted too many."""
TOKENS_A_MESSAGE = 8


def prompt_tokens(messages: Sequence[Message]) -> int:
    """Return about how many tokens the messages are."""
    characters = sum(len(message["content"]) for message in messages)
    return int(characters / CHARACTERS_A_TOKEN) + TOKENS_A_MESSAGE * len(messages)


Row = Mapping[str, object]
"""A row of the judgments or responses table, without its run_id."""
