"""A run's shards on the user's Dask cluster.

The plan is cut by the requests' keys into more shards than there are workers. Each worker makes the calls of
a shard and adds them to the shared store, one after the other. A shard whose worker dies is handed to
another, which finds what reached the store (and, on a shared disk, the journal) and asks only for the rest.
Stages follow one another, as judgments need all responses. Dask is the extra `cluster`.
"""

import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from engine.collect.config import RunConfig
from engine.collect.prepare import steps_of
from engine.collect.run import Errand, begin, run
from engine.collect.run_options import RunOptions, Shard
from engine.collect.run_report import RunReport, joined
from engine.dask_client import DEATHS, connected, shards_for
from engine.errors import UsageError
from engine.store import Store

_LOCK_WAIT_S = 120.0  # longer than a dead worker's lock on S3 lives


def run_errand(errand: Errand) -> dict[str, Any]:
    """Make a shard's calls, on a worker; its report as a mapping."""
    return asdict(run(errand.config, Store(errand.root), errand.options))


def run_on_cluster(
    config: RunConfig,
    store: Store,
    options: RunOptions,
    address: str,
    *,
    show: Callable[[dict[str, Any]], None] | None = None,
) -> RunReport:
    """Make a run on the Dask cluster at `address`; `show` is told of each shard that ends.

    The store must be one that all workers reach, and the keys' variables must be set where they run. The
    configuration's concurrency is that of each shard at work. Raises as `run` does, and UsageError where Dask
    is not installed or the cluster does not answer.
    """
    if config.mode == "batch":
        raise UsageError('mode is "batch", which needs no cluster; leave out --cluster')
    with connected(address) as client:
        run_id = begin(config, store, options)
        count = shards_for(client)
        folder = str(config.folder)
        # The store's root as other machines know it.
        root = os.fspath(Path(store.location.path)) if store.location.is_local else store.root
        reports: list[RunReport] = []
        for step, _ in enumerate(steps_of(config)):
            settings = replace(options, fresh=False, run_id=run_id, step=step, wait_s=_LOCK_WAIT_S)
            errands = [
                Errand(config.text, folder, root, replace(settings, shard=Shard(k, count)))
                for k in range(1, count + 1)
            ]
            reports += _reports(client, errands, show)
        return joined(run_id, reports)


def _reports(
    client: Any, errands: list[Errand], show: Callable[[dict[str, Any]], None] | None
) -> list[RunReport]:
    import distributed

    futures = [client.submit(run_errand, errand, pure=False, retries=DEATHS) for errand in errands]
    reports = []
    completed: Any = distributed.as_completed
    for future in completed(futures):
        reports.append(RunReport(**future.result()))
        if show is not None:
            show(_status(reports, len(errands)))
    return reports


def _status(reports: list[RunReport], count: int) -> dict[str, Any]:
    """Return a status like that of a run in one process."""
    whole = joined(reports[0].run_id, reports)
    seconds = max(sum(report.seconds for report in reports), 1e-3)
    return {
        **whole.to_dict(),
        "state": "running",
        "stage": f"shard {len(reports)} of {count}",
        "total": whole.planned,
        "done": whole.done + whole.already_done,
        "rate": whole.done / seconds,
        "seconds_left": None,
        "message": "",
    }
