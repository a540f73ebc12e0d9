"""Counts the project's files that one call enters: those of which a function or a class body is run.

`python -m tests.tools.entered_files FILE [FORMAT]` lists the files that one import enters, from the rows of
the file to the study on disk. Importing the modules beforehand does not count.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

import engine

PACKAGE = Path(engine.__file__).parent
"""Of the engine that runs, wherever the tests are."""


def entered_files(call: Callable[[], object]) -> list[str]:
    """Return the files of the engine that a call enters, by path."""
    with entering() as files:
        call()
    return sorted(files)


@contextmanager
def entering(within: CodeType | None = None) -> Iterator[set[str]]:
    """Collect the files of the engine that are entered, below the function with the code `within` if given.

    What other threads do, and with `within` other tasks, is not counted. RuntimeError if somebody else sets a
    profile meanwhile, since what came after it was not seen.
    """
    files, package = set[str](), f"{PACKAGE}/"

    def enter(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_ours = event == "call" and code.co_name != "<module>" and code.co_filename.startswith(package)
        if is_ours and (within is None or _is_below(frame, within)):
            files.add(str(Path(code.co_filename).relative_to(PACKAGE.parent)))

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        yield files
        if sys.getprofile() is not enter:
            raise RuntimeError(f"the profile became {sys.getprofile()!r} while files were counted")
    finally:
        sys.setprofile(before)


def _is_below(frame: FrameType | None, code: CodeType) -> bool:
    while frame is not None:
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False


def import_of(path: Path, form: str | None = None) -> Callable[[], object]:
    """Return the import of a file into a store that is removed afterwards."""
    from engine.importers.detection import format_of
    from engine.importers.format_loading import row_format
    from engine.importers.pipeline import reading
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
