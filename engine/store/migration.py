"""Migration of stored studies to the current schema version."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs

from engine import schema
from engine.errors import StoreError
from engine.store.checksums import add_checksums
from engine.store.location import Location
from engine.store.publish import is_study, publish, staging
from engine.store.study_files import INFO_FILE, StudyFiles
from engine.store.writer import validate_study


@dataclass(frozen=True, slots=True)
class Migration:
    """The step from one schema version to the next: a description and the function that does it.

    `change` modifies a folder with a copy of the study's files, including `study.json`. The caller writes the
    version.
    """

    summary: str
    change: Callable[[Path], None]


MIGRATIONS: tuple[Migration, ...] = ()
"""The migrations from version 1 to 2, from 2 to 3, and so on: one fewer than there are versions."""


def migrations_of(files: StudyFiles) -> tuple[Migration, ...]:
    """Return the migrations that a study needs, in order; none for the current version."""
    return MIGRATIONS[files.info.schema_version - 1 :]


def migrate_study(files: StudyFiles) -> tuple[Migration, ...]:
    """Rewrite a study of an older schema version as the current one; return the migrations applied.

    Files without checksums, as earlier versions of this program wrote them, are written anew with them.

    The rewritten study is checked row by row before it replaces the old one. On a local disk this is one
    step. On S3 the files are replaced one by one, `study.json` last, while a copy is kept beside the study.
    If that is interrupted, migrating again continues from the copy. If the result is invalid, or another
    program changed the study meanwhile, it stays as it was.
    """
    steps = migrations_of(files)
    if not steps and not files.unprotected():
        return steps
    stamp = files.stamp()
    with staging(files.location) as folder:
        backup = None if files.location.is_local else _migrated_copy(files)
        if backup is not None and is_study(backup):
            _copy(backup, folder)
        else:
            _copy(files.location, folder)
            for step in steps:
                step.change(folder)
            for name in StudyFiles.at(folder).unprotected():
                add_checksums(folder / name)
            info = StudyFiles.at(folder).info.model_copy(update={"schema_version": schema.SCHEMA_VERSION})
            (folder / INFO_FILE).write_text(info.to_json(), "utf-8")
            validate_study(StudyFiles.at(folder))
            if backup is not None:
                publish(folder, backup, None, keep_rest=False)
        publish(folder, files.location, stamp, keep_rest=False)
        if backup is not None:
            backup.filesystem.delete_dir(backup.path)
    return steps


def _migrated_copy(files: StudyFiles) -> Location:
    """Return the location of the rewritten study while its files replace the old ones.

    Its name identifies the `study.json` that it was made from, ignoring slices and stories. That file is
    replaced last, so that a study put there since is not mistaken for a half-migrated one.
    """
    source = files.location
    facts = files.info.model_copy(update={"slices": {}, "stories": {}}).to_json()
    source_hash = hashlib.sha256(facts.encode()).hexdigest()[:16]
    root = source.path.removesuffix(source.name)
    return Location(source.filesystem, f"{root}.{source.name}.migrated-{source_hash}", source.label)


def _copy(source: Location, folder: Path) -> None:
    """Copy the files of a study, never as links, since the copy is modified."""
    try:
        local = pafs.LocalFileSystem()
        pafs.copy_files(source.path, str(folder), source.filesystem, local)
    except (OSError, pa.ArrowException) as error:
        problem = f"{source.label}: cannot be copied to {folder}: {error}"
        raise StoreError(f"{problem}; nothing was changed") from error
