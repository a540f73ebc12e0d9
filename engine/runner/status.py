"""How far a run is: counted as calls end, and told to those who watch."""

import json
import os
import socket
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from engine.runner.entries import Entry

State = Literal["starting", "running", "stopping", "done", "errors", "budget", "interrupted", "failed"]
Stage = Literal["planning", "responses", "judgments"]

FINAL: tuple[State, ...] = ("done", "errors", "budget", "interrupted", "failed")
"""The states of a run that has ended; one in another state whose process is gone was lost."""

_EVERY_S = 0.5
_RATE_OVER_S = 30.0


@dataclass
class Counts:
    """What is counted over a run, in this process."""

    total: int = 0
    already_done: int = 0
    by_status: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0

    def add(self, entry: Entry) -> None:
        """Count a finished call."""
        self.by_status[entry.status] += 1
        if entry.failure is not None:
            self.errors[entry.failure] += 1
        self.calls += entry.calls
        self.prompt_tokens += entry.prompt_tokens
        self.completion_tokens += entry.completion_tokens
        if self.cost_usd is not None:
            self.cost_usd = None if entry.cost_usd is None else self.cost_usd + entry.cost_usd

    @property
    def answered(self) -> int:
        """Calls with an answer, given now or before."""
        return self.already_done + sum(self.by_status[status] for status in ("ok", "unparsed", "refused"))

    @property
    def ended(self) -> int:
        """Calls that were made or need not be."""
        return self.already_done + self.by_status.total()


class Rate:
    """Calls a second over the last half minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._ended: deque[tuple[float, int]] = deque()

    def add(self) -> None:
        """Take note of a call that ended."""
        now = self._clock()
        if self._ended and now - self._ended[-1][0] < 1.0:  # one mark a second, so that marks stay few
            self._ended[-1] = (self._ended[-1][0], self._ended[-1][1] + 1)
        else:
            self._ended.append((now, 1))

    def per_second(self) -> float:
        """Return the rate."""
        now = self._clock()
        while self._ended and now - self._ended[0][0] > _RATE_OVER_S:
            self._ended.popleft()
        window = max(min(now - self._began, _RATE_OVER_S), 1e-3)
        return sum(number for _, number in self._ended) / window


class Status:
    """A run's status: kept here, written to `status.json` at most twice a second, shown by `show`."""

    def __init__(
        self, path: Path | None, facts: dict[str, Any], show: Callable[[dict[str, Any]], None] | None = None
    ) -> None:
        """Write to `path` (None: nowhere); `facts` (run_id, study, ...) stand in every status."""
        self.counts = Counts()
        self.rate = Rate()
        self.state: State = "starting"
        self.stage: Stage = "planning"
        self.message = ""
        self._path = path
        self._show = show
        self._facts = {**facts, "pid": os.getpid(), "host": socket.gethostname(), "started_at": _now()}
        self._told = 0.0

    def set(self, state: State | None = None, stage: Stage | None = None, message: str | None = None) -> None:
        """Change what the run is at, and tell it."""
        self.state = state or self.state
        self.stage = stage or self.stage
        if stage in ("responses", "judgments"):
            self.rate = Rate()  # planning is no call
        self.message = self.message if message is None else message
        self.tell(now=True)

    def add(self, entry: Entry) -> None:
        """Count a finished call."""
        self.counts.add(entry)
        self.rate.add()
        self.tell()

    def tell(self, *, now: bool = False) -> None:
        """Tell how far the run is, unless that was told less than half a second ago."""
        clock = time.monotonic()
        if not now and clock - self._told < _EVERY_S:
            return
        self._told = clock
        current = self.to_dict()
        if self._show is not None:
            self._show(current)
        if self._path is not None:
            # A status that cannot be written must not stop a run whose journal can.
            with suppress(OSError):
                fresh = self._path.with_name(f".{self._path.name}.new")
                fresh.write_text(json.dumps(current, indent=1) + "\n", "utf-8")
                fresh.replace(self._path)

    def to_dict(self) -> dict[str, Any]:
        """Return the content of `status.json`."""
        counts, rate = self.counts, self.rate.per_second()
        left = max(counts.total - counts.ended, 0)
        return {
            **self._facts,
            "state": self.state,
            "stage": self.stage,
            "message": self.message,
            "total": counts.total,
            "done": counts.answered,
            "already_done": counts.already_done,
            **{status: counts.by_status[status] for status in ("ok", "unparsed", "refused", "error")},
            "errors": dict(counts.errors),
            "calls": counts.calls,
            "prompt_tokens": counts.prompt_tokens,
            "completion_tokens": counts.completion_tokens,
            "cost_usd": counts.cost_usd,
            "rate": round(rate, 3),
            "seconds_left": round(left / rate, 1) if rate else None,
            "heartbeat": _now(),
            "finished_at": _now() if self.state in FINAL else None,
        }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
