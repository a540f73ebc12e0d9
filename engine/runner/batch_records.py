"""What is known of the batches under way: on the disk before a provider hears of them, until all is kept.

A batch is three files in the run's folder `batches`: `LABEL.jsonl` with its calls, `LABEL.input` with the
lines to hand over, until that is done, and `LABEL.json`, the last to be written and the first to be removed.
"""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pydantic

from engine.calls import Request
from engine.errors import StoreError
from engine.runner.folders import made
from engine.store.staging import replace_file


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch of one model's calls, made at one step of the run (counted from 0).

    `batch_id` is the provider's; None: it may have been made, and has to be looked for by its label. `most`
    is what its calls cost at most, in US dollars, and `sent` the parameters of its lines.
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
_REQUEST = pydantic.TypeAdapter(Request)
_BROKEN = (OSError, ValueError, TypeError, KeyError, RecursionError)


class BatchRecords:
    """The records of a run's batches, in a folder."""

    def __init__(self, run_folder: Path) -> None:
        self._folder = run_folder / "batches"

    def open(self) -> list[BatchRecord]:
        """Return the batches that are not collected yet; StoreError where a record cannot be read."""
        if not self._folder.is_dir():
            return []
        return [_read(path) for path in sorted(self._folder.glob("*.json"))]

    def add(
        self, step: int, calls: Sequence[tuple[Request, bytes]], *, most: float, sent: Mapping[str, Any]
    ) -> BatchRecord:
        """Write down a batch that is about to be handed over, all to one model, and return its record."""
        made(self._folder)
        self._tidy()
        now = datetime.now(UTC)
        label = f"{now.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(8)}"
        made_at = now.isoformat(timespec="milliseconds")
        record = BatchRecord(label, calls[0][0].model, step, len(calls), most, sent, made_at)
        replace_file(self._folder / f"{label}.jsonl", b"".join(_call_line(request) for request, _ in calls))
        replace_file(self._folder / f"{label}.input", b"".join(line for _, line in calls))
        self._save(record)
        return record

    def submitted(self, record: BatchRecord, batch_id: str) -> BatchRecord:
        """Write down the provider's id of a batch, before anything else is done."""
        known = replace(record, batch_id=batch_id)
        self._save(known)
        (self._folder / f"{record.label}.input").unlink(missing_ok=True)
        return known

    def remove(self, record: BatchRecord) -> None:
        """Forget a batch whose answers are all kept, or of which the provider made none."""
        for ending in ("json", "jsonl", "input"):
            (self._folder / f"{record.label}.{ending}").unlink(missing_ok=True)

    def input(self, record: BatchRecord) -> bytes:
        """Return the lines to hand over."""
        return (self._folder / f"{record.label}.input").read_bytes()

    def path(self, record: BatchRecord) -> Path:
        """Return where the record is, for the user."""
        return self._folder / f"{record.label}.json"

    def calls(self, record: BatchRecord) -> Iterator[tuple[str, Request]]:
        """Yield the calls of a batch with the keys that its lines have; StoreError where one is no call."""
        path = self._folder / f"{record.label}.jsonl"
        try:
            with path.open("rb") as lines:
                for line in lines:
                    values = dict(json.loads(line))
                    yield str(values.pop("key")), _REQUEST.validate_python(values)
        except _BROKEN as error:
            raise _damaged(path, error) from error

    def _tidy(self) -> None:
        """Remove the files of batches that were never handed over, as their record was not yet written."""
        recorded = {path.stem for path in self._folder.glob("*.json")}
        for path in self._folder.iterdir():
            if path.stem not in recorded:
                path.unlink(missing_ok=True)

    def _save(self, record: BatchRecord) -> None:
        replace_file(self.path(record), json.dumps(asdict(record), indent=1).encode() + b"\n")


def _call_line(request: Request) -> bytes:
    values = {**asdict(request), "key": request.key}
    return json.dumps(values, separators=(",", ":")).encode() + b"\n"


def _read(path: Path) -> BatchRecord:
    try:
        record = _RECORD.validate_python(json.loads(path.read_bytes()))
        if record.label != path.stem:
            raise ValueError(f"its label is {record.label!r}")
    except _BROKEN as error:
        raise _damaged(path, error) from error
    return record


def _damaged(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"{path}: is no record of a batch ({error}); put it back, or begin a new run with --fresh"
    )
