"""The templates of a run: shipped ones by name and task, a user's own by path."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.collect.paradigms.templates import (
    ANSWER,
    REQUIRED_SLOTS,
    REWRITE,
    SLOTS,
    Kind,
    Template,
    read_template,
    roles_of,
    slots_of,
    split_parts,
)
from engine.errors import UsageError
from engine.paradigms import PARADIGMS, Paradigm
from engine.plain_words import system_words

FOLDER = Path(__file__).resolve().parent / "templates"
_SUFFIX = ".txt"


def shipped_variants(kind: Kind) -> tuple[str, ...]:
    """Return the names of the shipped templates of a kind, `default` first."""
    names = sorted(path.stem for path in (FOLDER / kind).glob(f"*{_SUFFIX}"))
    return tuple(sorted(names, key=lambda name: name != "default"))


def tasks() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (FOLDER / "tasks").glob(f"*{_SUFFIX}")))


def judging_templates(
    paradigms: Sequence[Paradigm], variants: Sequence[str], task: str, folder: Path
) -> list[Template]:
    """Return the templates of a run, in the order of its paradigms.

    A variant serves every paradigm that has it; a path serves every paradigm whose texts the file shows.
    Raises UsageError for a variant that serves no paradigm, and a paradigm without a template.
    """
    by_kind: dict[Kind, list[Template]] = {paradigm: [] for paradigm in paradigms}
    for variant in variants:
        serving = _templates_of(variant, paradigms, task, folder)
        for template in serving:
            by_kind[template.kind].append(template)
        if not serving and paradigms:
            choices = dict.fromkeys(name for each in paradigms for name in shipped_variants(each))
            raise UsageError(
                f"unknown variant {variant!r} of {', '.join(paradigms)}; choose from: {', '.join(choices)}, "
                "or give the path of a template"
            )
    for paradigm, templates in by_kind.items():
        names = [template.variant for template in templates]
        if not names:
            raise UsageError(
                f"{paradigm!r} has none of {', '.join(map(repr, variants))}; "
                f"choose from: {', '.join(shipped_variants(paradigm))}"
            )
        if len(set(names)) < len(names):
            raise UsageError(f"two templates of {paradigm} share a name ({', '.join(names)}); rename a file")
    return [template for templates in by_kind.values() for template in templates]


def variants_of(
    paradigm: Paradigm, paradigms: Sequence[Paradigm], variants: Sequence[str], task: str, folder: Path
) -> list[str]:
    """Return the variants of a run with these paradigms that serve one of them."""
    return [
        variant
        for variant in variants
        if any(template.kind == paradigm for template in _templates_of(variant, paradigms, task, folder))
    ]


def rewriting_template(transform: str, template: str | None, folder: Path) -> Template:
    """Return the template for rewriting responses: the given one, else that with the transform's name."""
    source = template or transform
    if is_path(source):
        name, text = _own_template(folder, source)
        return read_template(text, REWRITE, name, source)
    if source not in shipped_variants(REWRITE):
        raise UsageError(
            f"unknown template {source!r}; choose from: {', '.join(shipped_variants(REWRITE))}, or give the "
            "path of one"
        )
    return shipped_template(REWRITE, source)


def answer_template(source: str, folder: Path) -> Template:
    """Return the template in which models are asked for answers: a shipped one by name, or one's own.

    It is the variant `default` of a run's generators, whatever its file.
    """
    if is_path(source):
        _, text = _own_template(folder, source)
        return read_template(text, ANSWER, "default", source)
    if source not in shipped_variants(ANSWER):
        raise UsageError(
            f"unknown template {source!r}; choose from: {', '.join(shipped_variants(ANSWER))}, or give the "
            "path of one"
        )
    return replace(shipped_template(ANSWER, source), variant="default")


def is_path(variant: str) -> bool:
    return "/" in variant or "\\" in variant or variant.endswith(_SUFFIX)


def _templates_of(variant: str, paradigms: Sequence[Paradigm], task: str, folder: Path) -> list[Template]:
    if not is_path(variant):
        fitting = [each for each in paradigms if variant in shipped_variants(each)]
        return [shipped_template(each, variant, task) for each in fitting]
    name, text = _own_template(folder, variant)
    if any(name in shipped_variants(each) for each in PARADIGMS):
        raise UsageError(
            f"the template {variant!r} has the name of a shipped one ({name!r}), so their judgments could "
            "not be told apart; rename the file"
        )
    slots = slots_of(text)
    slot_names = list(dict.fromkeys(name for each in PARADIGMS for name in SLOTS[each]))
    for slot in sorted(slots.difference(slot_names)):
        raise UsageError(
            f"the template {variant!r} names {{{{{slot}}}}}, which does not exist; "
            f"choose from: {', '.join(slot_names)}"
        )
    continued = "assistant" in split_parts(text, variant)
    fitting = [
        each
        for each in paradigms
        if set(REQUIRED_SLOTS[each]) <= slots <= set(SLOTS[each])
        and not (each == "quality" and slots & {"rubric", "rubrics", "options"})
        and ("assistant" in roles_of(each)) == continued
    ]
    if {"all_rubrics", "direct_assessment"} <= set(fitting):
        raise UsageError(
            f"the template {variant!r} fits all_rubrics and direct_assessment; run the two separately"
        )
    if not fitting:
        needs = "; ".join(f"{each}: {', '.join(REQUIRED_SLOTS[each])}" for each in paradigms)
        raise UsageError(f"the template {variant!r} does not show what is judged ({needs}); add it")
    return [read_template(text, each, name, variant, _words(task)) for each in fitting]


def _own_template(folder: Path, path_text: str) -> tuple[str, str]:
    if "\0" in path_text:
        raise UsageError(f"the template {path_text!r} is not a path; correct it")
    path = folder / os.path.expanduser(path_text)
    try:
        return path.stem, text_of(path, WRITTEN_BY_HAND)
    except (OSError, ValueError) as error:
        why = system_words(error) if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"the template {path_text!r} cannot be read: {why}; correct the path") from error


@lru_cache(maxsize=256)
def shipped_template(kind: Kind, variant: str, task: str = "general") -> Template:
    file = f"{kind}/{variant}{_SUFFIX}"
    text = (FOLDER / file).read_text("utf-8")
    words = {} if kind in (REWRITE, ANSWER) else _words(task)
    uses_task = "{{>" in text and task != "general"
    return read_template(text, kind, variant, f"{file}+tasks/{task}{_SUFFIX}" if uses_task else file, words)


@lru_cache(maxsize=32)
def _words(task: str) -> dict[str, str]:
    """Return the wording of a task; anything missing comes from the general one."""
    general = split_parts((FOLDER / "tasks" / f"general{_SUFFIX}").read_text("utf-8"), "general")
    special = split_parts((FOLDER / "tasks" / f"{task}{_SUFFIX}").read_text("utf-8"), task)
    return general | special
