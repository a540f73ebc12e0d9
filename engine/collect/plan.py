"""The calls of each stage of a run and what they need, and the rebuilt prompt of a stored judgment."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, zip_longest
from typing import Any, Literal, cast

import pyarrow as pa
import pyarrow.compute as pc

from engine.collect.calls import CallRequest, Message, Subject
from engine.collect.config import RunConfig
from engine.collect.judged_pairs import PairSource, all_pairs
from engine.collect.paradigms import ask
from engine.collect.paradigms.answer_schemas import Schema, answer_schema
from engine.collect.paradigms.parsing import (
    ask_answer,
    ask_response,
    ask_rewrite,
    beside_of,
    changed_response,
)
from engine.collect.paradigms.templates import (
    ANSWER,
    MissingTextError,
    Template,
    answer_template,
    judging_templates,
    rewriting_template,
)
from engine.collect.run_options import Shard
from engine.collect.shown_orders import sample_instances
from engine.collect.study_texts import Library, ResponseKey, texts_of
from engine.collect.subjects import SubjectSource, request_of_row, subjects
from engine.errors import UsageError, unknown
from engine.paradigms import TRAITS, Paradigm
from engine.store.study_files import StudyFiles

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

    stage: Stage
    library: Library
    make: Callable[[str | None], Iterator[CallRequest]]
    templates: Sequence[Template] = ()
    pair_rows: Sequence[Mapping[str, Any]] = ()
    response_rows: Sequence[Mapping[str, Any]] = ()
    missing: Mapping[tuple[str, str | None], int] = field(default_factory=dict)
    assumed: bool = False
    conditions: tuple[Callable[[CallRequest], bool], ...] = field(default=())
    model: str | None = None

    def __iter__(self) -> Iterator[CallRequest]:
        return (each for each in self.make(self.model) if all(fits(each) for fits in self.conditions))

    def __len__(self) -> int:
        return self.sizes.total()

    @property
    def unanswered(self) -> int:
        """The number of missing responses."""
        return sum(self.missing.values())

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
            place = f"instance {request.subject.instance_id!r} of the study {self.library.study.name!r}"
            raise UsageError(
                f"{place} has no text for {error.slot}; {_REMEDY}: add it, or use a template that does not "
                "show it"
            ) from None


def round_robin(sources: Iterable[Iterator[CallRequest]]) -> Iterator[CallRequest]:
    """Yield the first of each source, then the second of each, until all have ended."""
    return (request for request in chain.from_iterable(zip_longest(*sources)) if request is not None)


# ------------------------------------------------------------------------------
# What a study must contain for a run.


_OF_INSTANCES = ("prompt", "reference_answer", "context")
_REMEDY = "a study without texts cannot be judged"


def check_responses(
    config: RunConfig, library: Library, generators: Sequence[str], instances: Sequence[str]
) -> None:
    """Raise UsageError for a generator that cannot be called and lacks responses, or an unknown transform."""
    if not generators:
        raise UsageError(
            f"the study {library.study.name!r} has no responses and generators is empty; name models of "
            "[models] that write them, or give data with responses"
        )
    forms = dict.fromkeys(("none", *config.transforms, *sorted(library.transforms())))
    for name in config.judge_transforms or ():
        if name not in forms:
            raise unknown("transform of judge_transforms", name, forms)
    study_generators = library.generators()
    for name in (each for each in generators if each not in config.models):
        if name not in study_generators:
            choices = ", ".join(dict.fromkeys((*config.models, *study_generators))) or "(there are none)"
            raise UsageError(
                f"generators: {name!r} is not in [models] and the study {library.study.name!r} has no texts "
                f"of its responses; {_REMEDY}: choose from: {choices}"
            )
        keys = [(each, name, "none") for each in instances]
        missing = [key[0] for key in keys if not library.has_response(key) and key not in library.unanswered]
        if missing:
            raise UsageError(
                f"generators: {name!r} has no text of its response to {missing[0]!r}{_and_others(missing)} "
                "and is not in [models]; add it there to collect what is missing, or leave it out"
            )


def check_criteria(library: Library, paradigm: Paradigm, instances: Sequence[str]) -> None:
    """Raise UsageError if no instance has the rubrics of a paradigm, or a rubric has no criterion."""
    needs = TRAITS[paradigm].needs
    if "options" in needs and not any(library.score_rubrics(each) for each in instances):
        raise UsageError(
            f"paradigms: {paradigm} needs rubrics with options, and the study {library.study.name!r} "
            "has none; add them to the table rubrics, or choose another paradigm"
        )
    if "options" in needs or not {"rubric", "rubrics"} & set(needs):
        return
    rubrics = [(each, rubric) for each in instances for rubric in library.criteria(each)]
    if not rubrics:
        raise UsageError(
            f"paradigms: {paradigm} needs rubrics, and the study {library.study.name!r} has none; add the "
            "table rubrics, or choose another paradigm"
        )
    without_text = [(each, rubric.rubric_id) for each, rubric in rubrics if rubric.criterion is None]
    if without_text:
        instance_id, rubric_id = without_text[0]
        raise UsageError(
            f"rubric {rubric_id!r} of instance {instance_id!r}{_and_others(without_text)} has no criterion; "
            f"{_REMEDY}: add the texts to the table rubrics"
        )


def check_slots(library: Library, instances: Sequence[str], slots: Collection[str]) -> None:
    """Raise UsageError for an instance without a text that templates must show."""
    for slot in (each for each in _OF_INSTANCES if each in slots):
        missing = [each for each in instances if getattr(library.instances[each], slot) is None]
        if missing:
            raise UsageError(
                f"instance {missing[0]!r}{_and_others(missing)} of the study {library.study.name!r} has no "
                f"{slot}; {_REMEDY}: add the texts to the table instances, or use a template without it"
            )


def _and_others(items: Sequence[object]) -> str:
    return f" (and {len(items) - 1:,} others)" if len(items) > 1 else ""


# ------------------------------------------------------------------------------
# Plans of a run's stages, each from the study as it is when the stage begins.


def make_plan(
    config: RunConfig,
    study: StudyFiles,
    stage: Stage = "judgments",
    *,
    run_id: str | None = None,
    assume: bool = False,
) -> Plan:
    """Plan one stage of a run, without making calls.

    `responses` are those of `generators` that the study lacks, `rewrites` those that its transforms lack.
    Both include what the run `run_id` has collected, so that a continued run has as many calls. `judgments`
    are all calls of judges, answered or not. With `assume`, for a count in advance, responses that will have
    been collected by then count as present.
    """
    planner = _CallPlanner(config, Library(study), run_id, assume)
    plans = {"responses": planner.responses, "rewrites": planner.rewrites, "judgments": planner.judgments}
    return plans[stage]()


@dataclass(frozen=True)
class _CallPlanner:
    config: RunConfig
    library: Library
    run_id: str | None
    assume: bool

    @cached_property
    def run_responses(self) -> frozenset[ResponseKey]:
        return self.library.responses_of_run(self.run_id)

    def _is_planned(self, key: ResponseKey) -> bool:
        return key in self.run_responses or not self.library.has_response(key)

    @cached_property
    def instances(self) -> list[str]:
        sample = self.config.sample
        strata: Mapping[str, str | None] = {}
        if sample is not None and sample.stratify is not None:
            strata = dict(self.library.column(sample.stratify))
        return sample_instances(list(self.library.instances), strata, sample, self.config.seed)

    @cached_property
    def generators(self) -> tuple[str, ...]:
        """The models whose responses are judged: the configured ones, else all that have responses."""
        return tuple(self.config.generators) or self.library.generators()

    def responses(self) -> Plan:
        """Plan the missing responses; a generator that cannot be called must have them all."""
        check_responses(self.config, self.library, self.generators, self.instances)
        missing = {
            name: [each for each in self.instances if self._is_planned((each, name, "none"))]
            for name in self.generators
            if name in self.config.models
        }
        source, folder = self.config.answer_template, self.config.folder
        templates = () if source is None else (answer_template(source, folder),)
        slots = {"prompt", *chain.from_iterable(template.required_slots for template in templates)}
        check_slots(self.library, sorted(set(chain.from_iterable(missing.values()))), slots)

        def make(model_name: str | None) -> Iterator[CallRequest]:
            def calls_of(name: str) -> Iterator[CallRequest]:
                subjects = (Subject(instance_id, name) for instance_id in missing[name])
                return (CallRequest("generator", name, None, "default", subject) for subject in subjects)

            return round_robin(calls_of(name) for name in missing if model_name in (None, name))

        return Plan("responses", self.library, make, templates, assumed=self.assume)

    def rewrites(self) -> Plan:
        """Plan the missing rewritings of existing responses."""
        rewritings = self.config.rewritings
        templates = {
            name: rewriting_template(name, rewriting.template, self.config.folder)
            for name, rewriting in rewritings.items()
        }
        missing: list[tuple[str, str, str]] = []
        changed: list[Mapping[str, Any]] = []
        unanswered: Counter[tuple[str, str | None]] = Counter()
        for transform, change in self.config.transforms.items():
            for name in change.generators or self.generators:
                for instance_id in self.instances:
                    if not self._is_planned((instance_id, name, transform)):
                        continue
                    exists = self._will_exist("none", (instance_id, name, "none"))
                    if not exists:
                        unanswered[name, self.library.unanswered.get((instance_id, name, "none"))] += 1
                    text = self.library.response((instance_id, name, "none"))
                    if transform in rewritings:
                        missing += [(transform, name, instance_id)] if exists else []
                    elif text is not None:
                        changed.append(changed_response(change, transform, name, instance_id, text))

        def make(model_name: str | None) -> Iterator[CallRequest]:
            for transform, name, instance_id in missing:
                by, variant = rewritings[transform].by or "", templates[transform].variant
                if model_name not in (None, by):
                    continue
                subject = Subject(instance_id, name, transform=transform)
                yield CallRequest("generator", by, None, variant, subject)

        used_templates = tuple({each.variant: each for each in templates.values()}.values())
        return Plan("rewrites", self.library, make, used_templates, (), changed, unanswered, self.assume)

    def judgments(self) -> Plan:
        config = self.config
        templates = judging_templates(config.paradigms, config.variants, config.task, config.folder)
        check_responses(config, self.library, self.generators, self.instances)
        for paradigm in config.paradigms:
            check_criteria(self.library, paradigm, self.instances)
            if TRAITS[paradigm].gives == "author" and not set(config.judges) & set(self.generators):
                raise UsageError(
                    f"paradigms: {paradigm} needs a judge that is also a generator, and there is none; "
                    "add one, or leave it out"
                )
        for template in templates:
            check_slots(self.library, self.instances, template.required_slots)
        pairs: PairSource = partial(all_pairs, self.generators)
        pair_rows: Sequence[Mapping[str, object]] = ()
        if "pairwise" in config.paradigms and config.pairs != "all":
            from engine.collect.draw_pairs import draw_pairs

            pairs, pair_rows = draw_pairs(config, self.library.study, self.generators, self.instances)
        sources = [self._source(transform, pairs) for transform in config.judged_transforms]

        def make(model_name: str | None) -> Iterator[CallRequest]:
            for template in templates:
                for source in sources:
                    for instance_id in self.instances:
                        yield from round_robin(self._requests_of(template, source, instance_id, model_name))

        missing: Counter[tuple[str, str | None]] = Counter()
        for source in () if self.assume else sources:
            missing.update(self._missing(source))
        return Plan("judgments", self.library, make, templates, pair_rows, (), missing, self.assume)

    def _source(self, transform: str, pairs: PairSource) -> SubjectSource:
        change = self.config.transforms.get(transform)
        generators = tuple(change.generators) if change and change.generators else self.generators
        beside = beside_of(change) if change else self.library.beside_under(transform)

        def exists(key: ResponseKey) -> bool:
            return self._will_exist(transform, key)

        return SubjectSource(self.config, self.library, generators, pairs, transform, exists, beside)

    def _will_exist(self, transform: str, key: ResponseKey) -> bool:
        """Return whether a response exists, or will by the time it is judged."""
        if self.library.has_response(key):
            return True
        if not self.assume or key in self.library.unanswered:
            return False
        return transform in self.config.transforms or key[1] in self.config.models

    def _missing(self, source: SubjectSource) -> Iterator[tuple[str, str | None]]:
        """Yield the generator of each missing response, with its shortfall if it was collected."""
        for key in ((each, name, source.transform) for each in self.instances for name in source.generators):
            if not source.exists(key):
                yield key[1], self.library.unanswered.get(key)

    def _requests_of(
        self, template: Template, source: SubjectSource, instance_id: str, model_name: str | None
    ) -> list[Iterator[CallRequest]]:
        """Return the requests about an instance for each judge, or for one of them."""
        paradigm = cast("Paradigm", template.kind)  # a run judges with judging templates

        def calls_of(judge: str) -> Iterator[CallRequest]:
            for subject in subjects(paradigm, source, judge, instance_id):
                yield CallRequest("judge", judge, paradigm, template.variant, subject)

        return [calls_of(judge) for judge in self.config.judges_of(paradigm) if model_name in (None, judge)]


# ------------------------------------------------------------------------------
# The prompt of a stored judgment, rebuilt from the study's texts and its template.


Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RebuiltPrompt:
    """The messages that a judge was sent, or None with the reason why they are unknown."""

    messages: tuple[Message, ...] | None
    reason: str | None = None


def rebuild(library: Library, judgment: Row) -> RebuiltPrompt:
    """Return the prompt of a judgment row.

    It is returned only if it must be the same: the template is stored with the study, and the rebuilt request
    has the row's call_id. The texts are the study's current ones.
    """
    template = _template(library, judgment)
    if isinstance(template, str):
        return RebuiltPrompt(None, template)
    request = request_of_row(library, judgment)
    if request is None:
        return RebuiltPrompt(None, "the study's rubrics are not those that were shown")
    try:
        return RebuiltPrompt(tuple(ask(request, template, texts_of(library, request))))
    except MissingTextError as error:
        return RebuiltPrompt(None, f"the study has no text for {error.slot}")


def _template(library: Library, judgment: Row) -> Template | str:
    conditions = {name: judgment[name] for name in ("run_id", "paradigm", "variant")}
    conditions |= {"model": judgment["judge"], "role": "judge"}
    runs = _rows(library.study.table("runs"), conditions)
    sha256 = runs[0]["template_sha256"] if runs else None
    if sha256 is None:
        return "the study does not say which template its run used"
    stored = _rows(library.study.table("templates"), {"template_sha256": sha256})
    if not stored:
        return "the study does not have its template"
    file, text = runs[0]["template"] or "", stored[0]["text"]
    template = Template(judgment["paradigm"], judgment["variant"], file, text)
    return template if template.sha256 == sha256 else "the template in the study has been changed"


def _rows(table: pa.Table, conditions: Mapping[str, str]) -> list[dict[str, Any]]:
    for name, value in conditions.items():
        table = table.filter(pc.equal(table[name].cast(pa.string()), value))
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows
