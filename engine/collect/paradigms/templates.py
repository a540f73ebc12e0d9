"""A prompt template: its parts, its slots, and the messages it renders."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from engine.collect.calls import Message
from engine.errors import UsageError
from engine.paradigms import TRAITS, Paradigm

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
    roles = roles_of(kind)
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


def roles_of(kind: Kind) -> tuple[str, ...]:
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


def slots_of(text: str) -> frozenset[str]:
    """Return the names of the slots in a file's text, whatever its parts."""
    return frozenset(_slot_name(inside).name for inside in _PLACE.findall(text) if not _is_word(inside))


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
