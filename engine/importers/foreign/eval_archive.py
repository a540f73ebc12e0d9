"""Inspect's `.eval` log: a zip archive with `header.json` and a JSON file for each sample.

Read here, not by inspect_ai: its dependencies and litellm's exclude each other in one environment, and the
format is documented. Members are bounded in number and in size, each and together; none is ever written to
the disk, so that its name is only a label. Newer logs pack members with Zstandard, which Python's zipfile
does not know before 3.14.
"""

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from engine.errors import BadInputError
from engine.importers.foreign.json_files import parsed_object
from engine.importers.foreign.rows import Row, refuse
from engine.importers.limits import allowance, check_entries

MOST_MEMBERS = 2_000_000
LARGEST_MEMBER = 1 << 28
"""Bytes of one sample, unpacked."""

_ZSTANDARD = 93
_HEADER_BYTES = 30  # of a member's local header, before its name
_BROKEN = (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class EvalArchive:
    """One `.eval` file, open; to be used in a `with` statement."""

    def __init__(self, path: Path, expected: str) -> None:
        self.path, self.expected = path, expected

    def __enter__(self) -> "EvalArchive":
        check_entries(self.path, MOST_MEMBERS)
        try:
            self._zip = zipfile.ZipFile(self.path)
        except _BROKEN as error:
            raise refuse(self.path.name, f"it is no zip archive ({error})", self.expected) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def header(self) -> dict[str, Any]:
        """Return the header, or the start of a log that was not finished."""
        names = set(self._zip.namelist())
        for name in ("header.json", "_journal/start.json"):
            if name in names:
                return self._member(self._zip.getinfo(name))
        raise refuse(self.path.name, "it has no header.json", self.expected)

    def samples(self) -> Iterator[Row]:
        """Yield the samples in the order of the archive."""
        number = 0
        for info in self._zip.infolist():
            place = PurePosixPath(info.filename)
            if place.parent.name == "samples" and place.suffix == ".json" and len(place.parts) == 2:
                number += 1
                yield Row(self.path.name, number, self._member(info))

    def _member(self, info: zipfile.ZipInfo) -> dict[str, Any]:
        """Return the object in a member; BadInputError where it is broken, too large, or none."""
        try:
            packed = self._packed(info) if info.compress_type == _ZSTANDARD else self._zip.open(info)
            with packed as stream:
                data = stream.read(LARGEST_MEMBER + 1)
        except _BROKEN as error:
            told = f"{self.path.name}: {info.filename!r} cannot be unpacked ({error}); copy the log again"
            raise BadInputError(told) from error
        if len(data) > LARGEST_MEMBER:
            told = f"{self.path.name}: {info.filename!r} has more than {LARGEST_MEMBER:,} bytes when unpacked"
            raise BadInputError(f"{told}; leave the sample out")
        allowance().take(self.path.name, len(data))
        return parsed_object(data, f"{self.path.name}, {info.filename}", self.expected)

    def _packed(self, info: zipfile.ZipInfo) -> Any:
        """Return a stream that unpacks a member packed with Zstandard."""
        import pyarrow as pa

        with self.path.open("rb") as file:
            file.seek(info.header_offset)
            head = file.read(_HEADER_BYTES)
            if len(head) < _HEADER_BYTES:
                raise zipfile.BadZipFile("its header is not whole")
            file.seek(
                int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), io.SEEK_CUR
            )
            data = file.read(info.compress_size)
        return pa.CompressedInputStream(pa.BufferReader(data), "zstd")
