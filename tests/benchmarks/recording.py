"""Finished calls recorded a second in the database of a run, 64 at once, each on the disk before the next.

`python -m tests.benchmarks.recording`.
"""

import asyncio
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from engine.collect.calls import CallRequest, Reply, Subject
from engine.collect.database.entries import Entry, entry_of
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import RunDatabase

CALLS = 20_000
AT_ONCE = 64


def entry(number: int) -> Entry:
    request = CallRequest(
        "judge", "a", "single_rubric", "default", Subject(f"i{number}", "b", rubric_ids=("r",))
    )
    text = "yes " * 40
    rows = [{"status": "ok", "raw": text, "met": True}]
    return entry_of(request, "run", Reply(text), rows, calls=1, seconds=0.1)


async def record(recorded: RecordedCalls, calls: int) -> float:
    """Record calls, and return how many a second."""
    numbers = iter(range(calls))

    async def work() -> None:
        for number in numbers:
            await recorded.add(entry(number))

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return calls / (time.perf_counter() - began)


def main() -> None:
    folder = tempfile.TemporaryDirectory(prefix="spb-", dir=".")  # on a disk, not in memory
    with folder as name, closing(RunDatabase(Path(name), reserve=True)) as database:
        spent = time.process_time()
        rate = asyncio.run(record(RecordedCalls(database), CALLS))
        spent = time.process_time() - spent
    sys.stdout.write(f"{rate:,.0f} calls a second, {1e6 * spent / CALLS:.0f} us of processor time each\n")


if __name__ == "__main__":
    main()
