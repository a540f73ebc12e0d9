"""What is recorded of a finished call, and its form on disk: a line of JSON with its checksum."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal

import pydantic

from engine.collect.calls import CallRequest, Failure, Reply, Role, Row, whole_characters
from engine.collect.database.sealed_lines import seal, unseal
from engine.paradigms import Paradigm, Shortfall
from engine.schema import STATUSES, Status
from engine.store.writer import Rows

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
