"""Clocks, and the rows of the report."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Row:
    """One line of the report: `value` and `target` in `unit`; without a target it is for information."""

    what: str
    value: float
    unit: str
    target: float | None = None
    more_is_better: bool = False

    @property
    def verdict(self) -> str:
        """Whether the target was met, in a word; empty without a target."""
        if self.target is None:
            return ""
        met = self.value >= self.target if self.more_is_better else self.value <= self.target
        return "met" if met else "missed"


def median_ms(function: Callable[[], Any], repeats: int) -> float:
    """Call the function once to warm up, then `repeats` times; return the median in milliseconds."""
    return median_ms_of(lambda _: function(), repeats)


def median_ms_of(function: Callable[[int], Any], repeats: int) -> float:
    """Like `median_ms`, for a function of the call's number, so that calls can differ."""
    function(0)
    taken = []
    for number in range(1, repeats + 1):
        start = time.perf_counter()
        function(number)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1e3


@dataclass(frozen=True)
class Process:
    """The time and peak memory of a finished process."""

    seconds: float
    peak_megabytes: float


def peak_megabytes(status: str) -> float:
    """Return the peak memory of a process from its `/proc/self/status`.

    The peak by `wait4` and `getrusage` includes that of the parent process.
    """
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


_SPB = (
    "import atexit, sys; from engine.cli import main; "
    "atexit.register(lambda: sys.stderr.write(open('/proc/self/status').read())); main()"
)


def run_spb(*arguments: str) -> Process:
    """Run `spb` in a process of its own; RuntimeError with the end of its output if it fails."""
    start = time.perf_counter()
    done = subprocess.run(
        (sys.executable, "-c", _SPB, *arguments),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    errors, name, status = done.stderr.rpartition("Name:")
    if done.returncode != 0:
        raise RuntimeError(f"spb {' '.join(arguments)} failed: {errors[-500:]}")
    return Process(seconds, peak_megabytes(name + status))


def run_probe(what: str, study: Path) -> dict[str, Any]:
    """Measure a study in a process of its own, see `probe`; CalledProcessError if it fails."""
    command = (sys.executable, "-m", "tests.benchmarks.probe", what, str(study))
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    measured: dict[str, Any] = json.loads(output)
    return measured


def median_run(repeats: int, *arguments: str) -> float:
    """Run `spb` several times; return the median in seconds."""
    return statistics.median(run_spb(*arguments).seconds for _ in range(repeats))
