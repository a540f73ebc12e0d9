"""A process: its user's folders (XDG Base Directory), whether it may write, and whether another lives."""

import gc
import os
from pathlib import Path

from engine.errors import UsageError


def read_only() -> bool:
    """Return whether writing is forbidden, that is, SPB_READ_ONLY is 1."""
    return os.environ.get("SPB_READ_ONLY") == "1"


def has_process(pid: int) -> bool:
    """Return whether this machine has a process with that pid, even another user's."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def check_source_date() -> None:
    """Raise UsageError for a SOURCE_DATE_EPOCH that is no number, which libraries fail on; empty is unset."""
    text = os.environ.get(_SOURCE_DATE)
    if text is None:
        return
    if not text.strip():
        del os.environ[_SOURCE_DATE]
        return
    try:
        int(text)
    except ValueError:
        problem = (
            f"the environment variable {_SOURCE_DATE} is {text!r}, no whole number of seconds since 1970"
        )
        raise UsageError(f"{problem}; set it to one, or unset it") from None


_SOURCE_DATE = "SOURCE_DATE_EPOCH"
"""The time that programs print in place of today's, for files that are the same whenever they are made."""


def rarely_collect_garbage() -> None:
    """Let Python collect garbage rarely: it halts all threads, and took a tenth of the explorer's time."""
    gc.set_threshold(50_000, 20, 50)


_USER_FOLDERS = {
    "XDG_CACHE_HOME": Path(".cache"),
    "XDG_DATA_HOME": Path(".local/share"),
    "XDG_STATE_HOME": Path(".local/state"),
}


def user_folder(variable: str) -> Path:
    """Return the folder in an environment variable, else the usual one in the user's home folder.

    UsageError if the variable is not set and the user has no home folder.
    """
    if folder := os.environ.get(variable):
        return Path(folder)
    try:
        return Path.home() / _USER_FOLDERS[variable]
    except RuntimeError:
        raise UsageError(f"this user has no home folder; name a folder in {variable}") from None
