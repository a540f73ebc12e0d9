"""One server for all processes of a test run: the first to need it starts it, and ends it last."""

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Common:
    """A server that several processes use: its address, and its store or other files."""

    url: str
    store: Path


@contextlib.contextmanager
def common(folder: Path, serve: Callable[[], AbstractContextManager[Common]]) -> Iterator[Common]:
    """Yield the server whose address is in `folder`; start it with `serve` if there is none.

    Every user holds a shared lock, which the system releases when a process dies. The process that started
    the server waits until no other holds the lock, and ends it.
    """
    folder.mkdir(exist_ok=True)
    address = folder / "address"
    with ExitStack() as ended, (folder / "users").open("w") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        with (folder / "starting").open("w") as starting:
            fcntl.flock(starting, fcntl.LOCK_EX)
            is_starter = not address.exists()
            if is_starter:
                server = ended.enter_context(serve())
                address.write_text(f"{server.url}\n{server.store}")
        url, store = address.read_text().splitlines()
        try:
            yield Common(url, Path(store))
        finally:
            if is_starter:
                fcntl.flock(users, fcntl.LOCK_EX)
                address.unlink()  # a later process starts another
