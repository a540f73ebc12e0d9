"""How many planted faults the tests catch: a seeded sample of lines, a fault in each, one at a time.

`python -m tests.tools.mutation --lines 200 --seed 1 --minutes 20` draws lines on which a fault can be planted
from engine/stats, engine/measures and engine/collect, each as likely as any other, and plants one fault of
one token (`mutants.py`) in a copy of the last commit. Then the tests of the line's package and tests/plain
run in one process, those that name the module first, until the first failure. A fault whose tests take longer
than `--timeout` seconds hangs, one whose failing test fails without it too is unclear: neither is counted.
What was tried is written to `--log`, one JSON object a line, and a run with the same log goes on where the
last one ended. At the end, or when the minutes are over, the share caught is printed with Wilson's interval,
and each fault that survived.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.stats.wilson import wilson

from .mutants import Mutant, mutants_of

ROOT = Path(__file__).parents[3]
PACKAGES = ("stats", "measures", "collect")


@dataclass(frozen=True)
class Planted:
    """A fault in a file of the engine, by its path from the root."""

    path: str
    mutant: Mutant


def sample(root: Path, lines: int, seed: int) -> list[Planted]:
    """Return one fault on each of so many lines, in the order in which they are tried."""
    by_line: dict[tuple[str, int], list[Mutant]] = {}
    for package in PACKAGES:
        for file in sorted((root / "engine" / package).rglob("*.py")):
            for mutant in mutants_of(file.read_text()):
                by_line.setdefault((str(file.relative_to(root)), mutant.line), []).append(mutant)
    draw = random.Random(seed)
    chosen = draw.sample(sorted(by_line), min(lines, len(by_line)))
    return [Planted(path, draw.choice(by_line[path, line])) for path, line in chosen]


def tests_of(root: Path, path: str) -> list[str]:
    """Return the test files of a module's package and tests/plain, those that name the module first."""
    package, name = Path(path).parts[1], Path(path).stem
    files = [file for of in (package, "plain") for file in sorted((root / "tests" / of).rglob("test_*.py"))]
    dotted = path.removesuffix(".py").replace("/", ".")

    def distance(file: Path) -> int:
        text = file.read_text()
        return 0 if dotted in text else 1 if name in text or name.replace("_", "-") in text else 2

    return [str(file.relative_to(root)) for file in sorted(files, key=distance)]


def outcome(root: Path, planted: Planted, timeout: float) -> str:
    """Return `caught`, `survived`, `hung` or `unclear`, with the fault planted only meanwhile.

    It is unclear where the test that failed fails without the fault as well.
    """
    file = root / planted.path
    source = file.read_text()
    file.write_text(planted.mutant.planted(source))
    try:
        done = _run(root, tests_of(root, planted.path), timeout)
    except subprocess.TimeoutExpired:
        return "hung"
    finally:
        file.write_text(source)
    if done.returncode == 0:
        return "survived"
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+?)(?:\[| - |$)", done.stdout, re.MULTILINE)
    return "unclear" if failed and _run(root, failed[:1], timeout).returncode != 0 else "caught"


def _run(root: Path, tests: list[str], timeout: float) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


def results(
    root: Path, faults: list[Planted], log: Path, seconds: float, timeout: float
) -> Iterator[dict[str, Any]]:
    """Yield what became of each fault, from the log or by trying it, until the time is over."""
    before = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    yield from before
    end = time.monotonic() + seconds
    for planted in faults[len(before) :]:
        if time.monotonic() > end:
            return
        started = time.monotonic()
        result = outcome(root, planted, timeout)
        row = {"path": planted.path, **asdict(planted.mutant), "result": result}
        row["seconds"] = round(time.monotonic() - started, 1)
        with log.open("a") as file:
            file.write(json.dumps(row) + "\n")
        yield row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.mutation", description=__doc__)
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--timeout", type=float, default=1200)
    parser.add_argument("--log", type=Path, default=Path("mutants.jsonl"))
    options = parser.parse_args()
    log = options.log.absolute()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        subprocess.run(["git", "worktree", "add", "--detach", copy, "HEAD"], cwd=ROOT, check=True)
        try:
            faults = sample(copy, options.lines, options.seed)
            rows = list(results(copy, faults, log, 60 * options.minutes, options.timeout))
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", copy], cwd=ROOT, check=True)
    number = Counter(row["result"] for row in rows)
    decided = number["caught"] + number["survived"]
    share = wilson(number["caught"], decided)
    sys.stdout.write(
        f"{number['caught']} of {decided} caught: {share.value:.0%} [{share.low:.0%}, {share.high:.0%}]; "
        f"{number['hung']} hung, {number['unclear']} unclear\n"
    )
    for row in rows:
        if row["result"] == "survived":
            sys.stdout.write(f"{row['path']}:{row['begin'][0]}: {row['old']!r} -> {row['new']!r}\n")


if __name__ == "__main__":
    main()
