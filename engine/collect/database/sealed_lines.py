"""Lines with a checksum.

A line is a JSON object whose last member is the CRC-32 of the text before it (`"crc32": "8f3a01bc"`), so that
any reader of JSON Lines can read it. A line without a checksum, as earlier versions wrote them, is accepted.
A damaged line stops nothing: it is copied to `damaged.jsonl` in the run's folder with its place, and its call
is made again.
"""

import base64
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

Value = TypeVar("Value")


SET_ASIDE = "damaged.jsonl"
_SEAL = re.compile(rb',"crc32":"([0-9a-f]{8})"}\n\Z')
_SEAL_BYTES = len(b',"crc32":"00000000"}\n')
_EXCERPT = 80


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged line: its place (line from 1, byte offset from 0), its bytes and what is wrong."""

    path: Path
    number: int
    offset: int
    line: bytes
    why: str


def seal(line: bytes) -> bytes:
    """Return a JSON line, including its line end, with a checksum; it must be a non-empty object."""
    body = line[:-2]
    if not line.endswith(b"}\n") or body.endswith(b"{"):
        raise ValueError(f"{line[:_EXCERPT]!r} is not a line with a JSON object")
    return b'%s,"crc32":"%08x"}\n' % (body, zlib.crc32(body))


def unseal(line: bytes) -> bytes:
    """Return a line without its checksum, if it has one; ValueError if that does not match."""
    match = _SEAL.search(line, max(0, len(line) - _SEAL_BYTES))
    if match is None:
        return line
    body = line[: match.start()]
    if zlib.crc32(body) != int(match[1], 16):
        raise ValueError("its checksum does not match")
    return body + b"}\n"


def read_lines(path: Path, parse: Callable[[bytes], Value]) -> Iterator[Value | Damage]:
    """Yield the result of `parse` for each line of a journal, or its Damage.

    A line is damaged if its checksum is wrong or `parse` raises ValueError. A torn last line, left by a
    process killed while writing, is skipped.
    """
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield parse(unseal(line))
            except ValueError as error:
                yield Damage(path, number, offset, line, " ".join(str(error).split())[:_EXCERPT])
            offset += len(line)


def set_aside(folder: Path, damaged: Damage) -> Path:
    """Copy a damaged line to a file in the folder, unless it is there already, and return that file."""
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
    with suppress(FileNotFoundError), path.open("rb") as copies:
        if text in copies:
            return path
    write_to_disk(path, "ab", [text])
    return path


def write_to_disk(path: Path, mode: Literal["ab", "wb"], lines: Iterable[bytes]) -> None:
    """Write to a file, and return once that is on disk."""
    with path.open(mode) as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the intact lines of a file; none if there is no file."""
    with suppress(FileNotFoundError):
        yield from (line for line in read_lines(path, json.loads) if not isinstance(line, Damage))
