"""How many planted faults the tests catch: a seeded sample of lines, a fault in each, one at a time.

`python -m tests.tools.mutation --lines 200 --seed 1 --minutes 20` draws lines on which a fault can be planted
from engine/stats, engine/measures and engine/collect, each as likely as any other, and plants one fault of
one token (`mutants.py`) in a copy of the last commit. Then tests of the line's package and of tests/plain run
until the first failure: those that execute its statement, by one recorded run that is kept beside the log,
and the others of their files (`executed.py`, which needs `coverage`). So the share caught by all tests of the
package is at least what is printed. Tests that fail without a fault are left out. A fault whose tests take
longer than `--timeout` seconds hangs, and is not counted. What was tried is written to `--log`, one JSON
object a line, and a run with the same log goes on where the last one ended. At the end, or when the minutes
are over, the share caught is printed with Wilson's interval, and each fault that survived.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.stats.intervals.wilson import wilson

from .executed import Executed, recorded
from .mutants import Mutant, mutants_of

ROOT = Path(__file__).parents[3]
PACKAGES = ("stats", "measures", "collect")


@dataclass(frozen=True)
class Planted:
    """A fault in a file of the engine, by its path from the root."""

    path: str
    mutant: Mutant


def sample(root: Path, packages: Sequence[str], lines: int, seed: int) -> list[Planted]:
    """Return one fault on each of so many lines, in the order in which they are tried."""
    by_line: dict[tuple[str, int], list[Mutant]] = {}
    for package in packages:
        for file in sorted((root / "engine" / package).rglob("*.py")):
            for mutant in mutants_of(file.read_text()):
                by_line.setdefault((str(file.relative_to(root)), mutant.line), []).append(mutant)
    draw = random.Random(seed)
    chosen = draw.sample(sorted(by_line), min(lines, len(by_line)))
    return [Planted(path, draw.choice(by_line[path, line])) for path, line in chosen]


def outcome(root: Path, planted: Planted, executed: Executed, timeout: float) -> str:
    """Return `caught`, `survived` or `hung`, with the fault planted only meanwhile."""
    file = root / planted.path
    source = file.read_text()
    folders = _folders([Path(planted.path).parts[1]])
    file.write_text(planted.mutant.planted(source))
    try:
        turns = executed.tests(planted.path, source, planted.mutant.line, folders)
        return "survived" if all(_pass(root, tests, timeout) for tests in turns) else "caught"
    except subprocess.TimeoutExpired:
        return "hung"
    finally:
        file.write_text(source)


def _folders(packages: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"tests/{package}/" for package in (*packages, "plain"))


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def _pass(root: Path, tests: list[str], timeout: float) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:  # longer than a command line may be
        file.write("\n".join(tests))
        file.flush()
        command.append(f"@{file.name}")
        running = subprocess.Popen(
            command, cwd=root, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
        )
        try:
            return running.wait(timeout) == 0
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)  # what its tests started too


def results(
    root: Path, faults: list[Planted], executed: Executed, log: Path, seconds: float, timeout: float
) -> Iterator[dict[str, Any]]:
    """Yield what became of each fault, from the log or by trying it, until the time is over."""
    before = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    yield from before
    end = time.monotonic() + seconds
    for planted in faults[len(before) :]:
        if time.monotonic() > end:
            return
        started = time.monotonic()
        result = outcome(root, planted, executed, timeout)
        row = {"path": planted.path, **asdict(planted.mutant), "result": result}
        row["seconds"] = round(time.monotonic() - started, 1)
        with log.open("a") as file:
            file.write(json.dumps(row) + "\n")
        yield row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.mutation", description=__doc__)
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--package", action="append", choices=PACKAGES, dest="packages", help="default: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--timeout", type=float, default=1200)
    parser.add_argument("--log", type=Path, default=Path("mutants.jsonl"))
    options = parser.parse_args()
    log = options.log.absolute()
    packages = options.packages or PACKAGES
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        subprocess.run(["git", "worktree", "add", "--detach", copy, "HEAD"], cwd=ROOT, check=True)
        try:
            faults = sample(copy, packages, options.lines, options.seed)
            executed = recorded(copy, _folders(packages), log.with_suffix(f".{_commit()}.coverage"))
            rows = list(results(copy, faults, executed, log, 60 * options.minutes, options.timeout))
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", copy], cwd=ROOT, check=True)
    number = Counter(row["result"] for row in rows)
    decided = number["caught"] + number["survived"]
    share = wilson(number["caught"], decided)
    sys.stdout.write(
        f"{number['caught']} of {decided} caught: {share.value:.0%} [{share.low:.0%}, {share.high:.0%}]; "
        f"{number['hung']} hung\n"
    )
    for row in rows:
        if row["result"] == "survived":
            sys.stdout.write(f"{row['path']}:{row['begin'][0]}: {row['old']!r} -> {row['new']!r}\n")


if __name__ == "__main__":
    main()
