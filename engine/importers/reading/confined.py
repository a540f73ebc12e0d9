"""Files that were sent to a server are first read in a process of their own, of bounded memory and time."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from math import ceil
from time import monotonic

from engine.errors import BadInputError
from engine.importers.reading.json_rows import allowance

_IMPORT_SECONDS = 120
_LOOK_SECONDS = 10
_OUT_OF_TIME = 24  # SIGXCPU of Linux


def run_confined(module: str, name: str, arguments: Sequence[str], memory: int) -> None:
    """Run a module on the file `name`; BadInputError if it fails, or exceeds the memory or time.

    A look at the first rows has less time than an import, and so have several looks together.
    """
    time = allowance().look_time
    is_look = allowance().depth is not None
    seconds = ceil(min(_LOOK_SECONDS, time.left)) if is_look else _IMPORT_SECONDS
    if seconds < 1:
        raise BadInputError(f"{name!r}: the files take too long to look at; import parts of them")
    limit, start = f"within {memory:,} bytes of memory", monotonic()
    try:
        failed = subprocess.run(  # noqa: S603 - this Python, a module of this package
            [sys.executable, "-m", module, str(memory), str(seconds), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=2 * seconds,  # of the clock, where others use the processor too
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        failed = _OUT_OF_TIME
    if is_look:
        time.left -= monotonic() - start
    if abs(failed) == _OUT_OF_TIME:
        limit = f"within {seconds} seconds"
    if failed:
        raise BadInputError(f"{name!r} cannot be read {limit}; export it again, or import parts of it")


def confine(memory: int, seconds: int) -> None:
    """Limit the memory and the processor time of this process."""
    with suppress(ImportError):  # on Windows; a crash is still confined to this process
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
