"""Run the benchmarks and print what came out."""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import engine

from .answers import answer_rows
from .calls import call_rows, memory_rows
from .checking import checker_rows
from .finding import finding_rows
from .labelling import labelling_rows
from .opening import command_rows, import_rows, open_rows
from .page import page_rows
from .report import put_into, report
from .server import server_rows
from .size import SIZES, size_report
from .slices import instance_rows, resample_rows, rival_rows, slice_rows
from .timing import Row

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"

ON_A_STUDY = {
    "slice": slice_rows,
    "rivals": rival_rows,
    "resamples": resample_rows,
    "instance": instance_rows,
}
BENCHMARKS = (*ON_A_STUDY, "import", "open", "commands", "page", "checkers")
OF_RUNS: dict[str, Callable[[Path], Iterator[Row]]] = {
    "calls": call_rows,
    "calls-memory": memory_rows,
    "find": finding_rows,
    "answers": answer_rows,
    "labelling": labelling_rows,
    "server": server_rows,
}
"""Run only where they are asked for: they take minutes."""


def main() -> None:
    """Take the arguments, run what is asked, print the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "--only",
        choices=(*BENCHMARKS, *OF_RUNS, "size"),
        action="append",
        help="run this one; may be repeated",
    )
    parser.add_argument(
        "--sizes",
        type=lambda text: tuple(map(int, text.split(","))),
        default=SIZES,
        help="millions of verdicts of the studies that `size` measures",
    )
    parser.add_argument("--write", action="store_true", help="put the report into docs/performance.md")
    parser.add_argument("--work", type=Path, help="a folder to keep the studies in for another run")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    chosen = tuple(given.only or BENCHMARKS)
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        if "size" in chosen:
            print(size_report(work, given.sizes, load))
        rows = list(_measure(work, tuple(name for name in chosen if name != "size")))
    if not rows:
        return
    text = report(rows, load)
    print(text)
    if given.write:
        put_into(PAGE, text)


def _measure(work: Path, chosen: tuple[str, ...]) -> Iterator[Row]:
    for name, rows_of in OF_RUNS.items():
        if name in chosen:
            yield from rows_of(work)
    needed = set(chosen) - {"page", *OF_RUNS}
    imported = list(import_rows(work)) if needed and not (work / "store" / "large").exists() else []
    yield from imported if "import" in chosen else ()
    separate: dict[str, Callable[[Path], Iterator[Row]]] = {"open": open_rows, "commands": command_rows}
    for name, rows in separate.items():
        if name in chosen:
            yield from rows(work)
    if "page" in chosen:
        yield from page_rows(work)
    if "checkers" in chosen:
        yield from checker_rows(work)
    if not set(chosen) & set(ON_A_STUDY):
        return
    study = engine.open_study(work / "store" / "large")
    for name, of_study in ON_A_STUDY.items():
        if name in chosen:
            yield from of_study(study)


if __name__ == "__main__":
    main()
