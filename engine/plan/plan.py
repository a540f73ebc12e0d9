"""A plan: requests made one after the other as they are asked for, and the messages of each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, zip_longest
from typing import Any, Literal

from engine.calls import Message, Request, Subject
from engine.errors import UsageError
from engine.paradigms import MissingTextError, Template, Texts, ask
from engine.paradigms.responses import ask_response, ask_rewrite
from engine.plan.library import Library
from engine.plan.texts import texts_of

Stage = Literal["responses", "rewrites", "judgments"]
STAGES: tuple[Stage, ...] = ("responses", "rewrites", "judgments")
"""What a run does, one after the other; each is planned from the study as it is then."""

ASSUMED_RESPONSE = "x" * 2_000
"""Stands for a response that is not there yet, where a plan is only counted."""


@dataclass(frozen=True)
class Plan:
    """The calls of one stage of a run, in an order that is the same on every machine.

    Iterating makes the requests anew each time and holds none of them: `make` yields all, or those to one
    model without making the others. `drawn` are the rows that are to be
    added to the table `pairs` before anybody is asked. `unanswered` counts the responses that could have been
    collected and are not there: what is about them is not planned.
    """

    stage: Stage
    library: Library
    make: Callable[[str | None], Iterator[Request]]
    used: Sequence[Template] = ()
    drawn: Sequence[Mapping[str, Any]] = ()
    unanswered: int = 0
    assumed: bool = False
    keep: tuple[Callable[[Request], bool], ...] = field(default=())
    model: str | None = None

    def __iter__(self) -> Iterator[Request]:
        """Yield the requests."""
        for request in self.make(self.model):
            if all(kept(request) for kept in self.keep):
                yield request

    def __len__(self) -> int:
        """Return the number of requests."""
        return self._size

    @cached_property
    def _size(self) -> int:
        return sum(1 for _ in self)

    def shard(self, k: int, n: int) -> "Plan":
        """Return the k-th of n parts, counted from 1; every request is in exactly one of them."""
        if not 1 <= k <= n:
            raise UsageError(f"shard {k!r}/{n!r} is none; give K/N with K from 1 to N, such as 1/{max(n, 1)}")
        return self._keeping(lambda request: int(request.key[:15], 16) % n == k - 1)

    def without(self, keys: Set[str]) -> "Plan":
        """Return the plan without the requests of these keys."""
        return self._keeping(lambda request: request.key not in keys) if keys else self

    def of_model(self, model: str) -> "Plan":
        """Return the plan of one model's requests, in the same order; the others' are not even made."""
        return replace(self, model=model)

    def only(self, wanted: Callable[[Request], bool]) -> "Plan":
        """Return the plan with some of its requests."""
        return self._keeping(wanted)

    def _keeping(self, kept: Callable[[Request], bool]) -> "Plan":
        return replace(self, keep=(*self.keep, kept))

    def templates(self) -> tuple[Template, ...]:
        """Return the templates in use, for the tables `runs` and `templates`."""
        return tuple(self.used)

    def template_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table `templates`."""
        return [
            {
                "template_sha256": template.sha256,
                "paradigm": None if template.kind == "rewrite" else template.kind,
                "variant": template.variant,
                "text": template.text,
            }
            for template in self.used
        ]

    def template(self, request: Request) -> Template | None:
        """Return the request's template; None where a model answers a prompt as it is."""
        if request.role == "generator" and request.subject.transform == "none":
            return None
        return self._templates[request.paradigm or "rewrite", request.variant]

    @cached_property
    def _templates(self) -> dict[tuple[str, str], Template]:
        return {(template.kind, template.variant): template for template in self.used}

    def texts(self, request: Request) -> Texts:
        """Return the texts that a request is about."""
        texts = texts_of(self.library, request)
        if not self.assumed:
            return texts
        opponent = texts.opponent
        if request.subject.opponent is not None and opponent is None:
            opponent = ASSUMED_RESPONSE
        asks_prompt = request.role == "generator" and request.subject.transform == "none"
        response = texts.response if texts.response is not None or asks_prompt else ASSUMED_RESPONSE
        return replace(texts, response=response, opponent=opponent)

    def messages(self, request: Request) -> list[Message]:
        """Return what a request says; UsageError that names a text which is not there."""
        template, texts = self.template(request), self.texts(request)
        try:
            if request.role == "judge":
                assert template is not None  # noqa: S101 - judges are asked by templates
                return ask(request, template, texts)
            return ask_response(texts) if template is None else ask_rewrite(template, texts)
        except MissingTextError as error:
            raise UsageError(_lacking(self.library, request.subject, error.slot)) from None


def _lacking(library: Library, subject: Subject, slot: str) -> str:
    place = f"instance {subject.instance_id!r} of the study {library.study.name!r}"
    return (
        f"{place} has no text for {slot}; a study without texts cannot be judged: add it, or take a template "
        "that does not show it"
    )


def in_turn(sources: Iterable[Iterator[Request]]) -> Iterator[Request]:
    """Yield the first of each source, then the second of each, until all have ended."""
    rounds = zip_longest(*sources)
    return (request for request in chain.from_iterable(rounds) if request is not None)
