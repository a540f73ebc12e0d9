"""Peak memory of runs of 10,000 and of 100,000 calls, each in a process of its own."""

import subprocess
import sys
from pathlib import Path

CALLS_AN_INSTANCE = 8
_SCRIPT = """
import resource, sys
from pathlib import Path
from engine.runner import run
from engine.store import Store
from runner.small import LeanModels, config, write_folder

folder, instances = Path(sys.argv[1]), int(sys.argv[2])
report = run(config(write_folder(folder / "data", instances=instances)), Store(folder / "store"), models=LeanModels())
assert report.end == "done", report
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def memory(folder: Path, calls: int | None) -> str:
    """Return the peaks in a sentence."""
    most = calls or 100_000
    peaks = {number: _peak(folder / str(number), number) for number in (most // 10, most)}
    return "; ".join(f"{number:,} calls: {peak} MB at the most" for number, peak in peaks.items())


def _peak(folder: Path, calls: int) -> int:
    command = [sys.executable, "-c", _SCRIPT, str(folder), str(calls // CALLS_AN_INSTANCE)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])
