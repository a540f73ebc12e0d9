"""The texts that one request is about."""

from dataclasses import dataclass

from engine.score_options import Option


@dataclass(frozen=True, slots=True)
class Criterion:
    """A rubric's words. Its points never come here; `undesirable` says only that meeting it is bad."""

    text: str
    undesirable: bool = False
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Texts:
    """What a request shows: the prompt, the response (and the opponent's), the criteria in the order shown.

    None is a text that is not there.
    """

    prompt: str | None = None
    response: str | None = None
    opponent: str | None = None
    criteria: tuple[Criterion, ...] = ()
    reference_answer: str | None = None
    context: str | None = None
