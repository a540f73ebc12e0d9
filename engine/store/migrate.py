"""Studies of an older schema version, rewritten as the current one.

A version that only adds columns needs no migration: what a file lacks takes its default when it is read. One
that renames or reinterprets has an entry in `MIGRATIONS`, and a study of the version before it in
`tests/data/archives`.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs

from engine import schema
from engine.errors import StoreError
from engine.store.files import INFO_FILE, StudyFiles
from engine.store.locations import Location
from engine.store.publish import is_study, publish
from engine.store.staging import staging
from engine.store.validate import validate_study


@dataclass(frozen=True, slots=True)
class Migration:
    """The way from one schema version to the next: what it changes in words, and what does it.

    `change` gets a folder with a copy of the study's files, `study.json` too, and changes what is there; the
    version is written by the caller.
    """

    words: str
    change: Callable[[Path], None]


MIGRATIONS: tuple[Migration, ...] = ()
"""The migration from version 1 to 2, that from 2 to 3, and so on: one fewer than there are versions."""


def migrations_of(files: StudyFiles) -> tuple[Migration, ...]:
    """Return what has to be done with a study, in order; nothing for one of the current version."""
    return MIGRATIONS[files.info.schema_version - 1 :]


def migrate_study(files: StudyFiles) -> tuple[Migration, ...]:
    """Rewrite a study as the current schema version, where it is of an older one, and return what was done.

    The rewritten study is checked row by row before it takes the old one's place: at once on a local disk.
    On S3 its files follow one another, `study.json` last, while a copy is kept beside it; where that is
    interrupted, the study is to be migrated again, which goes on from the copy. Raises BadInputError where it
    would not be sound, StudyChangedError where another program changed the study meanwhile; the study is then
    as it was. Raises StoreError where it cannot be read or written.
    """
    steps = migrations_of(files)
    if not steps:
        return steps
    stamp = files.stamp()
    with staging(files.location) as folder:
        kept = None if files.location.is_local else _kept(files)
        if kept is not None and is_study(kept):
            _copy(kept, folder)
        else:
            _rewrite(files, steps, folder)
            if kept is not None:
                _put(folder, kept, None)
        _put(folder, files.location, stamp)
        if kept is not None:
            kept.filesystem.delete_dir(kept.path)
    return steps


def _put(folder: Path, place: Location, stamp: str | None) -> None:
    try:
        publish(folder, place, stamp, keep_rest=False)
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{place.shown}: cannot be written: {error}; run `spb migrate` again") from error


def _rewrite(files: StudyFiles, steps: tuple[Migration, ...], folder: Path) -> None:
    """Put the study into the folder as the steps make it, checked."""
    _copy(files.location, folder)
    for step in steps:
        step.change(folder)
    info = StudyFiles.at(folder).info.model_copy(update={"schema_version": schema.SCHEMA_VERSION})
    (folder / INFO_FILE).write_text(info.to_json(), "utf-8")
    validate_study(StudyFiles.at(folder))


def _kept(files: StudyFiles) -> Location:
    """Return where the rewritten study is kept while its files are put in the old one's place.

    The name tells which `study.json` it was made from, slices and stories aside. That one is replaced last,
    so that a study that somebody has put there since is not taken for one that is half migrated.
    """
    source = files.location
    facts = files.info.model_copy(update={"slices": {}, "stories": {}}).to_json()
    made_from = hashlib.sha256(facts.encode()).hexdigest()[:16]
    root = source.path.removesuffix(source.name)
    return Location(source.filesystem, f"{root}.{source.name}.migrated-{made_from}", source.shown)


def _copy(source: Location, folder: Path) -> None:
    """Copy the files of a study, never as links: what is changed is the copy."""
    try:
        pafs.copy_files(
            source.path,
            str(folder),
            source_filesystem=source.filesystem,
            destination_filesystem=pafs.LocalFileSystem(),
        )
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{source.shown}: cannot be copied to {folder}: {error}; nothing was changed"
        ) from error
