"""A row of a file as a question with its criteria."""

import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import bad_row
from engine.importers.reading.format import prompt_of
from engine.importers.reading.rows import BadRowError, Row, number_of, text_of

_BULLET = re.compile(r"^(?:[-*•]\s+)")
_SPACES = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its place: values of `COLUMNS`, and its criteria with their points if these differ."""

    file: str
    number: int
    values: dict[str, str]
    criteria: tuple[tuple[str, float | None], ...] = ()


def question_of(row: Row, roles: Mapping[str, tuple[str, ...]]) -> Question:
    try:
        values: dict[str, str] = {}
        for name, columns in roles.items():
            value = row.values.get(columns[0])
            if name == "criteria" or value is None:
                continue
            if name == "prompt" and isinstance(value, list):
                values[name] = _turns(value)
            else:
                values[name] = text_of(value, repr(columns[0])).strip(_SPACES)
        criteria = [
            each for name in roles.get("criteria", ()) for each in _criteria(row.values.get(name), name)
        ]
    except BadRowError as error:
        value_words = "" if error.excerpt is None else f": {error.excerpt}"
        raise bad_row(row.file, row.number, f"{error.reason}{value_words}", "write a text") from None
    filled = {name: value for name, value in values.items() if value}
    return Question(row.file, row.number, filled, tuple(dict.fromkeys(criteria)))


def _turns(value: list[Any]) -> str:
    if not value or not all(
        isinstance(turn, dict) and isinstance(turn.get("content"), str) for turn in value
    ):
        raise BadRowError("the question is a list, and not one of chat messages", value)
    return prompt_of([{"role": str(turn.get("role", "user")), "content": turn["content"]} for turn in value])


def _criteria(value: object, name: str) -> list[tuple[str, float | None]]:
    """Return the criteria of a cell: lines, or a list of texts or of objects with `criterion`, `points`."""
    if value is None:
        return []
    if isinstance(value, str):
        if value.lstrip()[:1] == "[":
            try:
                content = json.loads(value)
            except (ValueError, RecursionError):
                content = None
            if isinstance(content, list):
                return _criteria(content, name)
        texts = (_BULLET.sub("", line.strip()) for line in io.StringIO(value, newline=None))
        return [(text, None) for text in texts if text]
    if not isinstance(value, list):
        raise BadRowError(f"{name!r} is neither a text nor a list", value)
    return [_criterion(each, name) for each in value]


def _criterion(value: object, name: str) -> tuple[str, float | None]:
    text = value.get("criterion", value.get("text")) if isinstance(value, dict) else value
    points = value.get("points") if isinstance(value, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise BadRowError(f"{name!r} holds a criterion without a text", value)
    if points is not None and number_of(points) is None:
        raise BadRowError(f"the points of a criterion in {name!r} are not a number", points)
    return text.strip(), number_of(points)
