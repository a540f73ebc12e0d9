"""The progress of a run: counted as calls end, and published for watchers."""

import json
import os
import re
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from engine.collect.configuration.prices import known_sum
from engine.collect.database.entries import Entry
from engine.phrases import dollars
from engine.schema import STATUSES
from engine.values import parse_float

State = Literal[
    "starting", "running", "stopping", "done", "errors", "unread", "budget", "time", "interrupted", "failed"
]
Stage = Literal["planning", "responses", "judgments"]


FINAL: tuple[State, ...] = ("done", "errors", "unread", "budget", "time", "interrupted", "failed")
"""The states of an ended run; a run in another state whose process is gone is lost."""


Show = Callable[[dict[str, Any]], None]
"""Receives a run's status."""


_USAGE = ("calls", "prompt_tokens", "completion_tokens", "cost_usd", "cached", "saved_usd")
_NUMBERS = ("total", "later", "already_done", *STATUSES, *_USAGE)
_BY_NAME = ("errors", "shortfalls", "stood_in")


_EVERY_S = 0.5
_RATE_OVER_S = 30.0


@dataclass(kw_only=True)
class Counts:
    """The counts of a run: those of one process, or their sum over its shards.

    `total` are the calls of the stages planned so far; `later` those of the stages still to be planned.
    `ok`, `unparsed` and `refused` were answered now, `already_done` before. `error` counts calls without an
    answer, including those of a model that was given up. `calls` are HTTP requests, including retries.
    `cost_usd` is None if a price is unknown. `errors` are failed calls by kind; `words` are their messages.
    `shortfalls` are unparsed answers by shortfall; `stood_in` are calls that a fallback answered, by "SPARE
    for MODEL".
    """

    total: int = 0
    later: int = 0
    already_done: int = 0
    ok: int = 0
    unparsed: int = 0
    refused: int = 0
    error: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    cached: int = 0
    saved_usd: float = 0.0
    errors: Counter[str] = field(default_factory=Counter)
    shortfalls: Counter[str] = field(default_factory=Counter)
    stood_in: Counter[str] = field(default_factory=Counter)
    words: "ErrorWords" = field(default_factory=lambda: ErrorWords())

    @classmethod
    def from_status(cls, status: Mapping[str, Any]) -> "Counts":
        counts: Any = {name: status[name] for name in _NUMBERS if name != "later"}
        counts |= {name: Counter(status[name]) for name in _BY_NAME}
        words = ErrorWords()
        for message, count in status["error_words"]:
            words.add(message, count)
        return cls(**counts, words=words)

    @classmethod
    def sum_of(cls, tries: Iterable[Sequence["Counts"]]) -> "Counts":
        """Return the sum of shards, each with the counts of its tries, of which the last has all calls.

        Every answer and its cost counts; the calls, and those without an answer, are those of the last try.
        """
        total, last = cls(), cls()
        for counts in tries:
            last._include(counts[-1])
            for each in counts:
                total._include(each)
        done_before = max(last.answered - total.done, 0)
        plan = {name: getattr(last, name) for name in ("total", "later", "error", "errors", "words")}
        return replace(total, already_done=done_before, **plan)

    def _include(self, other: "Counts") -> None:
        for name in _NUMBERS:
            setattr(self, name, known_sum((getattr(self, name), getattr(other, name))))
        for name in _BY_NAME:
            getattr(self, name).update(getattr(other, name))
        self.words.include(other.words)

    def add(self, entry: Entry) -> None:
        setattr(self, entry.status, getattr(self, entry.status) + 1)  # each status has a count of its name
        if entry.failure is not None:
            self.errors[entry.failure] += 1
            self.words.add(entry.message or entry.failure)
        if entry.shortfall is not None:
            self.shortfalls[entry.shortfall] += 1
        if entry.stood_in_for is not None:
            self.stood_in[f"{entry.model} for {entry.stood_in_for}"] += 1
        self.saved_usd += entry.saved_usd or 0.0
        for name in ("calls", "prompt_tokens", "completion_tokens", "cached", "cost_usd"):
            setattr(self, name, known_sum((getattr(self, name), getattr(entry, name))))

    @property
    def planned(self) -> int:
        return self.total + self.later

    @property
    def done(self) -> int:
        return self.ok + self.unparsed + self.refused

    @property
    def answered(self) -> int:
        return self.already_done + self.done

    @property
    def error_words(self) -> tuple[tuple[str, int], ...]:
        return tuple(self.words.most_frequent())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that the status and the report share."""
        return {
            **{name: getattr(self, name) for name in ("already_done", *STATUSES, *_USAGE)},
            "errors": dict(self.errors),
            "error_words": [list(each) for each in self.error_words],
            "shortfalls": dict(self.shortfalls),
            "stood_in": dict(self.stood_in),
        }


SHORTFALLS: dict[str, tuple[str, str]] = {
    "cut_off": ("cut off at the limit of tokens", "raise `max_tokens`"),
    "only_thinking": ("all thinking and no answer", "raise `max_tokens`, or ask for less thinking"),
    "empty": ("empty", "look at the model's `params`, and at what its server writes"),
    "malformed": (
        "not of the shape that was asked for",
        'read some on the page Explore; another template, or `structured = "always"`, may help',
    ),
}


def cache_words(cached: int, saved_usd: float) -> str:
    """Return how many calls were answered from the cache, and what that saved; empty if none was."""
    if not cached:
        return ""
    saved = f", which saved {dollars(saved_usd)}" if saved_usd else ""
    return f"{cached:,} of them from the cache{saved}"


def shortfall_words(counts: Mapping[str, int]) -> list[str]:
    """Return how many answers could not be read and why, most frequent first, each with a remedy."""
    words = []
    for name, count in sorted(counts.items(), key=lambda each: -each[1]):
        meaning, remedy = SHORTFALLS.get(name, (name, ""))
        words.append(f"{count:,} unparsed: {meaning}" + (f" ({remedy})" if remedy else ""))
    return words


class ErrorWords:
    """Messages of failed calls, counted; messages that differ only in numbers and ids count as one.

    `most_frequent` shows the first message of each kind. Only `MOST` kinds are counted.
    """

    MOST = 200
    _VARYING = re.compile(r"[0-9a-f]{8,}|[0-9]+", re.I)

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._firsts: dict[str, str] = {}

    def add(self, message: str, count: int = 1) -> None:
        pattern = self._VARYING.sub("#", message)
        if pattern in self._firsts or len(self._firsts) < self.MOST:
            self._firsts.setdefault(pattern, message)
            self._counts[pattern] += count

    def include(self, other: "ErrorWords") -> None:
        for pattern, count in other._counts.items():
            self.add(other._firsts[pattern], count)

    def most_frequent(self, limit: int = 5) -> list[tuple[str, int]]:
        return [(self._firsts[pattern], count) for pattern, count in self._counts.most_common(limit)]


class Rate:
    """Calls a second over the last half minute."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._ends: deque[tuple[float, int]] = deque()

    def add(self, calls: int = 1) -> None:
        now = time.monotonic()
        if self._ends and now - self._ends[-1][0] < 1.0:  # one entry per second, so that they stay few
            self._ends[-1] = (self._ends[-1][0], self._ends[-1][1] + calls)
        else:
            self._ends.append((now, calls))

    def per_second(self) -> float:
        now = time.monotonic()
        while self._ends and now - self._ends[0][0] > _RATE_OVER_S:
            self._ends.popleft()
        window = max(min(now - self._began, _RATE_OVER_S), 1e-3)
        return sum(number for _, number in self._ends) / window


def _status_at(path: Path | None) -> dict[str, Any]:
    """Return the status that a run's earlier start left at `path`; empty without a readable one."""
    try:
        status = {} if path is None else json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return status if isinstance(status, dict) else {}


def _write(path: Path, status: Mapping[str, Any]) -> None:
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(json.dumps(status, indent=1) + "\n", "utf-8")
    fresh.replace(path)


def add_command_to_continue(path: Path, command: str) -> None:
    """Add to the status that an ended run left at `path` the command that goes on with it."""
    if status := _status_at(path):
        with suppress(OSError):
            _write(path, {**status, "command_to_continue": command})


_OF_ONE_START = {
    "first_started_at": "started_at",
    "run_calls": "calls",
    "run_cost_usd": "cost_usd",
}
"""The fields of a status on all starts of a run, and what an older version has in their place."""


def of_run(status: Mapping[str, Any], field: str, missing: Any = None) -> Any:
    """Return what a status says of all starts of its run; `missing` if it says nothing."""
    return status.get(field, status.get(_OF_ONE_START[field], missing))


def _lifted_cap(earlier: Mapping[str, Any], facts: Mapping[str, Any]) -> float | None:
    """Return the spending cap of the run's earlier starts, by the status they left, if this one has none."""
    caps = [parse_float(earlier.get(name)) for name in ("max_usd", "lifted_usd")]
    return None if facts.get("max_usd") is not None else next((cap for cap in caps if cap is not None), None)


class Status:
    """A run's status, written to `path` (None: nowhere) at most twice a second and passed to `show`.

    `facts` (run_id, study, ...) are part of every status; `pid` is the running process, by default this one.
    If they have no spending cap, and the status replaced at `path` had one, `message` says so. That status is
    of an earlier start, whose calls and cost count among those of the run. `warnings` are sentences to heed
    while the run goes on, each under what it is about; `alerts` returns those that hold at the moment.
    """

    def __init__(
        self, path: Path | None, facts: dict[str, Any], show: Show | None = None, *, pid: int | None = None
    ) -> None:
        self.counts = Counts()
        self.rate = Rate()
        self.state: State = "starting"
        self.stage: Stage = "planning"
        earlier = _status_at(path)
        is_same_kind = (earlier.get("step") is None) == (facts.get("step") is None)
        self._earlier = earlier if is_same_kind else {}  # else the cost is in another status of the run
        lifted = _lifted_cap(self._earlier, facts)
        self.message = "" if lifted is None else f"no spending cap (an earlier start had ${lifted:.4g})"
        self._path = path
        self._show = show
        self.pace: Callable[[], Sequence[str]] = tuple
        self.alerts: Callable[[], Mapping[str, str]] = dict
        self.outlook: Callable[[], dict[str, Any] | None] = lambda: None
        self.notes: Sequence[str] = ()
        self.warnings: dict[str, str] = {}
        process = {"pid": pid or os.getpid(), "host": socket.gethostname(), "started_at": _now()}
        self._facts = {**facts, "lifted_usd": lifted, **process}
        self._last_written = 0.0

    def set(self, state: State | None = None, stage: Stage | None = None, message: str | None = None) -> None:
        self.state = state or self.state
        self.stage = stage or self.stage
        if stage in ("responses", "judgments"):
            self.rate = Rate()  # planning makes no calls
        self.message = self.message if message is None else message
        self.publish(now=True)

    def add(self, entry: Entry) -> None:
        self.counts.add(entry)
        self.rate.add()
        self.publish()

    def publish(self, *, now: bool = False) -> None:
        """Publish the status, unless that was done less than half a second ago."""
        clock = time.monotonic()
        if not now and clock - self._last_written < _EVERY_S:
            return
        self._last_written = clock
        current = self.to_dict()
        if self._show is not None:
            self._show(current)
        if self._path is not None:
            # An unwritable status must not stop a run whose answers can be stored.
            with suppress(OSError):
                _write(self._path, current)

    def to_dict(self) -> dict[str, Any]:
        counts, rate, earlier = self.counts, self.rate.per_second(), self._earlier
        open_calls = max(counts.planned - counts.answered - counts.error, 0)
        return {
            **self._facts,
            "first_started_at": of_run(earlier, "first_started_at") or self._facts["started_at"],
            "run_calls": (of_run(earlier, "run_calls") or 0) + counts.calls,
            "run_cost_usd": known_sum((of_run(earlier, "run_cost_usd", 0.0), counts.cost_usd)),
            "state": self.state,
            "stage": self.stage,
            "message": self.message,
            "total": counts.planned,
            "done": counts.answered,
            **counts.to_dict(),
            "pace": list(self.pace()),
            "outlook": self.outlook(),
            "notes": list(self.notes),
            "warnings": {**self.warnings, **self.alerts()},
            "rate": round(rate, 3),
            "seconds_left": round(open_calls / rate, 1) if rate else None,
            "heartbeat": _now(),
            "finished_at": _now() if self.state in FINAL else None,
        }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
