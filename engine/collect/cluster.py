"""A run in shards on the user's Dask cluster.

The plan is divided by the requests' keys into more shards than there are workers. Each worker makes the calls
of one shard after the other and adds them to the shared store. A shard whose worker dies goes to another,
which finds what reached the store (and, on a shared disk, the journal) and makes only the remaining calls.
Stages follow one another, as judgments need all responses.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.collect.config import RunConfig, RunOptions, Shard
from engine.collect.model_client import Models
from engine.collect.prepare import calls_after, steps_of
from engine.collect.run import begin, cap_of, cost_so_far, facts_of, is_unread, run, run_notes
from engine.collect.run_folder import Counts, RunReport, Show, Status, run_folder, sum_reports
from engine.collect.shards import ShardTask
from engine.dask_client import completed_tasks, connect, shards_for
from engine.errors import SpbError, UsageError
from engine.store import Store
from engine.store.publish import replace_file

_LOCK_WAIT_S = 120.0  # longer than a dead worker's lock on S3 lasts


def run_shard_task(task: ShardTask) -> RunReport:
    return run(task.config, Store(task.root), task.options)


def run_on_cluster(
    config: RunConfig, store: Store, options: RunOptions, address: str, *, show: Show | None = None
) -> RunReport:
    """Make a run on the Dask cluster at `address`; `show` receives a status as each shard ends.

    All workers must be able to reach the store, and the keys' variables must be set where they run. The
    configuration's concurrency applies to each active shard. Raises the same errors as `run`, UsageError if
    Dask is not installed or the cluster does not answer, and ClusterError if the cluster is lost.
    """
    if config.mode == "batch":
        raise UsageError('mode is "batch", which needs no cluster; leave out --cluster')
    began = time.monotonic()
    with connect(address) as client:
        run_id = begin(config, store, options)
        files = run_folder(store, config.study, run_id)
        replace_file(files.config, config.text.encode())
        status = Status(files.status, facts_of(config, store, options, run_id), show)
        with _failing(status):
            reports = _make_steps(client, config, store, replace(options, fresh=False, run_id=run_id), status)
        study = store.open(config.study)
        total = cost_so_far(study, config, run_id, Models(config.models))
        report = replace(
            sum_reports(run_id, [[each] for each in reports]),
            seconds=round(time.monotonic() - began, 3),
            spent=total,
            cap=cap_of(config, options),
        )
        notes = dict.fromkeys([*report.notes, *run_notes(store, config, run_id)])
        report = replace(report, notes=list(notes))
        if report.end == "done" and is_unread(config, study, run_id, report):
            report = replace(report, end="unread")
        status.notes = report.notes
        status.set(report.end, message=report.message)
        return report


def _make_steps(
    client: Any, config: RunConfig, store: Store, options: RunOptions, status: Status
) -> list[RunReport]:
    """Make the shards of each step and return their reports; the status counts them as they end."""
    count = shards_for(client)
    # The store's root as seen from other machines.
    root = os.fspath(Path(store.location.path)) if store.location.is_local else store.root
    progress = _Progress(status)
    for step, (stage, _) in enumerate(steps_of(config)):
        progress.begin_step(calls_after(config, store.open(config.study), step - 1, options), count)
        status.set("running", stage="judgments" if stage == "judgments" else "responses")
        settings = replace(options, step=step, wait_s=_LOCK_WAIT_S)
        shards = [replace(settings, shard=Shard(number, count)) for number in range(1, count + 1)]
        tasks = [ShardTask(config, root, each) for each in shards]
        for report in completed_tasks(client, run_shard_task, tasks):
            progress.add(report)
    return progress.reports


@dataclass
class _Progress:
    """Adds up the reports of shards in the status; calls of shards that have not ended count as planned."""

    status: Status
    reports: list[RunReport] = field(default_factory=list)
    _planned: int = 0
    _n_shards: int = 0
    _n_before: int = 0

    def begin_step(self, calls_from_here: int, n_shards: int) -> None:
        """Begin a step of `n_shards`, given the planned calls of this and all later ones."""
        self._planned, self._n_shards, self._n_before = calls_from_here, n_shards, len(self.reports)
        self._count()

    def add(self, report: RunReport) -> None:
        self.reports.append(report)
        self.status.rate.add(report.done)
        self._count()
        self.status.publish(now=True)

    def _count(self) -> None:
        counts = Counts.sum_of([[each] for each in self.reports])
        ended = self.reports[self._n_before :]
        later = max(self._planned - sum(report.total for report in ended), 0)
        self.status.counts = replace(counts, later=later)
        self.status.pace = lambda: [f"{len(ended)} of {self._n_shards} shards ended"]


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
