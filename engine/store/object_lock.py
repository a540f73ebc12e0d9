"""A lock on S3, which has none: writers of a study take tickets and go one after the other.

Lamport's bakery with objects: who wants to write puts an object that says it is choosing, takes a number
above all others, and goes when nobody who was choosing then, and nobody with a lower number, is left. It
needs no more of the store than that a listing shows what was written before. Objects are renewed while their
writer lives, and no longer count a minute after they were.
"""

import random
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pyarrow as pa
import pyarrow.fs as pafs

from engine.errors import StoreError
from engine.store.location import Location
from engine.store.renewed_objects import delete, objects_in, put, renewing

_LONGEST_WAIT_S = 600.0
_CHOOSING, _CONTENT = "choosing", b"writing\n"


@contextmanager
def only_object_writer(study: Location) -> Iterator[None]:
    """Lock out other writers of a study on S3; StoreError after ten minutes of waiting."""
    if study.in_memory:  # nobody else has it
        yield
        return
    root = study.path.rstrip("/").removesuffix(study.name)
    folder = Location(study.filesystem, f"{root}.runs/{study.name}/writing", study.label)
    _make_folders(study.filesystem, folder.path, root)
    ticket = _ticket(folder)
    with renewing(ticket, _CONTENT):
        _wait_for_turn(folder, ticket)
        yield


def _make_folders(filesystem: pafs.FileSystem, path: str, root: str) -> None:
    """Make the folders on the way, which S3 does without; not the root, which may be missing by mistake."""
    if isinstance(filesystem, pafs.S3FileSystem):
        return
    for end in range(len(root), len(path) + 1):
        if path[end : end + 1] in ("/", ""):
            with suppress(OSError, pa.ArrowException):
                filesystem.create_dir(path[:end], recursive=False)


def _ticket(folder: Location) -> Location:
    """Put a ticket with a number above all others, and return it."""
    own = secrets.token_hex(8)
    choosing = folder.child(f"{_CHOOSING}-{own}")
    put(choosing, _CONTENT)
    try:
        numbers = [int(name.partition("-")[0]) for name in _alive(folder, choosing) if name[0].isdigit()]
        ticket = folder.child(f"{max(numbers, default=0) + 1:012d}-{own}")
        put(ticket, _CONTENT)
    finally:
        delete(choosing)
    return ticket


def _wait_for_turn(folder: Location, ticket: Location) -> None:
    until = time.monotonic() + _LONGEST_WAIT_S
    choosing: set[str] | None = None
    while True:
        others = _alive(folder, ticket) - {ticket.name}
        now_choosing = {name for name in others if name.startswith(_CHOOSING)}
        choosing = now_choosing if choosing is None else choosing & now_choosing
        # Names of tickets sort by number, then by writer.
        if not choosing and not any(name < ticket.name for name in others - now_choosing):
            return
        if time.monotonic() > until:
            raise StoreError(f"{folder.label}: others write to the study all the time; try again later")
        time.sleep(random.uniform(0.02, 0.1))  # noqa: S311 - so that not all ask at once


def _alive(folder: Location, own: Location) -> set[str]:
    """Return the names of the objects of writers that live; those of dead ones are deleted."""
    names, dead = objects_in(folder, own)
    for name in dead:
        delete(folder.child(name))
    return names.keys() - dead
