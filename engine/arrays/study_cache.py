"""What was packed from millions of rows, cached beside the study, so that a large study opens at once.

The cache is in `.packed/STUDY/` of the store: a file for each entry, with its arrays as they are in memory,
which are mapped and read only as far as needed. It holds nothing that the tables do not: a file that is
missing, outdated or broken is rebuilt, and one that cannot be written is skipped. Small studies are not
cached, and nothing is written if SPB_READ_ONLY is 1.
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
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import fs

from engine.errors import SpbError
from engine.process import read_only
from engine.store.location import Location
from engine.store.study_files import StudyFiles

LOG = logging.getLogger(__name__)
FOLDER = ".packed"
FORM = "3"  # the version of the format, part of each file's name
LEAST_BYTES = 1_000_000
"""A study with fewer bytes of judgments is not cached: reading them takes a fraction of a second."""

Cached = TypeVar("Cached")


@dataclass(frozen=True)
class CacheEntry:
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


class StudyCache:
    """The cache of one study as it is now."""

    def __init__(self, files: StudyFiles) -> None:
        self._files = files

    @cached_property
    def _stamp(self) -> str:
        return self._files.stamp(slices=False)

    @cached_property
    def worthwhile(self) -> bool:
        if self._files.location.in_memory or not self._files.is_packed:
            return False
        parts = set(self._files.parts())
        sizes = [info.size or 0 for info in self._files.files() if info.path.endswith(tuple(parts))]
        return sum(sizes) >= LEAST_BYTES

    @property
    def _folder(self) -> Location:
        root, _, name = self._files.location.path.rstrip("/").rpartition("/")
        address = self._files.location.label.rstrip("/").removesuffix(name).rstrip("/")
        return Location(self._files.location.filesystem, root, address).child(FOLDER).child(name)

    def _place(self, name: str) -> Location:
        return self._folder.child(f"{self._stamp}-{hashlib.sha256(name.encode()).hexdigest()[:16]}-{FORM}")

    def has(self, name: str) -> bool:
        return self._place(name).exists()

    def cached_or_built(
        self,
        name: str,
        make: Callable[[], Cached],
        pack: Callable[[Cached], CacheEntry],
        unpack: Callable[[CacheEntry], Cached],
    ) -> Cached:
        """Return what `unpack` makes of the cached entry, else build it with `make` and cache it.

        `unpack` raises ValueError, TypeError or LookupError for an entry it cannot use.
        """
        if not self.worthwhile:
            return make()
        place = self._place(name)
        try:
            return unpack(_read(place))
        except (OSError, ValueError, TypeError, LookupError) as error:  # pyarrow's own included
            LOG.debug("%s is rebuilt: %s", place.path, error)
        value = make()
        try:
            if not read_only() and self._files.stamp(slices=False) == self._stamp:
                self._write(place, pack(value))
        except (OSError, SpbError) as error:
            LOG.debug("%s is not stored: %s", place.path, error)
        return value

    def _write(self, place: Location, entry: CacheEntry) -> None:
        """Write a file, under its name once it is complete, and remove files of outdated tables."""
        system, folder = place.filesystem, self._folder
        system.create_dir(folder.path, recursive=True)
        target = place.path if not place.is_local else f"{folder.path}/.{secrets.token_hex(8)}"
        try:
            with system.open_output_stream(target) as stream:
                _put(stream, entry)
            if place.is_local:
                os.replace(target, place.path)
        except BaseException:
            if place.is_local:
                Path(target).unlink(missing_ok=True)
            raise
        for info in folder.listing():
            if info.type == fs.FileType.File and not info.base_name.startswith((self._stamp, ".")):
                system.delete_file(info.path)


def _put(stream: Any, entry: CacheEntry) -> None:
    """Write arrays and facts as one Arrow file with a column of one cell for each array, without a copy."""
    forms = {name: {"type": array.dtype.str, "shape": array.shape} for name, array in entry.arrays.items()}
    metadata = {b"arrays": json.dumps(forms).encode(), b"facts": json.dumps(dict(entry.facts)).encode()}
    arrays = [np.ascontiguousarray(array) for array in entry.arrays.values()]
    metadata[b"sum"] = _checksum(metadata, [array.reshape(-1).view(np.uint8) for array in arrays])
    schema = pa.schema([pa.field(name, pa.large_binary()) for name in entry.arrays], metadata=metadata)
    cells = []
    for array in arrays:
        ends = pa.py_buffer(np.array([0, array.nbytes], dtype=np.int64))
        cells.append(pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, pa.py_buffer(array)]))
    with pa.ipc.new_file(stream, schema) as writer:
        writer.write_batch(pa.record_batch(cells, schema=schema))


def _checksum(metadata: Mapping[bytes, bytes], contents: Iterable[NDArray[np.uint8]]) -> bytes:
    checksum = zlib.crc32(metadata[b"arrays"] + metadata[b"facts"])
    for content in contents:
        checksum = zlib.crc32(content.data, checksum)
    return str(checksum).encode()


def _read(place: Location) -> CacheEntry:
    """Return a file's arrays, mapped from a disk; OSError, ValueError or LookupError if it is damaged."""
    source = pa.memory_map(place.path) if place.is_local else place.filesystem.open_input_file(place.path)
    with pa.ipc.open_file(source) as reader:
        batch = reader.get_batch(0)
        metadata = reader.schema.metadata or {}
    forms = json.loads(metadata[b"arrays"])
    contents = dict.fromkeys(forms, np.empty(0, dtype=np.uint8))
    for name in forms:
        column = batch.column(name)
        column.validate(full=True)
        _, ends, content = column.buffers()
        size = int(np.frombuffer(ends, dtype=np.int64)[1])
        if size:
            contents[name] = np.frombuffer(content, dtype=np.uint8, count=size)
    if metadata[b"sum"] != _checksum(metadata, contents.values()):
        raise ValueError("its bytes are not those that were written")
    arrays = {name: contents[name].view(np.dtype(form["type"])) for name, form in forms.items()}
    shaped = {name: array.reshape(forms[name]["shape"]) for name, array in arrays.items()}
    return CacheEntry(shaped, json.loads(metadata[b"facts"]))
