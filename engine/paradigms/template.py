"""Prompt templates: text files with named places, filled in one pass.

A file has a `--- system ---` and a `--- user ---` part; without such lines all of it is the user's. In them
`{{name}}` stands for a text; `{{name?}}` for one that may be absent, and then the whole paragraph goes;
`{{>name}}` for words of the task (what is judged, what counts as better). What is filled in stays text.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from engine.calls import Message
from engine.errors import UsageError
from engine.schema import Paradigm

Kind = Paradigm | Literal["rewrite"]

SLOTS: dict[Kind, tuple[str, ...]] = {
    "single_rubric": ("prompt", "response", "rubric", "reference_answer", "context"),
    "all_rubrics": ("prompt", "response", "rubrics", "count", "reference_answer", "context"),
    "direct_assessment": ("prompt", "response", "rubrics", "count", "reference_answer", "context"),
    "pairwise": ("prompt", "response_a", "response_b", "rubrics", "reference_answer", "context"),
    "score_rubric": ("prompt", "response", "rubric", "options", "reference_answer", "context"),
    "quality": ("prompt", "response", "reference_answer", "context"),
    "rewrite": ("prompt", "response", "reference_answer", "context"),
}
"""What templates may name, for each way of judging and for rewriting."""

NEEDED: dict[Kind, tuple[str, ...]] = {
    "single_rubric": ("response", "rubric"),
    "all_rubrics": ("response", "rubrics"),
    "direct_assessment": ("response", "rubrics"),
    "pairwise": ("response_a", "response_b"),
    "score_rubric": ("response", "options"),
    "quality": ("response",),
    "rewrite": ("response",),
}
"""What a template must name: without it a judge would not see what it judges."""

_PART = re.compile(r"^--- ?(\w+) ?---[ \t]*$", re.MULTILINE)
_PLACE = re.compile(r"\{\{([^{}\n]*)\}\}")
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_LONGEST = 200_000


class MissingTextError(Exception):
    """A text that the template names is not there: which one; never reaches a user as it is."""

    def __init__(self, slot: str) -> None:
        super().__init__(slot)
        self.slot = slot


@dataclass(frozen=True)
class Template:
    """A prompt template, its words put together; `file` is where they come from."""

    kind: Kind
    variant: str
    file: str
    text: str

    @cached_property
    def sha256(self) -> str:
        """The hash of the words."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def slots(self) -> frozenset[str]:
        """The texts that the template names."""
        return _parsed(self.text).slots

    @property
    def needed(self) -> frozenset[str]:
        """The texts that must be there."""
        return _parsed(self.text).needed

    def render(self, values: Mapping[str, str | None]) -> list[Message]:
        """Return the messages with the values in their places; MissingTextError for one that is not there."""
        return [
            {"role": role, "content": "\n\n".join(filled)}
            for role, paragraphs in _parsed(self.text).parts
            if (filled := [text for each in paragraphs if (text := _fill(each, values)) is not None])
        ]


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str
    optional: bool


_Paragraph = tuple[str | _Slot, ...]


@dataclass(frozen=True, slots=True)
class _Parsed:
    parts: tuple[tuple[str, tuple[_Paragraph, ...]], ...]
    slots: frozenset[str]
    needed: frozenset[str]


def read_template(
    text: str, kind: Kind, variant: str, file: str, words: Mapping[str, str] | None = None
) -> Template:
    """Make a template of a file's text; `words` are what `{{>name}}` stands for.

    Raises UsageError for a place that names nothing, with the choices, or a text that it lacks.
    """
    if len(text) > _LONGEST:
        raise UsageError(f"the template {file!r} is longer than {_LONGEST:,} characters; shorten it")
    words = words or {}
    parts = split_parts(text.replace("\r\n", "\n"), file)
    strangers = [name for name in parts if name not in ("system", "user")]
    if strangers or not parts.get("user", "").strip():
        problem = f"has a part {strangers[0]!r}" if strangers else "has no user part"
        raise UsageError(f"the template {file!r} {problem}; write --- system --- and --- user ---")
    composed = "\n\n".join(
        f"--- {role} ---\n{_with_words(part, words, file)}" for role, part in parts.items() if part.strip()
    )
    template = Template(kind, variant, file, composed + "\n")
    for name in sorted(template.slots):
        if name not in SLOTS[kind]:
            raise UsageError(
                f"the template {file!r} names {{{{{name}}}}}, which {kind} does not have; "
                f"choose from: {', '.join(SLOTS[kind])}"
            )
    for name in NEEDED[kind]:
        if name not in template.slots:
            raise UsageError(
                f"the template {file!r} does not show {{{{{name}}}}}, which {kind} judges; add it"
            )
    return template


def split_parts(text: str, file: str) -> dict[str, str]:
    """Return the parts of a file by name, those without text too; all of it is `user` where it has none."""
    marks = list(_PART.finditer(text))
    if not marks:
        return {"user": text.strip()}
    if text[: marks[0].start()].strip():
        raise UsageError(f"the template {file!r} has text before its first part; put it into one")
    parts: dict[str, str] = {}
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        name = mark[1]
        if name in parts:
            raise UsageError(f"the template {file!r} has the part {name!r} twice; join them")
        parts[name] = text[mark.end() : following.start() if following else None].strip()
    return parts


def named_slots(text: str) -> frozenset[str]:
    """Return all that a file names in double braces, whether known or not."""
    return frozenset(_slot_name(match[1]).name for match in _PLACE.finditer(text) if not _is_word(match[1]))


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

    filled = _PLACE.sub(word, text)
    return _BLANK.sub("\n\n", filled).strip()


def _is_word(inside: str) -> bool:
    return inside.strip().startswith(">")


def _slot_name(inside: str) -> _Slot:
    name = inside.strip()
    return _Slot(name.removesuffix("?").strip(), name.endswith("?"))


@lru_cache(maxsize=256)
def _parsed(text: str) -> _Parsed:
    parts = split_parts(text, "template")
    read = []
    for role, words in parts.items():
        paragraphs = [_paragraph(piece) for piece in _BLANK.split(words) if piece.strip()]
        read.append((role, tuple(paragraphs)))
    slots = [piece for _, part in read for each in part for piece in each if isinstance(piece, _Slot)]
    return _Parsed(
        tuple(read),
        frozenset(slot.name for slot in slots),
        frozenset(slot.name for slot in slots if not slot.optional),
    )


def _paragraph(text: str) -> _Paragraph:
    pieces: list[str | _Slot] = []
    end = 0
    for match in _PLACE.finditer(text):
        pieces += [text[end : match.start()], _slot_name(match[1])]
        end = match.end()
    pieces.append(text[end:])
    return tuple(piece for piece in pieces if piece != "")


def _fill(paragraph: _Paragraph, values: Mapping[str, str | None]) -> str | None:
    """Return the paragraph with its texts, None where one that may be absent is."""
    if len(paragraph) == 1 and isinstance(paragraph[0], str):  # most of them
        return paragraph[0]
    filled = []
    for piece in paragraph:
        if isinstance(piece, str):
            filled.append(piece)
            continue
        value = values.get(piece.name)
        if value is None:
            if piece.optional:
                return None
            raise MissingTextError(piece.name)
        filled.append(value)
    return "".join(filled)
