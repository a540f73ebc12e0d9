"""A run in shards on the user's Dask cluster.

The plan is divided by the requests' keys into more shards than there are workers. Each worker makes the calls
of one shard after the other and adds them to the shared store. A shard whose worker dies goes to another,
which finds what reached the store (and, on a shared disk, its database) and makes only the remaining calls.
Stages follow one another, as judgments need all responses.
"""

import os
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.collect.client.model_client import Models
from engine.collect.configuration.config import RunConfig
from engine.collect.dispatch.run_status import Counts, Show, Status
from engine.collect.plan.gold_outcomes import write_gold_outcomes
from engine.collect.plan.stages import calls_after, steps_of
from engine.collect.run.one_process import (
    begin,
    interrupt_active,
    is_unread,
    run_notes,
    with_unread_judges,
)
from engine.collect.run.prepared_run import cap_of, cost_so_far, facts_of
from engine.collect.run.run_report import RunReport, sum_reports
from engine.collect.run.shard_workers import ShardTask, equal_share, out_of_budget
from engine.collect.run.shards import forwarding_signals
from engine.collect.run.start import run
from engine.collect.run_folder import run_folder
from engine.collect.run_options import RunOptions, Shard
from engine.dask_client import completed_tasks, connect, shards_for
from engine.errors import SpbError, UsageError
from engine.store import Store
from engine.store.publish import replace_file

_LOCK_WAIT_S = 120.0  # longer than a dead worker's lock on S3 lasts


_stopped: set[str] = set()
"""On a worker: the starts of commands that were interrupted, whose shards do not begin."""


def run_shard_task(task: ShardTask) -> RunReport:
    if task.start in _stopped:
        return RunReport(run_id=task.options.run_id or "", end="interrupted")
    return run(task.config, Store(task.root), task.options)


def _numbered(task: ShardTask) -> tuple[int, RunReport]:
    """Make a shard, and return its number with its report."""
    assert task.options.shard is not None  # noqa: S101 - a cluster makes shards
    return task.options.shard.number, run_shard_task(task)


def stop_shards(start: str, run_id: str, *, hurry: bool) -> None:
    """On a worker: end the active shards of a run in good order, and begin no more of this start."""
    _stopped.add(start)
    interrupt_active(run_id, hurry=hurry)


def run_on_cluster(
    config: RunConfig, store: Store, options: RunOptions, address: str, *, show: Show | None = None
) -> RunReport:
    """Make a run on the Dask cluster at `address`; `show` receives a status as each shard ends.

    All workers must be able to reach the store, and the keys' variables must be set where they run. The
    configuration's concurrency applies to each active shard. Raises the same errors as `run`, UsageError if
    Dask is not installed or the cluster does not answer, and ClusterError if the cluster is lost.
    """
    check_cluster(config)
    began = time.monotonic()
    with connect(address) as client:
        run_id = begin(config, store, options)
        files = run_folder(store, config.study, run_id)
        replace_file(files.config, config.text.encode())
        status = Status(files.status, facts_of(config, store, options, run_id), show)
        with _failing(status):
            job = _ClusterRun(
                client, config, store, replace(options, fresh=False, run_id=run_id), _Progress(status)
            )
            with forwarding_signals(job.interrupt):
                for step, _ in enumerate(steps_of(config)):
                    if not job.interruptions:
                        job.make(step)
            if not job.interruptions:
                write_gold_outcomes(store, store.open(config.study), config)
        study = store.open(config.study)
        report = replace(
            sum_reports(run_id, job.progress.tries.values()),
            seconds=round(time.monotonic() - began, 3),
            spent=job.cost(),
            cap=cap_of(config, options),
        )
        if job.interruptions:
            report = replace(report, end="interrupted", later=status.counts.later)
        notes = dict.fromkeys([*report.notes, *run_notes(store, config, run_id)])
        report = replace(report, notes=list(notes))
        if report.end == "done" and is_unread(config, study, run_id, report):
            report = replace(report, end="unread")
        report = with_unread_judges(report, study)
        status.notes = report.notes
        status.set(report.end, message=report.message)
        return report


def check_cluster(config: RunConfig) -> None:
    """Raise UsageError for a run that no cluster can make."""
    if config.mode == "batch":
        raise UsageError('mode is "batch", which needs no cluster; leave out --cluster')


@dataclass
class _ClusterRun:
    client: Any
    config: RunConfig
    store: Store
    options: RunOptions
    progress: "_Progress"
    start: str = field(default_factory=lambda: uuid.uuid4().hex)
    interruptions: int = 0

    def cost(self) -> float:
        study = self.store.open(self.config.study)
        return cost_so_far(study, self.config, self.options.run_id or "", Models(self.config.models))

    def interrupt(self) -> None:
        self.interruptions += 1

    def make(self, step: int) -> None:
        """Make the shards of a step, again those whose share of the cap was too small."""
        count, status = shards_for(self.client), self.progress.status
        stage = list(steps_of(self.config))[step][0]
        study = self.store.open(self.config.study)
        self.progress.begin_step(calls_after(self.config, study, step - 1, self.options), count)
        status.set("running", stage="judgments" if stage == "judgments" else "responses")
        shards = list(range(1, count + 1))
        while shards and not self.interruptions:
            reports: dict[int, RunReport] = {}
            tasks = self._tasks(step, shards, count)
            for number, report in completed_tasks(self.client, _numbered, tasks, look=self._look):
                reports[number] = report
                self.progress.add((step, number), report)
            shards = sorted(out_of_budget(reports))

    def _tasks(self, step: int, shards: Sequence[int], count: int) -> list[ShardTask]:
        # The store's root as seen from other machines.
        is_local = self.store.location.is_local
        root = os.fspath(Path(self.store.location.path)) if is_local else self.store.root
        share = equal_share(cap_of(self.config, self.options), self.cost, len(shards))
        settings = replace(self.options, step=step, wait_s=_LOCK_WAIT_S, share_usd=share)
        parts = [replace(settings, shard=Shard(number, count)) for number in shards]
        return [ShardTask(self.config, root, each, start=self.start) for each in parts]

    def _look(self) -> None:
        """Pass an interruption on to all workers, also to those that joined since."""
        if self.interruptions:
            words = "stopping: waiting for the answers under way on the workers"
            self.progress.status.set("stopping", message=words)
            with suppress(OSError):  # a lost scheduler is noticed by the tasks
                options = {"start": self.start, "run_id": self.options.run_id}
                self.client.run(stop_shards, **options, hurry=self.interruptions > 1, on_error="ignore")


@dataclass
class _Progress:
    """Adds up the reports of shards in the status; calls of shards that have not ended count as planned.

    `tries` has the reports of each shard of a step, which may have been handed out again.
    """

    status: Status
    tries: dict[tuple[int, int], list[RunReport]] = field(default_factory=dict)
    _planned: int = 0
    _n_shards: int = 0
    _step: dict[tuple[int, int], int] = field(default_factory=dict)

    def begin_step(self, calls_from_here: int, n_shards: int) -> None:
        """Begin a step of `n_shards`, given the planned calls of this and all later ones."""
        self._planned, self._n_shards, self._step = calls_from_here, n_shards, {}
        self._count()

    def add(self, shard: tuple[int, int], report: RunReport) -> None:
        self.tries.setdefault(shard, []).append(report)
        self._step[shard] = report.total
        self.status.rate.add(report.done)
        self._count()
        self.status.publish(now=True)

    def _count(self) -> None:
        later = max(self._planned - sum(self._step.values()), 0)
        self.status.counts = replace(Counts.sum_of(self.tries.values()), later=later)
        self.status.pace = lambda: [f"{len(self._step)} of {self._n_shards} shards ended"]


@contextmanager
def _failing(status: Status) -> Iterator[None]:
    """Let the status show an error that ends the run."""
    try:
        yield
    except BaseException as error:
        is_interruption = isinstance(error, KeyboardInterrupt)
        words = str(error) if isinstance(error, SpbError) else f"stopped by {type(error).__name__}"
        status.set("interrupted" if is_interruption else "failed", message=words)
        raise
