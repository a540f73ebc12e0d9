"""Locks of this machine: one run of a study at a time, or several shards of one division."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.collect.locks.lock_holders import Holder, busy_error, own_text
from engine.collect.run_folder import ensure_folder
from engine.collect.run_options import Shard
from engine.errors import StoreError
from engine.plain_words import disk_words

_SHARD_LOCK = re.compile(r"lock-[0-9]+-of-[0-9]+")


@contextmanager
def hold_lock(folder: Path, study: str, shard: Shard | None = None) -> Iterator[None]:
    """Hold the study's lock in `folder`; BusyError, naming the holder, if another process has it."""
    ensure_folder(folder)
    with open_lock(folder / "lock") as study_lock:
        if not _try_lock(study_lock, fcntl.LOCK_EX if shard is None else fcntl.LOCK_SH):
            name, holder = next(_locked_shards(folder), ("", _holder(study_lock)))
            raise busy_error(study, holder, name)
        if shard is None:
            with _recording_holder(study_lock):
                yield
            return
        with open_lock(folder / f"lock-{shard.name}") as shard_lock:
            if not _try_lock(shard_lock, fcntl.LOCK_EX):
                raise busy_error(study, _holder(shard_lock), shard.name)
            for name, holder in _locked_shards(folder):
                if not name.endswith(f"-of-{shard.count}"):  # of another division, which may share calls
                    raise busy_error(study, holder, name)
            with _recording_holder(shard_lock):
                yield


@contextmanager
def _recording_holder(descriptor: int) -> Iterator[None]:
    """Record the holder in the lock's file while the lock is held; on a full disk it has no name."""
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, own_text(), 0)
    try:
        yield
    finally:
        with suppress(OSError):
            os.ftruncate(descriptor, 0)


def _locked_shards(folder: Path) -> Iterator[tuple[str, Holder | None]]:
    for path in sorted(folder.glob("lock-*")):
        if _SHARD_LOCK.fullmatch(path.name):
            with open_lock(path) as descriptor:
                if not _try_lock(descriptor, fcntl.LOCK_SH):
                    yield path.name.removeprefix("lock-"), _holder(descriptor)


@contextmanager
def open_lock(path: Path) -> Iterator[int]:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be written: {disk_words(error, 'choose another --store')}"
        ) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(descriptor: int) -> Holder | None:
    return Holder.from_text(os.pread(descriptor, 4096, 0))
