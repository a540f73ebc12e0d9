"""One writer for each study: locks on this machine, and in an S3 bucket."""

import fcntl
import getpass
import json
import os
import random
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs

from engine.collect.run_folder import ensure_folder, runs_folder
from engine.collect.run_options import RunOptions, Shard
from engine.collect.watched_runs import has_process
from engine.errors import SpbError, StoreError
from engine.plain_words import system_words
from engine.store import Store
from engine.store.location import Location

# ------------------------------------------------------------------------------
# Locks on this machine: one run of a study at a time, or several shards of one division.


_SHARD_LOCK = re.compile(r"lock-[0-9]+-of-[0-9]+")


class BusyError(SpbError):
    """Another process is working on the study."""

    exit_code = 6


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock, and since when."""

    name: str
    host: str
    pid: int
    since: str

    @classmethod
    def from_text(cls, text: str | bytes) -> "Holder | None":
        """Return the holder that a lock's text names, None if it names none."""
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError, RecursionError):
            return None


def _own_text() -> bytes:
    """Return the text of a lock that this process holds."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        name = str(os.getuid())
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps(asdict(Holder(name, socket.gethostname(), os.getpid(), now))).encode()


def busy_error(study: str, holder: Holder | None, shard: str = "") -> BusyError:
    """Return the error for a study, or a shard of it such as `1-of-2`, that `holder` is working on."""
    who = "another process"
    if holder is not None:
        who = f"{holder.name!r} on {holder.host!r} (process {holder.pid}, since {holder.since})"
    what = f"shard {shard.replace('-of-', '/')} of a run" if shard else "a run"
    return BusyError(
        f"{what} of the study {study!r} is active already, started by {who}; wait for it or stop it"
    )


@contextmanager
def hold_lock(folder: Path, study: str, shard: Shard | None = None) -> Iterator[None]:
    """Hold the study's lock in `folder`; BusyError, naming the holder, if another process has it."""
    ensure_folder(folder)
    with _open_lock(folder / "lock") as study_lock:
        if not _try_lock(study_lock, fcntl.LOCK_EX if shard is None else fcntl.LOCK_SH):
            name, holder = next(_locked_shards(folder), ("", _holder(study_lock)))
            raise busy_error(study, holder, name)
        if shard is None:
            with _recording_holder(study_lock):
                yield
            return
        with _open_lock(folder / f"lock-{shard.name}") as shard_lock:
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
        os.pwrite(descriptor, _own_text(), 0)
    try:
        yield
    finally:
        with suppress(OSError):
            os.ftruncate(descriptor, 0)


def _locked_shards(folder: Path) -> Iterator[tuple[str, Holder | None]]:
    for path in sorted(folder.glob("lock-*")):
        if _SHARD_LOCK.fullmatch(path.name):
            with _open_lock(path) as descriptor:
                if not _try_lock(descriptor, fcntl.LOCK_SH):
                    yield path.name.removeprefix("lock-"), _holder(descriptor)


@contextmanager
def _open_lock(path: Path) -> Iterator[int]:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be written: {system_words(error)}; choose another --store"
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


# ------------------------------------------------------------------------------
# Locks on S3, which has no file locks: objects that their holders renew.


BEAT_S = 15.0
DEAD_S = 60.0
_WHOLE_RUN = "whole"


@contextmanager
def hold_object_lock(folder: Location, study: str, shard: Shard | None = None) -> Iterator[None]:
    """Hold the study's lock, stored as objects in `folder`; raises BusyError like `hold_lock`."""
    token = folder.child(f"{_WHOLE_RUN if shard is None else shard.name}~{secrets.token_hex(6)}.json")
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_S):
            with suppress(StoreError):  # the next beat may succeed
                _write_object(token)

    beat_thread = threading.Thread(target=beat, daemon=True)
    _write_object(token)
    beat_thread.start()
    try:
        _refuse_conflict(folder, token, study, shard)
        yield
    finally:
        stop.set()
        beat_thread.join()
        _delete(token)


def _refuse_conflict(folder: Location, own: Location, study: str, shard: Shard | None) -> None:
    """Raise BusyError if another process, not known to be dead, holds a lock that excludes this one."""
    listing = [info for info in folder.listing() if info.type == pafs.FileType.File]
    now = next((info.mtime for info in listing if info.base_name == own.name), None)
    for info in listing:
        other = info.base_name.partition("~")[0]
        is_beside = shard is not None and other != shard.name and other.endswith(f"-of-{shard.count}")
        if info.base_name == own.name or is_beside:
            continue
        other_token = folder.child(info.base_name)
        try:
            holder = Holder.from_text(other_token.read())
        except StoreError:  # deleted since it was listed
            continue
        stale = now is not None and (now - info.mtime).total_seconds() > DEAD_S
        if stale or (holder and holder.host == socket.gethostname() and not has_process(holder.pid)):
            _delete(other_token)
            continue
        raise busy_error(study, holder, "" if other == _WHOLE_RUN else other)


def _write_object(token: Location) -> None:
    try:
        with token.filesystem.open_output_stream(token.path) as stream:
            stream.write(_own_text())
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{token.label}: cannot be written: {error}; check the bucket and its permissions"
        ) from error


def _delete(token: Location) -> None:
    with suppress(OSError, pa.ArrowException):
        token.filesystem.delete_file(token.path)


# ------------------------------------------------------------------------------
# Locks for a study in any store.


_LONGEST_COLLECTING_S = 600.0


def run_lock(store: Store, study: str, options: RunOptions) -> AbstractContextManager[None]:
    """Hold the study's lock for a run, or a shard's part of it; BusyError, naming the holder, if taken."""

    def lock() -> AbstractContextManager[None]:
        if store.location.is_local:
            return hold_lock(runs_folder(store, study), study, options.shard)
        return hold_object_lock(_objects(store, study, "lock"), study, options.shard)

    return _wait_for(lock, options.wait_s)


@contextmanager
def write_lock(store: Store, study: str) -> Iterator[None]:
    """Lock out other writers to the study, waiting for any that is writing (never long)."""
    if not store.location.is_local:
        folder = _objects(store, study, "collecting")
        with _wait_for(lambda: hold_object_lock(folder, study), _LONGEST_COLLECTING_S):
            yield
        return
    with _open_lock(ensure_folder(runs_folder(store, study)) / "collecting") as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


@contextmanager
def _wait_for(lock: Callable[[], AbstractContextManager[None]], wait_s: float) -> Iterator[None]:
    """Hold a lock; if another process has it, retry for `wait_s` seconds, then raise BusyError."""
    until = time.monotonic() + wait_s
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(lock())
                break
            except BusyError:
                if time.monotonic() >= until:
                    raise
            time.sleep(random.uniform(0.1, 1.0))  # noqa: S311 - so that two do not collide again and again
        yield


def _objects(store: Store, study: str, name: str) -> Location:
    return store.location.child(".runs").child(study).child(name)
