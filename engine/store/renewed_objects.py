"""Objects on S3 that their writers renew while they live: what locks are made of where files have none."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime

import pyarrow as pa
import pyarrow.fs as pafs

from engine.errors import StoreError
from engine.store.location import Location

BEAT_S = 15.0
DEAD_S = 60.0
"""After so long without a beat the writer of an object counts as dead."""


@contextmanager
def renewing(token: Location, content: bytes) -> Iterator[None]:
    """Renew an object in a thread; delete it in the end."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_S):
            with suppress(StoreError):  # the next beat may succeed
                put(token, content)

    beats = threading.Thread(target=beat, daemon=True)
    beats.start()
    try:
        yield
    finally:
        stop.set()
        beats.join()
        delete(token)


def put(token: Location, content: bytes) -> None:
    try:
        with token.filesystem.open_output_stream(token.path) as stream:
            stream.write(content)
    except (OSError, pa.ArrowException) as error:
        remedy = "check the bucket and its permissions, and run the command again"
        place = token.label.rpartition("/")[0]  # the study's
        raise StoreError(f"{place}: cannot be written: {error}; {remedy}") from error


def delete(token: Location) -> None:
    with suppress(OSError, pa.ArrowException):
        token.filesystem.delete_file(token.path)


def objects_in(folder: Location, own: Location) -> tuple[Mapping[str, datetime], frozenset[str]]:
    """Return the objects of a folder by name, with their times, and which of them count as dead.

    Times are the store's, so it is held against that of one's own object; without it, none is dead.
    """
    listing = {info.base_name: info.mtime for info in folder.listing() if info.type == pafs.FileType.File}
    now = listing.get(own.name)
    dead = (name for name, at in listing.items() if now and (now - at).total_seconds() > DEAD_S)
    return listing, frozenset(dead)
