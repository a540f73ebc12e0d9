"""Where a report's numbers come from: the study's files with hashes, its row counts, and the versions."""

import hashlib
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from engine import schema
from engine.store.study_files import INFO_FILE, StudyFiles
from engine.version import __version__

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

PACKAGES = ("numpy", "scipy", "pandas", "pyarrow", "altair", "vl-convert-python")
"""The packages behind numbers and charts."""

BLOCK = 1 << 20  # bytes of a file read at a time


@dataclass(frozen=True)
class RecordedFile:
    """A file of the study: its path within the study, its size in bytes, and its SHA-256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class AuditedFile:
    """The file or folder that a study was imported from, for its audit.

    `format` is the one that it was read as, `notes` what was guessed or left out. A folder has no `sha256`.
    """

    name: str
    format: str
    sha256: str | None = None
    notes: tuple[str, ...] = ()


def files_of(files: StudyFiles) -> tuple[RecordedFile, ...]:
    """Return the files of the study's tables, by name, without `study.json`."""
    entries = []
    for name, info in files.files_by_name().items():
        if name == INFO_FILE:
            continue
        digest = hashlib.sha256()
        with files.location.filesystem.open_input_stream(info.path) as stream:
            while block := stream.read(BLOCK):
                digest.update(block)
        entries.append(RecordedFile(name, int(info.size), digest.hexdigest()))
    return tuple(sorted(entries, key=lambda file: file.name))


def rows_of(study: "MeasuredStudy") -> dict[str, int]:
    """Return the number of rows of each table of the study, whichever runs are reported."""
    counts = {
        name: study.files.table(name, [table.columns[0].name]).num_rows
        for name, table in schema.TABLES.items()
        if name != "judgments" and study.files.has(name)
    }
    return counts | {"judgments": type(study)(study.files).inventory.total()}


def versions() -> dict[str, str]:
    """Return the versions of Python, this project, and the packages that it computes with."""
    numbers = {"python": platform.python_version(), "spb-explorer": __version__}
    for name in PACKAGES:
        try:
            numbers[name] = version(name)
        except PackageNotFoundError:
            numbers[name] = "not installed"
    return numbers
