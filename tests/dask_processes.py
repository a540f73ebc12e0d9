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
    """The address of a scheduler, its process and those of its workers."""

    address: str
    scheduler: "subprocess.Popen[bytes]"
    workers: "list[subprocess.Popen[bytes]]"


@contextmanager
def cluster_in(folder: Path, *, workers: int = 2) -> Iterator[Cluster]:
    """Start a scheduler and workers of one thread each; their files are in `folder`. Kill them at the end."""
    folder.mkdir()
    file = folder / "scheduler.json"
    processes = [_start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))]
    try:
        wait_until(lambda: file.exists() and file.read_text("utf-8").rstrip().endswith("}"), processes[0])
        address = json.loads(file.read_text("utf-8"))["address"]
        for number in range(workers):
            place = str(folder / f"worker-{number}")
            options = ("--nthreads", "1", "--no-nanny", "--local-directory", place)
            processes.append(_start("dask_worker", address, *options))
        yield Cluster(address, processes[0], processes[1:])
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _start(module: str, *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1", "--no-dashboard"]
    nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([*command, *arguments], env=dict(os.environ), **nowhere)
