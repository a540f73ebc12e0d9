"""Whether this program may write: the variable SPB_READ_ONLY."""

import os


def read_only() -> bool:
    """Return whether nothing may be written: where SPB_READ_ONLY is 1."""
    return os.environ.get("SPB_READ_ONLY") == "1"
