"""Run the benchmarks and print the results."""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import engine

from .answers import answer_rows
from .calls import call_rows, memory_rows, process_rows
from .checking import checker_rows
from .claims import report as claims_page
from .claims.run import claims_tables
from .finding import finding_rows
from .labelling import labelling_rows
from .opening import command_rows, import_rows, open_rows
from .page import page_rows
from .report import put_into, report
from .server import server_rows
from .size import SIZES, size_report
from .slices import board_rows, instance_rows, resample_rows, rival_rows, slice_rows
from .timing import Row
from .transport import transport_rows

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
    "calls-processes": process_rows,
    "board": board_rows,
    "find": finding_rows,
    "answers": answer_rows,
    "labelling": labelling_rows,
    "server": server_rows,
    "transport": transport_rows,
}
"""Run only if named: they take minutes."""


def main() -> None:
    """Parse the arguments, run the benchmarks, print the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "--only",
        choices=(*BENCHMARKS, *OF_RUNS, "claims", "size"),
        action="append",
        help="run this one; may be repeated",
    )
    parser.add_argument(
        "--sizes",
        type=lambda text: tuple(map(int, text.split(","))),
        default=SIZES,
        help="sizes of the studies for `size`, in millions of verdicts",
    )
    parser.add_argument("--write", action="store_true", help="write the report into its page of docs/")
    parser.add_argument("--studies", type=int, default=100, help="studies of each kind for `claims`")
    parser.add_argument("--of-rules", type=int, default=20, help="how many of these try all rules")
    parser.add_argument("--kinds", default="", help="draw only kinds of `claims` with this in their names")
    parser.add_argument("--work", type=Path, help="a folder in which to keep the studies for another run")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    chosen = tuple(given.only or BENCHMARKS)
    if "claims" in chosen:
        with _folder(given.work) as work:
            tables = claims_tables(given.studies, given.of_rules, work, given.kinds)
        print("\n\n".join(tables.values()))
        if given.write:
            claims_page.put_into(tables)
    with _folder(given.work) as work:
        if "size" in chosen:
            print(size_report(work, given.sizes, load))
        rows = list(_measure(work, tuple(name for name in chosen if name not in ("claims", "size"))))
    if not rows:
        return
    text = report(rows, load)
    print(text)
    if given.write:
        put_into(PAGE, text)


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    """Yield the given folder, else a temporary one."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given
        return
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(temporary)


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
