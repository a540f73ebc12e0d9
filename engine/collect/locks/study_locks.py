"""One writer for each study, in any store: a run waits for another, a writer for the one that is writing."""

import fcntl
import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from engine.collect.locks.lock_holders import BusyError
from engine.collect.locks.machine_locks import hold_lock, open_lock
from engine.collect.locks.object_locks import hold_object_lock
from engine.collect.run_folder import ensure_folder, runs_folder
from engine.collect.run_options import RunOptions
from engine.store import Store
from engine.store.location import Location

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
    with open_lock(ensure_folder(runs_folder(store, study)) / "collecting") as descriptor:
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
