"""By how much a run exceeds its cap, in units of a call's cost, if the length of answers is unpredictable.

`python -m tests.benchmarks.spending` prints a row for each; nothing is called and nothing sleeps. 3,000 calls
at $2.5 and $10 per million tokens, 64 at once, `max_tokens` unset. Jumps are tried at many places, and the
worst is shown.
"""

import sys
from collections.abc import Iterator, Sequence

from ..loopback.spending import Lengths, SpendingRun, growing, jumping, lognormal, long, pareto, spend, steady
from .timing import Row

MOST_CALLS = 2.0
CAPS = (0.05, 1.0, 5.0, 20.0, 60.0)
JUMPS = (1, 3, 10, 30, 100, 200, 400, 600, 800, 900, 1_000, 1_500, 2_000, 2_500, 2_900)


def spending_rows() -> Iterator[Row]:
    """Yield the worst overshoot for each kind of answers and cap, and the calls at once in that run."""
    trials: dict[str, Sequence[Sequence[Lengths]]] = {
        "300 tokens each": [[steady]],
        "20,000 tokens each": [[long]],
        "growing by 10 tokens a call": [[growing]],
        "jumping from 300 to 20,000": [[jumping(at)] for at in JUMPS],
        "Pareto 1.1, up to 128,000": [[pareto]] * 20,
        "log-normal, spread 2": [[lognormal]] * 20,
        "four models at once": [[steady, jumping(at), pareto, long] for at in JUMPS],
        "jumping to 100,000, more than doubted": [[jumping(at, 100_000)] for at in JUMPS],
    }
    for name, lengths in trials.items():
        target = None if "more than doubted" in name else MOST_CALLS
        for cap in CAPS:
            runs = [spend(each, cap, seed=seed) for seed, each in enumerate(lengths)]
            worst = max(runs, key=lambda run: run.excess)
            what = f"{name}; cap ${cap:g}"
            yield Row(f"{what}: passed by", worst.excess, "dearest calls", target)
            yield Row(f"{what}: at once, on average", _at_once(worst), "calls")
    known = [spend([jumping(at, 100_000)], 20.0, longest_answer=128_000, seed=at) for at in JUMPS]
    worst = max(known, key=lambda run: run.excess)
    what = "jumping to 100,000 where the list says 128,000; cap $20"
    yield Row(f"{what}: passed by", worst.excess, "dearest calls", MOST_CALLS)
    yield Row(f"{what}: at once, on average", _at_once(worst), "calls")


def _at_once(run: SpendingRun) -> float:
    """Return the mean number of calls in flight; each takes 1 s plus 10 ms per token."""
    tokens = (run.mean * 1e6 - 1_500 * 2.5) / 10
    return run.calls * (1 + tokens / 100) / max(run.seconds, 1e-9)


def main() -> None:
    """Print the rows, and fail if one misses its target."""
    missed = 0
    for row in spending_rows():
        missed += row.verdict == "missed"
        print(f"{row.what:85} {row.value:7.2f} {row.unit:14} {row.verdict}")
    sys.exit(f"{missed} missed" if missed else 0)


if __name__ == "__main__":
    main()
