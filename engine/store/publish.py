"""A staged study made visible."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.fs as pafs

from engine import schema
from engine.errors import StudyChangedError, UsageError
from engine.store.files import INFO_FILE, StudyFiles
from engine.store.info import StudyInfo
from engine.store.locations import Location
from engine.store.staging import only_writer, replace_file, swap_in


def is_study(target: Location) -> bool:
    """Return whether there is a study in the folder."""
    return target.child(INFO_FILE).exists()


def refuse_foreign(target: Location) -> None:
    """Raise UsageError where the folder holds files and is not a study."""
    if is_study(target):
        return
    if any(info.type != pafs.FileType.Directory for info in target.listing(recursive=True)):
        raise UsageError(
            f"{target.shown!r} holds files and is not a study (it has no {INFO_FILE}); "
            "choose another --study or move them away"
        )


def publish(folder: Path, target: Location, stamp: str | None, *, keep_rest: bool) -> None:
    """Make the staged study visible: at once on a local disk, `study.json` last on S3.

    `stamp` is that of the study as it was read, None where there was none. `keep_rest`: on S3, tables that
    were not staged are still part of the study.
    """

    def still_true() -> None:
        now = StudyFiles(target).stamp() if is_study(target) else None
        if now != stamp:
            raise StudyChangedError(
                f"the study {target.shown!r} was changed meanwhile; run the command again"
            )

    if target.is_local:
        swap_in(folder, target, still_true)
        return
    still_true()
    staged = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name in [*sorted(staged - {INFO_FILE}), INFO_FILE]:
        place = target.child(name)
        with place.filesystem.open_output_stream(place.path) as stream, (folder / name).open("rb") as content:
            while block := content.read(1 << 22):
                stream.write(block)
    _remove_dead(target, staged, keep_rest=keep_rest)


def change_info(target: Location, change: Callable[[StudyInfo], StudyInfo]) -> None:
    """Put what `change` makes of a study's information in its place; see `StudyFiles.change_info`."""
    if target.is_local:
        with only_writer(Path(target.path).parent):
            text = change(StudyFiles(target).info).to_json()
            replace_file(Path(target.path) / INFO_FILE, text.encode())
        return
    text = change(StudyFiles(target).info).to_json()
    place = target.child(INFO_FILE)
    with place.filesystem.open_output_stream(place.path) as stream:
        stream.write(text.encode())


def _remove_dead(target: Location, staged: set[str], *, keep_rest: bool) -> None:
    """Remove what an earlier study left: parts that are not live, and tables that are not kept."""
    parts = {target.child(part).path for part in StudyFiles(target).parts()}
    dead = [info.path for info in target.child("judgments").listing() if info.is_file]
    dead = [path for path in dead if path not in parts]
    if not keep_rest:
        tables = [f"{name}.parquet" for name in schema.TABLES if f"{name}.parquet" not in staged]
        dead += [target.child(name).path for name in tables if target.child(name).exists()]
    for path in dead:
        target.filesystem.delete_file(path)
