"""Where a declared format finds a cell: a path, the first of several, texts filled in or joined, a number.

Whatever a file holds is data: a path walks through objects and lists, and a text in braces is replaced by the
field of that name, nothing else.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from engine.errors import BadInputError
from engine.importers.reading.rows import number_of, text_of
from engine.importers.reading.tables import first_part, value_at

_PATH = re.compile(r"@?[^.\[\]{}@]+(?:\[(?:-?\d{1,9}|:-1)\]|\.[^.\[\]{}]+)*")
_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a row, or of a member of a list in it, and the names around them.

    `around` has what `@` asks for: the parts of the file's path that are written `name=value`, and `place`,
    the member's place in its list.
    """

    values: Mapping[str, Any]
    around: Mapping[str, Any]

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
    """A text that stands where the fields before it are not there."""

    text: str

    @property
    def paths(self) -> tuple[str, ...]:
        return ()

    def value(self, fields: Fields) -> Any:  # noqa: ARG002 - as others
        return self.text


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
        return tuple(_BRACES.findall(self.text))

    def value(self, fields: Fields) -> Any:
        values = {path: fields.at(path) for path in self.paths}
        if any(value is None or (isinstance(value, str) and not value.strip()) for value in values.values()):
            return None
        return _BRACES.sub(lambda match: text_of(values[match[1]], match[1]), self.text)


@dataclass(frozen=True, slots=True)
class FirstOf:
    """The first that is there; an object or a list counts only if nothing after it is there."""

    sources: tuple[Source, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for source in self.sources for path in source.paths)

    def value(self, fields: Fields) -> Any:
        values = [value for source in self.sources if (value := source.value(fields)) not in (None, [])]
        plain = (value for value in values if not isinstance(value, list | dict))
        return next(plain, values[0] if values else None)


@dataclass(frozen=True, slots=True)
class Joined:
    """The texts that are there, with an empty line between them; none without the first if `needs_first`."""

    sources: tuple[Source, ...]
    needs_first: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for source in self.sources for path in source.paths)

    def value(self, fields: Fields) -> Any:
        pairs = [(_first_path(source), source.value(fields)) for source in self.sources]
        if self.needs_first and pairs[0][1] in (None, ""):
            return None
        texts = [_words(value, path) for path, value in pairs if value is not None]
        return "\n\n".join(filter(None, texts)) or None


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
class Chat:
    """A conversation of one text for each role; of the last one alone, its text."""

    turns: tuple[tuple[str, Source], ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for _, source in self.turns for path in source.paths)

    def value(self, fields: Fields) -> Any:
        parts = [(role, _first_path(source), source.value(fields)) for role, source in self.turns]
        if parts[-1][2] is None:
            return None
        turns = [
            {"role": role, "content": text_of(v, path)} for role, path, v in parts if v not in (None, "")
        ]
        return turns[0]["content"] if len(turns) == 1 else turns


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a score rubric: the text of each score."""

    texts: tuple[tuple[float, Source], ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for _, source in self.texts for path in source.paths)

    def value(self, fields: Fields) -> Any:
        texts = [(score, _first_path(source), source.value(fields)) for score, source in self.texts]
        options = [{"score": s, "text": "" if v is None else text_of(v, path)} for s, path, v in texts]
        return json.dumps(options, ensure_ascii=False)


BadPlace = Callable[[str, object, str], BadInputError]
"""Returns the error for an entry of a declaration, its value, and the remedy."""


def parse_source(entry: str, value: object, bad: BadPlace) -> Source:
    """Return the source that an entry declares; the error of `bad` for anything else."""
    if isinstance(value, str):
        return _text_source(entry, value, bad)
    if isinstance(value, list) and value:
        return FirstOf(tuple(parse_source(f"{entry}[{n}]", each, bad) for n, each in enumerate(value)))
    if isinstance(value, dict) and len(kinds := [name for name in value if name in _FORMS]) == 1:
        return _FORMS[kinds[0]](entry, value, bad)
    raise bad(
        entry, value,
        'give a path such as "scores.judge", a list of paths, or one of '
        + ", ".join(f"{{{name} = ...}}" for name in _FORMS),
    )  # fmt: skip


def _first_path(source: Source) -> str:
    return next(iter(source.paths), "a text")


def _words(value: Any, path: str) -> str:
    """Return a text, or the lines of a list of texts."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return text_of(value, path)


def roots(source: Source) -> tuple[str, ...]:
    """Return the fields that a source reads from, without what is inside them."""
    return tuple(first_part(path) for path in source.paths if not path.startswith("@"))


def is_path(text: str) -> bool:
    """Return whether a text is a path, so that a field of that name needs no `{ field = ... }`."""
    return _PATH.fullmatch(text) is not None and text[-1] not in "?!"


def check_path(entry: str, path: object, bad: BadPlace) -> str:
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        remedy = "write a path as field, object.field, list[0], list[-1] or @name"
        raise bad(entry, path, remedy)
    return path


def _text_source(entry: str, text: str, bad: BadPlace) -> Source:
    if "{" not in text and "}" not in text:
        return FieldAt(check_path(entry, text, bad))
    if set(_BRACES.sub("", text)) & set("{}"):
        raise bad(entry, text, "close each brace, and put one field in it, such as {model} (A)")
    for path in _BRACES.findall(text):
        check_path(entry, path, bad)
    return Filled(text)


def _column(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"field"}, bad)
    if not isinstance(value["field"], str) or not value["field"]:
        raise bad(f"{entry}.field", value["field"], "give the name of a field")
    return NamedColumn(value["field"])


def _constant(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"text"}, bad)
    if not isinstance(value["text"], str) or not value["text"]:
        raise bad(f"{entry}.text", value["text"], "give a text")
    return Constant(value["text"])


def _lookup(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"lookup", "by"}, bad)
    path = check_path(f"{entry}.lookup", value["lookup"], bad)
    return Lookup(path, check_path(f"{entry}.by", value.get("by"), bad))


def _joined(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"join"}, bad)
    if not isinstance(value["join"], list) or not value["join"]:
        raise bad(f"{entry}.join", value["join"], 'give a list of paths, such as ["question", "context"]')
    first = value["join"][0]
    needs_first = isinstance(first, str) and first.endswith("!")
    members = [first[:-1], *value["join"][1:]] if needs_first else value["join"]
    sources = (parse_source(f"{entry}.join[{n}]", member, bad) for n, member in enumerate(members))
    return Joined(tuple(sources), needs_first)


_BOUNDS = {
    "from": "least",
    "to": "most",
    "above": "above",
    "below": "below",
    "not": "besides",
    "minus": "minus",
}


def _number(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"number", "divide", *_BOUNDS}, bad)
    bounds = {}
    for name, number in value.items():
        if name == "number":
            continue
        if isinstance(number, bool) or not isinstance(number, int | float) or number != number:
            raise bad(f"{entry}.{name}", number, "give a number")
        bounds[_BOUNDS.get(name, name)] = float(number)
    if bounds.get("divide", 1) <= 0:
        raise bad(f"{entry}.divide", value["divide"], "give a number above 0")
    paths = value["number"] if isinstance(value["number"], list) else [value["number"]]
    if not paths:
        raise bad(f"{entry}.number", value["number"], "give a field, or several of which the first counts")
    return Number(tuple(check_path(f"{entry}.number", path, bad) for path in paths), **bounds)


def _chat(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"chat"}, bad)
    turns = value["chat"]
    if not isinstance(turns, dict) or not turns:
        raise bad(f"{entry}.chat", turns, 'give a field for each role, such as {user = "question"}')
    return Chat(tuple((role, parse_source(f"{entry}.chat.{role}", v, bad)) for role, v in turns.items()))


def _options(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"scores"}, bad)
    texts = value["scores"]
    numbers = {} if not isinstance(texts, dict) else {name: number_of(name) for name in texts}
    if not numbers or None in numbers.values():
        raise bad(f"{entry}.scores", texts, 'give a field for each score, such as {1 = "worst", 5 = "best"}')
    return Options(
        tuple(
            (int(n) if n.is_integer() else n, parse_source(f"{entry}.scores.{name}", texts[name], bad))
            for name, n in numbers.items()
            if n is not None
        )
    )


def _only(entry: str, value: Mapping[str, Any], names: set[str], bad: BadPlace) -> None:
    for name in value:
        if name not in names:
            raise bad(
                f"{entry}.{name}", value[name], f"leave it out; {entry} may have {', '.join(sorted(names))}"
            )


_FORMS: Mapping[str, Callable[[str, Mapping[str, Any], BadPlace], Source]] = {
    "field": _column,
    "lookup": _lookup,
    "text": _constant,
    "join": _joined,
    "number": _number,
    "chat": _chat,
    "scores": _options,
}
