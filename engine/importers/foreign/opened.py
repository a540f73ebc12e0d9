"""Files opened for reading: plain or packed with gzip, what breaks named, what grows without end stopped."""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from engine.errors import BadInputError, UsageError
from engine.importers.limits import allowance

_BROKEN = (OSError, EOFError, zlib.error)


def found_at(path: str | Path) -> Path:
    """Return the path; UsageError where nothing is there."""
    found = Path(os.path.expanduser(path))
    if not found.exists():
        raise UsageError(f"there is no file or folder {str(path)!r}; check the path")
    return found


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
