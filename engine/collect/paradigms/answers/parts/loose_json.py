"""Decoding a JSON object as models write it: strictly, else forgiving slips that leave no doubt.

Forgiven are a trailing comma; `True`, `None` and words without quotes; curly, single or full-width
punctuation; line breaks, unknown escapes and unescaped quotes inside a text; a fraction without quotes; and,
in a finished answer, missing brackets at the end. Nothing is skipped or added beyond these.

The library json_repair is no substitute: even when strict, it reads `true or false` as true, keeps the last
of two contradicting fields, and takes objects out of broken ones.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

CONTRADICTION = object()
"""Marks a field that an object has twice with different values."""

_DEEPEST = 30
_LONGEST_INTEGER = 18
_LONGEST_LOOSE = 1_000_000
"""Longer objects are decoded strictly only."""

_DOUBLE, _SINGLE = '"“”„‟＂', "'‘’‚"
_QUOTES = _DOUBLE + _SINGLE
_NAME = re.compile(r"[A-Za-z_][\w\\-]{0,100}")
_COLON = re.compile(r"\s*[:：]\s*")
_COMMA = re.compile(r"\s*[,，、]\s*")
_BLANK = re.compile(r"\s*")
_END = re.compile(r"\s*(?:```\s*)?\Z")
_BARE = re.compile(
    r"""(?P<fraction>[0-9]{1,12}\s?/\s?[0-9]{1,12})
    |(?P<number>-?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,4})?)
    |(?P<words>[A-Za-z][A-Za-z ]{0,60})""",
    re.VERBOSE,
)
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}

_AFTER_NAME = re.compile(r"\s*[:：]")
_AFTER_VALUE = re.compile(
    rf"\s*(?:[}}\]]|[,，、]\s*(?:[}}\]]|[{_QUOTES}][^{_QUOTES}\n]{{1,100}}[{_QUOTES}]\s*[:：]"
    rf"|[A-Za-z_][\w\\-]*\s*[:：])|(?:```\s*)?\Z)"
)
_AFTER_ITEM = re.compile(rf"\s*(?:\]|[,，、]\s*[{_QUOTES}\[{{0-9\]])")
"""What follows the quote that ends a text: as a field's name, as its value, or in a list."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded object and its end; `loose`: whether slips were forgiven."""

    value: dict[str, Any]
    end: int
    loose: bool


def decode_object(text: str, start: int, *, finished: bool) -> Decoded | None:
    """Return the object that begins at `start`, its field names squeezed; None if it is broken.

    `finished`: whether the provider says that the answer is whole, so that last brackets may be missing.
    """
    try:
        value, end = _STRICT.raw_decode(text, start)
        return Decoded(value, end, loose=False)
    except (ValueError, RecursionError):
        pass
    if len(text) - start > _LONGEST_LOOSE:
        return None
    decoder = _Loose(text, start, finished)
    try:
        return Decoded(decoder.object(_DEEPEST), decoder.place, loose=True)
    except ValueError:
        return None


def squeeze(name: str) -> str:
    """Return a field's name as it is compared: `Criteria Met` and `criteriaMet` are one."""
    return "".join(filter(str.isalnum, name)).casefold()


def _fields_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        key = squeeze(name)
        same = key not in fields or repr(fields[key]) == repr(value)
        fields[key] = value if same else CONTRADICTION
    return fields


def _integer(digits: str) -> int | float:
    # Parsing an integer takes time quadratic in its digits.
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


_STRICT = json.JSONDecoder(object_pairs_hook=_fields_of, parse_int=_integer)


class _Loose:
    """A decoder at a place of a text; ValueError for anything that is not forgiven."""

    def __init__(self, text: str, place: int, finished: bool) -> None:
        self.text, self.place, self.finished = text, place, finished

    def object(self, depth: int) -> dict[str, Any]:
        pairs = []
        self._open("{")
        while not self._closes("}"):
            name = self._name()
            self._skip(_COLON, required=True)
            pairs.append((name, self._value(_AFTER_VALUE, depth - 1)))
            self._separate("}")
        return _fields_of(pairs)

    def _list(self, depth: int) -> list[Any]:
        items = []
        self._open("[")
        while not self._closes("]"):
            items.append(self._value(_AFTER_ITEM, depth - 1))
            self._separate("]")
        return items

    def _value(self, after: re.Pattern[str], depth: int) -> Any:
        if depth < 0:
            raise ValueError("nested too deeply")
        first = self.text[self.place : self.place + 1]
        if first == "{":
            return self.object(depth)
        if first == "[":
            return self._list(depth)
        if first and first in _QUOTES:
            return self._quoted(after)
        return self._bare()

    def _name(self) -> str:
        if self.text[self.place] in _QUOTES:
            return self._quoted(_AFTER_NAME)
        return self._skip(_NAME, required=True)

    def _quoted(self, after: re.Pattern[str]) -> str:
        """Return the text up to the first quote of its kind with `after` behind it."""
        text, start = self.text, self.place + 1
        closing = _CLOSING_QUOTES[text[self.place] in _DOUBLE]
        for quote in closing.finditer(text, start):
            if quote[0][0] != "\\" and after.match(text, quote.end()):
                self.place = quote.end()
                return _ESCAPE.sub(_unescaped, text[start : quote.start()])
        raise ValueError("a text without an end")

    def _bare(self) -> Any:
        match = _BARE.match(self.text, self.place)
        if match is None:
            raise ValueError("no value")
        self.place = match.end()
        if match["number"] is not None:
            digits = match["number"]
            return _integer(digits) if digits.lstrip("-").isdigit() else float(digits)
        word = match[0].strip()
        return _WORDS.get(word.casefold(), word)

    def _open(self, bracket: str) -> None:
        if self.text[self.place] != bracket:
            raise ValueError(f"no {bracket}")
        self.place += 1
        self._skip(_BLANK)

    def _closes(self, bracket: str) -> bool:
        """Go beyond the closing bracket, if it is here, or if a finished answer ends without it."""
        if self.text.startswith(bracket, self.place):
            self.place += 1
            return True
        end = _END.match(self.text, self.place)
        if end is None:
            return False
        if not self.finished:
            raise ValueError("unfinished")
        self.place = len(self.text)
        return True

    def _separate(self, bracket: str) -> None:
        """Go beyond a comma, which only a closing bracket, or the end of the answer, may replace."""
        if self._skip(_COMMA):
            if self.place == len(self.text):
                raise ValueError("unfinished")
            return
        self._skip(_BLANK)
        if not self.text.startswith(bracket, self.place) and not _END.match(self.text, self.place):
            raise ValueError("no comma")

    def _skip(self, pattern: re.Pattern[str], *, required: bool = False) -> str:
        match = pattern.match(self.text, self.place)
        if match is None:
            if required:
                raise ValueError("something else was expected")
            return ""
        self.place = match.end()
        return match[0]


_CLOSING_QUOTES = {
    True: re.compile(rf"\\.|[{_DOUBLE}]", re.DOTALL),
    False: re.compile(rf"\\.|[{_SINGLE}]", re.DOTALL),
}
"""Escapes, and the quotes that may end a text: those of its kind, by whether they are double."""


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)
