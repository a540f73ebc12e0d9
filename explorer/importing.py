"""Uploaded files of other tools: kept for a moment under safe names, unpacked within limits, read, written.

Nothing of an upload outlives the reading: it lies in a temporary folder that is removed.
"""

import re
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from engine.doctor import Diagnosis, examine
from engine.errors import BadInputError
from engine.importers import foreign
from engine.importers.foreign.families import NONE, read_corrections
from engine.importers.foreign.formats import Asked
from engine.importers.foreign.importing import Reading, reading
from engine.importers.foreign.report import MappingReport
from engine.importers.foreign.trial import tried
from engine.importers.limits import SENT, check_entries
from engine.store import Store
from engine.store.store import Mode
from engine.study import Study

LARGEST_UPLOAD_MB = 200
"""Megabytes of one upload; larger files are imported with `spb import`."""

LARGEST_MODELS_MB = 1
"""Megabytes of a models file, which has a line for each model."""

UNPACKED_BYTES = SENT.unpacked
MOST_MEMBERS = 10_000
DEEPEST = 8
"""Folders within folders of an archive."""

_BLOCK = 1 << 20
_LONGEST_NAME = 100
_BROKEN = (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True)
class Uploaded:
    """A file as it came: `mark` is another for each upload."""

    name: str
    mark: str
    content: bytes


@dataclass(frozen=True)
class Wanted:
    """What is to be read, and how."""

    form: str
    file: Uploaded
    models: Uploaded | None
    asked: Asked
    strict: bool

    @property
    def mark(self) -> tuple[object, ...]:
        """What tells this from another wish."""
        asked = tuple((name, str(getattr(self.asked, name))) for name in self.asked.given())
        return self.form, self.file.mark, self.models and self.models.mark, asked, self.strict


@dataclass(frozen=True)
class Looked:
    """What was found in a file, before anything is written."""

    name: str
    report: MappingReport
    diagnosis: Diagnosis


def look(wanted: Wanted) -> Looked:
    """Read the file and say what it holds and allows to measure; SpbError where it cannot be read."""
    with _read(wanted) as read:
        diagnosis = tried(read, lambda files: examine(Study(files)))
        return Looked(read.name, read.report, diagnosis)


def write(wanted: Wanted, root: str, study: str, mode: Mode) -> None:
    """Read the file again and write it as a study of the store at `root`; raises as `Store.write` does."""
    with _read(wanted) as read:
        read.write(Store(root), study, mode=mode)


@contextmanager
def _read(wanted: Wanted) -> Iterator[Reading]:
    with tempfile.TemporaryDirectory(prefix="spb-upload-") as folder:
        corrections = NONE
        if wanted.models is not None:
            models = _saved(wanted.models, Path(folder) / "models", LARGEST_MODELS_MB)
            corrections = read_corrections(models)
        path = _saved(wanted.file, Path(folder) / "file")
        if path.suffix.lower() == ".zip":
            path = unpacked(path, Path(folder) / "unpacked" / path.stem)
        with reading(
            foreign(wanted.form),
            path,
            wanted.asked,
            corrections=corrections,
            strict=wanted.strict,
            limits=SENT,
        ) as read:
            yield read


def _saved(file: Uploaded, folder: Path, largest_mb: int | None = None) -> Path:
    """Write an upload into a folder under a safe name; BadInputError where it is too large."""
    most = LARGEST_UPLOAD_MB if largest_mb is None else largest_mb
    if len(file.content) > most << 20:
        raise BadInputError(f"{file.name!r} has more than {most} megabytes; import it with `spb import`")
    folder.mkdir()
    path = folder / safe_name(file.name)
    path.write_bytes(file.content)
    return path


def safe_name(name: str) -> str:
    """Return the last part of a file's name in letters, digits, dots, dashes and underscores."""
    last = re.split(r"[\\/]", name)[-1]
    return re.sub(r"[^A-Za-z0-9._-]", "_", last)[-_LONGEST_NAME:].lstrip(".") or "upload"


def unpacked(path: Path, folder: Path) -> Path:
    """Unpack a zip archive into a folder; BadInputError where it is broken or beyond the limits.

    Archives in the archive stay as they are. Members with a path out of the folder, links, and more files,
    folders or bytes than an import needs are refused.
    """
    folder.mkdir(parents=True)
    check_entries(path, MOST_MEMBERS)
    left = UNPACKED_BYTES
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.is_dir():
                    continue
                target = folder / _member_path(path.name, info)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as packed, target.open("xb") as file:
                    left -= _copied(packed, file, left, path.name)
    except _BROKEN as error:
        raise BadInputError(f"{path.name!r} cannot be unpacked ({error}); pack it again") from error
    return folder


def _member_path(archive: str, info: zipfile.ZipInfo) -> PurePosixPath:
    place = PurePosixPath(info.filename.replace("\\", "/"))
    told = f"{archive!r} holds {info.filename[:80]!r}"
    if place.is_absolute() or ".." in place.parts or not place.parts:
        raise BadInputError(f"{told}, which lies outside of it; pack it again")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise BadInputError(f"{told}, which is a link; pack the file itself")
    if len(place.parts) > DEEPEST:
        raise BadInputError(f"{told}, more than {DEEPEST} folders deep; pack it flatter")
    return PurePosixPath(*(safe_name(part) for part in place.parts))


def _copied(packed: BinaryIO, file: BinaryIO, left: int, archive: str) -> int:
    done = 0
    while block := packed.read(_BLOCK):
        done += len(block)
        if done > left:
            raise BadInputError(
                f"{archive!r} unpacks to more than {UNPACKED_BYTES:,} bytes; upload parts of it"
            )
        file.write(block)
    return done
