"""What is kept of one finished call: a line of the journal."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal

import pydantic

from engine.calls import Failure, Reply, Request, Role, Row
from engine.schema import STATUSES, Paradigm, Status

Rows = list[dict[str, Any]]
_AS_JSON = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished call: its rows as the study stores them, and what it took.

    `calls` are HTTP requests, retries included. `cost_usd` is None where the price is unknown. A failed call
    has a `failure` and its message; a failed generator's has no rows.
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
    failure: str | None = None
    message: str | None = None

    @property
    def table(self) -> Literal["judgments", "responses"]:
        """The table its rows belong to."""
        return "judgments" if self.role == "judge" else "responses"

    def to_line(self) -> bytes:
        """Return the entry as one line of JSON, its line end included."""
        values = {name: getattr(self, name) for name in _FIELDS}
        values["rows"] = [{k: v for k, v in row.items() if v is not None} for row in self.rows]
        return _AS_JSON.encode(values).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Entry":
        """Read what `to_line` wrote; ValueError where it is something else."""
        entry = _ENTRY.validate_json(line)
        datetime.fromisoformat(entry.at)
        named = ("run_id", "call_id") if entry.role == "judge" else ("run_id",)
        if not all(isinstance(row.get(name), str) for row in entry.rows for name in named):
            raise ValueError(f"a row lacks one of {', '.join(named)}")
        return entry


_ENTRY = pydantic.TypeAdapter(Entry)
_FIELDS = tuple(field.name for field in fields(Entry))


def made_entry(
    request: Request,
    run_id: str,
    outcome: Reply | Failure,
    rows: Sequence[Row],
    *,
    calls: int,
    seconds: float,
    at: str | None = None,
) -> Entry:
    """Return the entry of a call; its rows get the run, the call and the time, now unless `at` says when."""
    at = at or datetime.now(UTC).isoformat(timespec="milliseconds")
    common: dict[str, Any] = {"run_id": run_id}
    if request.role == "judge":
        common |= {"call_id": request.key, "created_at": at}
    reply = outcome if isinstance(outcome, Reply) else None
    failure = outcome if isinstance(outcome, Failure) else None
    return Entry(
        key=request.key,
        role=request.role,
        model=request.model,
        paradigm=request.paradigm,
        variant=request.variant,
        status=_status(rows) if reply is not None else "error",
        rows=[_filled(row, common) for row in rows],
        calls=calls,
        prompt_tokens=(reply.prompt_tokens or 0) if reply else 0,
        completion_tokens=(reply.completion_tokens or 0) if reply else 0,
        cost_usd=reply.cost_usd if reply else 0.0,
        seconds=seconds,
        at=at,
        model_id=_storable(reply.model_id) if reply else None,
        failure=failure.kind if failure else None,
        message=_storable(failure.message) if failure else None,
    )


def _status(rows: Sequence[Mapping[str, object]]) -> Status:
    """Return the status of a call that was answered: ok where any of its rows is."""
    found = {str(row.get("status") or "ok") for row in rows}
    for status in STATUSES:
        if status in found:
            return status
    return "ok"


def _filled(row: Row, common: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a row is known, with what all rows of the call share."""
    return {name: _storable(value) for name, value in {**row, **common}.items() if value is not None}


def _storable(value: Any) -> Any:
    """Return the value; halves of characters, which no UTF-8 can hold, are replaced in a text."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value
