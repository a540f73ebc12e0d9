"""Where a report's numbers come from: the study's files and their hashes, its judgments, the versions."""

import hashlib
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from engine import schema
from engine.measures.driver import RESAMPLES
from engine.store.files import INFO_FILE, StudyFiles

if TYPE_CHECKING:
    from engine.study import Study

PACKAGES = ("spb-explorer", "numpy", "scipy", "pandas", "pyarrow", "altair", "vl-convert-python")
"""What numbers and charts are made with."""

BLOCK = 1 << 20
"""Bytes of a file read at once."""


@dataclass(frozen=True)
class File:
    """A file of the study: its path within it, its bytes, and their SHA-256."""

    name: str
    size: int
    sha256: str


def files_of(files: StudyFiles) -> tuple[File, ...]:
    """Return the files that hold the study's tables, by name; `study.json` is not among them."""
    made = []
    start = len(files.location.path.rstrip("/")) + 1
    for info in files.files():
        name = info.path[start:]
        if name == INFO_FILE:
            continue
        digest = hashlib.sha256()
        with files.location.filesystem.open_input_stream(info.path) as stream:
            while block := stream.read(BLOCK):
                digest.update(block)
        made.append(File(name, int(info.size), digest.hexdigest()))
    return tuple(sorted(made, key=lambda file: file.name))


def rows_of(study: "Study") -> dict[str, int]:
    """Return how many rows each table has."""
    counts = {
        name: study.files.table(name, [table.columns[0].name]).num_rows
        for name, table in schema.TABLES.items()
        if name != "judgments" and study.files.has(name)
    }
    return counts | {"judgments": study.inventory.total()}


def versions() -> dict[str, str]:
    """Return the versions of this project, of what it computes with, and of Python."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a checkout that is not installed
            found[name] = "not installed"
    return found


def intervals(settings: dict[str, object]) -> str:
    """Return in a sentence how intervals were drawn, and with which seed."""
    resamples, seed = settings.get("resamples", RESAMPLES), settings.get("seed", 0)
    return (
        f"Every 95% interval comes from {resamples:,} resamples of whole instances, drawn with seed {seed}; "
        "docs/intervals.md says how often such intervals hold a known truth."
    )
