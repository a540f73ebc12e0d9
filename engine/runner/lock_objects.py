"""Who works on a study on S3, where no kernel keeps locks: objects that their holders keep fresh.

Whoever wants the lock writes an object of its own and then lists the others: if there is another that is
alive, it takes its own away again. As S3 lists what was written before, two can never both find themselves
alone. An object is dead when it has not been written for a minute by the server's clock, or when its process
was on this machine and is gone.
"""

import os
import random
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pyarrow as pa
import pyarrow.fs as pafs

from engine.errors import StoreError
from engine.runner.lock import Holder, busy
from engine.runner.options import Shard
from engine.store.locations import Location

BEAT_S = 15.0
DEAD_S = 60.0
_WHOLE = "whole"


@contextmanager
def held_object(
    folder: Location, study: str, shard: Shard | None = None, *, wait_s: float = 0.0
) -> Iterator[None]:
    """Hold the study's lock, kept as objects in `folder`; waits for it up to `wait_s` seconds.

    BusyError that names the holder where another process has it.
    """
    name = _WHOLE if shard is None else shard.name

    def conflicts(other: str) -> bool:
        if shard is None or other in (_WHOLE, name):
            return True
        return not other.endswith(f"-of-{shard.count}")

    token = _taken(folder, study, name, conflicts, wait_s)
    ended = threading.Event()
    beating = threading.Thread(target=_beat, args=(token, ended), daemon=True)
    beating.start()
    try:
        yield
    finally:
        ended.set()
        beating.join()
        _delete(token)


def _taken(
    folder: Location, study: str, name: str, conflicts: Callable[[str], bool], wait_s: float
) -> Location:
    """Return this process's object once no other is in its way."""
    until = time.monotonic() + wait_s
    while True:
        token = folder.child(f"{name}~{secrets.token_hex(6)}.json")
        _write(token)
        holder = _in_the_way(folder, token, conflicts)
        if holder is None:
            return token
        _delete(token)
        if time.monotonic() >= until:
            raise busy(study, holder[1], "" if holder[0] == _WHOLE else holder[0].replace("-of-", "/"))
        time.sleep(random.uniform(0.1, 1.0))  # noqa: S311 - so that two do not meet again and again


def _in_the_way(
    folder: Location, mine: Location, conflicts: Callable[[str], bool]
) -> tuple[str, Holder | None] | None:
    listing = [info for info in folder.listing() if info.type == pafs.FileType.File]
    now = next((info.mtime for info in listing if info.base_name == mine.name), None)
    for info in listing:
        other = info.base_name.partition("~")[0]
        if info.base_name == mine.name or not conflicts(other):
            continue
        place = folder.child(info.base_name)
        try:
            holder = Holder.read(place.read())
        except StoreError:  # gone since it was listed
            continue
        stale = now is not None and (now - info.mtime).total_seconds() > DEAD_S
        if stale or (holder is not None and _is_gone(holder)):
            _delete(place)
            continue
        return other, holder
    return None


def _is_gone(holder: Holder) -> bool:
    if holder.host != socket.gethostname():
        return False
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _beat(token: Location, ended: threading.Event) -> None:
    while not ended.wait(BEAT_S):
        with suppress(StoreError):  # the next beat may come through
            _write(token)


def _write(token: Location) -> None:
    try:
        with token.filesystem.open_output_stream(token.path) as stream:
            stream.write(Holder.me().to_json().encode())
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{token.shown}: cannot be written: {error}; check the bucket and its rights"
        ) from error


def _delete(token: Location) -> None:
    with suppress(OSError, pa.ArrowException):
        token.filesystem.delete_file(token.path)
