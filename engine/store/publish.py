"""Staging and publishing: a study appears in one step, so that no reader sees half of it."""

import ctypes
import errno
import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs

from engine import schema
from engine.errors import StoreError, StudyChangedError, UsageError
from engine.plain_words import disk_words
from engine.store.location import Location
from engine.store.object_lock import only_object_writer
from engine.store.study_files import INFO_FILE, StudyFiles, StudyInfo
from engine.wording import Sentence, Wording, option

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux's renameat2
_CWD = -100  # AT_FDCWD
UNCHANGED = "nothing was changed"
_STORE = option("store")
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def staging(target: Location, place: str | Wording = _STORE) -> Iterator[Path]:
    """Yield an empty folder on the same disk as `target` (for S3: a temporary one), removed afterwards.

    Staging folders left beside `target` by killed processes are removed too. `place` is the option that
    names the target, for the error that it cannot be written.
    """
    if not target.is_local:
        with full_disk_error(tempfile.gettempdir()), tempfile.TemporaryDirectory(prefix="spb-") as folder:
            yield Path(folder)
        return
    root = Path(target.path).parent
    new_folders = [path for path in (root, *root.parents) if not path.exists()]
    with disk_error(root, Sentence("choose another ", place)):
        root.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(root, target.name)
        folder = tempfile.mkdtemp(prefix=_prefix(target.name), dir=root)
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with full_disk_error(root):
            yield Path(folder)
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)
        for path in new_folders:
            with suppress(OSError):  # it now contains a study
                path.rmdir()


@contextmanager
def full_disk_error(place: str | Path) -> Iterator[None]:
    """Turn the error that the disk of `place` is full, in which Arrow names no file, into a StoreError."""
    try:
        yield
    except OSError as error:
        if error.errno not in _DISK_FULL:
            raise
        words = disk_words(error, "choose another disk", UNCHANGED)
        raise StoreError(f"{place}: cannot be written: ", words) from error


def _swap_in(folder: Path, target: Location, stamp: str | None) -> None:
    """Make `folder` the study `target` in one step, excluding other writers; any old study is removed."""
    final = Path(target.path)
    with disk_error(folder):
        for path in folder.rglob("*"):
            if path.is_file() and path.stat().st_nlink == 1:  # new; others are links to files on disk already
                with path.open("rb") as file:
                    os.fsync(file.fileno())
    with only_writer(final.parent) as root, disk_error(final):
        _refuse_changed(target, stamp)
        umask = os.umask(0)
        os.umask(umask)
        folder.chmod(0o777 & ~umask)
        if final.exists():
            _exchange(folder, final)
        else:
            folder.rename(final)
        os.fsync(root)


@contextmanager
def disk_error(place: str | Path, remedy: str = "copy the study to another disk") -> Iterator[None]:
    """Turn errors of the disk into a StoreError that names the place and the remedy."""
    try:
        yield
    except OSError as error:
        words = disk_words(error, remedy, UNCHANGED)
        raise StoreError(f"{place}: cannot be written: ", words) from error


@contextmanager
def only_writer(root: Path) -> Iterator[int]:
    """Lock out other writers of the folder `root`; yields its descriptor."""
    descriptor = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def replace_file(path: Path, content: bytes) -> None:
    """Replace the content by way of `.NAME.new`: whole and on disk when this returns, or not at all."""
    temporary = path.with_name(f".{path.name}.new")
    with disk_error(path):
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
            sync_folder(path.parent)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def link(source: Path, goal: Path) -> None:
    """Make `goal` a hard link to `source`, or a copy if the disk has no hard links."""
    goal.parent.mkdir(parents=True, exist_ok=True)
    try:
        goal.hardlink_to(source)
    except OSError:
        shutil.copy2(source, goal)


def _exchange(folder: Path, final: Path) -> None:
    """Exchange two folders: in one step on Linux, elsewhere in two renames."""
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is not None:
        if renameat2(_CWD, os.fsencode(folder), _CWD, os.fsencode(final), _EXCHANGE) == 0:
            return
        if ctypes.get_errno() not in (errno.ENOSYS, errno.EINVAL):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    backup = folder.with_name(folder.name + "-old")
    final.rename(backup)
    try:
        folder.rename(final)
    except OSError:
        backup.rename(final)
        raise
    backup.rename(folder)


def _prefix(name: str) -> str:
    return f".{name}.new-"


def _remove_abandoned(root: Path, name: str) -> None:
    """Remove staging folders of this study that no running process has locked."""
    for folder in root.glob(f"{glob.escape(_prefix(name))}*"):
        try:
            lock = os.open(folder, os.O_RDONLY)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass  # in use by another process
        finally:
            os.close(lock)


def is_study(target: Location) -> bool:
    return target.child(INFO_FILE).exists()


def refuse_foreign(target: Location) -> None:
    """Raise UsageError if the folder contains files but is not a study."""
    entries = [] if is_study(target) else target.listing(recursive=True)
    if any(info.type != pafs.FileType.Directory for info in entries):
        problem = f"{target.label!r} holds files and is not a study (it has no {INFO_FILE})"
        name = Wording("--study", "name")
        raise UsageError(f"{problem}; choose another ", name, " or move them away")


def publish(folder: Path, target: Location, stamp: str | None, *, keep_rest: bool) -> None:
    """Make the staged study visible: at once on a local disk, `study.json` last on S3.

    `stamp` is that of the study when it was read, None if there was none. `keep_rest`: on S3, tables that
    were not staged remain part of the study.
    """
    if target.is_local:
        _swap_in(folder, target, stamp)
        return
    staged = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    with only_object_writer(target), _writing_objects(target):
        _refuse_changed(target, stamp)
        for name in [*sorted(staged - {INFO_FILE}), INFO_FILE]:
            place = target.child(name)
            stream = place.filesystem.open_output_stream(place.path)
            with stream, (folder / name).open("rb") as content:
                shutil.copyfileobj(content, stream, 1 << 22)
        _remove_leftovers(target, staged, keep_rest=keep_rest)


@contextmanager
def _writing_objects(target: Location) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        remedy = "check the bucket and its permissions, and run the command again"
        raise StoreError(f"{target.label}: cannot be written: {error}; {remedy}") from error


def _refuse_changed(target: Location, stamp: str | None) -> None:
    current = StudyFiles(target).stamp() if is_study(target) else None
    if current != stamp:
        raise StudyChangedError(f"the study {target.label!r} was changed meanwhile; run the command again")


def change_info(study: StudyFiles, change: Callable[[StudyInfo], StudyInfo]) -> StudyFiles:
    """Replace the content of `study.json` by the result of `change`, locking out other writers."""
    target = study.location
    place = target.child(INFO_FILE)
    if target.is_local:
        with only_writer(Path(target.path).parent):
            replace_file(Path(place.path), change(StudyFiles(target).info).to_json().encode())
        return StudyFiles(target)
    with only_object_writer(target), _writing_objects(target):
        content = change(StudyFiles(target).info).to_json().encode()
        with place.filesystem.open_output_stream(place.path) as stream:
            stream.write(content)
    return StudyFiles(target)


def _remove_leftovers(target: Location, staged: set[str], *, keep_rest: bool) -> None:
    """Remove leftovers of an earlier study: parts no longer listed, and tables not retained."""
    parts = {target.child(part).path for part in StudyFiles(target).parts()}
    files = [info.path for info in target.child("judgments").listing() if info.is_file]
    leftovers = [path for path in files if path not in parts]
    if not keep_rest:
        tables = [f"{name}.parquet" for name in schema.TABLES if f"{name}.parquet" not in staged]
        leftovers += [target.child(name).path for name in tables if target.child(name).exists()]
    for path in leftovers:
        target.filesystem.delete_file(path)
