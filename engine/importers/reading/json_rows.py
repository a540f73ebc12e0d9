"""Opens files within limits, and reads JSON and JSON Lines row by row."""

import codecs
import gzip
import io
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, AnyStr, BinaryIO, cast

from engine.errors import BadInputError, UsageError
from engine.importers.reading.rows import BadRowError, ImportStats, Row, objects, refuse
from engine.plain_words import system_words

LONGEST_ROW = 1 << 26  # bytes of one row, or characters if it is read as text
_BLOCK = 1 << 20
_ENTRY = b"PK\x01\x02"


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Limits of one import: unpacked bytes, rows, values of one JSON text, columns, cells of a workbook.

    A value takes up to 250 bytes of memory, however short it is in the file. `memory` is the memory in bytes
    of the process that reads a Parquet file or a workbook first; None to read it without a trial.
    """

    unpacked: int
    rows: int
    values: int
    memory: int | None = None
    columns: int = 10_000
    cells: int = 1 << 32


COMMAND_LIMITS = ImportLimits(unpacked=1 << 36, rows=1 << 32, values=1 << 26)
"""Limits for files chosen by whoever runs the command."""

UPLOAD_LIMITS = ImportLimits(unpacked=1 << 30, rows=10_000_000, values=1 << 23, memory=1 << 32, cells=1 << 25)
"""Limits for files sent to a server."""


@dataclass(slots=True)
class LookTime:
    """The seconds that looks at files may still take in processes of their own, all of them together."""

    left: float = 20.0


@dataclass(slots=True)
class ImportAllowance:
    """The number of bytes that an import may still unpack; of a look, how many rows it wants."""

    limits: ImportLimits
    bytes_left: int
    depth: int | None = None
    look_time: LookTime = field(default_factory=LookTime)

    def take(self, name: str, count: int) -> None:
        """Use up bytes for the file `name`; BadInputError if not enough are left."""
        self.check_bytes(name, count)
        self.bytes_left -= count

    def check_bytes(self, name: str, count: int) -> None:
        if count > self.bytes_left:
            raise BadInputError(
                f"{name!r} unpacks to more than {self.limits.unpacked:,} bytes; import parts of it"
            )

    def check_rows(self, name: str, rows: int) -> None:
        if rows > self.limits.rows:
            raise BadInputError(f"{name!r} has more than {self.limits.rows:,} rows; import parts of it")

    def check_columns(self, name: str, columns: int) -> None:
        if columns > self.limits.columns:
            most = f"more than {self.limits.columns:,}"
            raise BadInputError(f"{name!r} has {columns:,} columns, {most}; keep those that are needed")

    def check_cells(self, name: str, cells: int) -> None:
        if cells > self.limits.cells:
            raise BadInputError(f"{name!r} has more than {self.limits.cells:,} cells; import parts of it")

    def check_values(self, name: str, text: bytes | str) -> None:
        """Raise BadInputError if a JSON text has too many values, counted by commas and brackets."""
        if len(text) <= self.limits.values:
            return
        marks = map(text.count, ",[{") if isinstance(text, str) else map(text.count, (b",", b"[", b"{"))
        if sum(marks) > self.limits.values:
            raise BadInputError(
                f"{name!r} has more than {self.limits.values:,} values in one row or object; "
                "import parts of it"
            )


_ALLOWANCE: ContextVar[ImportAllowance] = ContextVar("allowance")


@contextmanager
def apply_limits(limits: ImportLimits) -> Iterator[ImportAllowance]:
    """Apply these limits to everything read in this context together."""
    token = _ALLOWANCE.set(ImportAllowance(limits, limits.unpacked))
    try:
        yield _ALLOWANCE.get()
    finally:
        _ALLOWANCE.reset(token)


@contextmanager
def look(rows: int) -> Iterator[None]:
    """Read no more than the first rows of a file, to guess what it is, and in less time than an import."""
    token = _ALLOWANCE.set(replace(allowance(), depth=rows))
    try:
        yield
    finally:
        _ALLOWANCE.reset(token)


def allowance() -> ImportAllowance:
    """Return the allowance of the current import; outside of one, a new one with `COMMAND_LIMITS`."""
    return _ALLOWANCE.get(None) or ImportAllowance(COMMAND_LIMITS, COMMAND_LIMITS.unpacked)


def lines(stream: IO[AnyStr], too_long: BadInputError) -> Iterator[AnyStr]:
    """Yield the lines of a file with their line ends; raises `too_long` for one above LONGEST_ROW."""
    while line := stream.readline(LONGEST_ROW + 1):
        if len(line) > LONGEST_ROW:
            raise too_long
        yield line


def check_entries(archive: Path, most: int) -> None:
    """Raise BadInputError if a zip archive's directory has more than `most` entries.

    They are counted before the directory is parsed, since a parsed entry takes ten times its size in memory.
    Every entry of the directory begins with the same four bytes.
    """
    entries, tail = 0, b""
    with archive.open("rb") as file:
        while block := file.read(_BLOCK):
            block = tail + block
            entries += block.count(_ENTRY)
            tail = block[-len(_ENTRY) + 1 :]
            if entries > most:
                raise BadInputError(f"{archive.name!r} holds more than {most:,} files; import parts of it")


NO_STANDARD_INPUT = (
    "standard input, which '-' stands for, is not read, as a file is read more than once; "
    "write it to a file first, with `cat > data.csv`, and give that"
)


def existing_path(path: str | Path) -> Path:
    """Return the path with `~` expanded; UsageError if it does not exist."""
    place = Path(os.path.expanduser(path))
    if str(path) == "-" and not place.exists():
        raise UsageError(NO_STANDARD_INPUT)
    if not place.exists():
        raise UsageError(f"there is no file or folder {str(path)!r}; check the path")
    return place


@contextmanager
def open_bounded(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file, unpacking gzip; errors while it is read become BadInputError."""
    try:
        with path.open("rb") as raw:
            if raw.peek(2)[:2] == b"\x1f\x8b":
                with gzip.open(raw) as unpacked:
                    yield io.BufferedReader(_BoundedStream(cast("BinaryIO", unpacked), path.name))
            else:
                yield raw
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"{str(path)!r} cannot be read: {system_words(error)}; copy it again") from error


class _BoundedStream(io.RawIOBase):
    """An unpacked stream that raises BadInputError once it exceeds the allowance of the import."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        super().__init__()
        self._stream, self._name, self._allowance = stream, name, allowance()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        self._allowance.take(self._name, len(data))
        buffer[: len(data)] = data
        return len(data)


LARGEST_OBJECT = 1 << 30  # bytes of a file that is one JSON object, unpacked
_DECODE = json.JSONDecoder().raw_decode


def json_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the objects of a file: a JSON list, one object per line, or indented objects in sequence."""
    with open_bounded(path) as stream:
        head = stream.peek(_BLOCK)[:_BLOCK].removeprefix(codecs.BOM_UTF8).lstrip()
    is_one_per_line = head[:1] != b"[" and head.partition(b"\n")[0].strip() != b"{"
    yield from (json_lines if is_one_per_line else json_members)(path, tally, expected)


def json_lines(path: Path, tally: ImportStats, expected: str, name: str | None = None) -> Iterator[Row]:
    """Yield the objects of a file with one per line; other lines are counted as bad.

    `name` stands for the file in messages, where its own name is that of many.
    """
    name = path.name if name is None else name
    too_long = refuse(name, f"a line has more than {LONGEST_ROW:,} bytes", expected)
    with open_bounded(path) as stream:
        for number, line in enumerate(lines(stream, too_long), start=1):
            if number == 1:
                if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    raise refuse(name, "it is UTF-16; save it as UTF-8", expected)
                line = line.removeprefix(codecs.BOM_UTF8)
            if not line.strip():
                continue
            allowance().check_values(name, line)
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                problem = {UnicodeDecodeError: "not UTF-8", RecursionError: "nested too deeply"}
                reason = f"the line is {problem.get(type(error), 'not JSON')}"
                tally.skip(name, number, BadRowError(reason, line[:200].decode("utf-8", "replace")))
                continue
            if isinstance(value, dict):
                yield Row(name, number, value)
            else:
                tally.skip(name, number, BadRowError("the line is not an object", value))


def json_members(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the objects of one JSON list or in sequence over several lines; only a block is in memory."""
    with open_bounded(path) as stream:
        members = _Members(codecs.getreader("utf-8-sig")(stream), path.name, expected)
        yield from objects(path.name, members, tally)


class _Members:
    """The members of a JSON list, or values in sequence, decoded one after the other from blocks of text."""

    def __init__(self, stream: codecs.StreamReader, file: str, expected: str) -> None:
        self.stream, self.file, self.expected = stream, file, expected
        self.text, self.at = "", 0

    def __iter__(self) -> Iterator[Any]:
        if self._next() != "[":
            while self._next():
                yield self._member()
            return
        self.at += 1
        first = True
        while (letter := self._next()) != "]":
            if not first:
                if letter != ",":
                    problem = f"{letter!r} is in place of a comma" if letter else "it ends inside a list"
                    raise refuse(self.file, problem, self.expected)
                self.at += 1
                self._next()
            first = False
            yield self._member()
        self.at += 1
        if self._next():
            rest = self.text[self.at : self.at + 20]
            raise refuse(self.file, f"{rest!r} follows the list that it begins with", self.expected)

    def _next(self) -> str:
        """Skip white space and return the next character; empty at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
                self.at += 1
            if self.at < len(self.text) or not self._read_block():
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
            if len(self.text) - self.at > LONGEST_ROW or not self._read_block():
                where = problem or "a list without an end"
                message = f"it is not JSON, or not complete ({where}): export or copy it again"
                raise refuse(self.file, message, self.expected) from problem

    def _read_block(self) -> bool:
        """Read another block and drop what was decoded; blocks grow with an incomplete member."""
        try:
            block = self.stream.read(max(_BLOCK, len(self.text) - self.at))
        except UnicodeDecodeError as error:
            wrong = error.object[error.start : error.start + 20]
            raise refuse(self.file, f"{wrong!r} is not UTF-8", self.expected) from error
        self.text, self.at = self.text[self.at :] + block, 0
        return bool(block)


def json_object(path: Path, expected: str) -> dict[str, Any]:
    """Return the content of a file that is one JSON object; BadInputError if it is not, or too large."""
    with open_bounded(path) as stream:
        data = stream.read(LARGEST_OBJECT + 1)
    return parse_object(data, path.name, expected)


def parse_object(data: bytes, file: str, expected: str) -> dict[str, Any]:
    if len(data) > LARGEST_OBJECT:
        raise refuse(file, f"it has more than {LARGEST_OBJECT:,} bytes", expected)
    allowance().check_values(file, data)
    try:
        content = json.loads(data.removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError) as error:
        raise refuse(file, f"it is not JSON ({str(error)[:120]})", expected) from error
    if not isinstance(content, dict):
        raise refuse(file, "it is not a JSON object", expected)
    return content
