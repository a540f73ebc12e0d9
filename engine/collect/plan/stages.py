"""The stages of a run: each is planned from the study as it is by then."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine import paradigms
from engine.collect.configuration.chat_protocol import serves_model
from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.model_keys import SIMULATED, provider_of
from engine.collect.database.calls_under_way import Group
from engine.collect.paradigms.template_files import (
    answer_template,
    judging_templates,
    rewriting_template,
    variants_of,
)
from engine.collect.paradigms.templates import Template
from engine.collect.plan.planning import make_plan
from engine.collect.plan.stage_calls import STAGES, Stage
from engine.collect.run_options import RunOptions
from engine.errors import UsageError
from engine.store.study_files import StudyFiles


@dataclass(frozen=True, slots=True)
class Prompts:
    """The templates of a run, and which models are called with which of them."""

    templates: tuple[Template, ...]
    groups: tuple[Group, ...]


def prompts_of(config: RunConfig) -> Prompts:
    """Return a configuration's templates and groups of calls: (model, role, paradigm, variant) of each."""
    templates = judging_templates(config.paradigms, config.variants, config.task, config.folder)
    generators = [name for name in config.generators if name in config.models]
    groups: list[Group] = [(name, "generator", None, "default") for name in generators]
    if config.answer_template is not None:
        templates.append(answer_template(config.answer_template, config.folder))
    for name, rewriting in config.rewritings.items():
        template = rewriting_template(name, rewriting.template, config.folder)
        templates.append(template)
        groups.append((rewriting.by or "", "generator", None, template.variant))
    for paradigm in config.paradigms:
        _check_likelihoods(config, paradigm)
        variants = [template.variant for template in templates if template.kind == paradigm]
        judges = config.judges_of(paradigm)
        groups += [(judge, "judge", paradigm, variant) for variant in variants for judge in judges]
    return Prompts(tuple(templates), tuple(dict.fromkeys(groups)))


def _check_likelihoods(config: RunConfig, paradigm: paradigms.Paradigm) -> None:
    """Raise UsageError for a judge whose server cannot give the likelihood of responses."""
    if paradigms.TRAITS[paradigm].gives != "likelihood":
        return
    if config.mode == "batch":
        raise UsageError(f'paradigms: {paradigm} does not work in batches; write mode = "live"')
    for name in config.judges_of(paradigm):
        model = config.models[name]
        simulated = provider_of(model.model) == SIMULATED
        if not simulated and not serves_model(model):
            raise UsageError(
                f"models.{name}.model is {model.model!r}, and {paradigm} needs log-probabilities "
                "of answers, which servers of OpenAI's protocol such as vLLM give; write it as openai/... "
                "or hosted_vllm/... with api_base, or leave the judge or the paradigm out"
            )


def steps_of(config: RunConfig) -> Iterator[tuple[Stage, RunConfig]]:
    """Yield the stages of a run with the configuration of each.

    If pairs are drawn by quality that the same run judges, quality is judged before they are drawn.
    """
    for stage in STAGES:
        if stage == "judgments" and _judges_quality_first(config):
            variants = variants_of("quality", config.paradigms, config.variants, config.task, config.folder)
            yield stage, config.model_copy(update={"paradigms": ["quality"], "variants": variants})
        yield stage, config


def _judges_quality_first(config: RunConfig) -> bool:
    return config.pairs != "all" and {"quality", "pairwise"} <= set(config.paradigms)


def draws_from_itself(stage: Stage, config: RunConfig) -> bool:
    """Return whether the pairs of a stage are drawn by judgments or checks of the run itself."""
    if stage != "judgments":
        return False
    by_checks = config.pairs != "all" and "pairwise" in config.paradigms and config.checker is not None
    return _judges_quality_first(config) or by_checks


def calls_after(config: RunConfig, study: StudyFiles, number: int, options: RunOptions) -> int:
    """Return the number of calls in the stages after one, its missing responses counted as present.

    Pairs that will be drawn by what the run itself finds out are not counted.
    """
    later = [each for each in list(steps_of(config))[number + 1 :] if not draws_from_itself(*each)]
    plans = (make_plan(step, study, stage, assume=True) for stage, step in later)
    return sum(len(plan.shard(options.shard)) for plan in plans)
