"""A run under a cap, on a simulated clock, with answers of unknown lengths."""

import heapq
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.collect.configuration.config import Price
from engine.collect.limits.spending import CallKind, Charge, Reservation, Spending, Terms

PRICE = Price(input_per_million=2.5, output_per_million=10.0)
PROMPT = 1_500
Lengths = Callable[[int, random.Random], int]
"""How many tokens the answer to a call has, by its number from 0."""


@dataclass(frozen=True)
class SpendingRun:
    """The result of a run: dollars counted and billed, and the calls made."""

    cap: float
    dollars: float
    billed: float
    calls: int
    dearest: float
    mean: float
    seconds: float
    stopped: bool

    @property
    def excess(self) -> float:
        """By how much the bill exceeded the cap, in units of the dearest call."""
        return max(0.0, self.billed - self.cap) / self.dearest


def spend(
    lengths: Sequence[Lengths],
    cap: float,
    *,
    calls: int = 3_000,
    at_once: int = 64,
    max_tokens: int | None = None,
    longest_answer: int | None = None,
    lost: float = 0.0,
    seed: int = 0,
) -> SpendingRun:
    """Make calls of as many models as there are `lengths`, in turns; a call takes 1 s and 10 ms a token.

    A share of the answers is `lost`, and billed nevertheless; their calls are repeated once.
    """
    rng = random.Random(seed)
    spending = Spending(cap)
    now, started, stopped = 0.0, 0, False
    costs: list[float] = []
    ends: list[tuple[float, int, Reservation, int]] = []
    while True:
        while started < calls and len(ends) < at_once and not stopped:
            kind = CallKind(f"m{started % len(lengths)}", "pairwise")
            terms = Terms(kind, PRICE, max_tokens, longest_answer)
            admission = spending.admission(terms, PROMPT)
            stopped = admission == "no"
            if admission != "yes":
                break
            tokens = lengths[started % len(lengths)](started, rng)
            tokens = tokens if max_tokens is None else min(tokens, max_tokens)
            heapq.heappush(ends, (now + 1 + tokens / 100, started, spending.begin(terms, PROMPT), tokens))
            started += 1
        if not ends:
            break
        now, number, call, tokens = heapq.heappop(ends)  # a repeated call has a negative number
        cost = (PROMPT * PRICE.input_per_million + tokens * PRICE.output_per_million) / 1e6
        costs.append(cost)
        if lost and rng.random() < lost:
            spending.charge(call, Charge())
            if number >= 0 and spending.may_try_again():
                heapq.heappush(ends, (now + 1 + tokens / 100, -1 - number, call, tokens))
                continue
        else:
            spending.charge(call, Charge(cost, PROMPT, tokens))
        spending.end(call)
    return SpendingRun(
        cap,
        spending.spent,
        sum(costs),
        started,
        max(costs, default=0.0),
        sum(costs) / max(len(costs), 1),
        now,
        started < calls,
    )


def steady(_: int, __: random.Random) -> int:
    """Return 300 tokens each time."""
    return 300


def long(_: int, __: random.Random) -> int:
    """Return 20,000 tokens each time instead of the expected 300."""
    return 20_000


def growing(number: int, _: random.Random) -> int:
    """Return a little more each time: from 100 by ten with each call."""
    return 100 + 10 * number


def jumping(at: int, to: int = 20_000) -> Lengths:
    """Return 300 until call `at`, and `to` from there on."""
    return lambda number, _: 300 if number < at else to


def pareto(_: int, rng: random.Random) -> int:
    """Return lengths without a mean that settles: Pareto of exponent 1.1 from 100, 128,000 at most."""
    return min(128_000, int(100 * rng.paretovariate(1.1)))


def lognormal(_: int, rng: random.Random) -> int:
    """Return lengths whose logarithm spreads by 2 around 300."""
    return min(128_000, int(rng.lognormvariate(5.7, 2.0)))
