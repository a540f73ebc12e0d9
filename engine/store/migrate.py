"""Studies of older schema versions brought to the current one, checked before they replace the old."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs

from engine import schema
from engine.errors import BadInputError, StoreError
from engine.store.checks import Known, TableCheck, TableReport, check_info, missing_table
from engine.store.conversion import from_tables
from engine.store.parquet import Location
from engine.store.publish import is_study, publish, staging
from engine.store.study_files import INFO_FILE, StudyFiles


def validate_study(study: StudyFiles) -> list[TableReport]:
    """Check every row of every table and return what was read.

    Raises BadInputError for the first row that an import would refuse, or a part that is not there;
    StoreError for a file that cannot be read.
    """
    for part in study.parts():
        if not study.location.child(part).exists():
            raise BadInputError(
                f"judgments: the part {part!r} listed in study.json is missing; import the study again"
            )
    known = Known()
    reports = []
    for name, table in schema.TABLES.items():
        if not study.has(name):
            if table.compulsory:
                raise missing_table(name)
            continue
        rows = study.judgment_batches() if name == "judgments" else study.table(name)
        check = TableCheck(from_tables(table, rows), known)
        for _ in check.batches():
            pass
        check.refuse_repeated(*check.repeated())
        if name != "judgments":
            known.learn(table, study.table(name))
        reports.append(check.report())
    check_info(study.info, study.table("models"))
    return reports


# ------------------------------------------------------------------------------
# Studies of an older schema version, rewritten as the current one.


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
        backup = None if files.location.is_local else _rewritten(files)
        if backup is not None and is_study(backup):
            _copy(backup, folder)
        else:
            _rewrite(files, steps, folder)
            if backup is not None:
                _put(folder, backup, None)
        _put(folder, files.location, stamp)
        if backup is not None:
            backup.filesystem.delete_dir(backup.path)
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


def _rewritten(files: StudyFiles) -> Location:
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
