"""Try changed inputs of every reader for a while and print the results."""

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
    """Run the command; return 1 if there is a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=READERS, action="append", help="may be given more than once")
    parser.add_argument(
        "--sweep", action="store_true", help="each odd value in each place, instead of changes by the seed"
    )
    parser.add_argument("--show", type=int, metavar="NUMBER", help="write the input of --only and read it")
    arguments = parser.parse_args()
    names = arguments.only or list(READERS)
    make_inputs = Sweep if arguments.sweep else partial(by_chance, seed=arguments.seed)
    if arguments.show is not None:
        return _show(names[0], make_inputs(inputs_of(READERS[names[0]])), arguments.show)
    result = run(names, arguments.seconds, make_inputs, _tell)
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
    finding = tried(given, Path(tempfile.mkdtemp()) / "one")
    print("nothing was found" if finding is None else f"{finding.kind} at {finding.place}\n{finding.details}")
    return 0 if finding is None else 1


def _tell(finding: Finding) -> None:
    print(
        f"{finding.reader}: {finding.kind} at {finding.place}, of {finding.entry}\n{finding.details}\n",
        flush=True,
    )


def _report(result: Tried) -> list[str]:
    lines = [f"{'reader':22} {'inputs':>9} {'per second':>10} {'findings':>8}"]
    for name, count in result.inputs.items():
        number = sum(len(each) for key, each in result.findings.items() if key[0] == name)
        lines.append(f"{name:22} {count:9,} {count / result.seconds[name]:10,.0f} {number:8,}")
    total, seconds = result.inputs.total(), sum(result.seconds.values())
    lines.append(f"{'all':22} {total:9,} {total / max(seconds, 1e-9):10,.0f}")
    if result.memory:
        settled = result.memory[min(len(result.inputs), len(result.memory)) - 1]  # all is imported by then
        first, last, most = (size >> 20 for size in (settled, result.memory[-1], max(result.memory)))
        lines.append(f"memory once each reader was at work {first} MB, at the end {last}, at most {most}")
    for (reader, kind, place), findings in result.findings.items():
        lines += [
            "",
            f"{reader}: {kind} at {place}, {len(findings)} times: {', '.join(f.entry for f in findings[:5])}",
        ]
        lines += [f"    {line}" for line in findings[0].details.splitlines()]
    return lines


if __name__ == "__main__":
    sys.exit(main())
