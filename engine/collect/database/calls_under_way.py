"""The possible cost of calls in progress, on disk, so that a killed process leaves a record of it.

A provider charges for an answer even if nobody reads it. So before a call is sent, the run's database states
what it may cost, until it has the answer. The next start adds what is still there to the run's cost, and so
it counts towards the cap.
"""

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from engine.collect.calls import CallRequest, Role
from engine.collect.database.run_database import FILE, RunDatabase
from engine.collect.database.sqlite_file import was_closed

Group = tuple[str, Role, str | None, str]
"""The row of table `runs` that a call belongs to: model, role, paradigm, variant."""


class CallsUnderWay:
    """The calls of one process that are in progress, in its run's database."""

    def __init__(self, database: RunDatabase) -> None:
        self._database = database

    def begin(self, key: str, request: CallRequest, usd: float) -> "asyncio.Future[None] | None":
        """Record that the call `key` may cost `usd` more, charged to the request's model.

        The future is done once that is on disk; None for a free call.
        """
        if usd <= 0:
            return None
        row = (key, request.model, request.role, request.paradigm, request.variant, usd)

        def insert(database: sqlite3.Connection) -> None:
            database.execute(_INSERT, row)

        return self._database.write(insert)

    def charges(self) -> dict[Group, float]:
        """Return the dollars that a killed process may owe for calls without an answer, by group."""
        rows = self._database.run(lambda database: database.execute(_SUMS).fetchall())
        return {(model, role, paradigm, variant): usd for model, role, paradigm, variant, usd in rows}

    def add_charges(self, charges: Mapping[str, Mapping[Group, float]]) -> None:
        """Record what calls under way may cost, by call and group, in place of what is recorded of them."""
        rows = [(key, *group, usd) for key, dollars in charges.items() for group, usd in dollars.items()]

        def replace(database: sqlite3.Connection) -> None:
            database.executemany("DELETE FROM charges WHERE key = ?", [(key,) for key in charges])
            database.executemany(_INSERT, rows)

        self._database.run(replace)

    def clear(self) -> None:
        """Remove what is recorded, as the study now has it."""
        self._database.run(lambda database: database.execute("DELETE FROM charges"))


def usd_under_way(folder: Path) -> float:
    """Return the dollars that calls without an answer may have cost, by a folder's database; 0 if unreadable.

    Nothing is changed, so that the run's next start finds what a kill left.
    """
    path = folder / FILE
    if not path.exists():
        return 0.0
    # A file that was closed is read without a lock, which would leave files beside it.
    how = "immutable=1" if was_closed(path) else "mode=ro"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)) as database:
            (usd,) = database.execute("SELECT total(usd) FROM charges").fetchone()
    except sqlite3.Error:
        return 0.0
    return float(usd)


_INSERT = "INSERT INTO charges (key, model, role, paradigm, variant, usd) VALUES (?, ?, ?, ?, ?, ?)"
_SUMS = "SELECT model, role, paradigm, variant, sum(usd) FROM charges GROUP BY 1, 2, 3, 4"
