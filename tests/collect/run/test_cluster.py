"""`spb run --cluster` on a Dask cluster whose processes are killed."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path

import distributed
import pytest
from collect.run.killing import check, wait_until
from collect.run.small import config_text, write_folder
from command_line import Spb
from dask_processes import Cluster, cluster_in
from loopback import Loopback, serving

from engine.collect.configuration.read_config import parse_config
from engine.collect.run import cluster
from engine.collect.run.cluster import run_on_cluster
from engine.collect.run_options import RunOptions
from engine.collect.watch.watched_runs import all_runs
from engine.store import Store

CONCURRENCY = 4
INSTANCES = 12
PLANNED = 2 * 2 * INSTANCES * 2


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a cluster that the tests use one after the other, as users do; the last two lose parts of it."""
    with cluster_in(tmp_path_factory.mktemp("dask") / "cluster") as cluster:
        yield cluster


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serving(delay_s=0.03) as running:
        yield running


@pytest.fixture
def config(tmp_path: Path, server: Loopback) -> Path:
    """Write a configuration of two models on the server."""
    address = f'api_base = "{server.url}"'
    data = write_folder(tmp_path / "data", instances=INSTANCES)
    text = config_text(data, a=address, b=address, run=f"concurrency = {CONCURRENCY}")
    (tmp_path / "run.toml").write_text(text, "utf-8")
    return tmp_path / "run.toml"


RunOn = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run_on(config: Path, spb_here: Spb) -> RunOn:
    """Return a function that runs the command on a cluster."""

    def run(address: str) -> "subprocess.CompletedProcess[str]":
        store = config.parent / "store"
        return spb_here("run", config, "--store", store, "--cluster", address, "--format", "json")

    return run


@contextmanager
def after_a_third_of_the_calls(server: Loopback, action: Callable[[], object]) -> Iterator[None]:
    """Act beside the block once the server has a third of the calls."""

    def act() -> None:
        wait_until(lambda: server.calls >= PLANNED // 3)
        action()

    with ThreadPoolExecutor(1) as beside:
        acted = beside.submit(act)
        yield
        acted.result()


def test_ctrl_c_ends_the_shards_cleanly_and_the_command_makes_all_other_calls_on_the_workers(
    tmp_path: Path, server: Loopback, dask: Cluster, run_on: RunOn
) -> None:
    with after_a_third_of_the_calls(server, lambda: os.kill(os.getpid(), signal.SIGINT)):
        first = run_on(dask.address)
    calls_at_the_end = server.calls
    (listed,) = all_runs(Store(tmp_path / "store"))
    result = run_on(dask.address)

    report = json.loads(first.stdout)
    assert (first.returncode, report["state"], listed.state) == (130, "interrupted", "interrupted")
    assert "interrupted" in first.stderr
    assert f"{report['done']} of {PLANNED} calls answered" in listed.status["message"]
    assert PLANNED // 3 - 2 * CONCURRENCY <= report["done"] <= calls_at_the_end < PLANNED
    assert result.returncode == 0, result.stderr
    done = json.loads(result.stdout)
    assert (done["already_done"], done["planned"], done["state"]) == (report["done"], PLANNED, "done")
    assert done["ok"] == PLANNED - report["done"]
    assert f"{PLANNED} of {PLANNED} calls answered" in result.stderr
    assert f"of {PLANNED} calls in all, " in result.stderr
    assert set(server.answers.values()) == {1}
    assert server.calls == PLANNED
    check(tmp_path / "store", "s", planned=PLANNED, rows=PLANNED)
    (listed,) = all_runs(Store(tmp_path / "store"))
    assert (listed.state, listed.status["done"], listed.status["total"]) == ("done", PLANNED, PLANNED)


def test_what_a_shard_leaves_of_its_share_of_the_cap_goes_to_the_others(
    tmp_path: Path, config: Path, server: Loopback, dask: Cluster, run_on: RunOn
) -> None:
    most_usd, usd, cap, shards = 4, 2, 120, 8  # an answer has two words, of at most four, each a dollar
    price = "price = { input_per_million = 0.0, output_per_million = 1_000_000 }"
    lines = f'api_base = "{server.url}"\n{price}\nparams = {{ max_tokens = {most_usd} }}'
    run = f"concurrency = {CONCURRENCY}\nmax_usd = {cap}"
    config.write_text(config_text(tmp_path / "data", a=lines, b=lines, run=run), "utf-8")

    result = run_on(dask.address)

    report = json.loads(result.stdout)
    assert (result.returncode, report["state"]) == (4, "budget"), result.stderr
    assert report["cost_usd"] == usd * server.calls == usd * report["ok"]
    assert cap - shards * most_usd <= report["cost_usd"] <= cap
    assert max(server.answers.values()) == 1
    check(tmp_path / "store", "s", planned=report["ok"], rows=report["ok"])


def test_a_dead_worker_costs_only_its_calls_in_progress(
    tmp_path: Path, server: Loopback, dask: Cluster, run_on: RunOn
) -> None:
    with after_a_third_of_the_calls(server, dask.workers[0].kill):
        result = run_on(dask.address)

    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["done"] + report["already_done"] == report["planned"] == PLANNED
    assert sum(server.answers.values()) <= PLANNED + CONCURRENCY
    check(tmp_path / "store", "s", planned=PLANNED, rows=PLANNED)


def test_a_lost_scheduler_is_a_named_error_and_what_was_stored_is_continued(
    tmp_path: Path, config: Path, server: Loopback, dask: Cluster, run_on: RunOn, spb_here: Spb
) -> None:
    with after_a_third_of_the_calls(server, dask.scheduler.kill):
        lost = run_on(dask.address)
    for worker in dask.workers:
        worker.kill()
        worker.wait()
    (failed,) = all_runs(Store(tmp_path / "store"))
    result = spb_here("run", config, "--store", tmp_path / "store")

    assert lost.returncode == 1
    assert "error: the cluster's scheduler no longer answers; start the cluster and run the" in lost.stderr
    assert "Traceback" not in lost.stderr
    assert "no longer answers" in failed.status["message"]
    assert failed.state == "failed"
    assert result.returncode == 0, result.stderr
    assert sum(server.answers.values()) <= PLANNED + CONCURRENCY  # its worker was killed with it
    check(tmp_path / "store", "s", planned=PLANNED, rows=PLANNED)


def test_a_wrong_address_is_wrong_usage(server: Loopback, run_on: RunOn) -> None:
    result = run_on("nowhere")

    assert result.returncode == 2
    assert "the cluster 'nowhere' does not answer" in result.stderr
    assert "Traceback" not in result.stderr
    assert server.calls == 0


def test_a_cluster_without_workers_is_refused_before_any_call(
    server: Loopback, run_on: RunOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.dask_client._FIRST_WORKER_S", 0.2)
    here = {"n_workers": 0, "processes": False, "protocol": "tcp", "dashboard_address": None}

    with distributed.LocalCluster(**here, host="127.0.0.1") as empty:
        result = run_on(empty.scheduler_address)

    assert result.returncode == 2
    assert "has no workers; start some" in result.stderr
    assert server.calls == 0


def test_the_report_has_the_spending_and_the_cap_of_the_whole_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    price = "price = { input_per_million = 0.0, output_per_million = 1000.0 }\nparams = { max_tokens = 100 }"
    models = "".join(f"[models.{name}]\nmodel = 'simulated/{name}'\n{price}\n" for name in "ab")
    data = write_folder(tmp_path / "data", instances=20)
    top = f"study = 's'\ndata = '{data}'\ngenerators = ['a', 'b']\njudges = ['a', 'b']\n"
    config = parse_config(f"{top}paradigms = ['single_rubric']\n{models}")
    monkeypatch.setattr(cluster, "connect", lambda _address: nullcontext())
    monkeypatch.setattr(cluster, "shards_for", lambda _client: 4)
    monkeypatch.setattr(cluster, "completed_tasks", lambda _client, work, tasks, **_: map(work, tasks))

    report = run_on_cluster(config, Store(tmp_path / "store"), RunOptions(max_usd=1.0), "tcp://nowhere:1")

    assert (report.end, report.cap) == ("budget", 1.0)
    assert report.cost_usd == pytest.approx(report.spent)
    assert 1.0 - 4 * 0.1 <= report.spent <= 1.0  # each of the four shards may lack room for an answer
