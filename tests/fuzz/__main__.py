"""Try changed inputs of every reader for a while and print what came of them."""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from .campaign import Inputs, Tried, run
from .every import READERS
from .samples import write
from .sweeping import Sweep
from .trying import Finding, by_chance, inputs_of, tried


def main() -> int:
    """Run the command; 1 where there is a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=READERS, action="append", help="may be given more than once")
    parser.add_argument(
        "--sweep", action="store_true", help="each odd value in each place, instead of changes by the seed"
    )
    parser.add_argument("--show", type=int, metavar="NUMBER", help="write the input of --only and read it")
    asked = parser.parse_args()
    names = asked.only or list(READERS)
    made = Sweep if asked.sweep else partial(by_chance, seed=asked.seed)
    if asked.show is not None:
        return _show(names[0], made(inputs_of(READERS[names[0]])), asked.show)
    result = run(names, asked.seconds, made, _tell)
    print("\n".join(_report(result)))
    return 1 if result.findings else 0


def _show(name: str, inputs: Inputs, number: int) -> int:
    given = inputs(number)
    if given is None:
        print(f"there is no input {number} of {name}")
        return 2
    folder = Path(tempfile.mkdtemp(prefix="spb-fuzz-shown-"))
    write(given.files, folder)
    print(f"{given.entry} is in {folder}", flush=True)
    found = tried(given, Path(tempfile.mkdtemp()) / "one")
    print("nothing was found" if found is None else f"{found.kind} at {found.place}\n{found.told}")
    return 0 if found is None else 1


def _tell(found: Finding) -> None:
    print(f"{found.reader}: {found.kind} at {found.place}, of {found.entry}\n{found.told}\n", flush=True)


def _report(result: Tried) -> list[str]:
    lines = [f"{'reader':22} {'inputs':>9} {'per second':>10} {'findings':>8}"]
    for name, count in result.inputs.items():
        found = sum(len(each) for key, each in result.findings.items() if key[0] == name)
        lines.append(f"{name:22} {count:9,} {count / result.seconds[name]:10,.0f} {found:8,}")
    total, seconds = result.inputs.total(), result.seconds.total()
    lines.append(f"{'all':22} {total:9,} {total / max(seconds, 1e-9):10,.0f}")
    if result.memory:
        settled = result.memory[min(len(result.inputs), len(result.memory)) - 1]  # all is imported by then
        first, last, most = (size >> 20 for size in (settled, result.memory[-1], max(result.memory)))
        lines.append(f"memory once each reader was at work {first} MB, at the end {last}, at most {most}")
    for (reader, kind, place), found in result.findings.items():
        lines += [
            "",
            f"{reader}: {kind} at {place}, {len(found)} times: {', '.join(f.entry for f in found[:5])}",
        ]
        lines += [f"    {line}" for line in found[0].told.splitlines()]
    return lines


if __name__ == "__main__":
    sys.exit(main())
