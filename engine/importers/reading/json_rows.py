"""JSON and JSON Lines row by row."""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.reading.limits import LONGEST_ROW, allowance, lines, opened
from engine.importers.reading.rows import BadRowError, ImportStats, Row, objects, refuse

# ------------------------------------------------------------------------------
# JSON read row by row: one object on each line, one list, or one object.


LARGEST_OBJECT = 1 << 30
"""Bytes of a file that is one JSON object, unpacked."""

_BLOCK = 1 << 20
_DECODE = json.JSONDecoder().raw_decode


def json_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the objects of a file that is one JSON list, or has one object on each line, or over several."""
    with opened(path) as stream:
        head = stream.peek(_BLOCK)[:_BLOCK].removeprefix(codecs.BOM_UTF8).lstrip()
    if head.partition(b"\n")[0].strip() == b"{":
        yield from json_stream(path, tally, expected)
    else:
        yield from (json_list if head[:1] == b"[" else json_lines)(path, tally, expected)


def json_lines(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the objects of a file with one on each line; a line that is none is counted as bad."""
    too_long = refuse(path.name, f"a line has more than {LONGEST_ROW:,} bytes", expected)
    with opened(path) as stream:
        for number, line in enumerate(lines(stream, too_long), start=1):
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            if not line.strip():
                continue
            allowance().check_values(path.name, line)
            try:
                yield Row(path.name, number, _object(line))
            except BadRowError as bad:
                tally.skip(path.name, number, bad)


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadRowError("the line is not JSON", line[:200].decode("utf-8", "replace")) from error
    if not isinstance(value, dict):
        raise BadRowError("the line is no object", value)
    return value


def json_list(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the members of a file that is one JSON list, holding no more than a block of it at a time."""
    with opened(path) as packed:
        members = _Members(codecs.getreader("utf-8-sig")(packed), path.name, expected)
        yield from objects(path.name, members, tally)


def json_stream(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the objects of a file that holds one after the other, indented, as programs print them."""
    with opened(path) as packed:
        members = _Members(codecs.getreader("utf-8-sig")(packed), path.name, expected)
        yield from objects(path.name, members.one_by_one(), tally)


class _Members:
    """The members of a JSON list, decoded one after the other from blocks of text."""

    def __init__(self, stream: codecs.StreamReader, file: str, expected: str) -> None:
        self.stream, self.file, self.expected = stream, file, expected
        self.text, self.at = "", 0

    def __iter__(self) -> Iterator[Any]:
        if self._next() != "[":
            raise refuse(self.file, f"it begins with {self.text[:20]!r}, not with a list", self.expected)
        self.at += 1
        first = True
        while (letter := self._next()) != "]":
            if not first:
                if letter != ",":
                    problem = f"{letter!r} stands for a comma" if letter else "it ends in the midst of a list"
                    raise refuse(self.file, problem, self.expected)
                self.at += 1
                self._next()
            first = False
            yield self._member()

    def one_by_one(self) -> Iterator[Any]:
        """Yield values that stand after each other, without a list around them."""
        while self._next():
            yield self._member()

    def _next(self) -> str:
        """Go to the next letter that is not white space, and return it; empty at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
                self.at += 1
            if self.at < len(self.text) or not self._more():
                return self.text[self.at : self.at + 1]

    def _member(self) -> Any:
        while True:
            problem: Exception | None = None
            try:
                member, end = _DECODE(self.text, self.at)
                if end < len(self.text) or isinstance(member, dict):  # a number may go on in the next block
                    self.at = end
                    return member
            except RecursionError:
                raise refuse(self.file, "it is nested too deeply", self.expected) from None
            except ValueError as error:
                problem = error
            allowance().check_values(self.file, self.text)
            if len(self.text) - self.at > LONGEST_ROW or not self._more():
                message = f"it is not JSON, or not whole ({problem or 'a list without an end'})"
                raise refuse(self.file, message, self.expected) from problem

    def _more(self) -> bool:
        """Read on, forgetting what was decoded; a member that is not whole makes ever larger steps."""
        try:
            block = self.stream.read(max(_BLOCK, len(self.text) - self.at))
        except UnicodeDecodeError as error:
            wrong = error.object[error.start : error.start + 20]
            raise refuse(self.file, f"{wrong!r} is not UTF-8", self.expected) from error
        self.text, self.at = self.text[self.at :] + block, 0
        return bool(block)


def json_object(path: Path, expected: str) -> dict[str, Any]:
    """Return a file that is one JSON object; BadInputError where it is not, or is too large."""
    with opened(path) as stream:
        data = stream.read(LARGEST_OBJECT + 1)
    return parsed_object(data, path.name, expected)


def parsed_object(data: bytes, file: str, expected: str) -> dict[str, Any]:
    """Return the JSON object that bytes hold; BadInputError where they hold none."""
    if len(data) > LARGEST_OBJECT:
        raise refuse(file, f"it has more than {LARGEST_OBJECT:,} bytes", expected)
    allowance().check_values(file, data)
    try:
        content = json.loads(data.removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError) as error:
        raise refuse(file, f"it is not JSON ({str(error)[:120]})", expected) from error
    if not isinstance(content, dict):
        raise refuse(file, "it is no JSON object", expected)
    return content
