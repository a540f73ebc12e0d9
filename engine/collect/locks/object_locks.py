"""Locks on S3, which has no file locks: objects that their holders renew."""

import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from engine.collect.locks.lock_holders import Holder, busy_error, own_text
from engine.collect.run_options import Shard
from engine.errors import StoreError
from engine.process import has_process
from engine.store.location import Location
from engine.store.renewed_objects import delete, objects_in, put, renewing

_WHOLE_RUN = "whole"


@contextmanager
def hold_object_lock(folder: Location, study: str, shard: Shard | None = None) -> Iterator[None]:
    """Hold the study's lock, stored as objects in `folder`; raises BusyError like `hold_lock`."""
    token = folder.child(f"{_WHOLE_RUN if shard is None else shard.name}~{secrets.token_hex(6)}.json")
    text = own_text()
    put(token, text)
    with renewing(token, text):
        _refuse_conflict(folder, token, study, shard)
        yield


def _refuse_conflict(folder: Location, own: Location, study: str, shard: Shard | None) -> None:
    """Raise BusyError if another process, not known to be dead, holds a lock that excludes this one."""
    names, dead = objects_in(folder, own)
    for name in names:
        other = name.partition("~")[0]
        is_beside = shard is not None and other != shard.name and other.endswith(f"-of-{shard.count}")
        if name == own.name or is_beside:
            continue
        other_token = folder.child(name)
        try:
            holder = Holder.from_text(other_token.read())
        except StoreError:  # deleted since it was listed
            continue
        if name in dead or (holder and holder.host == socket.gethostname() and not has_process(holder.pid)):
            delete(other_token)
            continue
        raise busy_error(study, holder, "" if other == _WHOLE_RUN else other)
