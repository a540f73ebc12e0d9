"""Locations of studies, on disk or S3, and the names that a study may have."""

import os
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs

from engine.errors import StoreError, UsageError, quoted
from engine.plain_words import system_words

LONGEST_NAME = 200  # bytes; the longer name of its temporary folder must stay within a file system's 255


@dataclass(frozen=True, slots=True)
class Location:
    """A folder on a file system; `label` is how the user wrote it."""

    filesystem: pafs.FileSystem
    path: str
    label: str

    @property
    def is_local(self) -> bool:
        return isinstance(self.filesystem, pafs.LocalFileSystem)

    @property
    def in_memory(self) -> bool:
        """Whether it vanishes when the program ends."""
        return isinstance(self.filesystem, pafs.PyFileSystem)

    @property
    def name(self) -> str:
        return self.path.rstrip("/").rpartition("/")[2]

    def child(self, name: str) -> "Location":
        return Location(self.filesystem, f"{self.path}/{name}", f"{self.label.rstrip('/')}/{name}")

    def exists(self) -> bool:
        with self._store_errors("accessed"):
            return bool(self.filesystem.get_file_info(self.path).type != pafs.FileType.NotFound)

    def read(self) -> bytes:
        with self._store_errors("read"), self.filesystem.open_input_stream(self.path) as stream:
            return bytes(stream.read())

    def listing(self, *, recursive: bool = False) -> list[pafs.FileInfo]:
        """Return the entries of the folder, none if it does not exist."""
        selector = pafs.FileSelector(self.path, allow_not_found=True, recursive=recursive)
        with self._store_errors("listed"):
            return list(self.filesystem.get_file_info(selector))

    @contextmanager
    def _store_errors(self, action: str) -> Iterator[None]:
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            raise StoreError(
                f"{self.label}: cannot be {action}: {system_words(error)}; check the path and its permissions"
            ) from error


def locate(place: str | Path) -> Location:
    """Return the location of a local path or an `s3://` URL; UsageError for any other kind of URL."""
    text = os.fspath(place) if isinstance(place, str | os.PathLike) else None
    if not isinstance(text, str):
        raise UsageError(f"the folder is {quoted(place)}; give its path, such as 'results', or an s3:// URL")
    if "\0" in text or not text:
        raise UsageError(f"the path {text!r} names no folder; give a local path or an s3:// URL")
    if text.startswith("s3://"):
        try:
            filesystem, path = pafs.FileSystem.from_uri(text)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise UsageError(
                f"the address {text!r} cannot be used: {error}; write s3://BUCKET/FOLDER"
            ) from error
        return Location(filesystem, path.rstrip("/"), text)
    if "://" in text:
        raise UsageError(f"the address {text!r} has an unknown scheme; give a local path or an s3:// URL")
    absolute = Path(os.path.expanduser(text)).absolute()
    return Location(pafs.LocalFileSystem(), absolute.as_posix(), text)


def check_name(name: str, kind: str = "study name") -> str:
    """Return a name; UsageError, which says its `kind`, unless it is a plain, visible file name."""
    problem = None
    thing = next((word for word in ("task", "run") if word in kind), "study")
    if not isinstance(name, str):
        raise UsageError(f"the {kind} is {quoted(name)}; give a text, such as 'my-{thing}'")
    if not name:
        problem = "is empty"
    elif name.startswith("."):
        problem = "begins with a dot"
    elif separator := re.search(r"[/\\]", name):
        problem = f"holds a path separator, {separator[0]!r}"
    elif hidden := next((letter for letter in name if not letter.isprintable()), None):
        problem = f"holds a character that is not seen, {hidden!r}"
    elif name != name.strip():
        problem = "begins or ends with a space"
    elif len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
        problem = f"is longer than {LONGEST_NAME} bytes"
    if problem:
        raise UsageError(f"the {kind} {name!r} {problem}; choose a plain name such as 'my-{thing}'")
    return name


_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)


def is_portable(name: str) -> bool:
    """Return whether every system can hold a file of this name, in its one spelling (Unicode's NFC)."""
    on_windows = not (_NOT_ON_WINDOWS.search(name) or _DEVICES.fullmatch(name) or name.endswith("."))
    return on_windows and composed(name) == name


def composed(name: str) -> str:
    """Return a name with its accents composed: `é` may be one character, or an `e` and an accent."""
    return unicodedata.normalize("NFC", name)


def check_new_name(name: str) -> str:
    """Return the name of a new study, its accents composed; UsageError for one that cannot be used."""
    name = composed(check_name(name))
    if name.startswith("-"):
        problem = "begins with a hyphen, as options do"
        raise UsageError(f"the study name {name!r} {problem}; choose a plain name such as 'my-study'")
    if not is_portable(name):
        sign = _NOT_ON_WINDOWS.search(name)
        of = "" if sign is None else f", where no name holds {sign[0]!r}"
        problem = f"cannot be the name of a file on Windows{of}"
        raise UsageError(f"the study name {name!r} {problem}; choose a plain name such as 'my-study'")
    return name
