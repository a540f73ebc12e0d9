"""What was packed from millions of rows, kept beside the study, so that a large study opens at once.

It lies in `.packed/STUDY/` of the store: a file for each thing kept, its arrays as they lie in memory, which
are mapped from there and read as far as they are needed. It holds nothing that the tables do not: a file
that is not there, of other tables, or broken is made anew, and one that cannot be written is done without.
Nothing is kept of a small study, and nothing is written where SPB_READ_ONLY is 1.
"""

import hashlib
import json
import logging
import os
import secrets
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import fs

from engine.errors import SpbError
from engine.store.parquet import Location
from engine.store.study_files import StudyFiles
from engine.values import read_only

LOG = logging.getLogger(__name__)
FOLDER = ".packed"
FORM = "2"
"""Part of each file's name; another one when what is kept changes its form."""

LEAST_BYTES = 1_000_000
"""Nothing is kept of a study with fewer bytes of judgments: reading them takes a fraction of a second."""

Cached = TypeVar("Cached")


@dataclass(frozen=True)
class Packed:
    """What is kept of something: named arrays, and facts that JSON can hold."""

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


class Stored:
    """What is kept of one study as it is now."""

    def __init__(self, files: StudyFiles) -> None:
        """Take the study's files; nothing is read yet."""
        self._files = files

    @cached_property
    def _stamp(self) -> str:
        return self._files.stamp(slices=False)

    @cached_property
    def worthwhile(self) -> bool:
        """Whether the study is so large that anything is kept of it."""
        if self._files.location.in_memory:
            return False
        parts = set(self._files.parts())
        sizes = [info.size or 0 for info in self._files.files() if info.path.endswith(tuple(parts))]
        return sum(sizes) >= LEAST_BYTES

    @property
    def _folder(self) -> Location:
        root, _, name = self._files.location.path.rstrip("/").rpartition("/")
        shown = self._files.location.shown.rstrip("/").removesuffix(name).rstrip("/")
        return Location(self._files.location.filesystem, root, shown).child(FOLDER).child(name)

    def _place(self, what: str) -> Location:
        return self._folder.child(f"{self._stamp}-{hashlib.sha256(what.encode()).hexdigest()[:16]}-{FORM}")

    def has(self, what: str) -> bool:
        """Whether something is kept under the name `what`."""
        return self._place(what).exists()

    def cached_or_built(
        self,
        what: str,
        make: Callable[[], Cached],
        pack: Callable[[Cached], Packed],
        unpack: Callable[[Packed], Cached],
    ) -> Cached:
        """Return what was kept under the name `what`, else what `make` makes, which is kept from then on.

        `unpack` raises ValueError, TypeError or LookupError for what it cannot take, which is made anew.
        """
        if not self.worthwhile:
            return make()
        place = self._place(what)
        try:
            return unpack(_read(place))
        except (OSError, ValueError, TypeError, LookupError) as error:  # pyarrow's own are among them
            LOG.debug("%s is rebuilt: %s", place.path, error)
        built = make()
        try:
            if not read_only() and self._files.stamp(slices=False) == self._stamp:
                self._write(place, pack(built))
        except (OSError, SpbError) as error:
            LOG.debug("%s is not stored: %s", place.path, error)
        return built

    def _write(self, place: Location, packed: Packed) -> None:
        """Write a file under its name when it is whole, and remove those of tables that are gone."""
        system, folder = place.filesystem, self._folder
        system.create_dir(folder.path, recursive=True)
        coming = place.path if not place.is_local else f"{folder.path}/.{secrets.token_hex(8)}"
        with system.open_output_stream(coming) as stream:
            _put(stream, packed)
        if place.is_local:
            os.replace(coming, place.path)
        for info in folder.listing():
            if info.type == fs.FileType.File and not info.base_name.startswith((self._stamp, ".")):
                system.delete_file(info.path)


def _put(stream: Any, packed: Packed) -> None:
    """Write arrays and facts as one Arrow file with a column of one cell for each array."""
    forms = {name: {"type": array.dtype.str, "shape": array.shape} for name, array in packed.arrays.items()}
    metadata = {b"arrays": json.dumps(forms).encode(), b"facts": json.dumps(dict(packed.facts)).encode()}
    arrays = [np.ascontiguousarray(array) for array in packed.arrays.values()]
    metadata[b"sum"] = _sum(metadata, [array.reshape(-1).view(np.uint8) for array in arrays])
    schema = pa.schema([pa.field(name, pa.large_binary()) for name in packed.arrays], metadata=metadata)
    cells = [_cell(array) for array in arrays]
    with pa.ipc.new_file(stream, schema) as writer:
        writer.write_batch(pa.record_batch(cells, schema=schema))


def _cell(array: NDArray[Any]) -> pa.Array:
    """Return an array's bytes as the one cell of a column, without a copy."""
    ends = pa.py_buffer(np.array([0, array.nbytes], dtype=np.int64))
    return pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, pa.py_buffer(array)])


def _sum(metadata: Mapping[bytes, bytes], contents: Iterable[NDArray[np.uint8]]) -> bytes:
    """Return what shows that arrays and what is told of them are as they were written."""
    checksum = zlib.crc32(metadata[b"arrays"] + metadata[b"facts"])
    for content in contents:
        checksum = zlib.crc32(content.data, checksum)
    return str(checksum).encode()


def _read(place: Location) -> Packed:
    """Return a file's arrays, mapped where the file is on a disk.

    OSError, ValueError or LookupError where it is none, or is not as it was written.
    """
    source = pa.memory_map(place.path) if place.is_local else place.filesystem.open_input_file(place.path)
    with pa.ipc.open_file(source) as reader:
        batch = reader.get_batch(0)
        metadata = reader.schema.metadata or {}
    forms = json.loads(metadata[b"arrays"])
    contents = {}
    for name in forms:
        column = batch.column(name)
        column.validate(full=True)
        _, ends, content = column.buffers()
        size = int(np.frombuffer(ends, dtype=np.int64)[1])
        empty = np.empty(0, dtype=np.uint8)
        contents[name] = np.frombuffer(content, dtype=np.uint8, count=size) if size else empty
    if metadata[b"sum"] != _sum(metadata, contents.values()):
        raise ValueError("its bytes are not those that were written")
    arrays = {
        name: contents[name].view(np.dtype(form["type"])).reshape(form["shape"])
        for name, form in forms.items()
    }
    return Packed(arrays, json.loads(metadata[b"facts"]))
