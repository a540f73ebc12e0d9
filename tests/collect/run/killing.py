"""`spb run` in separate processes, killed at random moments; and what must hold afterwards."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loopback import Loopback

from engine.store import Store
from engine.store.writer import validate_study

IDENTITY = ("judge", "paradigm", "variant", "instance_id", "generator", "opponent", "first", "rubric_id")
_LONGEST_S = 600.0


def start(config: Path, store: Path, *options: str) -> "subprocess.Popen[str]":
    """Start `spb run` on a configuration."""
    command = [sys.executable, "-m", "engine.cli", "run", str(config), "--store", str(store), *options]
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def wait_until(condition: Callable[[], bool], process: "subprocess.Popen[str] | None" = None) -> bool:
    """Wait until `reached` is true; False if the process ends first."""
    until = time.monotonic() + _LONGEST_S
    while not condition():
        if process is not None and process.poll() is not None:
            return False
        if time.monotonic() > until:
            raise TimeoutError("it did not happen in ten minutes")
        time.sleep(0.01)
    return True


def killed_at_random(
    config: Path, store: Path, server: Loopback, *, kills: int, planned: int, rng: random.Random
) -> int:
    """Repeatedly start the run and kill it after a random number of calls; return the kills that hit."""
    hit = 0
    for number in range(kills):
        # The kills are spread over the run, each at random within its stretch.
        goal = int(planned * (number + rng.random()) / (kills + 1)) + 1
        process = start(config, store)
        try:
            if wait_until(lambda goal=goal: server.calls >= goal, process):  # type: ignore[misc]
                time.sleep(rng.uniform(0, 0.05))  # at any point within a call
                hit += process.poll() is None
            process.send_signal(signal.SIGKILL)
        finally:
            process.communicate()
    return hit


def finished(config: Path, store: Path, *, tries: int = 1) -> dict[str, Any]:
    """Run to the end, repeating while calls fail; return the last report."""
    for _ in range(tries):
        process = start(config, store, "--format", "json")
        out, err = process.communicate(timeout=_LONGEST_S)
        assert process.returncode in (0, 1), err
        report: dict[str, Any] = json.loads(out.splitlines()[-1])
        if process.returncode == 0:
            break
    return report


def check(store: Path, study: str, *, planned: int, rows: int) -> None:
    """Assert that the study is sound and holds every identity once, answered."""
    files = Store(store).open(study)
    validate_study(files)
    judgments = files.table("judgments").to_pylist()
    identities = {tuple(row[name] for name in IDENTITY) for row in judgments}
    assert len(judgments) == len(identities) == rows
    assert len({row["call_id"] for row in judgments}) == planned
    assert all(row["status"] != "error" for row in judgments)


def answered_too_often(server: Loopback) -> int:
    """Return how many answers the server gave beyond one for each call."""
    return sum(max(number - 1, 0) for number in server.answers.values())
