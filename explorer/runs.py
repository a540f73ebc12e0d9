"""Runs from the page: each is the command `spb run` in a process of its own, which outlives the page.

What a run does is read from its status file, so that a page that is left, reloaded, or served by another
server finds it again. Keys go to the process through its environment only.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from engine.errors import SpbError, UsageError
from engine.read_only import read_only
from engine.runner.folders import RunFolder, new_run_id, run_folder, run_place
from engine.runner.watching import Watched, stop
from engine.store import Store
from explorer import open_studies

_OUTPUT = "output"
"""What the process printed, in the run's folder."""


class NotForeseenError(SpbError):
    """The configuration of a run is wrong, or cannot be looked ahead; its message is the command's."""


@dataclass(frozen=True)
class Forecast:
    """What a run would call: the lines and sums of `spb run --dry-run --format json`."""

    told: dict[str, Any]

    @property
    def calls(self) -> int:
        """Calls that would be made."""
        return int(self.told["planned"])

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The calls by model and way of asking."""
        return list(self.told["by_judge"])

    @property
    def missing_keys(self) -> dict[str, str]:
        """The models whose key is not set, and the variable each wants."""
        return dict(self.told.get("missing_keys", {}))


@st.cache_resource(show_spinner=False)
def _started() -> list["subprocess.Popen[bytes]"]:
    """Keep the processes of this server, so that those that ended do not stay behind as zombies."""
    return []


def forecast(root: str, text: str) -> Forecast:
    """Return what a configuration would call; nothing is called and the store is not touched.

    Raises NotForeseenError with the command's words.
    """
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        config = Path(folder) / "run.toml"
        config.write_text(text, "utf-8")
        done = subprocess.run(  # noqa: S603 - our own command
            [*_run(config, root), "--fresh", "--dry-run", "--format", "json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=_environment(),
            check=False,
        )
    if done.returncode:
        words = _last_words(done.stderr).replace(f"{config}: ", "")
        raise NotForeseenError(words or "the run could not be looked ahead")
    return Forecast(json.loads(done.stdout.decode().splitlines()[-1]))


def start(root: str, study: str, text: str) -> str:
    """Start a run in a process of its own and return its id; the page is not waited for.

    Raises UsageError where the explorer is read only or the study is not open to who is here, UsageError or
    StoreError where the run's folder cannot be made.
    """
    _refuse(study)
    run_id = new_run_id()
    folder = run_folder(Store(root), study, run_id)
    folder.config.write_text(text, "utf-8")
    _begin(root, folder, run_id)
    return run_id


def go_on(root: str, run: Watched) -> None:
    """Start a run again that ended before it was done; it goes on. Raises as `start` does."""
    _refuse(run.study)
    _begin(root, run.folder, run.run_id)


def cancel(run: Watched) -> None:
    """End a run in good order; what was answered is kept. UsageError as `start` raises it."""
    _refuse(run.study)
    stop(run)


def last_words(root: str, study: str, run_id: str) -> str | None:
    """Return what a process that ended printed last; None while it is at work or where nothing is known."""
    for process in _started():
        process.poll()  # one that ended does not stay behind as a zombie
    place = run_place(Store(root), study, run_id)
    try:
        return _last_words((place / _OUTPUT).read_bytes()) or None
    except OSError:
        return None


def at_work(run_id: str) -> bool | None:
    """Return whether this server's process of the run is at work; None where this server has started none."""
    mine = [process for process in _started() if run_id in process.args]
    return any(process.poll() is None for process in mine) if mine else None


def _refuse(study: str) -> None:
    open_studies.check_writable(study)
    if read_only():
        raise UsageError(
            "this explorer is read only (SPB_READ_ONLY is 1): runs are started and ended elsewhere, by "
            "`spb run`"
        )


def _begin(root: str, folder: RunFolder, run_id: str) -> None:
    with (folder.path / _OUTPUT).open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [*_run(folder.config, root), "--run-id", run_id],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=_environment(),
            start_new_session=True,  # Ctrl-C in the server's terminal is not meant for the run
        )
    _started().append(process)


def _run(config: Path, root: str) -> list[str]:
    return [sys.executable, "-m", "engine.cli", "run", str(config), "--store", root]


def _environment() -> dict[str, str]:
    """Return the environment of a run: this process's, and Streamlit's secrets that are plain texts."""
    try:
        secrets = {name: value for name, value in st.secrets.items() if isinstance(value, str)}
    except FileNotFoundError:  # Streamlit's way to say that there are none
        secrets = {}
    return {**secrets, **os.environ}


def _last_words(printed: bytes) -> str:
    """Return the last line of what a command printed, without the word error."""
    lines = [line for line in printed.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else ""
