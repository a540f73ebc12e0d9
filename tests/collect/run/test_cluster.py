"""Shards on a Dask cluster of two workers, one of which is killed."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from collect.run.killing import check
from collect.run.small import config_text, write_folder
from loopback import Loopback, serving
from two_workers import two_workers

from engine.collect.config import RunOptions, load_config
from engine.collect.shards import run_on_cluster
from engine.store import Store

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own warning about a dead worker

CONCURRENCY = 4
INSTANCES = 40


def _kill_one(server: Loopback, pids: list[int], ended: threading.Event) -> None:
    """Kill a worker once a third of the calls have been made."""
    while not ended.is_set() and server.calls < INSTANCES * 8 // 3:
        time.sleep(0.01)
    os.kill(pids[0], signal.SIGKILL)


def test_a_dead_worker_costs_only_its_calls_in_progress(tmp_path: Path) -> None:
    planned = 2 * 2 * INSTANCES * 2
    with serving(delay_s=0.05) as server, two_workers() as cluster:
        served = f'api_base = "{server.url}"'
        path = tmp_path / "run.toml"
        data = write_folder(tmp_path / "data", instances=INSTANCES)
        path.write_text(config_text(data, a=served, b=served, run=f"concurrency = {CONCURRENCY}"), "utf-8")
        ended = threading.Event()
        pids = [worker.pid for worker in cluster.workers.values()]
        killing = threading.Thread(target=_kill_one, args=(server, pids, ended))
        killing.start()

        report = run_on_cluster(
            load_config(path), Store(tmp_path / "store"), RunOptions(), cluster.scheduler_address
        )
        ended.set()
        killing.join()

    assert report.end == "done"
    assert report.planned == planned
    assert sum(server.answers.values()) <= planned + CONCURRENCY
    check(tmp_path / "store", "s", planned=planned, rows=planned)
