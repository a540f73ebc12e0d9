"""Size limits, gzip, bounded streams."""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, AnyStr, BinaryIO, cast

from engine.errors import BadInputError, UsageError

# ------------------------------------------------------------------------------
# How much of a file is read: what is small on a disk can be without end once it is unpacked.


LONGEST_ROW = 1 << 26
"""Bytes of one row, or letters of it where it is text."""

_BLOCK = 1 << 20
_ENTRY = b"PK\x01\x02"


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one import takes: bytes when unpacked, rows, and values of one JSON text.

    A value takes up to 250 bytes of memory, however few it has in the file. `memory` is what a process may
    take that tries a Parquet file first; None where it is read at once.
    """

    unpacked: int
    rows: int
    values: int
    memory: int | None = None


OWN = Limits(unpacked=1 << 36, rows=1 << 32, values=1 << 26)
"""Of files that whoever runs the command has chosen."""

SENT = Limits(unpacked=1 << 30, rows=10_000_000, values=1 << 23, memory=1 << 32)
"""Of files that somebody sends to a server."""


@dataclass(slots=True)
class Allowance:
    """What an import may still unpack."""

    limits: Limits
    left: int

    def take(self, name: str, count: int) -> None:
        """Take bytes that were unpacked of the file `name`; BadInputError where there are no more."""
        self.check_bytes(name, count)
        self.left -= count

    def check_bytes(self, name: str, count: int) -> None:
        """Raise BadInputError where a file says that it unpacks to more than may be taken."""
        if count > self.left:
            raise BadInputError(
                f"{name!r} unpacks to more than {self.limits.unpacked:,} bytes; import parts of it"
            )

    def check_rows(self, name: str, rows: int) -> None:
        """Raise BadInputError where a file has more rows than an import takes."""
        if rows > self.limits.rows:
            raise BadInputError(f"{name!r} has more than {self.limits.rows:,} rows; import parts of it")

    def check_values(self, name: str, text: bytes | str) -> None:
        """Raise BadInputError where a JSON text holds more values than memory should have to hold.

        Commas and brackets in its strings are counted too.
        """
        if len(text) <= self.limits.values:
            return
        marks = map(text.count, ",[{") if isinstance(text, str) else map(text.count, (b",", b"[", b"{"))
        if sum(marks) > self.limits.values:
            raise BadInputError(
                f"{name!r} has more than {self.limits.values:,} values in one row or object; "
                "import parts of it"
            )


_ALLOWANCE: ContextVar[Allowance] = ContextVar("allowance")


@contextmanager
def limited(limits: Limits) -> Iterator[Allowance]:
    """Let what is read in this context have these limits in all."""
    token = _ALLOWANCE.set(Allowance(limits, limits.unpacked))
    try:
        yield _ALLOWANCE.get()
    finally:
        _ALLOWANCE.reset(token)


def allowance() -> Allowance:
    """Return what the import at work may still unpack; a new one of one's own files where there is none."""
    return _ALLOWANCE.get(None) or Allowance(OWN, OWN.unpacked)


def lines(stream: IO[AnyStr], too_long: BadInputError) -> Iterator[AnyStr]:
    """Yield the lines of a file with their ends; raises `too_long` at one longer than LONGEST_ROW."""
    while line := stream.readline(LONGEST_ROW + 1):
        if len(line) > LONGEST_ROW:
            raise too_long
        yield line


def check_entries(archive: Path, most: int) -> None:
    """Raise BadInputError where a zip archive's directory has more than `most` entries.

    They are counted before the directory is read, since each entry takes ten times as much memory as it has
    bytes. Every entry of the directory begins with the same four bytes.
    """
    entries, rest = 0, b""
    with archive.open("rb") as file:
        while block := file.read(_BLOCK):
            block = rest + block
            entries += block.count(_ENTRY)
            rest = block[-len(_ENTRY) + 1 :]
            if entries > most:
                raise BadInputError(f"{archive.name!r} holds more than {most:,} files; import parts of it")


# ------------------------------------------------------------------------------
# Files opened for reading: plain or packed with gzip, what breaks named, what grows without end stopped.


_BROKEN = (OSError, EOFError, zlib.error)


def found_at(path: str | Path) -> Path:
    """Return the path; UsageError where nothing is there."""
    place = Path(os.path.expanduser(path))
    if not place.exists():
        raise UsageError(f"there is no file or folder {str(path)!r}; check the path")
    return place


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file, unpacking gzip; what breaks while it is read is a BadInputError."""
    try:
        with path.open("rb") as raw:
            if raw.peek(2)[:2] == b"\x1f\x8b":
                with gzip.open(raw) as unpacked:
                    yield io.BufferedReader(_Bounded(cast("BinaryIO", unpacked), path.name))
            else:
                yield raw
    except _BROKEN as error:
        raise BadInputError(f"{str(path)!r} cannot be read: {error}; copy it again") from error


class _Bounded(io.RawIOBase):
    """An unpacked stream that ends in an error where it grows beyond what the import may unpack."""

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
