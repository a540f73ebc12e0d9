"""The calls of one stage of a run."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, zip_longest
from typing import Any, Literal

from engine.collect.calls import CallRequest, Message
from engine.collect.paradigms import ask
from engine.collect.paradigms.answer_schemas import Schema, answer_schema
from engine.collect.paradigms.response_rows import ask_answer, ask_response, ask_rewrite
from engine.collect.paradigms.templates import ANSWER, MissingTextError, Template
from engine.collect.plan.plan_requirements import NO_TEXTS
from engine.collect.plan.study_texts import Library, texts_of
from engine.collect.run_options import Shard
from engine.errors import UsageError

Stage = Literal["responses", "rewrites", "judgments"]
STAGES: tuple[Stage, ...] = ("responses", "rewrites", "judgments")
"""The stages of a run, in order; each is planned from the study as it is by then."""

ASSUMED_RESPONSE = "x" * 2_000
"""Stands in for a response that does not exist yet, if a plan is only counted."""


@dataclass(frozen=True)
class Plan:
    """The calls of one stage of a run, in an order that is the same on every machine.

    Iterating generates the requests anew each time and stores none: `make` yields all, or only those to one
    model. `pair_rows` are added to the table `pairs` before any call, `response_rows`, made without a
    model, to `responses`. `missing` counts the missing responses, about which nothing is planned, by model
    and shortfall (None: not collected).
    """

    library: Library
    make: Callable[[str | None], Iterator[CallRequest]]
    templates: Sequence[Template] = ()
    pair_rows: Sequence[Mapping[str, Any]] = ()
    response_rows: Sequence[Mapping[str, Any]] = ()
    missing: Mapping[tuple[str, str | None], int] = field(default_factory=dict)
    assumed: bool = field(kw_only=True)
    conditions: tuple[Callable[[CallRequest], bool], ...] = field(default=())
    model: str | None = None

    def __iter__(self) -> Iterator[CallRequest]:
        return (each for each in self.make(self.model) if all(fits(each) for fits in self.conditions))

    def __len__(self) -> int:
        return self.sizes.total()

    @cached_property
    def sizes(self) -> Counter[str]:
        """The number of requests to each model."""
        return Counter(request.model for request in self)

    def shard(self, shard: Shard | None) -> "Plan":
        """Return a shard's part, or the whole plan; every request is in exactly one of the parts."""
        if shard is None:
            return self
        k, n = shard.number, shard.count
        if not 1 <= k <= n:
            raise UsageError(
                f"shard {k!r}/{n!r} is not valid; give K/N with K from 1 to N, such as 1/{max(n, 1)}"
            )
        return self.only(lambda request: shard.holds(request.key))

    def of_model(self, model: str) -> "Plan":
        """Return the plan of one model's requests, in the same order; the others' are not generated."""
        return replace(self, model=model)

    def only(self, condition: Callable[[CallRequest], bool]) -> "Plan":
        return replace(self, conditions=(*self.conditions, condition))

    def template_rows(self) -> list[dict[str, Any]]:
        return [
            {"template_sha256": t.sha256, "paradigm": t.paradigm, "variant": t.variant, "text": t.text}
            for t in self.templates
        ]

    def template(self, request: CallRequest) -> Template | None:
        """Return the request's template; None if a model answers the bare prompt."""
        if request.role == "generator" and request.subject.transform == "none":
            return self._templates_by_name.get((ANSWER, request.variant))
        return self._templates_by_name[request.paradigm or "rewrite", request.variant]

    def schema(self, request: CallRequest) -> Schema | None:
        """Return the JSON schema of a judge's answer; None if its template asks for another form."""
        template = self.template(request) if request.role == "judge" else None
        return None if template is None else answer_schema(template, request)

    @cached_property
    def _templates_by_name(self) -> dict[tuple[str, str], Template]:
        return {(template.kind, template.variant): template for template in self.templates}

    def messages(self, request: CallRequest) -> list[Message]:
        """Return the messages of a request; UsageError, naming it, for a missing text."""
        template, texts = self.template(request), texts_of(self.library, request)
        if self.assumed:

            def text_or_assumed(text: str | None) -> str:
                return ASSUMED_RESPONSE if text is None else text

            opponent = None if request.subject.opponent is None else text_or_assumed(texts.opponent)
            is_shown = template is not None and template.kind != ANSWER
            response = text_or_assumed(texts.response) if is_shown else texts.response
            responses = tuple(map(text_or_assumed, texts.responses))
            texts = replace(texts, response=response, opponent=opponent, responses=responses)
        try:
            if request.role == "judge":
                assert template is not None  # noqa: S101 - judges always have templates
                return ask(request, template, texts)
            if template is None:
                return ask_response(texts)
            return (ask_answer if template.kind == ANSWER else ask_rewrite)(template, texts)
        except MissingTextError as error:
            place = f"question {request.subject.instance_id!r} of the study {self.library.study.name!r}"
            raise UsageError(
                f"{place} has no text for {error.slot}; {NO_TEXTS}: add it, or use a template that does not "
                "show it"
            ) from None


def round_robin(sources: Iterable[Iterator[CallRequest]]) -> Iterator[CallRequest]:
    """Yield the first of each source, then the second of each, until all have ended."""
    return (request for request in chain.from_iterable(zip_longest(*sources)) if request is not None)
