"""Which files of the project a call enters, from its dispatch to its record.

`python -m tests.tools.call_files` makes a small run against a loopback server and prints them.
"""

import sys
import tempfile
from pathlib import Path


def call_files(folder: Path) -> set[str]:
    """Make a run of one judge against a loopback server, and return the files that its calls enter.

    RuntimeError if the run made no call.
    """
    from collect.run.small import config, write_folder
    from loopback import serving
    from tools.entered_files import entering

    from engine.collect.dispatch.calling import Session
    from engine.collect.run.start import run
    from engine.store import Store

    data = write_folder(folder / "data", instances=2)
    with serving() as server:
        where = (
            f"api_base = '{server.url}'\nprice = {{ input_per_million = 1.0, output_per_million = 1.0 }}\n"
        )
        settings = config(data, a=where, b=where, judges=["a"])
        run(settings, Store(folder / "warm"))  # what happens once, at the first call
        with entering(Session._make.__code__) as files:
            report = run(settings, Store(folder / "store"))
    if not report.calls:
        raise RuntimeError(f"the run made no call: {report}")
    return files


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        files = sorted(call_files(Path(folder)))
    sys.stdout.write("\n".join([*files, f"{len(files)} files"]) + "\n")


if __name__ == "__main__":
    main()
