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
def cluster_in(folder: Path) -> Iterator[Cluster]:
    """Start a scheduler and two workers of one thread; their files are in `folder`. Kill them at the end."""
    folder.mkdir()
    file = folder / "scheduler.json"
    scheduler = _start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))
    started: list[subprocess.Popen[bytes]] = []
    try:
        wait_until(lambda: file.exists() and file.read_text("utf-8").rstrip().endswith("}"), scheduler)
        address = json.loads(file.read_text("utf-8"))["address"]
        for number in range(2):
            options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(folder / f"worker-{number}"))
            started.append(_start("dask_worker", address, *options))
        yield Cluster(address, scheduler, started)
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
