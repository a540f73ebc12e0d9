"""Files that somebody names are read up to a size: `/dev/zero` and its like have no end."""

import errno
import os
from pathlib import Path

LARGEST = 1 << 30
"""Bytes of a file that is read whole; the largest data set has an eighth of them."""

WRITTEN_BY_HAND = 1 << 24
"""Bytes of a configuration, a template and the like."""


def bytes_of(path: str | Path, most: int = LARGEST) -> bytes:
    """Return what a file holds; OSError where it cannot be read, or holds more than `most` bytes."""
    with open(path, "rb") as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", os.fspath(path))
    return found


def text_of(path: str | Path, most: int = LARGEST) -> str:
    """Return a file's text without a byte order mark.

    Raises OSError as `bytes_of` does, and UnicodeDecodeError where it is not UTF-8.
    """
    return bytes_of(path, most).decode("utf-8-sig")
