"""Finished calls to record, and the databases that have them."""

import asyncio
import shutil
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from engine.collect.calls import CallRequest, Reply, Subject
from engine.collect.database.entries import Entry, entry_of
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import RunDatabase


def entry(number: int, text: str = "yes") -> Entry:
    request = CallRequest(
        "judge", "a", "single_rubric", "default", Subject(f"i{number}", "b", rubric_ids=("r",))
    )
    return entry_of(request, "run", Reply(text), [{"status": "ok", "raw": text}], calls=1, seconds=0.1)


def keys(numbers: Iterable[int]) -> list[str]:
    return [entry(number).key for number in numbers]


def record(folder: Path, entries: Iterable[Entry]) -> None:
    """Record calls in a folder's database, each from an event loop."""

    async def add_each() -> None:
        recorded = RecordedCalls(database)
        await asyncio.gather(*(recorded.add(each) for each in entries))

    with closing(RunDatabase(folder)) as database:
        asyncio.run(add_each())


def recorded_in(folder: Path) -> list[Entry]:
    with closing(RunDatabase(folder)) as database:
        return [each for portion in RecordedCalls(database).portions() for each in portion.entries]


def as_killed(folder: Path, copy: Path) -> Path:
    """Return a copy of a folder whose process is still writing: what `kill -9` would leave."""
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*-shm"))
    return copy
