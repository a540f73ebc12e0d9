"""A run whose study and identity are settled, before anybody is asked."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.config import RunConfig
from engine.errors import UsageError
from engine.runner.batch_checks import check_batches, refuse_open
from engine.runner.batch_records import BatchRecords
from engine.runner.budget import Budget
from engine.runner.calling import Asks, refuse_unknown_prices
from engine.runner.collect import Collector
from engine.runner.folders import RunFolder, new_run_id, run_folder, runs_folder
from engine.runner.guard import collecting
from engine.runner.journal import journal_files
from engine.runner.options import RunOptions
from engine.runner.prepare import prepared_study
from engine.runner.run_rows import RunRows, spent
from engine.runner.same import last_run, refuse_another
from engine.runner.stages import Ways, ways_of
from engine.store import Store, StudyFiles

LOG = logging.getLogger("engine.runner")


@dataclass(frozen=True, slots=True)
class Begun:
    """A run whose study and identity are settled."""

    config: RunConfig
    options: RunOptions
    store: Store
    study: StudyFiles
    run_id: str
    files: RunFolder
    ways: Ways
    models: Asks


def cap_of(config: RunConfig, options: RunOptions) -> float | None:
    """Return the spending cap: the option's before the configuration's."""
    return config.run.max_usd if options.max_usd is None else options.max_usd


def check(config: RunConfig, options: RunOptions, models: Asks) -> None:
    """Raise UsageError for what would fail later: keys that are not set, and a cap that cannot be kept."""
    called = config.called()
    if config.mode == "batch":
        check_batches(config, options)
    for name, variable in models.missing_keys().items():
        if name in called:
            raise UsageError(
                f"models.{name}: its key is wanted in the environment variable {variable}, which is not set; "
                "set it (nothing was called)"
            )
    if cap_of(config, options) is not None:
        refuse_unknown_prices(models, called)


def settled(config: RunConfig, store: Store, options: RunOptions, models: Asks) -> Begun:
    """Settle the study and the run, which is the last one unless that is another or a new one is wanted.

    Raises as `engine.runner.run` does.
    """
    ways = ways_of(config)
    study = prepared_study(store, config)
    rows = study.table("runs").to_pylist()
    before = options.run_id or (None if options.fresh else last_run(rows))
    if before is not None:
        refuse_another(before, rows, config, ways.used)
    run_id = before or new_run_id()
    files = run_folder(store, config.study, run_id, options.shard)
    if config.mode == "live":
        refuse_open(BatchRecords(runs_folder(store, config.study) / run_id), run_id)
    return Begun(config, options, store, study, run_id, files, ways, models)


def recovered(begun: Begun) -> Collector:
    """Take what killed processes left into the study, and return the collector of this run."""
    folder = runs_folder(begun.store, begun.config.study)
    mine = _collector(begun, begun.run_id)
    if mine.runs.lacks(begun.ways.asked, begun.study.table("runs").to_pylist()):
        mine.change_runs(lambda rows: mine.runs.begun(begun.ways.asked, rows))
    for path in _left_journals(begun):
        run_id = path.relative_to(folder).parts[0]
        collector = mine if run_id == begun.run_id else _collector(begun, run_id)
        taken = collector.recover(path)
        if taken:
            LOG.info("%d calls of %s were taken over from a journal", taken, run_id)
    return mine


def budget_of(begun: Begun, study: StudyFiles) -> Budget:
    """Return what may be spent: a shard a share of what is left, as it sees nothing of the others'."""
    cap = cap_of(begun.config, begun.options)
    before = spent(study.table("runs").to_pylist(), begun.run_id)
    if cap is None or begun.options.shard is None:
        return Budget(cap, before)
    return Budget(before + max(cap - before, 0.0) / begun.options.shard.count, before)


def _left_journals(begun: Begun) -> Iterator[Path]:
    folder = runs_folder(begun.store, begun.config.study)
    if begun.options.shard is not None:  # other shards are at work in the other folders
        yield from journal_files(begun.files.path)
        return
    for run_path in sorted(path for path in folder.iterdir() if path.is_dir()):
        yield from journal_files(run_path)
        for shard_path in sorted(run_path.glob("shard-*")):
            yield from journal_files(shard_path)


def _collector(begun: Begun, run_id: str) -> Collector:
    rows = RunRows(begun.config, run_id)
    rows.use(begun.ways.used)
    return Collector(begun.study, rows, lambda: collecting(begun.store, begun.config.study))
