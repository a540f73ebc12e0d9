"""A run in shards on several processes of this machine, beyond one core.

The main process makes no calls. On this machine it prepares the run, hands each stage's shards to as many
workers and adds up their statuses. It hands out again what was left by a killed worker or a share of the cap
that was too small. Each answer is in a shard's database before it counts, so that a worker may die at any
moment.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from engine.collect.client.model_client import Models
from engine.collect.configuration.config import RunConfig
from engine.collect.dispatch.run_status import Counts, Show, Status
from engine.collect.plan.gold_outcomes import write_gold_outcomes
from engine.collect.plan.stages import calls_after, steps_of
from engine.collect.run.one_process import begin, is_unread, run_notes, with_unread_judges
from engine.collect.run.prepared_run import cap_of, cost_so_far, facts_of
from engine.collect.run.run_report import End, RunReport, sum_reports
from engine.collect.run.shard_workers import ShardTask, ShardWorker, equal_share, out_of_budget
from engine.collect.run_folder import run_folder
from engine.collect.run_options import RunOptions, Shard
from engine.dask_client import DEATHS
from engine.errors import SpbError, UsageError
from engine.store import Store
from engine.store.publish import replace_file

_LOCK_WAIT_S = 30.0  # for a shard whose dead worker's answers are being added
_POLL_S = 0.5


class _TotalStatus(Status):
    """The status of a run whose workers each have their own: `by_shard` has the last of each try."""

    def __init__(self, path: Path, facts: dict[str, Any], show: Show | None) -> None:
        super().__init__(path, facts, show)
        self.by_shard: dict[tuple[int, int], list[dict[str, Any]]] = {}

    def record(self, shard: tuple[int, int], status: dict[str, Any], *, is_new: bool) -> None:
        """Record the status of a shard of a stage, from a new try (`is_new`) or the same one."""
        tries = self.by_shard.setdefault(shard, [])
        if not is_new:
            tries.pop()
        tries.append(status)

    def total_counts(self) -> Counts:
        """Return the sums over all shards, with what is known of killed workers' answers."""
        sums = Counts.sum_of([list(map(Counts.from_status, tries)) for tries in self.by_shard.values()])
        return replace(sums, later=self.counts.later)

    def to_dict(self) -> dict[str, Any]:
        self.counts = self.total_counts()
        current = super().to_dict()
        active = [tries[-1] for tries in self.by_shard.values() if tries[-1]["finished_at"] is None]
        rate = sum(status["rate"] for status in active)
        open_calls = current["total"] - current["done"] - current["error"]
        current |= {"rate": round(rate, 3), "seconds_left": round(open_calls / rate, 1) if rate else None}
        for status in reversed([each for tries in self.by_shard.values() for each in tries]):
            current["warnings"] |= status["warnings"]
        if active:
            current["stage"] = active[0]["stage"]
            current["pace"] = [f"{len(active)} processes active", *active[0]["pace"]]
        return current


@dataclass
class _ShardedRun:
    config: RunConfig
    store: Store
    options: RunOptions
    run_id: str
    status: _TotalStatus
    began: float = field(default_factory=time.monotonic)
    workers: list[ShardWorker] = field(default_factory=list)
    reports: dict[tuple[int, int], list[RunReport]] = field(default_factory=dict)
    failure: SpbError | None = None
    interrupted: bool = False
    cut_short: bool = False
    deaths: int = 0

    @property
    def is_over(self) -> bool:
        return self.interrupted or self.failure is not None or self.minutes_left() == 0

    def minutes_left(self) -> float | None:
        """Return what is left of `max_minutes`; None if there is no limit."""
        limit = self.config.run.max_minutes
        return None if limit is None else max(limit - (time.monotonic() - self.began) / 60, 0.0)

    def cost(self) -> float:
        study = self.store.open(self.config.study)
        return cost_so_far(study, self.config, self.run_id, Models(self.config.models))

    def interrupt(self) -> None:
        self.interrupted = True
        for worker in self.workers:
            worker.interrupt()

    def make(self, step: int) -> None:
        """Make all shards of a stage, again if a worker was killed or a share of the cap was too small."""
        shards, redo = list(range(1, self.config.run.processes + 1)), self.options.redo
        while shards and not self.is_over:
            reports = self._hand_out(step, shards, redo)
            killed = set(shards) - reports.keys()
            shards, redo = sorted(out_of_budget(reports) | killed), frozenset()
            if self.deaths > DEATHS:
                self.failure = SpbError(
                    f"{self.deaths} workers were killed; all answers are stored: run the command again"
                )
            elif shards and not self.is_over:
                begin(self.config, self.store, self._options())

    def _options(self) -> RunOptions:
        """Return the options to continue this run, waiting for a lock held by a dead worker."""
        return replace(self.options, fresh=False, run_id=self.run_id, wait_s=_LOCK_WAIT_S)

    def _hand_out(self, step: int, shards: Sequence[int], redo: frozenset[str]) -> dict[int, RunReport]:
        """Hand out shards and return their reports, except those whose worker was killed."""
        share = equal_share(cap_of(self.config, self.options), self.cost, len(shards))
        for shard in shards:
            part = Shard(shard, self.config.run.processes)
            options = replace(self._options(), step=step, shard=part, share_usd=share, redo=redo)
            worker = next((w for w in self.workers if w.shard is None and w.process.is_alive()), None)
            if worker is None:
                self.workers.append(worker := ShardWorker())
            worker.assign(shard, ShardTask(self.config, self.store.root, options, self.minutes_left()))
        reports: dict[int, RunReport] = {}
        while busy := [worker for worker in self.workers if worker.shard is not None]:
            wait([each for worker in busy for each in (worker.connection, worker.process.sentinel)], _POLL_S)
            for worker in busy:
                self._receive(worker, step, reports)
            self.status.publish()
        return reports

    def _receive(self, worker: ShardWorker, step: int, reports: dict[int, RunReport]) -> None:
        """Receive a worker's messages, until there are none or its shard has ended."""
        shard = worker.shard
        assert shard is not None  # noqa: S101 - only busy workers are heard
        alive = worker.process.is_alive()  # checked before its last messages are read
        with suppress(EOFError, OSError):
            while worker.shard is not None and worker.connection.poll():
                kind, value = worker.connection.recv()
                if kind == "status":
                    self.status.record((step, shard), value, is_new=worker.awaits_status)
                    worker.awaits_status = False
                    continue
                worker.shard = None
                if kind == "report":
                    reports[shard] = value
                    self.reports.setdefault((step, shard), []).append(reports[shard])
                elif self.failure is None:  # the others must end, as one cannot go on
                    self.failure = value
                    for other in self.workers:
                        if other is not worker and other.shard is not None:
                            other.interrupt()
        if worker.shard is not None and not alive:
            self.workers.remove(worker)
            self.deaths += not self.interrupted


def run_in_processes(
    config: RunConfig, store: Store, options: RunOptions, *, show: Show | None = None
) -> RunReport:
    """Make a run with the configured number of processes; raises the same errors as `run`."""
    check_processes(config, options)
    run_id = begin(config, store, options)
    files = run_folder(store, config.study, run_id)
    replace_file(files.config, config.text.encode())
    status = _TotalStatus(files.status, facts_of(config, store, options, run_id), show)
    job = _ShardedRun(config, store, options, run_id, status)
    job.status.set("running")
    try:
        with forwarding_signals(job.interrupt):
            for step, _ in enumerate(steps_of(config)):
                job.cut_short |= job.is_over
                if not job.is_over:
                    study = store.open(config.study)
                    status.counts.later = calls_after(config, study, step, options)
                job.make(step)
        if job.failure is not None:
            raise job.failure
        write_gold_outcomes(store, store.open(config.study), config)
    except BaseException as error:
        job.status.set("failed", message=str(error) or type(error).__name__)
        raise
    finally:
        for worker in job.workers:
            worker.close()
    report = _report(job)
    job.status.notes = report.notes
    job.status.set(report.end, message=report.message)
    return report


def check_processes(config: RunConfig, options: RunOptions) -> None:
    """Raise UsageError for a run that cannot be divided among the processes."""
    count = config.run.processes
    if config.mode == "batch":
        raise UsageError(f"run.processes is {count}, and batches need one; leave it out")
    limits: Mapping[str, int | str | None] = {
        "run.concurrency": options.concurrency or config.run.concurrency,
        **{f"models.{name}.concurrency": config.models[name].concurrency for name in config.run_models()},
    }
    for place, at_once in limits.items():
        if isinstance(at_once, int) and at_once < count:
            raise UsageError(
                f"{place} is {at_once}, and run.processes is {count}: each process needs a call of its own; "
                "raise the first or lower the second"
            )


def _report(job: _ShardedRun) -> RunReport:
    """Return the report on all shards, with the counts of the status.

    A killed worker's answers of its last half second may count as answered before.
    """
    report = sum_reports(job.run_id, job.reports.values())
    end: End = "interrupted" if job.interrupted else "time" if job.cut_short else report.end
    if end == "done" and is_unread(job.config, job.store.open(job.config.study), job.run_id, report):
        end = "unread"
    report = replace(
        report,
        **vars(job.status.total_counts()),
        end=end,
        seconds=round(time.monotonic() - job.began, 3),
        spent=job.cost(),
        notes=list(dict.fromkeys([*report.notes, *run_notes(job.store, job.config, job.run_id)])),
        cap=cap_of(job.config, job.options),
    )
    return with_unread_judges(report, job.store.open(job.config.study))


@contextmanager
def forwarding_signals(interrupt: Callable[[], None]) -> Iterator[None]:
    """Call `interrupt` on SIGINT and SIGTERM, which then end nothing by themselves."""
    with ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                before = signal.signal(number, lambda *_: interrupt())
                stack.callback(signal.signal, number, before)
        yield
