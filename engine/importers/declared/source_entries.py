"""The entries of a declaration that say where a cell is, each checked, as the sources that they name."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from engine.errors import BadInputError
from engine.importers.declared.cell_sources import (
    BRACES,
    Constant,
    FieldAt,
    Filled,
    FirstOf,
    FullLines,
    Joined,
    Lookup,
    Matched,
    NamedColumn,
    Number,
    Options,
    Source,
    TextByField,
)
from engine.importers.declared.conversation_sources import (
    Chat,
    LastReply,
    RoleMessages,
    TurnId,
    UserTurns,
    WholeConversation,
)
from engine.importers.reading.rows import number_of

_PATH = re.compile(r"@?[^.\[\]{}@]+(?:\[(?:-?\d{1,9}|:-1)\]|\.[^.\[\]{}]+)*")

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
    if set(BRACES.sub("", text)) & set("{}"):
        raise bad(entry, text, "close each brace, and put one field in it, such as {model} (A)")
    for path in BRACES.findall(text):
        check_path(entry, path, bad)
    return Filled(text)


def _column(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"field"}, bad)
    if not isinstance(value["field"], str) or not value["field"]:
        raise bad(f"{entry}.field", value["field"], "give the name of a field")
    return NamedColumn(value["field"])


def _constant(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"text", "by", "note"}, bad)
    text, note = value["text"], _note(entry, value, bad)
    if "by" in value:
        path = check_path(f"{entry}.by", value["by"], bad)
        if not isinstance(text, dict) or not text or not all(isinstance(each, str) for each in text.values()):
            raise bad(f"{entry}.text", text, 'give a text for each value, such as { hard = "m1" }')
        return TextByField(path, text, note)
    if not isinstance(text, str) or not text:
        raise bad(f"{entry}.text", text, "give a text")
    return Constant(text, note)


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


def _matched(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"match", "in"}, bad)
    text, example = value["match"], 'such as "axis:(.*)"'
    try:
        pattern = re.compile(_some_text(f"{entry}.match", text, "axis:(.*)", bad), re.DOTALL)
    except re.error as error:
        raise bad(
            f"{entry}.match", text, f"it is no regular expression ({error}); write one {example}"
        ) from error
    if not pattern.groups:
        raise bad(f"{entry}.match", text, f"put what you want of the text in parentheses, {example}")
    return Matched(pattern, check_path(f"{entry}.in", value.get("in"), bad))


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


def _of_path(
    name: str, make: Callable[[str], Source], entry: str, value: Mapping[str, Any], bad: BadPlace
) -> Source:
    _only(entry, value, {name}, bad)
    return make(check_path(f"{entry}.{name}", value[name], bad))


def _turn_id(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"turn", "of"}, bad)
    number = check_path(f"{entry}.turn", value["turn"], bad)
    return TurnId(parse_source(f"{entry}.of", value.get("of"), bad), number)


def _role_messages(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"messages", "role"}, bad)
    path = check_path(f"{entry}.messages", value["messages"], bad)
    return RoleMessages(path, _some_text(f"{entry}.role", value.get("role"), "user", bad))


def _conversation(entry: str, value: Mapping[str, Any], bad: BadPlace) -> Source:
    _only(entry, value, {"conversation", "skip"}, bad)
    roles = value.get("skip", [])
    if not isinstance(roles, list) or not all(isinstance(role, str) for role in roles):
        raise bad(f"{entry}.skip", roles, 'give a list of roles, such as ["system"]')
    return WholeConversation(check_path(f"{entry}.conversation", value["conversation"], bad), tuple(roles))


def _note(entry: str, value: Mapping[str, Any], bad: BadPlace) -> str | None:
    return _some_text(f"{entry}.note", value["note"], "it was not named", bad) if "note" in value else None


def _some_text(entry: str, value: object, example: str, bad: BadPlace) -> str:
    if not isinstance(value, str) or not value:
        raise bad(entry, value, f"give a text, such as {example}")
    return value


_FORMS: Mapping[str, Callable[[str, Mapping[str, Any], BadPlace], Source]] = {
    "field": _column,
    "lookup": _lookup,
    "text": _constant,
    "join": _joined,
    "number": _number,
    "chat": _chat,
    "scores": _options,
    "lines": partial(_of_path, "lines", FullLines),
    "turn": _turn_id,
    "turns": partial(_of_path, "turns", UserTurns),
    "messages": _role_messages,
    "reply": partial(_of_path, "reply", LastReply),
    "conversation": _conversation,
    "match": _matched,
}
