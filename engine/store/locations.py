"""Where studies are: names, folders and the file systems behind them."""

import os
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs

from engine.errors import StoreError, UsageError

LONGEST_NAME = 200  # bytes; a temporary name beside it must still fit into the 255 of a file system


@dataclass(frozen=True, slots=True)
class Location:
    """A folder on a file system; `shown` is how the user wrote it."""

    filesystem: pafs.FileSystem
    path: str
    shown: str

    @property
    def is_local(self) -> bool:
        """Whether renaming is possible."""
        return isinstance(self.filesystem, pafs.LocalFileSystem)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rstrip("/").rpartition("/")[2]

    def child(self, name: str) -> "Location":
        """Return the folder or file `name` in this folder."""
        return Location(self.filesystem, f"{self.path}/{name}", f"{self.shown.rstrip('/')}/{name}")

    def exists(self) -> bool:
        """Return whether a file or folder is there; StoreError where that cannot be told."""
        try:
            return bool(self.filesystem.get_file_info(self.path).type != pafs.FileType.NotFound)
        except (OSError, pa.ArrowException) as error:
            raise StoreError(
                f"{self.shown}: cannot be looked for: {error}; check the path and its rights"
            ) from error

    def read(self) -> bytes:
        """Return the file's content; StoreError where it cannot be read."""
        try:
            with self.filesystem.open_input_stream(self.path) as stream:
                return bytes(stream.read())
        except (OSError, pa.ArrowException) as error:
            raise StoreError(
                f"{self.shown}: cannot be read: {error}; check the path and its rights"
            ) from error

    def listing(self, *, recursive: bool = False) -> list[pafs.FileInfo]:
        """Return what is in the folder, nothing where there is no folder."""
        selector = pafs.FileSelector(self.path, allow_not_found=True, recursive=recursive)
        try:
            return list(self.filesystem.get_file_info(selector))
        except (OSError, pa.ArrowException) as error:
            raise StoreError(
                f"{self.shown}: cannot be listed: {error}; check the path and its rights"
            ) from error


def locate(place: str | Path) -> Location:
    """Return the location of a local path or an `s3://` URL; UsageError for any other kind of URL."""
    text = os.fspath(place)
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
        raise UsageError(f"the address {text!r} is of an unknown kind; give a local path or an s3:// URL")
    absolute = Path(os.path.expanduser(text)).absolute()
    return Location(pafs.LocalFileSystem(), absolute.as_posix(), text)


def check_name(name: str, what: str = "study name") -> str:
    """Return the name of a study, or of `what` it is; UsageError where it leads elsewhere or is hidden."""
    problem = None
    if not name:
        problem = "is empty"
    elif name.startswith("."):
        problem = "begins with a dot"
    elif "/" in name or "\\" in name:
        problem = "holds a path separator"
    elif not name.isprintable() or name != name.strip():
        problem = "holds a control character or begins or ends with a space"
    elif len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
        problem = f"is longer than {LONGEST_NAME} bytes"
    if problem:
        raise UsageError(f"the {what} {name!r} {problem}; choose a plain name such as 'my-study'")
    return name
