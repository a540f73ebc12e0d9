"""Studies of an older schema version, rewritten as the current one.

A version that only adds columns needs no migration: what a file lacks takes its default when it is read. One
that renames or reinterprets has an entry in `MIGRATIONS`, and a study of the version before it in
`tests/data/archives`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs

from engine import schema
from engine.errors import StoreError
from engine.store.files import INFO_FILE, StudyFiles
from engine.store.publish import publish
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

    The rewritten study is checked row by row before it takes the old one's place, at once on a local disk.
    Raises BadInputError where it would not be sound, StudyChangedError where another program changed the
    study meanwhile, StoreError where it cannot be written; the study is then as it was.
    """
    steps = migrations_of(files)
    if not steps:
        return steps
    stamp = files.stamp()
    with staging(files.location) as folder:
        _copy(files, folder)
        for step in steps:
            step.change(folder)
        info = StudyFiles.at(folder).info.model_copy(update={"schema_version": schema.SCHEMA_VERSION})
        (folder / INFO_FILE).write_text(info.to_json(), "utf-8")
        validate_study(StudyFiles.at(folder))
        publish(folder, files.location, stamp, keep_rest=False)
    return steps


def _copy(files: StudyFiles, folder: Path) -> None:
    """Copy the files of a study, never as links: what is changed is the copy."""
    source, here = files.location, pafs.LocalFileSystem()
    try:
        pafs.copy_files(
            source.path, str(folder), source_filesystem=source.filesystem, destination_filesystem=here
        )
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{source.shown}: cannot be copied to {folder}: {error}; nothing was changed"
        ) from error
