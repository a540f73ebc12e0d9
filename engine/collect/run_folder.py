"""The folder of a run, its status, watching runs, and a run's report with its message and exit code."""

import hashlib
import json
import os
import re
import secrets
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from engine.collect.config import Shard
from engine.collect.journal import Entry
from engine.collect.prices import known_sum
from engine.collect.spending import assumed_words
from engine.errors import StoreError
from engine.plain_words import system_words
from engine.schema import STATUSES
from engine.store import Store
from engine.store.location import check_name
from engine.values import parse_float, quantity, user_folder

# ------------------------------------------------------------------------------
# The files of a run outside the study: its journal, its status, its configuration and its log.


_LETTERS = "bcdfghjkmnpqrstvwxz23456789"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run or, below it, of one of its shards."""

    path: Path

    @property
    def status(self) -> Path:
        return self.path / "status.json"

    @property
    def config(self) -> Path:
        return self.path / "config.toml"


def runs_root(store: Store) -> Path:
    """Return the folder of all runs of a store: inside it, or for S3 in the user's state folder."""
    if store.location.is_local:
        return Path(store.location.path) / ".runs"
    digest = hashlib.sha256(store.location.path.encode()).hexdigest()[:16]
    return user_folder("XDG_STATE_HOME") / "spb" / "runs" / digest


def runs_folder(store: Store, study: str) -> Path:
    return runs_root(store) / store.name_of(study)


def run_path(store: Store, study: str, run_id: str) -> Path:
    """Return the path of a run, existing or not; UsageError for an id that is not a plain name."""
    return runs_folder(store, study) / check_name(run_id, "run's id")


def run_folder(store: Store, study: str, run_id: str, shard: Shard | None = None) -> RunFolder:
    """Return the folder of a run, or of one of its shards, created if missing."""
    path = run_path(store, study, run_id)
    return RunFolder(ensure_folder(path if shard is None else path / f"shard-{shard.name}"))


def ensure_folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be created: {system_words(error)}; choose another --store"
        ) from error
    return path


def new_run_id() -> str:
    """Return a name for a new run: the time in UTC, so that names sort, and three random characters."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return f"{now}-{''.join(secrets.choice(_LETTERS) for _ in range(3))}"


# ------------------------------------------------------------------------------
# The progress of a run: counted as calls end, and published for watchers.


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


_SHORTFALLS: dict[str, tuple[str, str]] = {
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
    saved = f", which saved ${saved_usd:,.4f}" if saved_usd else ""
    return f"{cached:,} of them from the cache{saved}"


def shortfall_words(counts: Mapping[str, int]) -> list[str]:
    """Return how many answers could not be read and why, most frequent first, each with a remedy."""
    words = []
    for name, count in sorted(counts.items(), key=lambda each: -each[1]):
        meaning, remedy = _SHORTFALLS.get(name, (name, ""))
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


def _lifted_cap(path: Path | None, facts: Mapping[str, Any]) -> float | None:
    """Return the spending cap of the run's earlier starts, by its status at `path`, if this one has none."""
    if path is None or facts.get("max_usd") is not None:
        return None
    try:
        before = json.loads(path.read_text("utf-8"))
        caps = [parse_float(before.get(name)) for name in ("max_usd", "lifted_usd")]
    except (OSError, ValueError, RecursionError, AttributeError):
        return None
    return next((cap for cap in caps if cap is not None), None)


class Status:
    """A run's status, written to `path` (None: nowhere) at most twice a second and passed to `show`.

    `facts` (run_id, study, ...) are part of every status; `pid` is the running process, by default this one.
    If they have no spending cap, and the status replaced at `path` had one, `message` says so.
    """

    def __init__(
        self, path: Path | None, facts: dict[str, Any], show: Show | None = None, *, pid: int | None = None
    ) -> None:
        self.counts = Counts()
        self.rate = Rate()
        self.state: State = "starting"
        self.stage: Stage = "planning"
        lifted = _lifted_cap(path, facts)
        self.message = "" if lifted is None else f"no spending cap (an earlier start had ${lifted:.4g})"
        self._path = path
        self._show = show
        self.pace: Callable[[], Sequence[str]] = tuple
        self.outlook: Callable[[], dict[str, Any] | None] = lambda: None
        self.notes: Sequence[str] = ()
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
            # An unwritable status must not stop a run whose journal can be written.
            with suppress(OSError):
                fresh = self._path.with_name(f".{self._path.name}.new")
                fresh.write_text(json.dumps(current, indent=1) + "\n", "utf-8")
                fresh.replace(self._path)

    def to_dict(self) -> dict[str, Any]:
        counts, rate = self.counts, self.rate.per_second()
        open_calls = max(counts.planned - counts.answered - counts.error, 0)
        return {
            **self._facts,
            "state": self.state,
            "stage": self.stage,
            "message": self.message,
            "total": counts.planned,
            "done": counts.answered,
            **counts.to_dict(),
            "pace": list(self.pace()),
            "outlook": self.outlook(),
            "notes": list(self.notes),
            "rate": round(rate, 3),
            "seconds_left": round(open_calls / rate, 1) if rate else None,
            "heartbeat": _now(),
            "finished_at": _now() if self.state in FINAL else None,
        }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


# ------------------------------------------------------------------------------
# Runs seen from outside: their status files, and whether their processes still run.


LOST = "lost"
"""The state of a run without a final status: its process is gone, or too long silent on another machine."""

_SILENT_S = 60.0
_COUNTS = ("total", "done", "already_done", "unparsed", "refused", "error", "rate", "cached", "saved_usd")
_OPTIONAL_COUNTS = ("cost_usd", "seconds_left")


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """A run as in its status file; `state` is `lost` if the process vanished before the end."""

    study: str
    run_id: str
    folder: RunFolder
    state: str
    status: dict[str, Any]

    @property
    def active(self) -> bool:
        return self.state not in (*FINAL, LOST)

    @property
    def share(self) -> float:
        """The part of the planned calls that has ended, 0 to 1."""
        finished = self.status.get("done", 0) + self.status.get("error", 0)
        return min(max(finished / self.status["total"], 0.0), 1.0) if self.status.get("total") else 0.0


def watched_run(store: Store, study: str, run_id: str) -> WatchedRun | None:
    """Return a run's state, None if it has no status yet; UsageError as of `run_path`."""
    return _read_run(study, run_path(store, study, run_id))


def all_runs(store: Store) -> list[WatchedRun]:
    """Return all runs of a store that have a status, newest first."""
    folders = sorted(path for path in runs_root(store).glob("*/*") if path.is_dir())
    runs = [run for path in folders if (run := _read_run(path.parent.name, path)) is not None]
    return sorted(runs, key=lambda run: run.run_id, reverse=True)


def stop(run: WatchedRun) -> None:
    """Ask a run to end in good order; StoreError if its process is not on this machine."""
    if run.status.get("host") != socket.gethostname():
        raise StoreError(f"run {run.run_id!r} is active on {run.status.get('host')!r}; stop it there")
    if is_alive(run.status):
        os.kill(int(run.status["pid"]), 15)


def is_alive(status: dict[str, Any]) -> bool:
    """Return whether the process of a status runs: by its pid on this machine, else by its heartbeat."""
    if status.get("host") != socket.gethostname():
        beat = datetime.fromisoformat(status["heartbeat"])
        return (datetime.now(UTC) - beat).total_seconds() < _SILENT_S
    pid = int(status["pid"])
    if not has_process(pid):
        return False
    try:  # a zombie, which only Linux reveals
        after_name = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2]
    except OSError:
        return True
    return after_name.split()[:1] != ["Z"]


def has_process(pid: int) -> bool:
    """Return whether this machine has a process with that pid, even another user's."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _read_run(study: str, path: Path) -> WatchedRun | None:
    """Return a run's state, None if its status is missing or not one of ours."""
    folder = RunFolder(path)
    try:
        status = json.loads(folder.status.read_text("utf-8"))
        state = str(status["state"])
        counts = [status.get(name, 0) for name in _COUNTS]
        counts += [status[name] for name in _OPTIONAL_COUNTS if status.get(name) is not None]
        counts += dict(status.get("errors", {})).values()
        counts += dict(status.get("shortfalls", {})).values()
        counts += [count for _, count in status.get("error_words", [])]
        if any(parse_float(count) is None for count in counts):
            return None
        if state not in FINAL and not is_alive(status):
            state = LOST
        return WatchedRun(study, path.name, folder, state, status)
    except (OSError, ValueError, OverflowError, RecursionError, KeyError, TypeError):
        return None


# ------------------------------------------------------------------------------
# The report of a run: its numbers, its message and its exit code.


End = Literal["done", "errors", "unread", "budget", "time", "interrupted"]
EXIT_CODES: dict[End, int] = {
    "done": 0, "errors": 3, "budget": 4, "unread": 5, "time": 7, "interrupted": 130,
}  # fmt: skip
"""The command's exit code: 0 all answered, 3 some unanswered, 4 stopped by the cap, 5 no answer
has a verdict, 7 stopped by `max_minutes`. 1 is an error, 2 wrong usage, 6 another active run."""


@dataclass(kw_only=True)
class RunReport(Counts):
    """The counts of a run that has ended, for `spb run --format json`, and how it ended.

    `given_up` are models with the message of the decisive failure. `missing` are the missing responses,
    which were not judged, by model and shortfall (None: not collected); `abandoned` the calls under way when
    an interruption's grace ended; `with_provider` those in open batches, which the same command collects.
    `spent` is the total cost of the run, under the `cap`; `assumed_usd` is what counts, in this start, for
    `assumed` answers of unknown cost, such as lost ones. `notes` are sentences on models that another one
    answered for, that changed between starts, or that refuse a parameter.
    """

    run_id: str
    end: End
    seconds: float = 0.0
    given_up: dict[str, str] = field(default_factory=dict)
    missing: Mapping[tuple[str, str | None], int] = field(default_factory=dict)
    abandoned: int = 0
    spent: float = 0.0
    assumed: int = 0
    assumed_usd: float = 0.0
    cap: float | None = None
    with_provider: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def unanswered(self) -> int:
        """The number of missing responses."""
        return sum(self.missing.values())

    @property
    def calls_left(self) -> int:
        return self.planned - self.answered

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.end]

    @property
    def message(self) -> str:
        words = [f"{self.answered:,} of {self.planned:,} calls answered"]
        words += filter(None, [cache_words(self.cached, self.saved_usd)])
        if self.error:
            kinds = ", ".join(f"{kind} {number:,}" for kind, number in self.errors.items())
            words.append(quantity(self.error, "error") + (f" ({kinds})" if kinds else ""))
        if self.refused:
            every = "all " if self.refused == self.answered else ""
            words.append(f"{every}{self.refused:,} refused by the provider")
        if self.shortfalls:
            words.append(", ".join(shortfall_words(self.shortfalls)))
        words += [
            f"{count:,} answered by {names}, as the judge that answered"
            for names, count in self.stood_in.items()
        ]
        if self.unanswered:
            missing = ", ".join(
                f"{model}: {count:,}" + (f" {_SHORTFALLS[shortfall][0]}" if shortfall else "")
                for (model, shortfall), count in self.missing.items()
            )
            words.append(f"{quantity(self.unanswered, 'missing response')} not judged ({missing})")
        if self.abandoned:
            words.append(f"gave up {quantity(self.abandoned, 'call')} under way")
        if self.with_provider:
            words.append(f"{quantity(self.with_provider, 'call')} with the provider in batches")
        if self.end == "budget":
            spent = f"${self.spent:,.4g} spent"
            words.append(f"the budget of ${self.cap:,.4g} does not allow another call ({spent})")
        if self.assumed_usd:
            words.append(assumed_words(self.assumed, self.assumed_usd))
        if self.end == "time":
            words.append("stopped after max_minutes")
        if self.end == "interrupted":
            words.append("interrupted")
        return "; ".join([*words, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        names = ("planned", "done", "seconds", "run_id", "with_provider", "given_up", "notes", "assumed_usd")
        missing = [
            {"model": model, "shortfall": shortfall, "responses": count}
            for (model, shortfall), count in self.missing.items()
        ]
        facts = {"state": self.end, "missing_responses": missing}
        return {name: getattr(self, name) for name in names} | super().to_dict() | facts


_WORST_FIRST: tuple[End, ...] = ("interrupted", "budget", "time", "errors", "unread")


def sum_reports(run_id: str, tries: Iterable[Sequence[RunReport]]) -> RunReport:
    """Return the sum of the shards' reports, each with those of its tries; the last ones say how it ended."""
    tries = list(tries)
    all_reports = [report for reports in tries for report in reports]
    counts = Counts.sum_of(tries)
    ends = [reports[-1].end for reports in tries]
    worst: End = next((end for end in _WORST_FIRST if end in ends), "done")
    if worst == "unread" and counts.ok:
        worst = "done"
    return RunReport(
        **vars(counts),
        run_id=run_id,
        end=worst,
        seconds=sum(report.seconds for report in all_reports),
        given_up={name: words for report in all_reports for name, words in report.given_up.items()},
        missing=max(
            (report.missing for report in all_reports), key=lambda each: sum(each.values()), default={}
        ),
        abandoned=sum(report.abandoned for report in all_reports),
        spent=max((report.spent for report in all_reports), default=0.0),
        assumed=sum(report.assumed for report in all_reports),
        assumed_usd=sum(report.assumed_usd for report in all_reports),
        cap=max((report.cap for report in all_reports if report.cap is not None), default=None),
        notes=list(dict.fromkeys(note for report in all_reports for note in report.notes)),
    )
