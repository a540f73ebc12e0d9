"""Files named by users are read up to a size limit: files like `/dev/zero` never end."""

import errno
import os
from pathlib import Path

LARGEST = 1 << 30  # size limit, in bytes, of a file read whole; the largest data set is an eighth of this
WRITTEN_BY_HAND = 1 << 24  # size limit, in bytes, of a configuration, a template and the like


def bytes_of(path: str | Path, limit: int = LARGEST) -> bytes:
    """Return a file's content; OSError if it cannot be read or has more than `limit` bytes."""
    with open(path, "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"it has more than {limit:,} bytes", os.fspath(path))
    return content


def text_of(path: str | Path, limit: int = LARGEST) -> str:
    """Return a file's text without a byte order mark; UnicodeDecodeError if it is not UTF-8."""
    return bytes_of(path, limit).decode("utf-8-sig")
