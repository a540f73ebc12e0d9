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

from engine.collect.config import RunOptions, Shard
from engine.collect.run_folder import ensure_folder, has_process, runs_folder
from engine.errors import SpbError, StoreError
from engine.store import Store
from engine.store.parquet import Location

# ------------------------------------------------------------------------------
# Locks on this machine: one run of a study at a time, or several shards of one division.


_SHARD_LOCK = re.compile(r"lock-([0-9]+)-of-([0-9]+)")


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
    def me(cls) -> "Holder":
        """Return this process."""
        try:
            name = getpass.getuser()
        except (KeyError, OSError):  # a container's user without a name
            name = str(os.getuid())
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(name, socket.gethostname(), os.getpid(), now)

    @classmethod
    def from_text(cls, text: str | bytes) -> "Holder | None":
        """Return the holder that a lock's text names, None if it names none."""
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError, RecursionError):
            return None

    def to_json(self) -> str:
        """Return the text of a lock."""
        return json.dumps(asdict(self))


def busy_error(study: str, holder: Holder | None, shard: str = "") -> BusyError:
    """Return the error for a study that `holder` is working on."""
    who = "another process"
    if holder is not None:
        who = f"{holder.name!r} on {holder.host!r} (process {holder.pid}, since {holder.since})"
    what = f"shard {shard} of a run" if shard else "a run"
    return BusyError(
        f"{what} of the study {study!r} is active already, started by {who}; wait for it or stop it"
    )


@contextmanager
def hold_lock(folder: Path, study: str, shard: Shard | None = None) -> Iterator[None]:
    """Hold the study's lock in `folder`; BusyError, naming the holder, if another process has it."""
    ensure_folder(folder)
    with _open_lock(folder / "lock") as study_lock:
        if not _try_lock(study_lock, fcntl.LOCK_EX if shard is None else fcntl.LOCK_SH):
            for name, holder in _locked_shards(folder):
                raise busy_error(study, holder, name)
            raise busy_error(study, _holder(study_lock))
        if shard is None:
            with _recording_holder(study_lock):
                yield
            return
        with _open_lock(folder / f"lock-{shard.name}") as shard_lock:
            if not _try_lock(shard_lock, fcntl.LOCK_EX):
                raise busy_error(study, _holder(shard_lock), shard.name.replace("-of-", "/"))
            for name, holder in _locked_shards(folder):
                if not name.endswith(f"/{shard.count}"):  # of another division, which may share calls
                    raise busy_error(study, holder, name)
            with _recording_holder(shard_lock):
                yield


@contextmanager
def _recording_holder(descriptor: int) -> Iterator[None]:
    """Record the holder in the lock's file while the lock is held; on a full disk it has no name."""
    with suppress(OSError):
        _write(descriptor, Holder.me().to_json())
    try:
        yield
    finally:
        with suppress(OSError):
            _write(descriptor, "")


def _locked_shards(folder: Path) -> Iterator[tuple[str, Holder | None]]:
    for path in sorted(folder.glob("lock-*")):
        if match := _SHARD_LOCK.fullmatch(path.name):
            with _open_lock(path) as descriptor:
                if not _try_lock(descriptor, fcntl.LOCK_SH):
                    yield f"{match[1]}/{match[2]}", _holder(descriptor)


@contextmanager
def _open_lock(path: Path) -> Iterator[int]:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}; choose another --store") from error
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


def _write(descriptor: int, text: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)


# ------------------------------------------------------------------------------
# Locks on S3, which has no file locks: objects that their holders renew.


BEAT_S = 15.0
DEAD_S = 60.0
_WHOLE_RUN = "whole"


@contextmanager
def hold_object_lock(folder: Location, study: str, shard: Shard | None = None) -> Iterator[None]:
    """Hold the study's lock, stored as objects in `folder`; raises BusyError like `hold_lock`."""
    name = _WHOLE_RUN if shard is None else shard.name

    def conflicts(other: str) -> bool:
        if shard is None or other in (_WHOLE_RUN, name):
            return True
        return not other.endswith(f"-of-{shard.count}")

    token = folder.child(f"{name}~{secrets.token_hex(6)}.json")
    _write_object(token)
    if (other := _conflict(folder, token, conflicts)) is not None:
        _delete(token)
        raise busy_error(study, other[1], "" if other[0] == _WHOLE_RUN else other[0].replace("-of-", "/"))
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_S):
            with suppress(StoreError):  # the next beat may succeed
                _write_object(token)

    beat_thread = threading.Thread(target=beat, daemon=True)
    beat_thread.start()
    try:
        yield
    finally:
        stop.set()
        beat_thread.join()
        _delete(token)


def _conflict(
    folder: Location, own: Location, conflicts: Callable[[str], bool]
) -> tuple[str, Holder | None] | None:
    listing = [info for info in folder.listing() if info.type == pafs.FileType.File]
    now = next((info.mtime for info in listing if info.base_name == own.name), None)
    for info in listing:
        other = info.base_name.partition("~")[0]
        if info.base_name == own.name or not conflicts(other):
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
        return other, holder
    return None


def _write_object(token: Location) -> None:
    try:
        with token.filesystem.open_output_stream(token.path) as stream:
            stream.write(Holder.me().to_json().encode())
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
