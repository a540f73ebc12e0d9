"""The files of a run outside the study: its database, its status, its configuration and its log."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.collect.run_options import Shard
from engine.errors import StoreError
from engine.plain_words import disk_words
from engine.process import user_folder
from engine.store import Store
from engine.store.location import check_name

_LETTERS = "bcdfghjkmnpqrstvwxz23456789"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run or, below it, of one of its shards."""

    path: Path

    @property
    def status(self) -> Path:
        return self.path / "status.json"

    @property
    def config(self) -> Path:
        return self.path / "config.toml"


def runs_root(store: Store) -> Path:
    """Return the folder of all runs of a store: inside it, or for S3 in the user's state folder."""
    if store.location.is_local:
        return Path(store.location.path) / ".runs"
    digest = hashlib.sha256(store.location.path.encode()).hexdigest()[:16]
    return user_folder("XDG_STATE_HOME") / "spb" / "runs" / digest


def runs_folder(store: Store, study: str) -> Path:
    return runs_root(store) / store.name_of(study)


def run_path(store: Store, study: str, run_id: str) -> Path:
    """Return the path of a run, existing or not; UsageError for an id that is not a plain name."""
    return runs_folder(store, study) / check_name(run_id, "run's id")


def run_folder(store: Store, study: str, run_id: str, shard: Shard | None = None) -> RunFolder:
    """Return the folder of a run, or of one of its shards, created if missing."""
    path = run_path(store, study, run_id)
    return RunFolder(ensure_folder(path if shard is None else path / f"shard-{shard.name}"))


def ensure_folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be created: {disk_words(error, 'choose another --store')}"
        ) from error
    return path


def new_run_id() -> str:
    """Return a name for a new run: the time in UTC, so that names sort, and three random characters."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return f"{now}-{''.join(secrets.choice(_LETTERS) for _ in range(3))}"
