"""Where a run keeps what is no part of the study: its journal, its status, its configuration, its log."""

import hashlib
import os
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import StoreError
from engine.runner.options import Shard
from engine.store import Store
from engine.store.locations import check_name

_LETTERS = "bcdfghjkmnpqrstvwxz23456789"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run, and below it that of the shard, where there is one."""

    path: Path

    @property
    def status(self) -> Path:
        """The file that tells those who watch how far the run is."""
        return self.path / "status.json"

    @property
    def config(self) -> Path:
        """The configuration that the run was started with."""
        return self.path / "config.toml"

    @property
    def log(self) -> Path:
        """What happened, line by line."""
        return self.path / "log"


def runs_root(store: Store) -> Path:
    """Return the folder of all runs of a store: in the store, or for S3 in the user's state folder."""
    if store.location.is_local:
        return Path(store.location.path) / ".runs"
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    place = hashlib.sha256(store.location.path.encode()).hexdigest()[:16]
    return Path(state) / "spb" / "runs" / place


def runs_folder(store: Store, study: str) -> Path:
    """Return the folder of all runs of a study."""
    return runs_root(store) / check_name(study)


def run_place(store: Store, study: str, run_id: str) -> Path:
    """Return where a run is kept, be it there or not; UsageError for an id that would lead elsewhere."""
    return runs_folder(store, study) / check_name(run_id, "run's id")


def run_folder(store: Store, study: str, run_id: str, shard: Shard | None = None) -> RunFolder:
    """Return the folder of a run, made where it is not there; raises as `run_place`, StoreError as `made`."""
    path = run_place(store, study, run_id)
    if shard is not None:
        path /= f"shard-{shard.name}"
    return RunFolder(made(path))


def made(path: Path) -> Path:
    """Return the folder, made where it is not there; StoreError where it cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path}: cannot be made: {error.strerror}; choose another --store") from error
    return path


def new_run_id() -> str:
    """Return a name for a new run: the time in UTC, so that names sort, and three letters of chance."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return f"{now}-{''.join(secrets.choice(_LETTERS) for _ in range(3))}"
