"""Take the name of a benchmark and run it."""

import argparse
import tempfile
from pathlib import Path

from benchmarks.runs.kills import kills
from benchmarks.runs.memory import memory
from benchmarks.runs.rate import rate

BENCHMARKS = {"kills": kills, "memory": memory, "rate": rate}


def main() -> None:
    """Run the benchmark in a folder of its own, which is removed after."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runs", description=__doc__)
    parser.add_argument("name", choices=BENCHMARKS)
    parser.add_argument("--calls", type=int, help="how many instead of the usual number")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        print(BENCHMARKS[given.name](Path(folder), given.calls))


if __name__ == "__main__":
    main()
