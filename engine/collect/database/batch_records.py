"""The batches of a run that are under way, in its database until it has all their answers."""

import json
import secrets
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pydantic

from engine.collect.calls import CallRequest
from engine.collect.database.entries import Entry
from engine.collect.database.recorded_calls import insert_call, row_of
from engine.collect.database.run_database import RunDatabase
from engine.errors import StoreError
from engine.phrases import quantity

ENDPOINT = "/v1/chat/completions"
"""The address that every call of a batch is for."""


@dataclass(slots=True)
class Chunk:
    """The calls of one batch with their lines: `most` is their maximum cost, `params` their parameters."""

    calls: list[tuple[CallRequest, bytes]] = field(default_factory=list)
    most: float = 0.0
    params: dict[str, Any] = field(default_factory=dict)
    weight: int = 0

    def add(self, request: CallRequest, body: dict[str, Any], most: float) -> None:
        """Add a call; its answer is identified by the request's key."""
        values = {"custom_id": request.key, "method": "POST", "url": ENDPOINT, "body": body}
        line = json.dumps(values, separators=(",", ":")).encode() + b"\n"
        self.calls.append((request, line))
        self.most += most
        self.weight += len(line)
        self.params = {name: value for name, value in body.items() if name not in ("model", "messages")}


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch of one model's calls, created at one step of the run (counted from 0).

    `batch_id` is the provider's; None: it may have been created, and must be looked up by its label. `most`
    is the maximum cost of its calls, in US dollars, and `sent` the parameters of its lines.
    """

    label: str
    model: str
    step: int
    calls: int
    most: float
    sent: Mapping[str, Any]
    made_at: str
    batch_id: str | None = None


_RECORD = pydantic.TypeAdapter(BatchRecord)
_REQUEST = pydantic.TypeAdapter(CallRequest)
BROKEN = (OSError, ValueError, TypeError, KeyError, RecursionError, zlib.error)
"""What reading a batch raises that is not as it was written."""


class BatchRecords:
    """The batches under way in a run's database."""

    def __init__(self, database: RunDatabase) -> None:
        self._database = database

    def open(self) -> list[BatchRecord]:
        """Return the batches not yet collected, in order; StoreError if one cannot be read."""
        query = "SELECT label, record FROM batches ORDER BY label"
        return [
            self._parsed(label, text)
            for label, text in self._database.run(lambda db: db.execute(query).fetchall())
        ]

    def add(self, step: int, chunk: Chunk) -> BatchRecord:
        """Record a batch of one model's calls before it is submitted, and return its record."""
        now = datetime.now(UTC)
        label, calls = f"{now.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(8)}", chunk.calls
        made_at = now.isoformat(timespec="milliseconds")
        record = BatchRecord(label, calls[0][0].model, step, len(calls), chunk.most, chunk.params, made_at)
        requests = [{**asdict(request), "key": request.key} for request, _ in calls]
        self.restore(record, requests, b"".join(line for _, line in calls))
        return record

    def restore(
        self, record: BatchRecord, requests: Sequence[Mapping[str, Any]], lines: bytes | None
    ) -> None:
        """Record a batch with its calls and the lines to submit, in place of what is recorded of it."""
        batch = (record.label, _text(asdict(record)), None if lines is None else zlib.compress(lines, 1))
        calls = [(record.label, _text(each)) for each in requests]

        def insert(database: sqlite3.Connection) -> None:
            _delete(database, record)
            database.execute("INSERT INTO batches (label, record, lines) VALUES (?, ?, ?)", batch)
            database.executemany("INSERT INTO batch_calls (label, request) VALUES (?, ?)", calls)

        self._database.run(insert)

    def set_batch_id(self, record: BatchRecord, batch_id: str) -> BatchRecord:
        """Record the provider's id of a batch, before anything else is done."""
        submitted = replace(record, batch_id=batch_id)
        row = (_text(asdict(submitted)), record.label)
        update = "UPDATE batches SET record = ?, lines = NULL WHERE label = ?"
        self._database.run(lambda database: database.execute(update, row))
        return submitted

    def finish(self, record: BatchRecord, entries: Iterable[Entry]) -> None:
        """Record the calls of a batch as finished in place of the batch, in one step."""
        rows = [row_of(entry) for entry in entries]

        def move(database: sqlite3.Connection) -> None:
            for row in rows:
                insert_call(database, row)
            _delete(database, record)

        self._database.run(move)

    def abandon(self) -> int:
        """Forget all batches, whose calls are then made again; return how many calls they have."""
        records = self.open()

        def delete(database: sqlite3.Connection) -> None:
            for record in records:
                _delete(database, record)

        self._database.run(delete)
        return sum(record.calls for record in records)

    def lines(self, record: BatchRecord) -> bytes:
        """Return the lines of a batch that is not submitted yet."""
        query = "SELECT lines FROM batches WHERE label = ?"
        row = self._database.run(lambda database: database.execute(query, (record.label,)).fetchone())
        try:
            return zlib.decompress(row[0])
        except BROKEN as error:
            raise self._damaged(record.label, error) from error

    def calls(self, record: BatchRecord) -> Iterator[tuple[str, CallRequest]]:
        """Yield the calls of a batch with the keys of its lines; StoreError if one is not a call."""
        query = "SELECT request FROM batch_calls WHERE label = ? ORDER BY number"
        rows = self._database.run(lambda database: database.execute(query, (record.label,)).fetchall())
        for (text,) in rows:
            try:
                values = dict(json.loads(text))
                yield str(values.pop("key")), _REQUEST.validate_python(values)
            except BROKEN as error:
                raise self._damaged(record.label, error) from error

    def _parsed(self, label: str, text: str) -> BatchRecord:
        try:
            record = record_of(json.loads(text))
            if record.label != label:
                raise ValueError(f"its label is {record.label!r}")
        except BROKEN as error:
            raise self._damaged(label, error) from error
        return record

    def _damaged(self, label: str, error: Exception) -> StoreError:
        return damaged_record(f"{self._database.path}, batch {label}", error)


def record_of(values: object) -> BatchRecord:
    """Return the record that values describe; ValueError if they describe none."""
    return _RECORD.validate_python(values)


def damaged_record(place: str, error: Exception) -> StoreError:
    return StoreError(
        f"{place}: is not a record of a batch ({error}); restore it, or start a new run with --fresh"
    )


def refuse_open(records: BatchRecords, run_id: str) -> None:
    """Raise StoreError if batches of a run are under way, whose calls would be paid for twice."""
    if open_records := records.open():
        calls = quantity(sum(each.calls for each in open_records), "call")
        batches = quantity(len(open_records), "batch")
        raise StoreError(
            f"the run {run_id!r} has {calls} in {batches} "
            'under way; collect them with mode = "batch", or begin a new run with --fresh'
        )


def _text(values: Mapping[str, Any]) -> str:
    return json.dumps(values, separators=(",", ":"))


def _delete(database: sqlite3.Connection, record: BatchRecord) -> None:
    for table in ("batches", "batch_calls"):
        database.execute(f"DELETE FROM {table} WHERE label = ?", (record.label,))  # noqa: S608
