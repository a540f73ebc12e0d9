"""Counts the project's files that one call enters: those of which a function or a class body is run.

`python -m tests.tools.entered_files FILE [FORMAT]` lists the files that one import enters, from the rows of
the file to the study on disk. Importing the modules beforehand does not count.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]


def entered_files(call: Callable[[], object]) -> list[str]:
    """Return the files of the engine that a call enters, by path."""
    with _counted() as files:
        call()
    return sorted(files)


@contextmanager
def _counted() -> Iterator[set[str]]:
    engine, files = f"{ROOT / 'engine'}/", set[str]()

    def enter(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(engine):
            files.add(str(Path(code.co_filename).relative_to(ROOT)))

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        yield files
    finally:
        sys.setprofile(before)


def import_of(path: Path, form: str | None = None) -> Callable[[], object]:
    """Return the import of a file into a store that is removed afterwards."""
    from engine.importers.detection import format_of
    from engine.importers.pipeline import reading
    from engine.importers.registry import row_format
    from engine.store import Store

    def run() -> None:
        name = form or format_of(path).form
        with tempfile.TemporaryDirectory() as folder, reading(row_format(name), path) as source:
            source.write(Store(folder), "entered")

    return run


if __name__ == "__main__":
    run = import_of(Path(sys.argv[1]), *sys.argv[2:3])
    run()
    files = entered_files(run)
    sys.stdout.write("\n".join((*files, f"{len(files)} files\n")))
