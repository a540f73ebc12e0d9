"""A progress bar on standard error while something is downloaded."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def download_progress() -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function to call with the bytes so far and the total bytes (None: unknown)."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

    bar = Progress(BarColumn(), DownloadColumn(), TransferSpeedColumn(), console=Console(stderr=True))
    task = bar.add_task("download", total=None, visible=False)
    with bar:
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)
