"""Where a declared format finds a cell: a path, the first of several, texts filled in or joined, a number.

Whatever a file holds is data: a path walks through objects and lists, and a text in braces is replaced by the
field of that name, nothing else.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.importers.reading.columns import first_part, value_at
from engine.importers.reading.rows import number_of, text_of

BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a row, or of a member of a list in it, and the names around them.

    `around` has what `@` asks for: the parts of the file's path that are written `name=value`, `file`, its
    name, and `place`, the member's place in its list, or `column`, its name. `notes` gets what the report is
    to say.
    """

    values: Mapping[str, Any]
    around: Mapping[str, Any]
    notes: list[str] = field(default_factory=list)

    def at(self, path: str) -> Any:
        return self.around.get(path[1:]) if path.startswith("@") else value_at(self.values, path)

    def has(self, path: str) -> bool:
        return path in self.values or self.at(path) is not None


class Source(Protocol):
    """Where the value of a column comes from; `paths` are the fields that it reads."""

    @property
    def paths(self) -> tuple[str, ...]: ...

    def value(self, fields: Fields) -> Any:
        """Return the value, None if the row has none."""
        ...


@dataclass(frozen=True, slots=True)
class FieldAt:
    path: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)

    def value(self, fields: Fields) -> Any:
        return fields.at(self.path)


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """A column of exactly this name, whatever its letters."""

    name: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.name,)

    def value(self, fields: Fields) -> Any:
        return fields.values.get(self.name)


@dataclass(frozen=True, slots=True)
class Constant:
    """A text that stands where the fields before it are not there, and perhaps a note that it does."""

    text: str
    note: str | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        return ()

    def value(self, fields: Fields) -> Any:
        if self.note is not None:
            fields.notes.append(self.note)
        return self.text


@dataclass(frozen=True, slots=True)
class TextByField:
    """The text that stands for the value of a field, and perhaps a note that it does; none for any other."""

    path: str
    texts: Mapping[str, str]
    note: str | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)

    def value(self, fields: Fields) -> Any:
        text = self.texts.get(str(fields.at(self.path)))
        if text is not None and self.note is not None:
            fields.notes.append(self.note.replace("{text}", text))
        return text


@dataclass(frozen=True, slots=True)
class Lookup:
    """The member of an object whose name is in another field: the answer of `model_a` in `answers`."""

    path: str
    by: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path, self.by)

    def value(self, fields: Fields) -> Any:
        members, name = fields.at(self.path), fields.at(self.by)
        member = members.get(name) if isinstance(members, Mapping) and isinstance(name, str) else None
        return member if isinstance(member, str) else None


@dataclass(frozen=True, slots=True)
class Filled:
    """A text with fields in braces, such as `{model} (A)`; without one of them there is no text."""

    text: str

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(BRACES.findall(self.text))

    def value(self, fields: Fields) -> Any:
        values = {path: fields.at(path) for path in self.paths}
        if any(value is None or (isinstance(value, str) and not value.strip()) for value in values.values()):
            return None
        return BRACES.sub(lambda match: text_of(values[match[1]], match[1]), self.text)


@dataclass(frozen=True, slots=True)
class Matched:
    """What the groups of a pattern hold of a text that it fits whole, or of the first such text of a list."""

    pattern: re.Pattern[str]
    path: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)

    def value(self, fields: Fields) -> Any:
        value = fields.at(self.path)
        texts = value if isinstance(value, list) else [value]
        matches = (self.pattern.fullmatch(text) for text in texts if isinstance(text, str))
        match = next(filter(None, matches), None)
        return None if match is None else "".join(filter(None, match.groups())) or None


@dataclass(frozen=True, slots=True)
class FirstOf:
    """The first that is there; an object or a list counts only if nothing after it is there."""

    sources: tuple[Source, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for source in self.sources for path in source.paths)

    def value(self, fields: Fields) -> Any:
        nested = None
        for source in self.sources:
            value = source.value(fields)
            if isinstance(value, list | dict):
                nested = value if nested is None and value != [] else nested
            elif value is not None:
                return value
        return nested


@dataclass(frozen=True, slots=True)
class Joined:
    """The texts that are there, with an empty line between them; none without the first if `needs_first`."""

    sources: tuple[Source, ...]
    needs_first: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for source in self.sources for path in source.paths)

    def value(self, fields: Fields) -> Any:
        pairs = [(first_path(source), source.value(fields)) for source in self.sources]
        if self.needs_first and pairs[0][1] in (None, ""):
            return None
        texts = [_words(value, path) for path, value in pairs if value is not None]
        return "\n\n".join(filter(None, texts)) or None


@dataclass(frozen=True, slots=True)
class FullLines:
    """The lines of a text without the blank ones."""

    path: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)

    def value(self, fields: Fields) -> Any:
        value = fields.at(self.path)
        lines = [] if value is None else text_of(value, self.path).splitlines()
        return "\n".join(line for line in lines if line.strip()) or None


@dataclass(frozen=True, slots=True)
class Number:
    """A number within bounds, less `minus` and divided by `divide`; anything else is no number.

    It is in the first of the fields that the row has, if only as null.
    """

    fields: tuple[str, ...]
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    besides: float | None = None
    minus: float = 0.0
    divide: float = 1.0

    @property
    def paths(self) -> tuple[str, ...]:
        return self.fields

    def value(self, fields: Fields) -> Any:
        path = next((path for path in self.fields if fields.has(path)), self.fields[-1])
        number = number_of(fields.at(path))
        if number is None or not (
            (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
            and number != self.besides
        ):
            return None
        return (number - self.minus) / self.divide


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a score rubric: the text of each score."""

    texts: tuple[tuple[float, Source], ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for _, source in self.texts for path in source.paths)

    def value(self, fields: Fields) -> Any:
        texts = [(score, first_path(source), source.value(fields)) for score, source in self.texts]
        options = [{"score": s, "text": "" if v is None else text_of(v, path)} for s, path, v in texts]
        return json.dumps(options, ensure_ascii=False)


def roots(source: Source) -> tuple[str, ...]:
    """Return the fields that a source reads from, without what is inside them."""
    return tuple(first_part(path) for path in source.paths if not path.startswith("@"))


def first_path(source: Source) -> str:
    """Return the first field that a source reads, for errors."""
    return next(iter(source.paths), "a text")


def _words(value: Any, path: str) -> str:
    """Return a text, or the lines of a list of texts."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return text_of(value, path)
