"""Readers of a stored study: its tables, and its packed arrays."""

import shutil
from functools import cache
from pathlib import Path
from unittest.mock import patch

import engine
from engine import schema
from engine.arrays import study_cache
from engine.errors import SpbError, StoreError
from engine.explore.doctor import examine
from engine.store.study_files import StudyFiles
from engine.store.writer import validate_study

from .readers import Reader, base_study


def read_stored(given: Path, scratch: Path) -> None:
    """Read every table of a stored study; check it, and compute every measure of a sound one."""
    shutil.copytree(given, scratch / "study")
    files = StudyFiles.at(scratch / "study")
    refused: SpbError | None = None
    for table in schema.TABLES:
        try:
            files.table(table)
        except SpbError as error:
            refused = error
    validate_study(files)
    assert refused is None, "a study that was found whole cannot be read"
    list(examine(engine.open_study(files.path), resamples=10).lines())


def _numbers(path: str) -> str:
    study = engine.open_study(path)
    results = (study.result(name, resamples=0) for name in ("hspp", "overestimation", "accuracy"))
    return "\n".join(str((each.rows, each.left_out, each.reason)) for each in results)


@cache
def _right() -> str:
    return _numbers(base_study().path)


def read_packed(given: Path, scratch: Path) -> None:
    """Open a study with these files as its packed arrays: its numbers equal those without them.

    Raises StoreError if one of them was rebuilt, so that a broken entry of the corpus is noticed.
    """
    study = Path(shutil.copytree(base_study().path, scratch / "store" / "study"))
    stamp = StudyFiles.at(study).stamp(slices=False)
    beside = study.parent / study_cache.FOLDER / study.name
    beside.mkdir(parents=True)
    for path in given.iterdir():
        shutil.copy(path, beside / f"{stamp}-{path.name}")
    before = {path.name: path.read_bytes() for path in beside.iterdir()}
    with patch.object(study_cache, "LEAST_BYTES", 0):
        assert _numbers(str(study)) == _right()
    if {path.name: path.read_bytes() for path in beside.iterdir()} != before:
        raise StoreError("what was packed is made anew")


STORED = (
    Reader("stored", read_stored, 12, folder=True),
    Reader("packed", read_packed, 30, folder=True),
)
