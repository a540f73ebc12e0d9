"""How much of a file is read: what is small on a disk can be without end once it is unpacked.

A reader of files takes what it unpacks from the allowance of the import that it is part of. A file on one's
own command line may be large; one that somebody has sent to a server may not.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO, AnyStr

from engine.errors import BadInputError

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
        if len(text) > self.limits.values and _marks(text) > self.limits.values:
            raise BadInputError(
                f"{name!r} has more than {self.limits.values:,} values in one row or object; "
                "import parts of it"
            )


_ALLOWANCE: ContextVar[Allowance] = ContextVar("allowance")


def _marks(text: bytes | str) -> int:
    if isinstance(text, str):
        return sum(text.count(mark) for mark in ",[{")
    return sum(text.count(mark) for mark in (b",", b"[", b"{"))


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
    found, rest = 0, b""
    with archive.open("rb") as file:
        while block := file.read(_BLOCK):
            block = rest + block
            found += block.count(_ENTRY)
            rest = block[-len(_ENTRY) + 1 :]
            if found > most:
                raise BadInputError(f"{archive.name!r} holds more than {most:,} files; import parts of it")
