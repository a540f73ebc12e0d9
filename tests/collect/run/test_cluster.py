"""Shards on a Dask cluster of two workers, one of which is killed."""

import os
import signal
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import pytest
from collect.run.killing import check
from collect.run.small import config_text, write_folder
from loopback import Loopback, serving
from two_workers import two_workers

from engine.collect import shards
from engine.collect.config import RunOptions, load_config, parse_config
from engine.collect.shards import run_on_cluster, run_shard_task
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
        address = f'api_base = "{server.url}"'
        path = tmp_path / "run.toml"
        data = write_folder(tmp_path / "data", instances=INSTANCES)
        path.write_text(config_text(data, a=address, b=address, run=f"concurrency = {CONCURRENCY}"), "utf-8")
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


def test_the_report_has_the_spending_and_the_cap_of_the_whole_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    price = "price = { input_per_million = 0.0, output_per_million = 1000.0 }\nparams = { max_tokens = 100 }"
    models = "".join(f"[models.{name}]\nmodel = 'simulated/{name}'\n{price}\n" for name in "ab")
    data = write_folder(tmp_path / "data", instances=20)
    top = f"study = 's'\ndata = '{data}'\ngenerators = ['a', 'b']\njudges = ['a', 'b']\n"
    config = parse_config(f"{top}paradigms = ['single_rubric']\n{models}")
    monkeypatch.setattr(shards, "connect", lambda _address: nullcontext())
    monkeypatch.setattr(shards, "shards_for", lambda _client: 4)
    monkeypatch.setattr(
        shards,
        "_cluster_reports",
        lambda _client, tasks, _show: [run_shard_task(each) for each in tasks],
    )

    report = run_on_cluster(config, Store(tmp_path / "store"), RunOptions(max_usd=1.0), "tcp://nowhere:1")

    assert (report.end, report.cap) == ("budget", 1.0)
    assert report.cost_usd == pytest.approx(report.spent)
    assert 1.0 / 4 < report.spent <= 1.0
