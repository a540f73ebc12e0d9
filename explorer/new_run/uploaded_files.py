"""Uploaded files, stored briefly under safe names and unpacked within limits."""

import re
import stat
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from engine.errors import BadInputError
from engine.importers.reading.json_rows import UPLOAD_LIMITS, check_entries
from explorer.serving.uploads import LARGEST_UPLOAD_MB

LARGEST_MODELS_MB = 1
"""Most megabytes of a models file, which has a line for each model."""

UNPACKED_BYTES = UPLOAD_LIMITS.unpacked
MOST_MEMBERS = 10_000
DEEPEST = 8
"""Most nested folders in an archive."""

_BLOCK = 1 << 20
_LONGEST_NAME = 100
_BROKEN = (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True)
class Upload:
    """A file as uploaded; `mark` identifies the upload."""

    name: str
    mark: str
    content: bytes


def write_files(files: tuple[Upload, ...], folder: Path) -> Path:
    """Write uploads into a folder; return the file, or the folder of several or of an unpacked archive."""
    if len(files) > 1:
        target_folder = folder / "files"
        for number, file in enumerate(files, start=1):
            path = write_file(file, folder / f"file-{number}")
            target_folder.mkdir(exist_ok=True)
            target = target_folder / path.name
            path.rename(target if not target.exists() else target_folder / f"{number}-{path.name}")
        return target_folder
    path = write_file(files[0], folder / "file")
    return unpack(path, folder / "unpacked" / path.stem) if path.suffix.lower() == ".zip" else path


def write_file(file: Upload, folder: Path, largest_mb: int | None = None) -> Path:
    """Write an upload into a folder under a safe name; BadInputError if it is too large."""
    limit = LARGEST_UPLOAD_MB if largest_mb is None else largest_mb
    if len(file.content) > limit << 20:
        raise BadInputError(f"{file.name!r} has more than {limit} megabytes; split it into smaller files")
    folder.mkdir()
    path = folder / safe_name(file.name)
    path.write_bytes(file.content)
    return path


def safe_name(name: str) -> str:
    """Return the last part of a file's name in letters, digits, dots, dashes and underscores."""
    last = re.split(r"[\\/]", name)[-1]
    return re.sub(r"[^A-Za-z0-9._-]", "_", last)[-_LONGEST_NAME:].lstrip(".") or "upload"


def unpack(path: Path, folder: Path) -> Path:
    """Unpack a zip archive into a folder; BadInputError if it is broken or exceeds the limits.

    Nested archives stay packed. Paths outside the folder, links, and too many files, nested folders or bytes
    are refused.
    """
    folder.mkdir(parents=True)
    check_entries(path, MOST_MEMBERS)
    remaining = UNPACKED_BYTES
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.is_dir():
                    continue
                target = folder / _member_path(path.name, info)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as packed, target.open("xb") as file:
                    remaining -= _copy(packed, file, remaining, path.name)
    except _BROKEN as error:
        raise BadInputError(f"{path.name!r} cannot be unpacked ({error}); pack it again") from error
    return folder


def _member_path(archive: str, info: zipfile.ZipInfo) -> PurePosixPath:
    place = PurePosixPath(info.filename.replace("\\", "/"))
    member = f"{archive!r} holds {info.filename[:80]!r}"
    if place.is_absolute() or ".." in place.parts or not place.parts:
        raise BadInputError(f"{member}, which is outside of it; pack it again")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise BadInputError(f"{member}, which is a link; pack the file itself")
    if len(place.parts) > DEEPEST:
        raise BadInputError(f"{member}, more than {DEEPEST} folders deep; pack it flatter")
    return PurePosixPath(*(safe_name(part) for part in place.parts))


def _copy(packed: IO[bytes], file: IO[bytes], limit: int, archive: str) -> int:
    size = 0
    while block := packed.read(_BLOCK):
        size += len(block)
        if size > limit:
            raise BadInputError(
                f"{archive!r} unpacks to more than {UNPACKED_BYTES:,} bytes; upload parts of it"
            )
        file.write(block)
    return size
