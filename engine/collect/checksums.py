"""Lines of a journal that tell whether they are whole, and those that are not, set aside.

A line is an object of JSON whose last member is the CRC-32 of what stands before it: `{..., "crc32":
"8f3a01bc"}`, so that it can be read by anything that reads JSON Lines. A line without it, as earlier versions
wrote them, is taken as it is. A damaged line stops nothing: it is copied to `damaged.jsonl` beside the
journal with its place, and its call, which has no answer then, is asked again.
"""

import base64
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")

SET_ASIDE = "damaged.jsonl"
_SEAL = re.compile(rb',"crc32":"([0-9a-f]{8})"}\n\Z')
_SEAL_BYTES = len(b',"crc32":"00000000"}\n')
_SHOWN = 80


class DamagedLineError(ValueError):
    """A line is not what was written."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line that is not what was written: where it stands (from 1, and in bytes from 0), and why."""

    path: Path
    number: int
    offset: int
    line: bytes
    why: str

    @property
    def place(self) -> str:
        """Where it stands, for the user."""
        return f"{self.path}, line {self.number:,}"


def sealed(line: bytes) -> bytes:
    """Return a line of JSON, its line end included, with its checksum; it must be an object with a member."""
    body = line[:-2]
    if not line.endswith(b"}\n") or body.endswith(b"{"):
        raise ValueError(f"{line[:_SHOWN]!r} is not a line with a JSON object")
    return b'%s,"crc32":"%08x"}\n' % (body, zlib.crc32(body))


def unsealed(line: bytes) -> bytes:
    """Return what `sealed` was given; a line without a checksum as it is.

    Raises DamagedLineError where the checksum is another.
    """
    seal = _SEAL.search(line, max(0, len(line) - _SEAL_BYTES))
    if seal is None:
        return line
    body = line[: seal.start()]
    if zlib.crc32(body) != int(seal[1], 16):
        raise DamagedLineError("its checksum is another")
    return body + b"}\n"


def read_lines(path: Path, read: Callable[[bytes], Value]) -> Iterator[Value | Damaged]:
    """Yield what `read` makes of each line of a journal, and each line that it or its checksum refuses.

    `read` raises ValueError for a line that is not its own. A torn last line, of a process that was killed
    while it wrote, is left out.
    """
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield read(unsealed(line))
            except ValueError as error:
                yield Damaged(path, number, offset, line, " ".join(str(error).split())[:_SHOWN])
            offset += len(line)


def set_aside(folder: Path, damaged: Damaged) -> Path:
    """Copy a damaged line to a file in the folder, once however often it is read, and return that file.

    Raises OSError where it cannot be written.
    """
    path = folder / SET_ASIDE
    record = {
        "file": damaged.path.name,
        "line": damaged.number,
        "offset": damaged.offset,
        "why": damaged.why,
        "text": damaged.line.decode("utf-8", "replace"),
        "base64": base64.b64encode(damaged.line).decode("ascii"),
    }
    text = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    with suppress(FileNotFoundError), path.open("rb") as known:
        if text in known:
            return path
    with path.open("ab") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return path
