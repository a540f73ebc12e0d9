"""What stands before a run's first call: its study, its folder, what earlier starts left, its cap."""

from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from engine.collect.client.model_client import Models
from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.prices import price_remedy
from engine.collect.database.batch_records import BatchRecords, refuse_open
from engine.collect.database.calls_under_way import CallsUnderWay
from engine.collect.database.old_runs import has_old_files, take_over
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import FILE, RunDatabase, is_unfinished
from engine.collect.database.sealed_lines import json_lines
from engine.collect.dispatch.batch_stage import check_batches
from engine.collect.limits.spending import Spending
from engine.collect.locks.study_locks import write_lock
from engine.collect.plan import prepare, stages
from engine.collect.rows.recorder import Collector
from engine.collect.rows.redo import RepeatedResponses, names_judgment, repeated_responses
from engine.collect.rows.run_rows import RunRows, run_cost
from engine.collect.run import continuing
from engine.collect.run_folder import RunFolder, new_run_id, run_folder
from engine.collect.run_log import LOG
from engine.collect.run_options import RunOptions
from engine.errors import StoreError, UsageError
from engine.phrases import quantity
from engine.store import Store
from engine.store.publish import replace_file
from engine.store.study_files import StudyFiles

WITHDRAWN = "withdrawn.jsonl"
"""The file of a run's judgments that were requested again, one per line."""
SHARE = "share"
"""The file of the dollars that a shard may spend, until all that it spent is in the study."""


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A run that is ready for its first call: its study exists, and its run_id is decided."""

    config: RunConfig
    options: RunOptions
    store: Store
    study: StudyFiles
    run_id: str
    files: RunFolder
    prompts: stages.Prompts
    models: Models
    changes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def run_files(self) -> RunFolder:
        """The folder of the whole run, if this is one of its shards."""
        return self.files if self.options.shard is None else RunFolder(self.files.path.parent)


def cap_of(config: RunConfig, options: RunOptions) -> float | None:
    """Return the spending cap: the option's if given, else the configuration's unless it is lifted."""
    if options.no_cap:
        return None
    return config.run.max_usd if options.max_usd is None else options.max_usd


def facts_of(config: RunConfig, store: Store, options: RunOptions, run_id: str) -> dict[str, Any]:
    """Return the facts that every status of a run contains."""
    return {
        "run_id": run_id,
        "study": config.study,
        "store": store.root,
        "command": options.command,
        "max_usd": cap_of(config, options),
        "no_cap": options.no_cap,
        "trial_usd": config.run.trial_usd,
        "shard": options.shard.name if options.shard else None,
        "step": options.step,
    }


def check(config: RunConfig, options: RunOptions, models: Models) -> None:
    """Raise UsageError for the first of the obstacles, if there is one."""
    if reasons := obstacles(config, options, models):
        raise UsageError(f"{reasons[0]} (nothing was called)")


def obstacles(config: RunConfig, options: RunOptions, models: Models) -> list[str]:
    """Return, with its remedy, all that would fail later: missing keys, and a cap that cannot be enforced."""
    names = config.run_models()
    reasons = []
    if config.mode == "batch":
        try:
            check_batches(config, options)
        except UsageError as error:
            reasons.append(str(error))
    reasons += [
        f"models.{name}: its key is read from the environment variable {variable}, which is not set; set it"
        for name, variable in models.missing_keys().items()
        if name in names
    ]
    if cap_of(config, options) is not None:
        reasons += [
            f"models.{name}: the price is unknown, so max_usd cannot be kept; "
            f"{price_remedy(name, config.models[name].model)}, or take --no-cap in place of a cap"
            for name in names
            if models.price(name) is None
        ]
    return reasons


def prepare_run(config: RunConfig, store: Store, options: RunOptions, models: Models) -> PreparedRun:
    """Prepare the study and the run: the last run of its judges is continued, unless another is requested."""
    prompts = stages.prompts_of(config)
    changes: list[str] = []
    study = prepare.prepare_study(store, config)
    rows = study.table("runs").to_pylist()
    last = continuing.run_to_continue(rows, config, options)
    if last is not None and options.redo:
        changes = continuing.changes_since(last, rows, config, prompts.templates)
    elif last is not None:
        continuing.refuse_changes(last, rows, config, prompts.templates)
    run_id = last or new_run_id()
    files = run_folder(store, config.study, run_id, options.shard)
    job = PreparedRun(config, options, store, study, run_id, files, prompts, models, tuple(changes))
    return replace(job, notes=_look_for_batches(job))


def _look_for_batches(job: PreparedRun) -> tuple[str, ...]:
    """Refuse a live run whose batches are under way, or forget them if asked to; return notes on damage."""
    folder = job.run_files.path
    if not (folder / FILE).exists() and not has_old_files(folder):
        return ()
    with closing(_run_database(folder)) as database:
        records = BatchRecords(database)
        if job.options.abandon_batches and (calls := records.abandon()):
            LOG.warning("%s in batches under way were given up", quantity(calls, "call"))
        elif job.config.mode == "live":
            refuse_open(records, job.run_id)
        return (database.saved,) if database.saved else ()


def recover_calls(job: PreparedRun) -> tuple[Collector, list[str]]:
    """Add what killed processes left to the study; return the collector of this run, and notes on damage."""
    notes = []
    runs, folders = job.run_files.path.parent, [job.files.path]
    run_collector, rows = _collector(job, job.run_id), job.study.table("runs").to_pylist()
    if len(run_collector.runs.with_groups(job.prompts.groups, rows)) > len(rows):
        run_collector.change_runs(lambda rows: run_collector.runs.with_groups(job.prompts.groups, rows))
    if job.options.shard is None:  # else other shards use the other folders
        run_paths = sorted(path for path in runs.iterdir() if path.is_dir())
        folders = [folder for path in run_paths for folder in (path, *sorted(path.glob("shard-*")))]
    for folder in folders:
        if is_unfinished(folder) or has_old_files(folder):
            run_id = folder.relative_to(runs).parts[0]
            is_own = run_id == job.run_id
            try:
                database = _run_database(folder)
            except StoreError as error:
                if is_own:
                    raise
                notes.append(f"the run {run_id!r} is left as it is: {error}")
                continue
            with closing(database):
                notes.append(_recover(database, run_collector if is_own else _collector(job, run_id)))
        (folder / SHARE).unlink(missing_ok=True)
    return run_collector, [each for each in notes if each]


def _run_database(folder: Path) -> RunDatabase:
    """Open the database of a folder, with what an older version left there."""
    database = RunDatabase(folder)
    try:
        if has_old_files(folder):
            take_over(folder, database)
    except BaseException:
        database.close()
        raise
    return database


def _recover(database: RunDatabase, collector: Collector) -> str:
    """Add what a killed process left in a database to the study; return what was damaged, if anything."""
    recorded, under_way = RecordedCalls(database), CallsUnderWay(database)
    for portion in recorded.portions():
        if count := len(collector.collect_missing(portion.entries)):
            LOG.info("%d recorded calls of %s were added to the study", count, collector.runs.run_id)
        recorded.remove(portion)
    if charges := under_way.charges():
        collector.change_runs(partial(collector.runs.add_charges, charges))
        LOG.warning("$%.4g counts as spent on calls cut off by an earlier end", sum(charges.values()))
        under_way.clear()
    return database.saved


def withdraw_calls(job: PreparedRun, collector: Collector) -> None:
    """Remove what is to be redone: responses before the first stage, judgments before the last.

    All judgments of a repeated response are withdrawn with it, those of other runs too.
    """
    redo, shard, step = job.options.redo, job.options.shard, job.options.step
    last = len(list(stages.steps_of(job.config))) - 1
    today = datetime.now(UTC).isoformat(timespec="minutes")

    def note(model: str, calls: int) -> str:
        changes = [each for each in job.changes if not each.startswith("models.") or f".{model}." in each]
        text = f"{today}: {quantity(calls, 'call')} requested again ({', '.join(sorted(redo))})"
        return f"{text}; {'; '.join(changes)}" if changes else text

    repeated = RepeatedResponses()
    if redo and step in (None, 0):
        repeated = repeated_responses(job.config, StudyFiles(job.study.location), redo, shard)
    judges_too = bool(redo) and step in (None, last)

    def is_withdrawn(row: Mapping[str, Any]) -> bool:
        if repeated.concern_judgment(row):
            return True
        is_own = shard is None or shard.holds(row["call_id"])
        return judges_too and names_judgment(redo, row) and is_own

    if repeated.calls:
        others = set(job.study.table("runs", ["run_id"])["run_id"].to_pylist()) - {job.run_id}
        for run_id in sorted(others):
            path = run_folder(job.store, job.config.study, run_id).path / WITHDRAWN
            _collector(job, run_id).withdraw(repeated.concern_judgment, path, note, new_settings=False)
    path = job.files.path / WITHDRAWN
    if repeated.calls or judges_too:
        calls = collector.withdraw(is_withdrawn, path, note)
        LOG.info("%d calls were withdrawn, to be requested again", calls)
    if repeated.calls:
        collector.withdraw_responses(repeated, path, note)
        LOG.info("%d answers were withdrawn, to be requested again", len(repeated.calls))


def withdrawn_calls(files: RunFolder) -> frozenset[str]:
    """Return all calls of a run that were ever withdrawn, also by its shards, which need new answers."""
    folders = [files.path, *files.path.glob("shard-*")]
    return frozenset(str(row["call_id"]) for folder in folders for row in json_lines(folder / WITHDRAWN))


def cost_so_far(study: StudyFiles, config: RunConfig, run_id: str, models: Models) -> float:
    """Return what a run has cost, with the trial calls before it."""
    prices = {name: models.price(name) for name in config.run_models()}
    return config.run.trial_usd + run_cost(study.table("runs").to_pylist(), run_id, prices)


def spending_of(job: PreparedRun, study: StudyFiles) -> Spending:
    """Return the spending limit; a shard gets a share of the rest, as it cannot see the others' costs.

    That is the share it was given, else an equal one of what is left of the cap, but less if the others'
    shares do not leave so much. The share of a shard that is active, or was killed, counts as spent.
    """
    cap, shard = cap_of(job.config, job.options), job.options.shard
    if cap is None or shard is None:
        spent_before = cost_so_far(study, job.config, job.run_id, job.models)
        return Spending(cap, spent_before, before=spent_before)
    share_file, others_usd = job.files.path / SHARE, 0.0
    with write_lock(job.store, job.config.study):
        for path in job.run_files.path.glob(f"shard-*/{SHARE}"):
            with suppress(FileNotFoundError):  # that shard has just ended, and the study has what it spent
                others_usd += float(path.read_text("utf-8")) if path != share_file else 0.0
        spent_before = cost_so_far(StudyFiles(job.study.location), job.config, job.run_id, job.models)
        remaining = max(cap - spent_before, 0.0)
        given = job.options.share_usd
        share = remaining / shard.count if given is None else given
        share = max(min(share, remaining - others_usd), 0.0)
        replace_file(share_file, repr(share).encode())
    return Spending(spent_before + share, spent_before, run_cap=cap, before=spent_before)


def _collector(job: PreparedRun, run_id: str) -> Collector:
    rows = RunRows(job.config, run_id, job.prompts.templates)
    return Collector(job.study, rows, lambda: write_lock(job.store, job.config.study))
