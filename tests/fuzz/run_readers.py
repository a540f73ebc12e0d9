"""Readers of a run's files: its journal, its records of batches, its lock and its status."""

import shutil
from contextlib import nullcontext
from functools import cache
from pathlib import Path

from engine.collect.batch_stage import BatchRecords
from engine.collect.config import RunConfig
from engine.collect.journal import journal_files
from engine.collect.locks import Holder
from engine.collect.read_config import load_config
from engine.collect.recorder import Collector
from engine.collect.run_rows import RunRows
from engine.collect.watched_runs import all_runs
from engine.store import Store
from engine.store.study_files import StudyFiles

from .readers import Reader, base_study
from .samples import CORPUS


@cache
def _config() -> RunConfig:
    return load_config(CORPUS / "configs" / "small" / "run.toml")


def read_journal(given: Path, scratch: Path) -> None:
    """Take a journal that another process left into the study."""
    shutil.copytree(base_study().location.path, scratch / "study")
    shutil.copytree(given, scratch / "journal")
    study = StudyFiles.at(scratch / "study")
    collector = Collector(study, RunRows(_config(), "run"), nullcontext)
    for path in journal_files(scratch / "journal"):
        collector.collect_missing(path)


def read_batches(given: Path, scratch: Path) -> None:
    """Read the records of uncollected batches, and the calls in them."""
    shutil.copytree(given, scratch / "batches")
    records = BatchRecords(scratch)
    for record in records.open():
        list(records.calls(record))


def read_status(given: Path, scratch: Path) -> None:
    """Inspect a run from outside: who holds its lock, and its progress."""
    lock = given / "lock"
    Holder.from_text(lock.read_bytes() if lock.is_file() else b"")
    shutil.copytree(given, scratch / ".runs" / "study" / "run")
    for run in all_runs(Store(scratch)):
        assert run.state
        assert 0 <= run.share <= 1


RUNS = (
    Reader("journal", read_journal, 10, folder=True),
    Reader("batches", read_batches, 100, folder=True),
    Reader("status", read_status, 60, folder=True),
)
