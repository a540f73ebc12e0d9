"""A new file of a report, a card or a command: refused where one is already, and written whole."""

import os
from pathlib import Path

from engine.errors import StoreError, UsageError, quoted
from engine.plain_words import disk_words
from engine.values import true_or_false
from engine.wording import Wording

_OUT = Wording("--out", "file")
_FORCE = Wording("--force", "force=True")


def check_new_file(path: str | Path, *, force: bool) -> Path:
    """Return a file to write; UsageError if there is a folder of that name, or a file without `force`."""
    if not isinstance(path, str | os.PathLike):
        raise UsageError(f"the file is {quoted(path)}; give its path, such as 'report.html'")
    file, name = Path(path), repr(str(path))
    if file.is_dir():
        raise UsageError(f"{name} is a folder; give ", Wording("--out a file", "a file"), " in it")
    if not true_or_false("force", force) and file.exists():
        raise UsageError(f"{name} exists already; choose another ", _OUT, ", or overwrite it with ", _FORCE)
    return file


def write_file(path: Path, content: bytes, remedy: str = "choose another file") -> None:
    """Write a file and the folders that it is in; StoreError, with the remedy, if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        problem = disk_words(error, remedy)
        raise StoreError(f"{str(path)!r} cannot be written: {problem}") from error
