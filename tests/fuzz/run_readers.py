"""Readers of a run's files: its database, an old journal, its records of batches, its lock and its status."""

import shutil
from contextlib import closing, nullcontext
from functools import cache
from pathlib import Path

from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.read_config import load_config
from engine.collect.database.batch_records import BatchRecords
from engine.collect.database.old_runs import take_over
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import RunDatabase
from engine.collect.locks.lock_holders import Holder
from engine.collect.rows.recorder import Collector
from engine.collect.rows.run_rows import RunRows
from engine.collect.watch.watched_runs import all_runs
from engine.store import Store
from engine.store.study_files import StudyFiles

from .readers import Reader, base_study
from .samples import CORPUS


@cache
def _config() -> RunConfig:
    return load_config(CORPUS / "configs" / "small" / "run.toml")


def read_journal(given: Path, scratch: Path) -> None:
    """Take a journal that version 0.2 left into the database, and from there into the study."""
    shutil.copytree(base_study().location.path, scratch / "study")
    shutil.copytree(given, scratch / "journal")
    study = StudyFiles.at(scratch / "study")
    collector = Collector(study, RunRows(_config(), "run"), nullcontext)
    with closing(RunDatabase(scratch / "journal")) as database:
        take_over(scratch / "journal", database)
        for portion in RecordedCalls(database).portions():
            collector.collect_missing(portion.entries)


def read_batches(given: Path, scratch: Path) -> None:
    """Read the records of batches that version 0.2 had not collected, and the calls in them."""
    shutil.copytree(given, scratch / "batches")
    with closing(RunDatabase(scratch)) as database:
        take_over(scratch, database)
        records = BatchRecords(database)
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
