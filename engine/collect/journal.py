"""The journal: every finished call is on the local disk before it counts."""

import asyncio
import errno
import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

import pydantic

from engine.bounded_files import whole_characters
from engine.collect.calls import CallRequest, Failure, Reply, Role, Row
from engine.collect.sealed_lines import read_lines, seal, set_aside, unseal, write_to_disk
from engine.errors import StoreError
from engine.paradigms import Paradigm, Shortfall
from engine.schema import STATUSES, Status
from engine.store.publish import sync_folder
from engine.store.writer import Rows

LOG = logging.getLogger("engine.collect")
_AS_JSON = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished call: its rows in stored form, its status and its cost.

    A `cached` answer cost nothing; `saved_usd` is what it cost originally. `calls` are HTTP requests,
    including retries. `cost_usd` is None if the price is unknown. A failed call has a `failure` and its
    message; a generator's has no rows. `model` is the one that answered, possibly as a fallback for
    `stood_in_for`.
    """

    __pydantic_config__: ClassVar = pydantic.ConfigDict(extra="forbid", strict=True)

    key: str
    role: Role
    model: str
    paradigm: Paradigm | None
    variant: str
    status: Status
    rows: Rows
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    seconds: float
    at: str
    model_id: str | None = None
    fingerprint: str | None = None
    address: str | None = None
    failure: str | None = None
    message: str | None = None
    finish_reason: str | None = None
    shortfall: Shortfall | None = None
    structured: bool = False
    cached: bool = False
    saved_usd: float | None = None
    stood_in_for: str | None = None

    @property
    def table(self) -> Literal["judgments", "responses"]:
        return "judgments" if self.role == "judge" else "responses"

    def to_line(self) -> bytes:
        """Return the entry as one line of JSON with its checksum and line end."""
        values = {name: getattr(self, name) for name in _FIELDS}
        values["rows"] = [{k: v for k, v in row.items() if v is not None} for row in self.rows]
        return seal(_AS_JSON.encode(values).encode() + b"\n")

    @classmethod
    def from_line(cls, line: bytes) -> "Entry":
        """Read what `to_line` wrote; ValueError for anything else or a wrong checksum."""
        entry = _ENTRY.validate_json(unseal(line))
        datetime.fromisoformat(entry.at)
        required = ("run_id", "call_id") if entry.role == "judge" else ("run_id",)
        if not all(isinstance(row.get(name), str) for row in entry.rows for name in required):
            raise ValueError(f"a row lacks one of {', '.join(required)}")
        return entry


_ENTRY = pydantic.TypeAdapter(Entry)
_FIELDS = tuple(field.name for field in fields(Entry))


def entry_of(
    request: CallRequest,
    run_id: str,
    outcome: Reply | Failure,
    rows: Sequence[Row],
    *,
    calls: int,
    seconds: float,
    at: str | None = None,
    lost_usd: float = 0.0,
    assumed_usd: float | None = None,
    answered_by: str | None = None,
) -> Entry:
    """Return the entry of a call; its rows get the run, the call and the time (`at`, by default now).

    `lost_usd` is what attempts without a result cost, and `assumed_usd` what an answer counts as if it does
    not report its cost; both count towards the call's cost, not its rows'.
    `answered_by` is the fallback model that answered, if any.
    """
    at = at or datetime.now(UTC).isoformat(timespec="milliseconds")
    common: dict[str, Any] = {"run_id": run_id}
    failure = outcome if isinstance(outcome, Failure) else None
    reply = outcome if isinstance(outcome, Reply) else Reply("", cost_usd=0.0)
    stood_in_for = None if answered_by in (None, request.model) else request.model
    if request.role == "judge":
        common |= {"call_id": request.key, "created_at": at, "stood_in_for": stood_in_for}
        common |= {"finish_reason": reply.finish_reason or None, "cached": reply.cached or None}
    answer_usd = assumed_usd if reply.cost_usd is None else reply.cost_usd
    status = _status(rows, outcome)
    shortfall = reply.shortfall or "malformed"
    lacking = {"shortfall": shortfall}
    stored: Rows = []
    for row in rows:
        values = {**row, **common, **(lacking if row.get("status") == "unparsed" else {})}
        stored.append({name: _storable(value) for name, value in values.items() if value is not None})
    return Entry(
        key=request.key,
        role=request.role,
        model=answered_by or request.model,
        paradigm=request.paradigm,
        variant=request.variant,
        status=status,
        rows=stored,
        calls=calls,
        prompt_tokens=0 if reply.cached else reply.prompt_tokens or 0,
        completion_tokens=0 if reply.cached else reply.completion_tokens or 0,
        cost_usd=None if answer_usd is None else answer_usd + lost_usd,
        seconds=seconds,
        at=at,
        model_id=_storable(reply.model_id),
        fingerprint=_storable(reply.fingerprint),
        address=_storable(reply.address),
        failure=failure.kind if failure else None,
        message=_storable(failure.message) if failure else None,
        finish_reason=reply.finish_reason,
        shortfall=shortfall if status == "unparsed" else None,
        structured=reply.structured,
        cached=reply.cached,
        saved_usd=reply.saved_usd,
        stood_in_for=stood_in_for,
    )


def _status(rows: Sequence[Mapping[str, object]], outcome: Reply | Failure) -> Status:
    """Return the status of a call: ok if any of its rows is, or if a generator wrote something."""
    if isinstance(outcome, Failure):
        return "error"
    if any("generator" in row and "text" in row for row in rows):
        return "unparsed" if outcome.shortfall in ("empty", "only_thinking", "malformed") else "ok"
    statuses = {str(row.get("status") or "ok") for row in rows}
    return next((status for status in STATUSES if status in statuses), "ok")


def _storable(value: Any) -> Any:
    return whole_characters(value) if isinstance(value, str) else value


_FILE = re.compile(r"journal-([0-9]+)\.jsonl")
_RESERVE_BYTES = 1 << 20
"""Disk space reserved beside the journal for answers under way when the disk is full."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Journal:
    """The journal of one process in a folder, opened for writing; StoreError if it cannot be written.

    A torn last line, left by a process killed while writing, is dropped.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "journal.jsonl"
        self.lines = 0  # in the current file
        self.size = 0
        self._number = max((number for number, _ in _numbered_files(folder)), default=0)
        self._pending: list[asyncio.Future[None]] = []
        self._syncing: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._reserve: Path | None = folder / "reserve"
        try:
            write_to_disk(self._reserve, "wb", [bytes(_RESERVE_BYTES)])
            self._file = self._open()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def _open(self) -> int:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self.size = self.lines = 0
        with self.path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    self.size += len(line)
                    self.lines += 1
        os.ftruncate(descriptor, self.size)  # drops a torn last line
        sync_folder(self.folder)
        return descriptor

    def write(self, entry: Entry) -> "asyncio.Future[None]":
        """Write the entry, or raise StoreError; the future is done once it is on disk."""
        line = entry.to_line()
        while True:
            try:
                self._write(line)
                break
            except OSError as error:
                if error.errno not in _FULL or self._reserve is None:
                    raise _unwritable(self.path, error) from error
                self._release()
        self.size += len(line)
        self.lines += 1
        on_disk: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append(on_disk)
        if self._syncing is None or self._syncing.done():
            self._syncing = asyncio.create_task(self._sync())
        return on_disk

    @property
    def disk_is_full(self) -> bool:
        return self._reserve is None  # it was needed, so that no new call may be made

    def rotate(self) -> None:
        """Begin a new file; the current one waits to be added to the study, or stays in use on an error."""
        if not self.lines:
            return
        path = self.folder / f"journal-{self._number + 1:06d}.jsonl"
        lines, size = self.lines, self.size
        try:
            os.fsync(self._file)
            self.path.rename(path)
            try:
                fresh = self._open()
            except OSError:
                path.rename(self.path)
                self.lines, self.size = lines, size
                raise
        except OSError as error:
            raise _unwritable(self.path, error) from error
        os.close(self._file)
        self._file, self._number = fresh, self._number + 1

    def write_file(self, entries: Iterable[Entry]) -> Path:
        """Write entries, whole or not at all, to a new file that waits to be added to the study."""
        fresh = self.folder / "journal.new"
        path = self.folder / f"journal-{self._number + 1:06d}.jsonl"
        try:
            write_to_disk(fresh, "wb", (entry.to_line() for entry in entries))
            fresh.replace(path)
            sync_folder(self.folder)
        except OSError as error:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise _unwritable(path, error) from error
        self._number += 1
        return path

    def files_to_add(self) -> list[Path]:
        return [path for _, path in _numbered_files(self.folder)]

    async def flush(self) -> None:
        if self._syncing is not None:
            await self._syncing

    async def close(self) -> None:
        await self.flush()
        self._thread.shutdown()
        os.close(self._file)
        self._release()

    def _write(self, line: bytes) -> None:
        written = 0
        try:
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError:
            os.ftruncate(self._file, self.size)  # leaves no partial line
            raise

    async def _sync(self) -> None:
        loop = asyncio.get_running_loop()

        def sync_and_close(descriptor: int) -> None:
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

        while self._pending:
            group, self._pending = self._pending, []
            try:
                # Duplicated, since the file may be rotated and closed meanwhile.
                await loop.run_in_executor(self._thread, sync_and_close, os.dup(self._file))
            except OSError as error:
                failure = _unwritable(self.path, error)
                for future in [*group, *self._pending]:
                    if not future.done():
                        future.set_exception(failure)
                self._pending = []
                return
            for future in group:
                if not future.done():
                    future.set_result(None)

    def _release(self) -> None:
        if self._reserve is not None:
            with suppress(OSError):
                self._reserve.unlink()
            self._reserve = None


def read_entries(path: Path) -> Iterator[Entry]:
    """Yield the entries of a journal file; a torn last line is skipped.

    A damaged line is copied beside the journal and skipped: its call counts as unanswered and is made again.
    """
    for entry in read_lines(path, Entry.from_line):
        if isinstance(entry, Entry):
            yield entry
            continue
        try:
            copy = set_aside(path.parent, entry)
        except OSError as error:
            raise _unwritable(path.parent, error) from error
        place = f"{entry.path}, line {entry.number:,}"
        LOG.warning("%s is damaged (%s); it is set aside in %s", place, entry.why, copy)


def journal_files(folder: Path) -> list[Path]:
    """Return all journal files in the folder, in order; the current one is last."""
    current = folder / "journal.jsonl"
    return [path for _, path in _numbered_files(folder)] + ([current] if current.exists() else [])


def _numbered_files(folder: Path) -> list[tuple[int, Path]]:
    matches = ((_FILE.fullmatch(path.name), path) for path in folder.glob("journal-*.jsonl"))
    return sorted((int(match[1]), path) for match, path in matches if match)


def _unwritable(path: Path, error: OSError) -> StoreError:
    if error.errno in _FULL:
        return StoreError(
            f"{path}: the disk is full; what was written is intact: free some space and run the command again"
        )
    return StoreError(f"{path}: cannot be written: {error.strerror}; what was written is intact")
