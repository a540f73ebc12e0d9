"""A shared server: how long visitors wait for each other, and how much memory those who left still take."""

import asyncio
import random
import shutil
import statistics
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .page import published
from .timing import Row
from .visitors import Visitor, visiting

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from browser.server import ROOT, Server, serving

PEOPLE, EVERY_S, FOR_S = 20, 10.0, 120.0
TARGET_MS = 1_000.0

WALKS = ("Slice", "Judges x generators", "Judges", "Findings", "Compare", "Verdicts")
"""Pages that a visitor goes to with one click in MOVES; other clicks choose options of filters."""

MOVES = 4

SESSIONS = (1, 50, 100, 200)
"""Numbers of finished sessions after which the memory is measured."""

MOST_KB = 50.0
"""Growth of memory per session that is tolerated: 200 sessions leave 10 MB at most."""

FORGOTTEN_S = 3
"""Streamlit keeps disconnected sessions for two minutes by default; here it drops them sooner."""


@dataclass
class Waits:
    """Seconds that visitors waited, by kind of click."""

    opening: list[float]
    choosing: list[float]
    moving: list[float]


@dataclass(frozen=True)
class Taken:
    """The server's processor time, background work included, and the bytes that it sent."""

    cpu_seconds: float
    bytes_sent: int


def server_rows(work: Path) -> Iterator[Row]:
    """Let visitors share one server, then let many come and go."""
    store, studies = _store(work)
    with serving(work / "server.log", str(store)) as served:
        yield from _crowd(served, studies)
    forgetting = f"--server.disconnectedSessionTTL={FORGOTTEN_S}"
    with serving(work / "server.log", str(store), options=[forgetting]) as served:
        yield from _coming_and_going(served, studies)


def _store(work: Path) -> tuple[Path, list[str]]:
    """Return a store with the demo, and the published study if its data are available."""
    study = published(work)
    store = work / "published" if study else work / "demo"
    shutil.copytree(ROOT / "results" / "demo-health", store / "demo-health", dirs_exist_ok=True)
    return store, ["demo-health", *([study] if study else [])]


def _crowd(served: Server, studies: list[str]) -> Iterator[Row]:
    alone = asyncio.run(_first(served, studies))
    one = served.megabytes()
    waits, taken, many = asyncio.run(_use(served, studies))
    clicks = [*waits.choosing, *waits.moving]
    prefix = f"server, {PEOPLE} people, a click each every {EVERY_S:g} s"
    yield Row("server: the first page after its start", alone, "s")
    yield Row(
        f"server: {PEOPLE} people open a page at once, until the last one's is done", max(waits.opening), "s"
    )
    yield Row(f"{prefix}: click to finished page, median", statistics.median(clicks) * 1e3, "ms", TARGET_MS)
    yield Row(f"{prefix}: the same, 95th percentile", float(np.percentile(clicks, 95)) * 1e3, "ms")
    yield Row(f"{prefix}: an option of a filter, median", statistics.median(waits.choosing) * 1e3, "ms")
    yield Row(f"{prefix}: another page, median", statistics.median(waits.moving) * 1e3, "ms")
    yield Row(f"{prefix}: clicks", len(clicks), "")
    yield Row(f"{prefix}: processor time of the server for each", taken.cpu_seconds / len(clicks) * 1e3, "ms")
    yield Row(f"{prefix}: sent by the server for each", taken.bytes_sent / len(clicks) / 1e3, "kB")
    yield Row("server: memory after the first session", one, "MB")
    yield Row(f"server: memory with {PEOPLE} sessions at work", many, "MB")


async def _first(served: Server, studies: list[str]) -> float:
    """Open every study once, and return the seconds that the first took."""
    taken = []
    for study in studies:
        async with visiting(served.url) as visitor:
            taken.append(await visitor.open("slice", f"study={study}"))
    return taken[0]


async def _use(served: Server, studies: list[str]) -> tuple[Waits, Taken, float]:
    """Return all waits, the server's time and bytes for the clicks, and its memory with all visitors."""
    waits = Waits([], [], [])
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(visiting(served.url)) for _ in range(PEOPLE)]
        opened = [
            person.open("slice", f"study={studies[number % len(studies)]}")
            for number, person in enumerate(people)
        ]
        waits.opening += await asyncio.gather(*opened)
        before = Taken(served.cpu_seconds(), sum(person.received for person in people))
        async with asyncio.TaskGroup() as all_of_them:
            for number, person in enumerate(people):
                all_of_them.create_task(_click(person, random.Random(number), waits))
        taken = Taken(
            served.cpu_seconds() - before.cpu_seconds,
            sum(person.received for person in people) - before.bytes_sent,
        )
        return waits, taken, served.megabytes()


async def _click(person: Visitor, rng: random.Random, waits: Waits) -> None:
    """Click every EVERY_S seconds from a random start; a visitor who waits longer clicks later."""
    clock = asyncio.get_running_loop().time
    due = clock() + rng.uniform(0, EVERY_S)
    for _ in range(int(FOR_S / EVERY_S)):
        await asyncio.sleep(max(due - clock(), 0))
        if rng.randrange(MOVES) and person.shown.filters:
            waits.choosing.append(await person.choose(rng))
        else:
            waits.moving.append(await person.follow(rng.choice(WALKS)))
        due = max(due + EVERY_S, clock())


def _coming_and_going(served: Server, studies: list[str]) -> Iterator[Row]:
    """Let sessions come and go one after another, with the same requests, so that caches do not grow."""
    memory, finished = {}, 0
    for number in SESSIONS:
        asyncio.run(_come_and_go(served, studies, number - finished))
        finished = number
        memory[number] = served.megabytes()
        yield Row(f"server: memory after {number} sessions opened and closed", memory[number], "MB")
    later = [number for number in SESSIONS if number > 1]
    slope = float(np.polyfit(later, [memory[number] for number in later], 1)[0]) * 1e3
    yield Row(f"server: growth with each session, from {later[0]} to {later[-1]}", slope, "kB", MOST_KB)


async def _come_and_go(served: Server, studies: list[str], count: int) -> None:
    """Run `count` sessions of three clicks each, then wait until the server has dropped them."""
    for number in range(count):
        async with visiting(served.url) as visitor:
            await visitor.open("slice", f"study={studies[number % len(studies)]}")
            await visitor.choose(random.Random(0))
            await visitor.follow(WALKS[number % len(WALKS)])
    await asyncio.sleep(2 * FORGOTTEN_S)
    async with visiting(served.url) as visitor:  # expired sessions are dropped when another one ends
        await visitor.open("slice", f"study={studies[0]}")
