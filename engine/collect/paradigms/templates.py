"""Prompt templates: their slots, the values that fill them, and the fences around texts."""

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count
from pathlib import Path
from typing import Literal

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.collect.calls import Message
from engine.errors import UsageError
from engine.messages import conversation
from engine.paradigms import PARADIGMS, TRAITS, Paradigm
from engine.plain_words import system_words
from engine.rubric_options import ScoreOption

Kind = Paradigm | Literal["rewrite", "answer"]
REWRITE: Literal["rewrite"] = "rewrite"
ANSWER: Literal["answer"] = "answer"

SLOTS: dict[Kind, tuple[str, ...]] = {
    **{each.name: ("prompt", *each.shows, "reference_answer", "context") for each in TRAITS.values()},
    "rewrite": ("prompt", "response", "reference_answer", "context"),
    "answer": ("prompt", "context"),
}
"""The slots that templates may have, for each paradigm, for rewriting and for answers."""

REQUIRED_SLOTS: dict[Kind, tuple[str, ...]] = {
    **{traits.name: traits.needs for traits in TRAITS.values()},
    "rewrite": ("response",),
    "answer": ("prompt",),
}
"""The slots that a template must have, so that a judge sees what it judges."""

_PART = re.compile(r"^--- ?(\w+) ?---[ \t]*$", re.MULTILINE)
_PLACE = re.compile(r"\{\{([^{}\n]*)\}\}")
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_LONGEST = 200_000


class MissingTextError(Exception):
    """A text that the template needs is missing (`slot`); callers turn it into a message for users."""

    def __init__(self, slot: str) -> None:
        super().__init__(slot)
        self.slot = slot


@dataclass(frozen=True)
class Template:
    """A prompt template with a task's words filled in; `file` is its source."""

    kind: Kind
    variant: str
    file: str
    text: str

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def paradigm(self) -> Paradigm | None:
        return None if self.kind == "rewrite" or self.kind == "answer" else self.kind

    @property
    def slots(self) -> frozenset[str]:
        return _parse(self.text).slots

    @property
    def required_slots(self) -> frozenset[str]:
        return _parse(self.text).required_slots

    def render(self, values: Mapping[str, str | None]) -> list[Message]:
        return [
            {"role": role, "content": "\n\n".join(paragraphs)}
            for role, pieces in _parse(self.text).parts
            if (paragraphs := [text for each in pieces if (text := _fill(each, values)) is not None])
        ]


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str
    optional: bool


_Paragraph = tuple[str | _Slot, ...]


@dataclass(frozen=True, slots=True)
class _ParsedTemplate:
    parts: tuple[tuple[str, tuple[_Paragraph, ...]], ...]
    slots: frozenset[str]
    required_slots: frozenset[str]


def read_template(
    text: str, kind: Kind, variant: str, file: str, words: Mapping[str, str] | None = None
) -> Template:
    """Make a template of a file's text; `words` are for `{{>name}}`. UsageError for a bad or missing slot."""
    if len(text) > _LONGEST:
        raise UsageError(f"the template {file!r} is longer than {_LONGEST:,} characters; shorten it")
    words = words or {}
    parts = split_parts(text.replace("\r\n", "\n"), file)
    roles = _roles(kind)
    unknown_parts = [name for name in parts if name not in roles]
    empty_parts = [name for name in roles[1:] if not parts.get(name, "").strip()]
    if unknown_parts or empty_parts:
        problem = f"has a part {unknown_parts[0]!r}" if unknown_parts else f"has no {empty_parts[0]} part"
        sections = " and ".join(f"--- {name} ---" for name in roles)
        raise UsageError(f"the template {file!r} {problem}; write {sections}")
    full_text = "\n\n".join(
        f"--- {role} ---\n{_with_words(part, words, file)}" for role, part in parts.items() if part.strip()
    )
    template = Template(kind, variant, file, full_text + "\n")
    for name in sorted(template.slots):
        if name not in SLOTS[kind]:
            raise UsageError(
                f"the template {file!r} names {{{{{name}}}}}, which {kind} does not have; "
                f"choose from: {', '.join(SLOTS[kind])}"
            )
    for name in REQUIRED_SLOTS[kind]:
        if name not in template.slots:
            raise UsageError(
                f"the template {file!r} does not show {{{{{name}}}}}, which {kind} judges; add it"
            )
    return template


def _roles(kind: Kind) -> tuple[str, ...]:
    """Return the parts that a template may have; all but the first are required."""
    continued = kind not in (REWRITE, ANSWER) and TRAITS[kind].gives == "likelihood"
    return ("system", "user", "assistant") if continued else ("system", "user")


def split_parts(text: str, file: str) -> dict[str, str]:
    """Return the parts of a file by name, including empty ones; a file without parts is all `user`."""
    marks = list(_PART.finditer(text))
    if not marks:
        return {"user": text.strip()}
    if text[: marks[0].start()].strip():
        raise UsageError(f"the template {file!r} has text before its first part; move it into a part")
    parts: dict[str, str] = {}
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        name = mark[1]
        if name in parts:
            raise UsageError(f"the template {file!r} has the part {name!r} twice; join them")
        parts[name] = text[mark.end() : following.start() if following else None].strip()
    return parts


def _with_words(text: str, words: Mapping[str, str], file: str) -> str:
    def word(match: "re.Match[str]") -> str:
        if not _is_word(match[1]):
            return match[0]
        name = match[1].strip()[1:].strip()
        if name not in words:
            raise UsageError(
                f"the template {file!r} names the words {name!r} of a task; choose from: {', '.join(words)}"
            )
        return words[name]

    return _BLANK.sub("\n\n", _PLACE.sub(word, text)).strip()


def _is_word(inside: str) -> bool:
    return inside.strip().startswith(">")


def _slot_name(inside: str) -> _Slot:
    name = inside.strip()
    return _Slot(name.removesuffix("?").strip(), name.endswith("?"))


@lru_cache(maxsize=256)
def _parse(text: str) -> _ParsedTemplate:
    texts = split_parts(text, "template")
    parts = tuple(
        (role, tuple(_paragraph(piece) for piece in _BLANK.split(words) if piece.strip()))
        for role, words in texts.items()
    )
    slots = [piece for _, part in parts for each in part for piece in each if isinstance(piece, _Slot)]
    required = frozenset(slot.name for slot in slots if not slot.optional)
    return _ParsedTemplate(parts, frozenset(slot.name for slot in slots), required)


def _paragraph(text: str) -> _Paragraph:
    pieces = enumerate(_PLACE.split(text))  # every second one stood within braces
    return tuple(_slot_name(piece) if place % 2 else piece for place, piece in pieces if place % 2 or piece)


def _fill(paragraph: _Paragraph, values: Mapping[str, str | None]) -> str | None:
    """Return the paragraph with its slots filled, None if an optional one is missing."""
    if len(paragraph) == 1 and isinstance(paragraph[0], str):  # most of them
        return paragraph[0]
    texts = []
    for piece in paragraph:
        if isinstance(piece, str):
            texts.append(piece)
            continue
        value = values.get(piece.name)
        if value is None:
            if piece.optional:
                return None
            raise MissingTextError(piece.name)
        texts.append(value)
    return "".join(texts)


# ------------------------------------------------------------------------------
# The templates of a run: shipped ones by name and task, a user's own by path.


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
    slots = {_slot_name(inside).name for inside in _PLACE.findall(text) if not _is_word(inside)}
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
        and ("assistant" in _roles(each)) == continued
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


# ------------------------------------------------------------------------------
# Fences that separate material from instructions: tags that no text inside can contain.


_DIGITS = 10
_ROLES = ("user", "assistant", "system", "developer", "tool")


@dataclass(frozen=True, slots=True)
class Fence:
    """Tags such as `<response-3f09c2a17b>`, whose code occurs in none of the texts."""

    code: str

    def around(self, name: str, text: str | None) -> str | None:
        """Return the text between its tags, each on its own line; an empty text counts, unlike None."""
        return None if text is None else f"<{name}-{self.code}>\n{text}\n</{name}-{self.code}>"

    def around_response(self, name: str, text: str | None, author: str | None) -> str | None:
        """Return a response between tags, after the name of its author if one is shown."""
        if text is None or author is None:
            return self.around(name, text)
        return f"It was written by:\n\n{self.around('author', author)}\n\n{self.around(name, text)}"


def fence_for(shared: Sequence[str], others: Iterable[str] = ()) -> Fence:
    """Return a fence for all these texts, the same on every machine.

    The code is derived from the `shared` texts alone, so that requests about one response have a common
    prefix that a provider can cache. It is derived again until it occurs in none of the texts, in upper or
    lower case.
    """
    everything = [text.casefold() for text in (*shared, *others)]
    for attempt in count():
        digest = hashlib.blake2b(attempt.to_bytes(4, "big"), digest_size=_DIGITS // 2)
        for text in shared:
            digest.update(len(text).to_bytes(8, "big") + text.encode("utf-8", "surrogatepass"))
        code = digest.hexdigest()
        if not any(code in text for text in everything):
            break
    return Fence(code)


@dataclass(frozen=True, slots=True)
class Criterion:
    """A rubric's text without its points; `undesirable` says only that meeting it is bad."""

    text: str
    undesirable: bool = False
    options: tuple[ScoreOption, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestTexts:
    """The texts of a request: the prompt, the response (and the opponent's), the criteria in the order shown.

    `responses` are those of a list, in the order shown; `authors` and the like are the authors shown to the
    judge. None is a missing text.
    """

    prompt: str | None = None
    response: str | None = None
    opponent: str | None = None
    criteria: tuple[Criterion, ...] = ()
    reference_answer: str | None = None
    context: str | None = None
    responses: tuple[str | None, ...] = ()
    author: str | None = None
    opponent_author: str | None = None
    authors: tuple[str | None, ...] = ()

    def fence(self) -> Fence:
        shared = [self.prompt, self.response, self.opponent, *self.responses]
        shared += [self.reference_answer, self.context]
        criteria = [each.text for each in self.criteria]
        options = [option.text for each in self.criteria for option in each.options]
        authors = [name for name in (self.author, self.opponent_author, *self.authors) if name is not None]
        return fence_for([text for text in shared if text is not None], [*criteria, *options, *authors])

    def values(self, fence: Fence, extra: Mapping[str, str | None]) -> dict[str, str | None]:
        """Return the values common to all paradigms, with the `extra` ones of one paradigm."""
        return {
            "prompt": _prompt(self.prompt, fence),
            "response": fence.around_response("response", self.response, self.author),
            "reference_answer": fence.around("reference-answer", self.reference_answer or None),
            "context": fence.around("context", self.context or None),
            **extra,
        }


def _prompt(prompt: str | None, fence: Fence) -> str | None:
    """Return the conversation between tags; each of several messages has its own tags."""
    messages = [] if prompt is None else conversation(prompt)
    if not messages:
        return fence.around("prompt", prompt)
    if len(messages) == 1 and messages[0].role == "user":
        return fence.around("prompt", messages[0].text)
    turns = (fence.around(each.role if each.role in _ROLES else "user", each.text) for each in messages)
    return fence.around("prompt", "\n".join(filter(None, turns)))


def numbered_list(criteria: Iterable[Criterion], *, marks: bool) -> str | None:
    """Return criteria as a numbered list; with `marks` the undesirable ones are marked as such."""
    lines = []
    for number, each in enumerate(criteria, 1):
        mark = "(undesirable) " if marks and each.undesirable else ""
        indented = each.text.replace("\n", "\n" + " " * (len(str(number)) + 2))
        lines.append(f"{number}. {mark}{indented}")
    return "\n".join(lines) or None
