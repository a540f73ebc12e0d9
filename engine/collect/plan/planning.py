"""The plan of each stage of a run, made from the study as it is when the stage begins."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any, cast

from engine.checkers.programs import programs_of
from engine.collect.calls import CallRequest, Subject
from engine.collect.configuration.config import RunConfig
from engine.collect.paradigms.template_files import answer_template, judging_templates, rewriting_template
from engine.collect.paradigms.templates import Template
from engine.collect.plan.changed_responses import beside_of, changed_response
from engine.collect.plan.judged_pairs import PairSource, all_pairs
from engine.collect.plan.plan_requirements import check_criteria, check_responses, check_slots
from engine.collect.plan.run_remarks import AnswersToCome, answerless_words, gap_words, inconclusive_words
from engine.collect.plan.shown_orders import sample_instances
from engine.collect.plan.stage_calls import Plan, Stage, round_robin
from engine.collect.plan.study_texts import Library, ResponseKey
from engine.collect.plan.subjects import SubjectSource, subjects
from engine.errors import UsageError
from engine.paradigms import TRAITS, Paradigm
from engine.store.study_files import StudyFiles


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


def remarks_on(config: RunConfig, study: StudyFiles) -> list[str]:
    """Return sentences, without a full stop, on what a run leaves out and what it cannot show."""
    return _CallPlanner(config, Library(study), None, assume=True).remarks()


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

    def _is_gap(self, generator: str, instance_id: str) -> bool:
        """Return whether an answer is left out: the study never had it, and no model of the run writes it."""
        key = (instance_id, generator, "none")
        is_there = self.library.has_response(key) or key in self.library.unanswered
        return generator not in self.config.models and not is_there

    def remarks(self) -> list[str]:
        """Return what the run leaves out, and which judges have no answers that they could favour."""
        gaps = {
            name: count
            for name in self.generators
            if (count := sum(self._is_gap(name, each) for each in self.instances))
        }
        judges = self.config.judges
        silent = self._answers_of([name for name in judges if name not in self.generators])
        words = [answerless_words(silent, judges, self.generators), self._inconclusive_answers()]
        return [*gap_words(gaps), *filter(None, words)]

    def _inconclusive_answers(self) -> str:
        """Return which judges' own answers allow no conclusion; empty if there is none."""
        judges = self.config.judges
        own = self._answers_of([name for name in judges if name in self.generators])
        return inconclusive_words(own, judges)

    def _answers_of(self, names: Sequence[str]) -> AnswersToCome:
        """Return what the answers of some judges lack for a conclusion, with the judges of this run."""
        if not names:
            return AnswersToCome(())
        facts = self.library.study
        rows = facts.table("models", ["model", "family"]).to_pylist()
        family = {str(row["model"]): str(row["family"]) for row in rows}
        family |= {
            name: model.family or name for name, model in self.config.models.items() if name not in family
        }
        alone = [
            name
            for name in names
            if all(family.get(judge) == family.get(name) for judge in self.config.judges)
        ]
        if alone:
            judged = facts.judgments(["judge", "generator"]).group_by(["judge", "generator"]).aggregate([])
            pairs = {(str(row["judge"]), str(row["generator"])) for row in judged.to_pylist()}
            others = {name for judge, name in pairs if family.get(judge) != family.get(name)}
            alone = [name for name in alone if name not in others]
        referenced = facts.table("references", ["generator"])["generator"].unique().to_pylist()
        referenced += facts.table("preferences", ["generator"])["generator"].unique().to_pylist()
        referenced += facts.table("preferences", ["opponent"])["opponent"].unique().to_pylist()
        has_truths = bool(referenced) and self.config.checker is None
        unreferenced = [name for name in names if has_truths and name not in referenced]
        return AnswersToCome(tuple(names), tuple(alone), tuple(unreferenced))

    def responses(self) -> Plan:
        """Plan the missing responses of generators that can be called."""
        check_responses(self.config, self.library, self.generators)
        if self.config.checker == "rubrics":
            programs_of(self.library.study)  # tried before any answer is paid for
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

        return Plan(self.library, make, templates, assumed=self.assume)

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
                    if not self._is_planned((instance_id, name, transform)) or self._is_gap(
                        name, instance_id
                    ):
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
        return Plan(self.library, make, used_templates, (), changed, unanswered, assumed=self.assume)

    def judgments(self) -> Plan:
        config = self.config
        templates = judging_templates(config.paradigms, config.variants, config.task, config.folder)
        check_responses(config, self.library, self.generators)
        for paradigm in config.paradigms:
            check_criteria(self.library, paradigm, self.instances)
            if TRAITS[paradigm].gives == "author" and not set(config.judges) & set(self.generators):
                raise UsageError(
                    f"paradigms: {paradigm} needs a judge that is also in `generators`, and there is none; "
                    "add one, or leave it out"
                )
        for template in templates:
            check_slots(self.library, self.instances, template.required_slots)
        pairs: PairSource = partial(all_pairs, self.generators)
        pair_rows: Sequence[Mapping[str, object]] = ()
        if "pairwise" in config.paradigms and config.pairs != "all":
            from engine.collect.plan.draw_pairs import draw_pairs

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
        return Plan(self.library, make, templates, pair_rows, (), missing, assumed=self.assume)

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
        if not self.assume or self._is_gap(key[1], key[0]) or key in self.library.unanswered:
            return False
        return transform in self.config.transforms or key[1] in self.config.models

    def _missing(self, source: SubjectSource) -> Iterator[tuple[str, str | None]]:
        """Yield the generator of each missing response, with its shortfall if it was collected."""
        for key in ((each, name, source.transform) for each in self.instances for name in source.generators):
            if not source.exists(key) and not self._is_gap(key[1], key[0]):
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
