"""Plans of a run's stages, each from the study as it is when the stage begins."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from engine.calls import Request, Subject
from engine.config import RunConfig
from engine.paradigms.choosing import judging_templates, rewriting_template
from engine.paradigms.template import Template
from engine.plan.library import Library, ResponseKey
from engine.plan.needs import check_criteria, check_responses, check_slots
from engine.plan.pairs import AllPairs, PairSource
from engine.plan.plan import Plan, Stage, in_turn
from engine.plan.sampling import sampled
from engine.plan.subjects import Matter, subjects
from engine.schema import Paradigm
from engine.store import StudyFiles


def make_plan(
    config: RunConfig,
    study: StudyFiles,
    stage: Stage = "judgments",
    *,
    run_id: str | None = None,
    assume: bool = False,
) -> Plan:
    """Plan one stage of a run; nobody is called.

    `responses` are those of `generators` that the study lacks, `rewrites` the ones that its transforms lack
    (and those that the run `run_id` has collected already, so that a run that goes on has as many calls),
    `judgments` everything that judges are asked, whether answered already or not. With `assume`, for a count
    in advance, responses that would have been collected by then are taken to be there.

    Raises UsageError for a generator that can neither be called nor has responses, a study without the texts
    that are asked about, and pairs that cannot be drawn from what the study holds.
    """
    making = _Making(config, Library(study), run_id, assume)
    return {"responses": making.responses, "rewrites": making.rewrites, "judgments": making.judgments}[
        stage
    ]()


@dataclass(frozen=True)
class _Making:
    """One run over one study."""

    config: RunConfig
    library: Library
    run_id: str | None
    assume: bool

    @cached_property
    def collected(self) -> frozenset[ResponseKey]:
        """The responses that the run has collected already."""
        return self.library.collected(self.run_id)

    def _is_asked(self, key: ResponseKey) -> bool:
        """Return whether a response is one that the run collects."""
        return key in self.collected or not self.library.has_response(key)

    @cached_property
    def instances(self) -> list[str]:
        """The instances that take part."""
        sample = self.config.sample
        strata: Mapping[str, str | None] = {}
        if sample is not None and sample.stratify is not None:
            strata = dict(self.library.column(sample.stratify))
        return sampled(list(self.library.instances), strata, sample, self.config.seed)

    @cached_property
    def generators(self) -> tuple[str, ...]:
        """Whose responses are judged: those named, else all who have responses."""
        return tuple(self.config.generators) or self.library.generators()

    def responses(self) -> Plan:
        """Plan the responses that are missing; who cannot be called must have all."""
        callable_ones = [name for name in self.generators if name in self.config.models]
        check_responses(self.config, self.library, self.generators, self.instances)
        missing = [
            (name, instance_id)
            for name in callable_ones
            for instance_id in self.instances
            if self._is_asked((instance_id, name, "none"))
        ]
        if missing:
            check_slots(self.library, sorted({instance_id for _, instance_id in missing}), ["prompt"])

        def make(asked: str | None) -> Iterator[Request]:
            return in_turn(
                iter([_answering(name, each) for model, each in missing if model == name])
                for name in callable_ones
                if asked in (None, name)
            )

        return Plan("responses", self.library, make, assumed=self.assume)

    def rewrites(self) -> Plan:
        """Plan the rewritings that are missing, of the responses that are there."""
        templates = self._rewriting
        missing: list[tuple[str, str, str]] = []
        unanswered = 0
        for transform, rewriting in self.config.transforms.items():
            for name in rewriting.generators or self.generators:
                for instance_id in self.instances:
                    if not self._is_asked((instance_id, name, transform)):
                        continue
                    there = self._there_after("none", (instance_id, name, "none"))
                    unanswered += not there
                    missing += [(transform, name, instance_id)] if there else []

        def make(asked: str | None) -> Iterator[Request]:
            for transform, name, instance_id in missing:
                by, variant = self.config.transforms[transform].by, templates[transform].variant
                if asked not in (None, by):
                    continue
                subject = Subject(instance_id, name, transform=transform)
                yield Request("generator", by, None, variant, subject)

        used = tuple({each.variant: each for each in templates.values()}.values())
        return Plan("rewrites", self.library, make, used, unanswered=unanswered, assumed=self.assume)

    @cached_property
    def _rewriting(self) -> dict[str, Template]:
        return {
            name: rewriting_template(name, transform.template, self.config.folder)
            for name, transform in self.config.transforms.items()
        }

    def judgments(self) -> Plan:
        """Plan everything that judges are asked."""
        config = self.config
        templates = judging_templates(config.paradigms, config.variants, config.task, config.folder)
        check_responses(config, self.library, self.generators, self.instances)
        for paradigm in config.paradigms:
            check_criteria(self.library, paradigm, self.instances)
        for template in templates:
            check_slots(self.library, self.instances, template.needed)
        pairs: PairSource = AllPairs(self.generators)
        drawn: Sequence[Mapping[str, object]] = ()
        if "pairwise" in config.paradigms and config.pairs != "all":
            from engine.plan.drawing import draw_pairs

            pairs, drawn = draw_pairs(config, self.library.study, self.generators, self.instances)
        matters = [self._matter(transform, pairs) for transform in config.judged_transforms]

        def make(asked: str | None) -> Iterator[Request]:
            for template in templates:
                for matter in matters:
                    for instance_id in self.instances:
                        yield from in_turn(self._asked(template, matter, instance_id, asked))

        return Plan(
            "judgments",
            self.library,
            make,
            templates,
            drawn,
            unanswered=0 if self.assume else sum(self._lacking(matter) for matter in matters),
            assumed=self.assume,
        )

    def _matter(self, transform: str, pairs: PairSource) -> Matter:
        rewriting = self.config.transforms.get(transform)
        generators = tuple(rewriting.generators) if rewriting and rewriting.generators else self.generators

        def there(key: ResponseKey) -> bool:
            return self._there_after(transform, key)

        return Matter(self.config, self.library, generators, pairs, transform, there)

    def _there_after(self, transform: str, key: ResponseKey) -> bool:
        """Return whether a response is there, or will be by the time that it is asked about."""
        if self.library.has_response(key):
            return True
        if not self.assume:
            return False
        return transform in self.config.transforms or key[1] in self.config.models

    def _lacking(self, matter: Matter) -> int:
        keys = ((each, name, matter.transform) for each in self.instances for name in matter.generators)
        return sum(not matter.there(key) for key in keys)

    def _asked(
        self, template: Template, matter: Matter, instance_id: str, asked: str | None
    ) -> list[Iterator[Request]]:
        """Return what each judge is asked about an instance, or one of them alone."""
        paradigm = cast("Paradigm", template.kind)  # a run judges by judging templates

        def of(judge: str) -> Iterator[Request]:
            for subject in subjects(paradigm, matter, judge, instance_id):
                yield Request("judge", judge, paradigm, template.variant, subject)

        return [of(judge) for judge in self.config.judges_of(paradigm) if asked in (None, judge)]


def _answering(name: str, instance_id: str) -> Request:
    return Request("generator", name, None, "default", Subject(instance_id, name))
