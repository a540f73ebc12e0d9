"""How well the pace of a run fits a provider's limit: refusals and time, on a simulated clock.

A provider counts by a sliding window, by windows of the clock, or by a bucket that fills evenly. It says when
to retry, what is left, both or nothing, and counts refused calls or not. `python -m tests.benchmarks.pacing`
prints a row for each; nothing sleeps. The ideal time is that of a client which knows the limit, sends the
first call alone and each other one as soon as it is allowed, and is never refused.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator

from engine.collect.limits.pacing import Pace
from engine.collect.limits.turns import Turns

from ..loopback import serving
from ..loopback.limits import AtOnce, Bucket, Fixed, Limiter, Sliding
from ..loopback.pacing import ask_in_turns, simulate
from .timing import Row

MOST_REFUSALS = 0.5
LONGEST = 1.3


def limiters() -> Iterator[tuple[str, Limiter, Limiter]]:
    """Yield the limits by name, each twice: for the run and for the ideal."""
    for name, make in {
        "40 in any 10 s": lambda: Sliding(40, 10),
        "40 in any 10 s, refused ones count": lambda: Sliding(40, 10, strict=True),
        "40 in each 10 s of the clock": lambda: Fixed(40, 10),
        "40 in each 10 s, begun 5 s before": lambda: Fixed(40, 10, 5),
        "a bucket of 40, 4 a second": lambda: Bucket(40, 4),
        "a bucket of 4, 4 a second": lambda: Bucket(4, 4),
        "52 in any 13 s": lambda: Sliding(52, 13),
        "28 in any 7 s": lambda: Sliding(28, 7),
        "60 in any 60 s": lambda: Sliding(60, 60),
        "a bucket of 60, 1 a second": lambda: Bucket(60, 1),
        "10 in any second": lambda: Sliding(10, 1),
        "8 at once": lambda: AtOnce(8),
    }.items():
        yield name, make(), make()


def pacing_rows() -> Iterator[Row]:
    """Yield refusals per call and time relative to the ideal, for each limit, latency and kind of headers."""
    for says in ("nothing", "retry-after", "headers"):
        for latency_s in (0.05, 1.0, 5.0):
            for name, limiter, ideal in limiters():
                if says != "nothing" and isinstance(limiter, AtOnce):
                    continue
                paced = simulate(
                    lambda clock: Pace("p", clock=clock), limiter, ideal, latency_s=latency_s, says=says
                )
                what = f"{name}; says {says}; {latency_s:g} s a call"
                yield Row(f"{what}: refusals for each call", paced.refused / 200, "", MOST_REFUSALS)
                yield Row(f"{what}: time", paced.times_ideal, "times ideal", LONGEST)


def server_rows() -> Iterator[Row]:
    """Yield the same for a real client and a local server, in real time; these take minutes."""
    for says in ("nothing", "retry-after", "headers"):
        with serving(limit=Sliding(40, 10), says=says, delay_s=0.3) as server:
            seconds = asyncio.run(_ask_all(server.url))
            answered, sent = server.answers.total(), server.calls
        what = f"server: 40 in any 10 s; says {says}; 0.3 s a call"
        yield Row(f"{what}: answered of 200", answered, "", 200, more_is_better=True)
        yield Row(f"{what}: refusals for each call", (sent - answered) / 200, "", MOST_REFUSALS)
        yield Row(f"{what}: time", seconds / (40 + 0.6), "times ideal", LONGEST)


async def _ask_all(url: str) -> float:
    return await ask_in_turns(url, Turns(Pace("p")), 200)


def main() -> None:
    """Print the rows, and fail if one misses its target."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.pacing", description=__doc__)
    parser.add_argument("--server", action="store_true", help="use a real server, in real time")
    rows = server_rows() if parser.parse_args().server else pacing_rows()
    missed = 0
    for row in rows:
        missed += row.verdict == "missed"
        print(f"{row.what:90} {row.value:6.2f} {row.unit:12} {row.verdict}", flush=True)
    sys.exit(f"{missed} missed" if missed else 0)


if __name__ == "__main__":
    main()
