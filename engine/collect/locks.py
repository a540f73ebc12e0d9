"""Who works on a study: one run at a time, or several shards of one division.

On a local disk the lock is the kernel's (`flock`), so that it ends with its process, however that ends; the
file's content only says who holds it. Shards share the study's lock, and each holds its own.
"""

import fcntl
import getpass
import json
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import SpbError, StoreError
from engine.runner.folders import made
from engine.runner.options import Shard

_SHARD_LOCK = re.compile(r"lock-([0-9]+)-of-([0-9]+)")


class BusyError(SpbError):
    """Another process is at work on the study."""


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
    def read(cls, text: str | bytes) -> "Holder | None":
        """Return the holder that a lock's text names, None where it names none."""
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError, RecursionError):
            return None

    def to_json(self) -> str:
        """Return the text of a lock."""
        return json.dumps(asdict(self))


def busy(study: str, holder: Holder | None, shard: str = "") -> BusyError:
    """Return the error for a study that `holder` works on."""
    who = "another process"
    if holder is not None:
        who = f"{holder.name!r} on {holder.host!r} (process {holder.pid}, since {holder.since})"
    what = f"shard {shard} of a run" if shard else "a run"
    return BusyError(
        f"{what} of the study {study!r} is at work already, started by {who}; wait for it or stop it"
    )


@contextmanager
def held(folder: Path, study: str, shard: Shard | None = None) -> Iterator[None]:
    """Hold the study's lock in `folder`; BusyError that names the holder where another process has it."""
    made(folder)
    whole = _open(folder / "lock")
    try:
        if not _taken(whole, fcntl.LOCK_EX if shard is None else fcntl.LOCK_SH):
            raise _busy_now(folder, study)
        if shard is None:
            with _named(whole):
                yield
            return
        with _shard_held(folder, study, shard):
            yield
    finally:
        os.close(whole)


@contextmanager
def _shard_held(folder: Path, study: str, shard: Shard) -> Iterator[None]:
    mine = _open(folder / f"lock-{shard.name}")
    try:
        if not _taken(mine, fcntl.LOCK_EX):
            raise busy(study, _holder(mine), shard.name.replace("-of-", "/"))
        for name, holder in _other_divisions(folder, shard):
            raise busy(study, holder, name)
        with _named(mine):
            yield
    finally:
        os.close(mine)


@contextmanager
def _named(descriptor: int) -> Iterator[None]:
    """Say in the lock's file who holds it, for as long as it is held."""
    _write(descriptor, Holder.me().to_json())
    try:
        yield
    finally:
        with suppress(OSError):
            _write(descriptor, "")


def _busy_now(folder: Path, study: str) -> BusyError:
    """Return the error that names the whole run or the shard that is at work."""
    for name, holder in _held_shards(folder):
        return busy(study, holder, name)
    descriptor = _open(folder / "lock")
    try:
        return busy(study, _holder(descriptor))
    finally:
        os.close(descriptor)


def _other_divisions(folder: Path, shard: Shard) -> Iterator[tuple[str, Holder | None]]:
    """Yield the shards at work of another division, which may share calls with this one."""
    for name, holder in _held_shards(folder):
        if not name.endswith(f"/{shard.count}"):
            yield name, holder


def _held_shards(folder: Path) -> Iterator[tuple[str, Holder | None]]:
    for path in sorted(folder.glob("lock-*")):
        match = _SHARD_LOCK.fullmatch(path.name)
        if match is None:
            continue
        descriptor = _open(path)
        try:
            if not _taken(descriptor, fcntl.LOCK_SH):
                yield f"{match[1]}/{match[2]}", _holder(descriptor)
        finally:
            os.close(descriptor)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}; choose another --store") from error


def _taken(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(descriptor: int) -> Holder | None:
    return Holder.read(os.pread(descriptor, 4096, 0))


def _write(descriptor: int, text: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)
