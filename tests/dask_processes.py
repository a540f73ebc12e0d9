"""A Dask scheduler and its workers as processes of their own, as a user starts them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from collect.run.killing import wait_until


@dataclass(frozen=True)
class Cluster:
    """The address of a scheduler, its process and those of its workers, whose files are in `folder`."""

    folder: Path
    address: str
    scheduler: "subprocess.Popen[bytes]"
    workers: "list[subprocess.Popen[bytes]]"

    def start_worker(self) -> None:
        """Start a worker of one thread."""
        place = str(self.folder / f"worker-{len(self.workers)}")
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", place)
        self.workers.append(_start("dask_worker", self.address, *options))


@contextmanager
def cluster_in(folder: Path, *, workers: int = 2) -> Iterator[Cluster]:
    """Start a scheduler and workers of one thread each; their files are in `folder`. Kill them at the end."""
    folder.mkdir()
    file = folder / "scheduler.json"
    scheduler = _start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))
    started: list[subprocess.Popen[bytes]] = []
    try:
        wait_until(lambda: file.exists() and file.read_text("utf-8").rstrip().endswith("}"), scheduler)
        address = json.loads(file.read_text("utf-8"))["address"]
        cluster = Cluster(folder, address, scheduler, started)
        for _ in range(workers):
            cluster.start_worker()
        yield cluster
    finally:
        for process in (scheduler, *started):
            process.kill()
            process.wait()


def _start(module: str, *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1", "--no-dashboard"]
    nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    unprofiled = {
        **os.environ,
        "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    }  # a fifth of their time
    return subprocess.Popen([*command, *arguments], env=unprofiled, **nowhere)
