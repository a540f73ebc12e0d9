"""Sentences with parts that the command line, Python and pages word differently, such as options."""

import json
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Wording:
    """Words for the command line, and their like in Python and on a page; as text it is the first.

    None for `page` are the words of the command line, without its dashes.
    """

    command: str
    python: str
    page: str | None = None

    def __str__(self) -> str:
        return self.command


def option(name: str, value: str | None = None) -> Wording:
    """Return an option of a measure, by its name in Python, with a value if one is to be given.

    `option("level", "rubric")` is `--level rubric` and `level="rubric"`, `option("by")` is `--by` and `by=`.
    """
    flag = f"--{name.replace('_', '-')}"
    if value is None:
        return Wording(flag, f"{name}=")
    return Wording(f"{flag} {shlex.quote(value)}", f"{name}={json.dumps(value)}")


IMPORT = Wording("`spb import PATH`", "`engine.import_file`")


def explain(name: str) -> Wording:
    """Return how an explanation is asked for: `spb explain discernment`."""
    return Wording(f"`spb explain {name}`", f"`engine.explain({json.dumps(name)})`")


def comma_list(words: Iterable[Wording]) -> Wording:
    options = list(words)
    return Wording(", ".join(each.command for each in options), ", ".join(each.python for each in options))


def command_words(command: str, page: str = "") -> Wording:
    """Return words that Python says as the command line does, and a page says otherwise, or not at all."""
    return Wording(command, command, page)


_STORE: ContextVar[str | None] = ContextVar("store", default=None)
"""The store that the running command was given; None for none, and in Python."""


@contextmanager
def in_store(store: str | None) -> Iterator[None]:
    """Let the commands that texts name be in a store."""
    before = _STORE.set(store)
    try:
        yield
    finally:
        _STORE.reset(before)


def command_line(*words: str) -> str:
    """Return `spb WORDS` for a shell, in the store that the running command was given, if any."""
    store = _STORE.get()
    return shlex.join(["spb", *words, *(["--store", store] if store else [])])


def list_of_studies() -> Wording:
    """Return what lists the studies of a store."""
    return Wording(f"`{command_line('study', 'list')}`", "`engine.studies()`")


class NameInMemory(str):
    """The name of a study in memory, which no command finds: what would print its command prints a call."""

    __slots__ = ()


class Sentence(str):
    """A text of the command line that knows how Python and a page word it."""

    __slots__ = ("parts",)
    parts: tuple[str | Wording, ...]

    def __new__(cls, *parts: str | Wording) -> Self:
        message = super().__new__(cls, "".join(map(str, parts)))
        message.parts = tuple(
            inner for part in parts for inner in (part.parts if isinstance(part, Sentence) else (part,))
        )
        return message

    def in_python(self) -> str:
        return "".join(part.python if isinstance(part, Wording) else part for part in self.parts)

    def on_page(self) -> str:
        return "".join(
            part if isinstance(part, str) else part.command if part.page is None else part.page
            for part in self.parts
        )

    def each(self, change: Callable[[str], str]) -> "Sentence":
        """Return the message with its plain texts changed."""
        return Sentence(*(part if isinstance(part, Wording) else change(part) for part in self.parts))


def in_python(text: str) -> str:
    """Return a text as Python words it."""
    return text.in_python() if isinstance(text, Sentence) else text
