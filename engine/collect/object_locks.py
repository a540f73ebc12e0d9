"""Locks on S3, which has no file locks: objects that their holders renew."""

import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pyarrow as pa
import pyarrow.fs as pafs

from engine.collect.lock_holders import Holder, busy_error, own_text
from engine.collect.run_options import Shard
from engine.collect.watched_runs import has_process
from engine.errors import StoreError
from engine.store.location import Location

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
            stream.write(own_text())
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{token.label}: cannot be written: {error}; check the bucket and its permissions"
        ) from error


def _delete(token: Location) -> None:
    with suppress(OSError, pa.ArrowException):
        token.filesystem.delete_file(token.path)
