"""The journal of a run: one line for each finished call, on disk before the run goes on."""

import asyncio
import base64
import errno
import json
import logging
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

import pydantic

from engine.collect.calls import CallRequest, Failure, Reply, Role, Row
from engine.errors import StoreError
from engine.schema import STATUSES, Paradigm, Shortfall, Status
from engine.store.publish import sync_folder
from engine.store.writer import Rows
from engine.values import whole_characters

# ------------------------------------------------------------------------------
# Lines with a checksum. A line is a JSON object whose last member is the CRC-32 of the text before it
# (`"crc32": "8f3a01bc"`), so that any reader of JSON Lines can read it. A line without a checksum, as earlier
# versions wrote them, is accepted. A damaged line stops nothing: it is copied to `damaged.jsonl` beside the
# journal with its place, and its call is made again.


Value = TypeVar("Value")

SET_ASIDE = "damaged.jsonl"
_SEAL = re.compile(rb',"crc32":"([0-9a-f]{8})"}\n\Z')
_SEAL_BYTES = len(b',"crc32":"00000000"}\n')
_EXCERPT = 80


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged line: its place (line from 1, byte offset from 0), its bytes and what is wrong."""

    path: Path
    number: int
    offset: int
    line: bytes
    why: str


def seal(line: bytes) -> bytes:
    """Return a JSON line, including its line end, with a checksum; it must be a non-empty object."""
    body = line[:-2]
    if not line.endswith(b"}\n") or body.endswith(b"{"):
        raise ValueError(f"{line[:_EXCERPT]!r} is not a line with a JSON object")
    return b'%s,"crc32":"%08x"}\n' % (body, zlib.crc32(body))


def unseal(line: bytes) -> bytes:
    """Return a line without its checksum, if it has one; ValueError if that does not match."""
    match = _SEAL.search(line, max(0, len(line) - _SEAL_BYTES))
    if match is None:
        return line
    body = line[: match.start()]
    if zlib.crc32(body) != int(match[1], 16):
        raise ValueError("its checksum does not match")
    return body + b"}\n"


def read_lines(path: Path, parse: Callable[[bytes], Value]) -> Iterator[Value | Damage]:
    """Yield the result of `parse` for each line of a journal, or its Damage.

    A line is damaged if its checksum is wrong or `parse` raises ValueError. A torn last line, left by a
    process killed while writing, is skipped.
    """
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield parse(unseal(line))
            except ValueError as error:
                yield Damage(path, number, offset, line, " ".join(str(error).split())[:_EXCERPT])
            offset += len(line)


def set_aside(folder: Path, damaged: Damage) -> Path:
    """Copy a damaged line to a file in the folder, unless it is there already, and return that file."""
    path = folder / SET_ASIDE
    record = {
        "file": damaged.path.name,
        "line": damaged.number,
        "offset": damaged.offset,
        "why": damaged.why,
        "text": damaged.line.decode("utf-8", "replace"),
        "base64": base64.b64encode(damaged.line).decode("ascii"),
    }
    text = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    with suppress(FileNotFoundError), path.open("rb") as copies:
        if text in copies:
            return path
    write_to_disk(path, "ab", [text])
    return path


def write_to_disk(path: Path, mode: Literal["ab", "wb"], lines: Iterable[bytes]) -> None:
    """Write to a file, and return once that is on disk."""
    with path.open(mode) as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


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


# ------------------------------------------------------------------------------
# The journal: every finished call is on the local disk before it counts.


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


# ------------------------------------------------------------------------------
# The possible cost of calls in progress, on disk, so that a killed process leaves a record of it.
#
# A provider charges for an answer even if nobody reads it. So before a call is sent, a line beside the
# journal states what it may cost, and once its answer is in the journal another states that it has ended. The
# next start adds the calls that began and did not end to the run's cost, and so they count towards the cap.
# The lines need no `fsync`: they outlive the process, though not a power cut.


Group = tuple[str, Role, str | None, str]
"""The row of table `runs` that a call belongs to: model, role, paradigm, variant."""

_MOST_LINES = 10_000
"""Lines after which the file is rewritten with the calls in progress alone."""


class CallsUnderWay:
    """The calls of one process that are in progress, in the folder of its journal."""

    FILE = "under_way.jsonl"

    def __init__(self, folder: Path) -> None:
        self._path = folder / self.FILE
        self._calls: dict[str, dict[Group, float]] = {}
        self._file: int | None = None
        self._lines = 0

    def begin(self, key: str, request: CallRequest, usd: float) -> None:
        """Record that the call `key` may cost `usd` more, charged to the request's model."""
        if usd <= 0:
            return
        group = (request.model, request.role, request.paradigm, request.variant)
        dollars = self._calls.setdefault(key, {})
        dollars[group] = dollars.get(group, 0.0) + usd
        self._write(_line({"began": key, "group": group, "usd": dollars[group]}))

    def end(self, key: str) -> None:
        """Record that the call is in the journal; on a full disk it stays in progress."""
        if self._calls.pop(key, None) is not None:
            with suppress(OSError):
                self._write(_line({"ended": key}))

    def close(self) -> None:
        """Remove the file, unless abandoned calls may still be charged for."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
            if not self._calls:
                self._path.unlink(missing_ok=True)

    def _write(self, line: bytes) -> None:
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        elif self._lines >= _MOST_LINES:
            lines = [
                _line({"began": key, "group": group, "usd": usd})
                for key, dollars in self._calls.items()
                for group, usd in dollars.items()
            ]
            fresh = self._path.with_suffix(".new")
            fresh.write_bytes(b"".join(lines))
            descriptor = os.open(fresh, os.O_WRONLY | os.O_APPEND)
            fresh.replace(self._path)
            os.close(self._file)
            self._file, self._lines = descriptor, len(lines)
        os.write(self._file, line)
        self._lines += 1


def charges_under_way(folder: Path) -> dict[Group, float]:
    """Return the dollars that a killed process may owe, by group, for calls missing from its journal."""
    open_calls: dict[str, dict[Group, float]] = {}
    for line in json_lines(folder / CallsUnderWay.FILE):
        if "ended" in line:
            open_calls.pop(line["ended"], None)
        else:
            model, role, paradigm, variant = line["group"]
            open_calls.setdefault(line["began"], {})[(model, role, paradigm, variant)] = line["usd"]
    if open_calls:  # a process may be killed between the journal's line and this file's
        for path in journal_files(folder):
            for entry in read_lines(path, Entry.from_line):
                if isinstance(entry, Entry):
                    open_calls.pop(entry.key, None)
    charges: dict[Group, float] = {}
    for dollars in open_calls.values():
        for group, usd in dollars.items():
            charges[group] = charges.get(group, 0.0) + usd
    return charges


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the intact lines of a file; none if there is no file."""
    with suppress(FileNotFoundError):
        yield from (line for line in read_lines(path, json.loads) if not isinstance(line, Damage))


def _line(value: dict[str, object]) -> bytes:
    return seal(json.dumps(value, separators=(",", ":")).encode() + b"\n")
