"""What a run asks first and what then: each stage is planned from the study as it is by then."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.calls import Role
from engine.config import RunConfig
from engine.paradigms.choosing import judging_templates, rewriting_template
from engine.paradigms.template import Template
from engine.plan import STAGES, Stage
from engine.runner.run_rows import Used


@dataclass(frozen=True, slots=True)
class Ways:
    """The templates of a run, and who is asked with which of them."""

    used: tuple[Used, ...]
    templates: tuple[Template, ...]
    asked: tuple[tuple[str, Role, str | None, str], ...]


def ways_of(config: RunConfig) -> Ways:
    """Return the ways in which a configuration asks: (model, role, paradigm, variant) of each."""
    templates = list(_templates(config))
    asked: list[tuple[str, Role, str | None, str]] = [
        (name, "generator", None, "default") for name in config.generators if name in config.models
    ]
    for name, transform in config.transforms.items():
        template = rewriting_template(name, transform.template, config.folder)
        asked.append((transform.by, "generator", None, template.variant))
    for paradigm in config.paradigms:
        for template in templates:
            if template.kind == paradigm:
                asked += [
                    (judge, "judge", paradigm, template.variant) for judge in config.judges_of(paradigm)
                ]
    used = tuple(_used(template) for template in templates)
    return Ways(used, tuple(templates), tuple(dict.fromkeys(asked)))


def steps_of(config: RunConfig) -> Iterator[tuple[Stage, RunConfig]]:
    """Yield the stages of a run with the configuration of each.

    Where pairs are drawn by quality that the same run judges, quality is judged before they are drawn.
    """
    for stage in STAGES:
        if stage == "judgments" and draws_from_itself(config):
            yield stage, config.model_copy(update={"paradigms": ["quality"]})
        yield stage, config


def draws_from_itself(config: RunConfig) -> bool:
    """Return whether pairs are drawn by judgments that the run itself collects."""
    return config.pairs != "all" and {"quality", "pairwise"} <= set(config.paradigms)


def _templates(config: RunConfig) -> Iterator[Template]:
    yield from judging_templates(config.paradigms, config.variants, config.task, config.folder)
    for name, transform in config.transforms.items():
        yield rewriting_template(name, transform.template, config.folder)


def _used(template: Template) -> Used:
    paradigm = None if template.kind == "rewrite" else template.kind
    return Used(paradigm, template.variant, template.file, template.sha256)
