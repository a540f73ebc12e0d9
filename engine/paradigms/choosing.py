"""Which templates a run uses: the shipped ones by name and task, a user's own by path."""

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from engine.errors import UsageError
from engine.paradigms.template import NEEDED, SLOTS, Kind, Template, named_slots, read_template, split_parts
from engine.schema import PARADIGMS, Paradigm
from engine.text_files import WRITTEN_BY_HAND, text_of

FOLDER = Path(__file__).resolve().parent / "templates"
REWRITE: Literal["rewrite"] = "rewrite"
_SUFFIX = ".txt"


def shipped_variants(kind: Kind) -> tuple[str, ...]:
    """Return the names of the shipped templates of a way of judging, `default` first."""
    names = sorted(path.stem for path in (FOLDER / kind).glob(f"*{_SUFFIX}"))
    return tuple(sorted(names, key=lambda name: name != "default"))


def tasks() -> tuple[str, ...]:
    """Return the tasks that there are words for."""
    return tuple(sorted(path.stem for path in (FOLDER / "tasks").glob(f"*{_SUFFIX}")))


def shipped_template(kind: Kind, variant: str, task: str = "general") -> Template:
    """Return a shipped template in the words of a task; UsageError with the choices for an unknown one."""
    if variant not in shipped_variants(kind):
        raise UsageError(f"unknown variant {variant!r}; choose from: {', '.join(shipped_variants(kind))}")
    return _shipped(kind, variant, task)


def judging_templates(
    paradigms: Sequence[Paradigm], variants: Sequence[str], task: str, folder: Path
) -> list[Template]:
    """Return the templates of a run, in the order of its paradigms.

    A variant serves every paradigm that has it; a path, every paradigm whose texts the file shows. Raises
    UsageError for a variant that serves none of them, and a paradigm that none of them serves.
    """
    found: dict[Kind, list[Template]] = {paradigm: [] for paradigm in paradigms}
    for variant in variants:
        served = False
        for template in _templates_of(variant, paradigms, task, folder):
            found[template.kind].append(template)
            served = True
        if not served and paradigms:
            raise UsageError(
                f"unknown variant {variant!r} of {', '.join(paradigms)}; choose from: "
                f"{', '.join(_choices(paradigms))}, or give the path of a template"
            )
    for paradigm, templates in found.items():
        names = [template.variant for template in templates]
        if not names:
            raise UsageError(
                f"{paradigm!r} has none of {', '.join(map(repr, variants))}; "
                f"choose from: {', '.join(shipped_variants(paradigm))}"
            )
        if len(set(names)) < len(names):
            raise UsageError(f"two templates of {paradigm} share a name ({', '.join(names)}); rename a file")
    return [template for templates in found.values() for template in templates]


def rewriting_template(transform: str, template: str | None, folder: Path) -> Template:
    """Return the template by which responses are rewritten: of the transform's name unless one is given."""
    wanted = template or transform
    if is_path(wanted):
        path = _path(folder, wanted)
        return read_template(_read(path, wanted), REWRITE, path.stem, wanted)
    if wanted not in shipped_variants(REWRITE):
        raise UsageError(
            f"unknown template {wanted!r}; choose from: {', '.join(shipped_variants(REWRITE))}, or give the "
            "path of one"
        )
    return _shipped(REWRITE, wanted, "general")


def is_path(variant: str) -> bool:
    """Return whether a variant is written as the path of a user's own template."""
    return "/" in variant or "\\" in variant or variant.endswith(_SUFFIX)


def _templates_of(variant: str, paradigms: Sequence[Paradigm], task: str, folder: Path) -> list[Template]:
    if not is_path(variant):
        return [_shipped(each, variant, task) for each in paradigms if variant in shipped_variants(each)]
    path = _path(folder, variant)
    text = _read(path, variant)
    _check_name(path, variant)
    slots = named_slots(text)
    _refuse_unknown(slots, variant)
    serves = [each for each in paradigms if _shows(slots, each)]
    if {"all_rubrics", "direct_assessment"} <= set(serves):
        raise UsageError(
            f"the template {variant!r} may be of all_rubrics or direct_assessment; run the two apart"
        )
    if not serves:
        needs = "; ".join(f"{each}: {', '.join(NEEDED[each])}" for each in paradigms)
        raise UsageError(f"the template {variant!r} does not show what is judged ({needs}); add it")
    return [read_template(text, each, path.stem, variant, _words(task)) for each in serves]


def _shows(slots: frozenset[str], paradigm: Paradigm) -> bool:
    """Return whether a file that names these texts is a template of the paradigm."""
    needed, allowed = set(NEEDED[paradigm]), set(SLOTS[paradigm])
    if paradigm == "quality" and slots & {"rubric", "rubrics", "options"}:
        return False
    return needed <= slots <= allowed


def _refuse_unknown(slots: frozenset[str], file: str) -> None:
    known = list(dict.fromkeys(name for each in PARADIGMS for name in SLOTS[each]))
    for name in sorted(slots):
        if name not in known:
            raise UsageError(
                f"the template {file!r} names {{{{{name}}}}}, which is nothing; "
                f"choose from: {', '.join(known)}"
            )


def _check_name(path: Path, variant: str) -> None:
    if any(path.stem in shipped_variants(each) for each in PARADIGMS):
        raise UsageError(
            f"the template {variant!r} has the name of a shipped one ({path.stem!r}), under which its "
            "judgments would be taken for those; rename the file"
        )


def _choices(paradigms: Sequence[Paradigm]) -> list[str]:
    return list(dict.fromkeys(name for each in paradigms for name in shipped_variants(each)))


def _path(folder: Path, written: str) -> Path:
    if "\0" in written:
        raise UsageError(f"the template {written!r} is no path; correct it")
    return folder / os.path.expanduser(written)


def _read(path: Path, shown: str) -> str:
    try:
        return text_of(path, WRITTEN_BY_HAND)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise UsageError(f"the template {shown!r} cannot be read: {why}; correct the path") from error


@lru_cache(maxsize=256)
def _shipped(kind: Kind, variant: str, task: str) -> Template:
    file = f"{kind}/{variant}{_SUFFIX}"
    text = (FOLDER / file).read_text("utf-8")
    words = {} if kind == REWRITE else _words(task)
    uses_task = "{{>" in text and task != "general"
    return read_template(text, kind, variant, f"{file}+tasks/{task}{_SUFFIX}" if uses_task else file, words)


@lru_cache(maxsize=32)
def _words(task: str) -> dict[str, str]:
    """Return the words of a task; what it does not say is said by the general one."""
    general = split_parts((FOLDER / "tasks" / f"general{_SUFFIX}").read_text("utf-8"), "general")
    special = split_parts((FOLDER / "tasks" / f"{task}{_SUFFIX}").read_text("utf-8"), task)
    return general | special
