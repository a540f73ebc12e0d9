"""The journal: every finished call is a line on the local disk before it counts.

Lines are written at once, so that a killed process loses none, and brought onto the disk in groups, so that
a power cut loses none that counted; one `fsync` serves all answers that came while the last one ran. The
journal is a series of files, of which the last is written; the others wait to be taken into the study and
are removed once they are.
"""

import asyncio
import errno
import os
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from engine.errors import StoreError
from engine.runner.entries import Entry

_FILE = re.compile(r"journal(-[0-9]+)?\.jsonl")
_RESERVE_BYTES = 1 << 20
"""Kept free beside the journal, for the answers that are under way when the disk is full."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Journal:
    """The journal of one process in a folder, opened for writing."""

    def __init__(self, folder: Path) -> None:
        """Open the journal in `folder`; StoreError where it cannot be written.

        A torn last line, of a process that was killed while it wrote, is dropped.
        """
        self.folder = folder
        self.path = folder / "journal.jsonl"
        self.lines = 0  # in the file that is written
        self.size = 0
        self._number = max((number for number, _ in _waiting(folder)), default=0)
        self._pending: list[asyncio.Future[None]] = []
        self._syncing: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        try:
            self._reserve = _reserve(folder)
            self._file = self._open()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def _open(self) -> int:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        whole = _Whole(self.path)
        os.ftruncate(descriptor, whole.size)
        self.size, self.lines = whole.size, whole.lines
        _sync_folder(self.folder)
        return descriptor

    def write(self, entry: Entry) -> "asyncio.Future[None]":
        """Write the entry and return what is done once it is on the disk.

        Raises StoreError where it cannot be written; what stands in the journal stays whole.
        """
        line = entry.to_line()
        try:
            self._write(line)
        except OSError as error:
            if error.errno not in _FULL or self._reserve is None:
                raise _unwritable(self.path, error) from error
            self._release()
            try:
                self._write(line)
            except OSError as again:
                raise _unwritable(self.path, again) from again
        self.size += len(line)
        self.lines += 1
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append(done)
        if self._syncing is None or self._syncing.done():
            self._syncing = asyncio.create_task(self._sync())
        return done

    @property
    def disk_is_full(self) -> bool:
        """Whether the reserve was needed: no new call may be made."""
        return self._reserve is None

    def rotate(self) -> None:
        """Begin a new file; the one written so far waits to be taken into the study."""
        if not self.lines:
            return
        try:
            os.fsync(self._file)
            os.close(self._file)
            self._number += 1
            self.path.rename(self.folder / f"journal-{self._number:06d}.jsonl")
            self._file = self._open()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def write_file(self, entries: Iterable[Entry]) -> Path:
        """Write entries into a file of their own, which waits to be taken into the study, and return it.

        It is there whole and on the disk, or not at all: StoreError.
        """
        fresh = self.folder / "journal.new"
        path = self.folder / f"journal-{self._number + 1:06d}.jsonl"
        try:
            with fresh.open("wb") as file:
                file.writelines(entry.to_line() for entry in entries)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
            _sync_folder(self.folder)
        except OSError as error:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise _unwritable(path, error) from error
        self._number += 1
        return path

    def waiting(self) -> list[Path]:
        """Return the files that wait to be taken into the study, in order."""
        return [path for _, path in _waiting(self.folder)]

    async def settled(self) -> None:
        """Wait until everything that was written is on the disk."""
        if self._syncing is not None:
            await self._syncing

    async def close(self) -> None:
        """Bring everything onto the disk and close."""
        await self.settled()
        self._thread.shutdown()
        os.close(self._file)
        self._release()

    def _write(self, line: bytes) -> None:
        written = 0
        try:
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError:
            os.ftruncate(self._file, self.size)  # no half line stays
            raise

    async def _sync(self) -> None:
        loop = asyncio.get_running_loop()
        while self._pending:
            group, self._pending = self._pending, []
            try:
                # Duplicated, as the file may be rotated and closed meanwhile.
                await loop.run_in_executor(self._thread, _sync_and_close, os.dup(self._file))
            except OSError as error:
                failed = _unwritable(self.path, error)
                for done in [*group, *self._pending]:
                    if not done.done():
                        done.set_exception(failed)
                self._pending = []
                return
            for done in group:
                if not done.done():
                    done.set_result(None)

    def _release(self) -> None:
        if self._reserve is not None:
            with suppress(OSError):
                self._reserve.unlink()
            self._reserve = None


def read_entries(path: Path) -> Iterator[Entry]:
    """Yield the entries of a journal's file; a torn last line is left out.

    Raises StoreError where another line is not an entry.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield Entry.from_line(line)
            except ValueError as error:
                raise StoreError(
                    f"{path}, line {number}: {line[:80]!r} is no entry of a journal ({error}); "
                    "move the line away and run the command again"
                ) from error


def journal_files(folder: Path) -> list[Path]:
    """Return all files of the journal in the folder, in order; the one that is written is last."""
    current = folder / "journal.jsonl"
    return [path for _, path in _waiting(folder)] + ([current] if current.exists() else [])


class _Whole:
    """The size and number of the whole lines of a file."""

    def __init__(self, path: Path) -> None:
        self.size = self.lines = 0
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                newline = block.rfind(b"\n")
                if newline >= 0:
                    self.size = file.tell() - len(block) + newline + 1
                self.lines += block.count(b"\n")


def _waiting(folder: Path) -> list[tuple[int, Path]]:
    found = []
    for path in folder.glob("journal-*.jsonl"):
        match = _FILE.fullmatch(path.name)
        if match and match[1]:
            found.append((int(match[1][1:]), path))
    return sorted(found)


def _reserve(folder: Path) -> Path | None:
    path = folder / "reserve"
    with path.open("wb") as file:
        file.write(bytes(_RESERVE_BYTES))
        file.flush()
        os.fsync(file.fileno())
    return path


def _sync_and_close(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unwritable(path: Path, error: OSError) -> StoreError:
    if error.errno in _FULL:
        return StoreError(
            f"{path}: the disk is full; what was written is intact: make room and run the command again"
        )
    return StoreError(f"{path}: cannot be written: {error.strerror}; what was written is intact")
