"""Clocks, and the rows of the report."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Row:
    """One line of the report: `value` and `target` in `unit`; a target of None is for information."""

    what: str
    value: float
    unit: str
    target: float | None = None
    more_is_better: bool = False

    @property
    def verdict(self) -> str:
        """Whether the target was met."""
        if self.target is None:
            return ""
        met = self.value >= self.target if self.more_is_better else self.value <= self.target
        return "met" if met else "missed"


def median_ms(function: Callable[[], Any], repeats: int) -> float:
    """Call the function once to warm up, then `repeats` times; return the median in milliseconds."""
    function()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1e3


@dataclass(frozen=True)
class Process:
    """What a finished process took."""

    seconds: float
    peak_megabytes: float


def run_spb(*arguments: str) -> Process:
    """Run `spb` in a process of its own; RuntimeError with its last words where it fails."""
    command: Sequence[str] = (sys.executable, "-c", "from engine.cli import main; main()", *arguments)
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise RuntimeError(f"spb {' '.join(arguments)} failed: {said.decode()[-500:]}")
    return Process(seconds, usage.ru_maxrss / 1024)


def run_probe(what: str, study: Path) -> dict[str, Any]:
    """Measure a study in a process of its own, see `probe`; CalledProcessError where it fails."""
    command = (sys.executable, "-m", "tests.benchmarks.probe", what, str(study))
    said = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    measured: dict[str, Any] = json.loads(said)
    return measured


def median_run(repeats: int, *arguments: str) -> float:
    """Run `spb` several times; return the median in seconds."""
    return statistics.median(run_spb(*arguments).seconds for _ in range(repeats))
