"""The forms that an answer of any paradigm may have: where in it the one verdict stands, as an object.

Another form, such as tags around a verdict, is added here, in `objects_with`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.collect.calls import Reply
from engine.collect.paradigms.answers.parts.loose_json import Decoded, decode_object, squeeze
from engine.collect.paradigms.answers.parts.quotations import stands

MARKUP = " \t\r\n*_`\"'“”‘’"
"""What may stand around a value written as text."""
MOST_OBJECTS = 200
"""An answer in which more objects begin is unclear."""

_BEGINNING = re.compile(
    r"\{[ \t\r\n]{0,1000}"
    r"(?:[\"“”„‟＂](?P<double>(?:[^\"“”\\]|\\.){0,200})[\"“”]|['‘’](?P<single>(?:[^'‘’\\]|\\.){0,200})['‘’]"
    r"|(?P<bare>[A-Za-z_][\w\\-]{0,100}))[ \t\r\n]{0,100}[:：]",
    re.DOTALL,
)
"""The beginning of an object with at least one field."""
_BRACE = re.compile(r"[{}]")

_FINISHED = frozenset({"stop", "end_turn", "stop_sequence", "eos", "eos_token", "completed", "tool_calls"})
"""What providers call the end of a whole answer."""


class UnclearAnswerError(Exception):
    """The answer contradicts itself, is broken, or only quotes a verdict: it has none."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of an answer, and the value read from it."""

    value: Any
    start: int
    end: int


def only_object(reply: Reply, *names: str) -> dict[str, Any] | None:
    """Return the object with one of these fields; see `objects_with`."""
    passages = objects_with(reply, *names)
    return agreed(reply.text, passages).value if passages else None


def objects_with(reply: Reply, *names: str) -> list[Passage]:
    """Return the objects that have one of these fields, with squeezed field names.

    Raises UnclearAnswerError if they disagree, if one is broken, or if another object follows them.
    """
    objects = list(_objects(reply, frozenset(map(squeeze, names))))
    passages = [each for each in objects if any(squeeze(name) in each.value for name in names)]
    values = {repr([each.value.get(squeeze(name)) for name in names]) for each in passages}
    if len(values) > 1 or (passages and objects[-1] is not passages[-1]):
        raise UnclearAnswerError
    return passages


def agreed(text: str, passages: Sequence[Passage]) -> Passage:
    """Return the last of several passages that say the same; UnclearAnswerError if all are quotations."""
    for each in passages:  # the others are no words around it
        text = text[: each.start] + " " * (each.end - each.start) + text[each.end :]
    standing = [each for each in passages if stands(text, each.start, each.end)]
    if not standing:
        raise UnclearAnswerError
    return standing[-1]


def _objects(reply: Reply, names: frozenset[str]) -> Iterator[Passage]:
    """Yield all objects outside one another; UnclearAnswerError for a broken one that may hold a verdict."""
    text, finished = reply.text, (reply.finish_reason or "").lower() in _FINISHED
    place = 0
    for _ in range(MOST_OBJECTS + 1):
        match = _BEGINNING.search(text, place)
        if match is None:
            return
        start = match.start()
        if match["bare"] is not None and squeeze(match["bare"]) not in names:
            place = start + 1  # code, or a formula
            continue
        decoded = decode_object(text, start, finished=finished)
        if decoded is None:
            place = _closing(text, start)
            if _mentions(text[start:place], names):
                raise UnclearAnswerError
            continue
        if decoded.loose and _mentions(text[start : decoded.end], names) != _fields(decoded, names):
            raise UnclearAnswerError
        yield Passage(decoded.value, start, decoded.end)
        place = decoded.end
    raise UnclearAnswerError


def _closing(text: str, start: int) -> int:
    """Return the end of a broken object by its braces; UnclearAnswerError if all that follows is in it."""
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    raise UnclearAnswerError


def _mentions(text: str, names: frozenset[str]) -> int:
    """Return how often a text has something like one of the fields, also within other texts."""
    return sum(1 for _ in _field_pattern(names).finditer(text))


@lru_cache(maxsize=64)
def _field_pattern(names: frozenset[str]) -> re.Pattern[str]:
    spellings = "|".join(r"[\\_ -]{0,2}".join(name) for name in sorted(names))
    return re.compile(rf"(?<!\w)(?:{spellings})\s{{0,9}}\\?[\"'“”‘’]?\s{{0,9}}[:：]", re.IGNORECASE)


def _fields(decoded: Decoded, names: frozenset[str]) -> int:
    """Return how many of the fields a decoded object has, at any depth."""
    count, rest = 0, [decoded.value]
    while rest:
        each: Any = rest.pop()
        if isinstance(each, dict):
            count += len(names & each.keys())
            rest += each.values()
        elif isinstance(each, list):
            rest += each
    return count
