"""Keeping others out of a study, wherever its store is."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from engine.runner.folders import made, runs_folder
from engine.runner.lock import BusyError, held
from engine.runner.lock_objects import held_object
from engine.runner.options import RunOptions
from engine.store import Store

_LONGEST_COLLECTING_S = 600.0
_AGAIN_S = 0.5


@contextmanager
def alone(store: Store, study: str, options: RunOptions) -> Iterator[None]:
    """Hold the study's lock for a run, or its part of it for a shard; BusyError that names the holder."""
    if store.location.is_local:
        with _held_locally(store, study, options):
            yield
        return
    folder = store.location.child(".runs").child(study).child("lock")
    with held_object(folder, study, options.shard, wait_s=options.wait_s):
        yield


@contextmanager
def collecting(store: Store, study: str) -> Iterator[None]:
    """Keep others from adding to the study, waiting for those who do; they are soon done."""
    if not store.location.is_local:
        folder = store.location.child(".runs").child(study).child("collecting")
        with held_object(folder, study, wait_s=_LONGEST_COLLECTING_S):
            yield
        return
    path = made(runs_folder(store, study)) / "collecting"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _held_locally(store: Store, study: str, options: RunOptions) -> Iterator[None]:
    until = time.monotonic() + options.wait_s
    while True:
        lock = held(runs_folder(store, study), study, options.shard)
        try:
            lock.__enter__()
            break
        except BusyError:
            if time.monotonic() >= until:
                raise
            time.sleep(_AGAIN_S)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)
