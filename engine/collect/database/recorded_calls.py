"""The finished calls of a run: each is in its database before it counts, and stays until the study has it."""

import asyncio
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from engine.collect.database.entries import Entry
from engine.collect.database.run_database import RunDatabase, unwritable
from engine.collect.database.sealed_lines import Damage, set_aside
from engine.collect.run_log import LOG

PORTION_CALLS = 2_500
PORTION_BYTES = 16 << 20
"""Limits of what is added to the study in one step, which bound the memory."""

_LONG_BYTES = 4096
"""A longer entry is compressed, as little of it would fit beside others on a page of the database."""
_COMPRESSED = b"\x78"


class Portion(NamedTuple):
    """Some recorded calls, in order, with the numbers of the first and the last one."""

    entries: Sequence[Entry]
    first: int
    last: int


class RecordedCalls:
    """The finished calls in a run's database that are not in the study yet."""

    def __init__(self, database: RunDatabase) -> None:
        self.database = database

    def add(self, entry: Entry) -> "asyncio.Future[int]":
        """Record a call in place of what it may cost; the future is done once that is on disk."""
        row = row_of(entry)
        return self.database.write(lambda database: insert_call(database, row))

    def add_all(self, entries: Iterable[Entry]) -> Portion:
        """Record calls, whole or not at all, and return them as a portion of their own."""
        entries = list(entries)
        rows = [row_of(entry) for entry in entries]
        numbers = self.database.run(lambda database: [insert_call(database, row) for row in rows])
        return Portion(entries, min(numbers, default=0), max(numbers, default=-1))

    async def flush(self) -> None:
        """Wait until all calls added so far are on disk."""
        await self.database.write(lambda _: None)

    def portions(self) -> Iterator[Portion]:
        """Yield the calls that are recorded now, some at a time.

        A damaged call is copied to a file in the folder and left out: it counts as unanswered.
        """
        after, last = 0, self.database.run(_last_number)
        while rows := self.database.run(lambda database: _read(database, after, last)):  # noqa: B023 - used at once
            first, after = rows[0][0], rows[-1][0]
            entries = [entry for number, line in rows if (entry := self._entry(number, line))]
            yield Portion(entries, first, after)

    def remove(self, portion: Portion) -> None:
        """Remove a portion that the study now has."""
        delete = "DELETE FROM calls WHERE number BETWEEN ? AND ?"
        self.database.run(lambda database: database.execute(delete, (portion.first, portion.last)))

    def _entry(self, number: int, line: bytes) -> Entry | None:
        try:
            return Entry.from_line(zlib.decompress(line) if line.startswith(_COMPRESSED) else line)
        except (ValueError, zlib.error) as error:
            damage = Damage(self.database.path, number, 0, line, " ".join(str(error).split())[:80])
        try:
            copy = set_aside(self.database.folder, damage)
        except OSError as error:
            raise unwritable(self.database.folder, error) from error
        LOG.warning(
            "%s, call %d is damaged (%s); it is set aside in %s", damage.path, number, damage.why, copy
        )
        return None


def row_of(entry: Entry) -> tuple[str, str, bytes]:
    """Return the key, the status and the stored form of a call."""
    line = entry.to_line()
    return entry.key, entry.status, zlib.compress(line, 1) if len(line) >= _LONG_BYTES else line


def insert_call(database: sqlite3.Connection, row: tuple[str, str, bytes]) -> int:
    """Insert a call in place of what it may cost, and return its number."""
    number = database.execute("INSERT INTO calls (key, status, entry) VALUES (?, ?, ?)", row).lastrowid
    database.execute("DELETE FROM charges WHERE key = ?", row[:1])
    return number or 0


def _last_number(database: sqlite3.Connection) -> int:
    (number,) = database.execute("SELECT coalesce(max(number), 0) FROM calls").fetchone()
    return int(number)


def _read(database: sqlite3.Connection, after: int, last: int) -> list[tuple[int, bytes]]:
    rows: list[tuple[int, bytes]] = []
    size = 0
    query = "SELECT number, entry FROM calls WHERE number > ? AND number <= ? ORDER BY number LIMIT ?"
    for number, line in database.execute(query, (after, last, PORTION_CALLS)):
        rows.append((number, bytes(line)))
        size += len(line)
        if size >= PORTION_BYTES:
            break
    return rows
