"""The labels of a store, opened for one command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.annotations.database import Database
    from engine.store import Store


@contextmanager
def open_labels(store: str | None) -> "Iterator[tuple[Store, Database]]":
    """Open a store and its annotation database, which is closed at the end."""
    from engine.annotations.database import open_database
    from engine.store import Store

    study_store = Store(store)
    database = open_database(study_store)
    try:
        yield study_store, database
    finally:
        database.close()
