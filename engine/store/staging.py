"""Files put together out of sight and made visible at once."""

import ctypes
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import StoreError
from engine.store.locations import Location

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux's renameat2
_HERE = -100  # AT_FDCWD


@contextmanager
def staging(target: Location) -> Iterator[Path]:
    """Yield an empty folder on the disk of `target` (for S3: the temporary one), removed afterwards.

    What an earlier, killed process left beside `target` is removed too.
    """
    if not target.is_local:
        with tempfile.TemporaryDirectory(prefix="spb-") as folder:
            yield Path(folder)
        return
    root = Path(target.path).parent
    made = [path for path in (root, *root.parents) if not path.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(root, target.name)
        folder = tempfile.mkdtemp(prefix=_prefix(target.name), dir=root)
    except OSError as error:
        raise StoreError(f"{root}: cannot be written: {error.strerror}; choose another --store") from error
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(folder)
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)
        for path in made:
            with suppress(OSError):  # a study is in it now
                path.rmdir()


def swap_in(folder: Path, target: Location, still_true: Callable[[], None]) -> None:
    """Make `folder` the study `target` in one step; what was there before is removed.

    `still_true` is called with writers of the same root kept out, and raises where the study has changed
    since it was read.
    """
    final = Path(target.path)
    _onto_disk(folder)
    with only_writer(final.parent) as root:
        try:
            still_true()
            folder.chmod(0o777 & ~_umask())
            if final.exists():
                _exchange(folder, final)
            else:
                folder.rename(final)
            os.fsync(root)
        except OSError as error:
            raise StoreError(f"{final}: cannot be written: {error.strerror}; nothing was changed") from error


@contextmanager
def only_writer(root: Path) -> Iterator[int]:
    """Keep other writers of the folder `root` out; yields its descriptor."""
    descriptor = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def replace_file(path: Path, content: bytes) -> None:
    """Let the file hold `content`, at once or not at all; StoreError where it cannot be written.

    Once this returns the disk holds it, under its name. Until then it stands beside, as `.NAME.new`.
    """
    fresh = path.with_name(f".{path.name}.new")
    try:
        with fresh.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        raise StoreError(f"{path}: cannot be written: {error.strerror}; nothing was changed") from error


def link(source: Path, goal: Path) -> None:
    """Let `goal` hold what `source` holds: by a hard link where the disk can, else by a copy."""
    goal.parent.mkdir(parents=True, exist_ok=True)
    try:
        goal.hardlink_to(source)
    except OSError:
        shutil.copy2(source, goal)


def _onto_disk(folder: Path) -> None:
    """Have the disk hold the files that are new in the folder (others are links to what it holds)."""
    try:
        for path in folder.rglob("*"):
            if path.is_file() and path.stat().st_nlink == 1:
                with path.open("rb") as file:
                    os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror}; nothing was changed") from error


def _exchange(folder: Path, final: Path) -> None:
    """Exchange two folders: in one step on Linux, elsewhere in two renames."""
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is not None:
        if renameat2(_HERE, os.fsencode(folder), _HERE, os.fsencode(final), _EXCHANGE) == 0:
            return
        if ctypes.get_errno() not in (errno.ENOSYS, errno.EINVAL):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    aside = folder.with_name(folder.name + "-old")
    final.rename(aside)
    try:
        folder.rename(final)
    except OSError:
        aside.rename(final)
        raise
    aside.rename(folder)


def _prefix(name: str) -> str:
    return f".{name}.new-"


def _remove_abandoned(root: Path, name: str) -> None:
    """Remove staging folders of this study that no living process holds."""
    for folder in root.glob(f"{_escaped(_prefix(name))}*"):
        try:
            lock = os.open(folder, os.O_RDONLY)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass  # another process is at work in it
        finally:
            os.close(lock)


def _escaped(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
