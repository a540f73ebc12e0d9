"""Runs from the page: each is the command `spb run` in a process of its own, which outlives the page."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from engine.collect.run_folder import RunFolder, new_run_id, run_folder, run_path
from engine.collect.watch.watched_runs import WatchedRun, stop
from engine.errors import SpbError
from engine.importers.own_questions.question_checks import Questions
from engine.store import Store
from engine.store.publish import replace_file
from explorer import permissions
from explorer.new_run.own_questions import FILE

_OUTPUT = "output"
"""What the process printed, in the run's folder."""


class ForecastError(SpbError):
    """The configuration of a run is wrong, or cannot be estimated; the message is the command's."""


@dataclass(frozen=True)
class PlannedCalls:
    """The calls of a planned run: the lines and sums of `spb run --dry-run --format json`."""

    facts: dict[str, Any]

    @property
    def calls(self) -> int:
        """Calls that would be made."""
        return int(self.facts["planned"])

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The calls by model, role and paradigm."""
        return list(self.facts["by_judge"])

    @property
    def obstacles(self) -> list[str]:
        """What keeps the run from starting, each with its remedy, such as a key that is not set."""
        return list(self.facts.get("obstacles", []))


@st.cache_resource(show_spinner=False)
def _processes() -> list["subprocess.Popen[bytes]"]:
    """Hold the processes of this server, so that ended ones can be polled and leave no zombies."""
    return []


def forecast(root: str, text: str, questions: Questions | None = None) -> PlannedCalls:
    """Estimate the calls of a configuration; calls nothing and does not touch the store.

    `questions` are the user's own, which the configuration reads beside it.
    Raises ForecastError with the command's message.
    """
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        config = Path(folder) / "run.toml"
        config.write_text(text, "utf-8")
        _write_questions(config, questions)
        process = subprocess.run(  # noqa: S603 - our own command
            [*_run(config, root), "--fresh", "--dry-run", "--format", "json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment(),
            check=False,
        )
    if not (lines := process.stdout.decode().splitlines()):  # a run that would not start has an estimate too
        message = _last_line(process.stderr).replace(f"{config}: ", "")
        raise ForecastError(message or "the run could not be estimated")
    return PlannedCalls(json.loads(lines[-1]))


def _write_questions(config: Path, questions: Questions | None) -> None:
    if questions is not None:
        replace_file(config.with_name(FILE), questions.to_jsonl().encode())


def start(root: str, study: str, text: str, questions: Questions | None = None) -> str:
    """Start a run in a process of its own and return its id, without waiting for it.

    `questions` are as in `forecast`.
    Raises UsageError if the explorer is read only or the visitor may not write the study, UsageError or
    StoreError if the run's folder cannot be created.
    """
    permissions.check_writable(study)
    run_id = new_run_id()
    folder = run_folder(Store(root), study, run_id)
    _write_questions(folder.config, questions)
    replace_file(folder.config, text.encode())
    _launch(root, folder, run_id)
    return run_id


def resume(root: str, run: WatchedRun, redo: str | None = None, cap: float | None = None) -> None:
    """Resume a run that ended before it was done. Raises the same errors as `start`.

    `redo` is a status whose judgments are requested again. Without a new `cap` the run keeps its own, which
    may have been given on the command line alone, and one that was begun without stays without.
    """
    permissions.check_writable(run.study)
    cap = run.status.get("max_usd") if cap is None else cap
    options = [f"--max-usd={cap}"] if cap is not None else ["--no-cap"] if run.status.get("no_cap") else []
    options += [f"--redo={redo}"] if redo else []
    folder = run_folder(Store(root), run.study, run.run_id)  # that of the shard's whole run
    if folder != run.folder:
        replace_file(folder.config, run.folder.config.read_bytes())
    _launch(root, folder, run.run_id, *options)


def cancel(run: WatchedRun) -> None:
    """End a run gracefully, keeping its answers. Raises UsageError like `start`."""
    permissions.check_writable(run.study)
    stop(run)


def last_line(root: str, study: str, run_id: str) -> str | None:
    """Return the last line that a run's process printed; None if there is none."""
    for process in _processes():
        process.poll()  # so that an ended one leaves no zombie
    place = run_path(Store(root), study, run_id)
    try:
        return _last_line((place / _OUTPUT).read_bytes()) or None
    except OSError:
        return None


def is_alive(run_id: str) -> bool | None:
    """Return whether this server's process of the run is alive; None if this server started none."""
    processes = [each for each in _processes() if isinstance(each.args, list) and run_id in each.args]
    return any(each.poll() is None for each in processes) if processes else None


def _launch(root: str, folder: RunFolder, run_id: str, *options: str) -> None:
    with (folder.path / _OUTPUT).open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [*_run(folder.config, root), "--run-id", run_id, *options],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=environment(),
            start_new_session=True,  # Ctrl-C in the server's terminal is not meant for the run
        )
    _processes().append(process)


def _run(config: Path, root: str) -> list[str]:
    return [sys.executable, "-m", "engine.cli", "run", str(config), "--store", root]


def environment() -> dict[str, str]:
    """Return the environment of a run: this process's, and Streamlit's secrets that are plain texts."""
    try:
        secrets = {name: value for name, value in st.secrets.items() if isinstance(value, str)}
    except FileNotFoundError:  # Streamlit's way to say that there are none
        secrets = {}
    return {**secrets, **os.environ}


def _last_line(output: bytes) -> str:
    """Return the last line of what a command printed, without the word error."""
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else ""
