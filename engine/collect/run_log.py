"""The log of a run: what it says while it works, in the file `log` of its folder."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOG = logging.getLogger("engine.collect")


class _LogFile(logging.FileHandler):
    """A log that leaves out what a full disk has no room for, which must not hide the run's own error."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Print nothing."""

    def close(self) -> None:
        with suppress(OSError):
            super().close()


@contextmanager
def logging_to(folder: Path) -> Iterator[None]:
    handler = _LogFile(folder / "log", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        handler.close()
