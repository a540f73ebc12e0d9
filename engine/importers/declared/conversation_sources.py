"""Where a declared format finds a question or an answer in a conversation, and how its turns are named."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any

from engine.importers.declared.cell_sources import Fields, Source, first_path
from engine.importers.reading.json_rows import allowance
from engine.importers.reading.rows import (
    BadRowError,
    json_or_none,
    list_or_empty,
    message_text,
    number_of,
    object_or_empty,
    text_of,
)

MOST_TURNS = 500


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation of one text for each role; of the last one alone, its text."""

    turns: tuple[tuple[str, Source], ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for _, source in self.turns for path in source.paths)

    def value(self, fields: Fields) -> Any:
        parts = [(role, first_path(source), source.value(fields)) for role, source in self.turns]
        if parts[-1][2] is None:
            return None
        turns = [
            {"role": role, "content": text_of(v, path)} for role, path, v in parts if v not in (None, "")
        ]
        return turns[0]["content"] if len(turns) == 1 else turns


@dataclass(frozen=True, slots=True)
class UserTurns:
    """The questions of a list up to the one at the member's place: what a model saw at that turn."""

    path: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path, "@place")

    def value(self, fields: Fields) -> Any:
        turns = list_or_empty(fields.at(self.path))
        if len(turns) > MOST_TURNS:  # each is stored with all turns before it
            raise BadRowError(f"{self.path} has more than {MOST_TURNS} turns", len(turns))
        turns = turns[: fields.around.get("place")]
        return [{"role": "user", "content": _content(turn)} for turn in turns] or None


@dataclass(frozen=True, slots=True)
class RoleMessages:
    """The messages of one role in a conversation, which may be written as JSON."""

    path: str
    role: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)

    def value(self, fields: Fields) -> Any:
        return [each for each in _messages(fields.at(self.path)) if each["role"] == self.role] or None


@dataclass(frozen=True, slots=True)
class WholeConversation:
    """All messages of a conversation as JSON, without those of some roles that it begins with."""

    path: str
    skipped: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)

    def value(self, fields: Fields) -> Any:
        messages = _messages(fields.at(self.path))
        rest = list(dropwhile(lambda message: message["role"] in self.skipped, messages)) or messages
        return json.dumps(rest, ensure_ascii=False) if rest else None


@dataclass(frozen=True, slots=True)
class LastReply:
    """The text of a conversation's last message, if it is the model's."""

    path: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)

    def value(self, fields: Fields) -> Any:
        messages = _messages(fields.at(self.path))
        return messages[-1]["content"] if messages and messages[-1]["role"] == "assistant" else None


@dataclass(frozen=True, slots=True)
class TurnId:
    """The id of a question's turn: that of the question for the first, `ID-turn-2` for the second."""

    question: Source
    number: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.question.paths, self.number)

    def value(self, fields: Fields) -> Any:
        question, number = self.question.value(fields), fields.at(self.number)
        if question is None or not text_of(question, first_path(self.question)).strip():
            return None
        if number is None and not fields.has(self.number):
            return question
        turn = number_of(number)
        if turn is None or turn < 1 or not turn.is_integer():
            raise BadRowError(f"{self.number} is not a whole number from 1", number)
        return question if turn == 1 else f"{text_of(question, first_path(self.question))}-turn-{turn:.0f}"


def _messages(value: Any) -> list[dict[str, str]]:
    """Return the messages of a conversation, given as a list or as JSON; empty if there is none."""
    content = value
    if isinstance(value, str):
        allowance().check_values("a cell", value)
        content = json_or_none(value)
    messages: list[Mapping[str, Any]] = [object_or_empty(each) for each in list_or_empty(content)]
    return [
        {"role": each["role"], "content": message_text(each.get("content"))}
        for each in messages
        if isinstance(each.get("role"), str)
    ]


def _content(turn: object) -> str:
    """Return the text of a turn: a string, the content of an object, or the first of its parts."""
    while isinstance(turn, dict):
        turn = turn.get("content", turn.get("answer"))
    if isinstance(turn, list):  # text with images: the text comes first
        turn = turn[0] if turn else None
    return text_of(turn, "a turn")
