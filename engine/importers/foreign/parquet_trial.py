"""Reads a Parquet file in a process of its own, with no more memory and time than it should need.

What a file says of its sizes need not be true, and what reads it is not Python: it can take all memory, or
crash, before anybody could refuse the file. `tried` starts this module as that process.
"""

import subprocess
import sys
from pathlib import Path

from engine.errors import BadInputError

_SECONDS = 120


def tried(path: Path, memory: int) -> None:
    """Raise BadInputError where the file cannot be read to its end within so many bytes of memory."""
    try:
        done = subprocess.run(  # noqa: S603 - this Python, this module
            [sys.executable, "-m", __name__, str(path), str(memory)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _refused(path, f"within {_SECONDS} seconds") from error
    if done.returncode:
        raise _refused(path, f"within {memory:,} bytes of memory")


def _refused(path: Path, within: str) -> BadInputError:
    return BadInputError(f"{path.name!r} cannot be read {within}; export it again, or import parts of it")


def _read(path: Path, memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows: a crash is kept apart there too
        pass
    else:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    import pyarrow as pa

    from engine.importers.foreign.parquet_files import batches

    try:
        for _ in batches(path):
            pass
    except MemoryError:
        sys.exit(1)
    except (OSError, pa.ArrowException, BadInputError) as error:
        # The same is told, in better words, where the file is read in earnest.
        sys.exit(1 if "alloc" in str(error) else 0)


if __name__ == "__main__":
    _read(Path(sys.argv[1]), int(sys.argv[2]))
