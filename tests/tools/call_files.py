"""Which files of the project a call enters, from its dispatch to its record.

`python -m tests.tools.call_files` makes a small run against a loopback server and prints them.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGE = str(ROOT / "engine")


@contextmanager
def files_within(within: CodeType) -> Iterator[set[str]]:
    """Collect the files of `engine` whose code runs in the function with the code `within`.

    What other tasks and threads do meanwhile, such as adding to the study, is not of the call.
    """
    files: set[str] = set()

    def on_event(frame: Any, event: str, _: object) -> None:
        code: CodeType = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and _is_within(frame):
            files.add(str(Path(code.co_filename).relative_to(ROOT)))

    def _is_within(frame: Any) -> bool:
        while frame is not None:
            if frame.f_code is within:
                return True
            frame = frame.f_back
        return False

    sys.setprofile(on_event)
    try:
        yield files
    finally:
        sys.setprofile(None)


def call_files(folder: Path) -> set[str]:
    """Make a run of one judge against a loopback server, and return the files that its calls enter."""
    from collect.run.small import config, write_folder
    from loopback import serving

    from engine.collect.calling import Session
    from engine.collect.run import run
    from engine.store import Store

    data = write_folder(folder / "data", instances=2)
    with serving() as server:
        where = (
            f"api_base = '{server.url}'\nprice = {{ input_per_million = 1.0, output_per_million = 1.0 }}\n"
        )
        settings = config(data, a=where, b=where, judges=["a"])
        run(settings, Store(folder / "warm"))  # what happens once, at the first call
        with files_within(Session._make.__code__) as files:
            run(settings, Store(folder / "store"))
    return files


def main() -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        files = sorted(call_files(Path(folder)))
    sys.stdout.write("\n".join([*files, f"{len(files)} files"]) + "\n")


if __name__ == "__main__":
    main()
