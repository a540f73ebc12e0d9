"""A run from its lock to its report."""

import asyncio
import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from engine.config import RunConfig
from engine.errors import SpbError, UsageError
from engine.judges import Models
from engine.plan import make_plan
from engine.runner.answered import Answered
from engine.runner.batch_checks import check_batches, refuse_open
from engine.runner.batch_records import BatchRecords
from engine.runner.batching import Batching
from engine.runner.budget import Budget
from engine.runner.calling import Asks, refuse_unknown_prices
from engine.runner.collect import Collector
from engine.runner.folders import RunFolder, new_run_id, run_folder, runs_folder
from engine.runner.guard import alone, collecting
from engine.runner.journal import Journal, journal_files
from engine.runner.options import RunOptions
from engine.runner.planned import with_planned
from engine.runner.prepare import prepared_study
from engine.runner.report import End, RunReport
from engine.runner.run_rows import RunRows, spent
from engine.runner.same import last_run, refuse_another
from engine.runner.session import Session
from engine.runner.stages import Ways, steps_of, ways_of
from engine.runner.status import Status
from engine.store import Store, StudyFiles

LOG = logging.getLogger("engine.runner")
Show = Callable[[dict[str, Any]], None]


def run(
    config: RunConfig,
    store: Store,
    options: RunOptions | None = None,
    *,
    show: Show | None = None,
    models: Asks | None = None,
) -> RunReport:
    """Make the calls of a configuration and add what comes back to its study, made where it is not there.

    A run of the study that was begun before is continued. `show` is told the status about twice a second;
    `models` answer in the place of those that the configuration names (tests have their own).
    SIGINT and SIGTERM end the run in good order. Raises UsageError or BadInputError where the configuration
    is wrong, before anything is called; BusyError where the study is being run already; StoreError where
    answers cannot be kept, and what was written is then intact.
    """
    options = options or RunOptions()
    if models is None:
        models = Models(
            config.models,
            timeout_s=config.run.timeout_s,
            retries=config.run.retries,
            batch=config.mode == "batch",
        )
    _check(config, options, models)
    with alone(store, config.study, options):
        begun = _begin(config, store, options, models)
        with _logged(begun.files):
            return asyncio.run(_whole(begun, show))


def begin(config: RunConfig, store: Store, options: RunOptions) -> str:
    """Make the study and the run's rows where they are not there yet, and return the run_id; calls nobody.

    Raises as `run` does.
    """
    models = Models(config.models, batch=config.mode == "batch")
    _check(config, options, models)
    with alone(store, config.study, options):
        begun = _begin(config, store, options, models)
        _recovered(begun)
        return begun.run_id


def _begin(config: RunConfig, store: Store, options: RunOptions, models: Asks) -> "_Begun":
    """Settle the study and the run, which is the last one unless that is another or a new one is wanted."""
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
    return _Begun(config, options, store, study, run_id, files, ways, models)


def cap_of(config: RunConfig, options: RunOptions) -> float | None:
    """Return the spending cap: the option's before the configuration's."""
    return config.run.max_usd if options.max_usd is None else options.max_usd


@dataclass(frozen=True, slots=True)
class _Begun:
    """A run whose study and identity are settled."""

    config: RunConfig
    options: RunOptions
    store: Store
    study: StudyFiles
    run_id: str
    files: RunFolder
    ways: Ways
    models: Asks


def _check(config: RunConfig, options: RunOptions, models: Asks) -> None:
    """Refuse what would fail later: keys that are not set, and a cap that cannot be kept."""
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


async def _whole(begun: _Begun, show: Show | None) -> RunReport:
    """Make all stages and return the report; the status says how it ended, however it does."""
    began = time.monotonic()
    config, options, run_id = begun.config, begun.options, begun.run_id
    facts: dict[str, Any] = {
        "run_id": run_id,
        "study": config.study,
        "store": begun.store.root,
        "command": options.command,
    }
    facts |= {"max_usd": cap_of(config, options), "shard": options.shard.name if options.shard else None}
    status = Status(begun.files.status, facts, show)
    status.set("starting")
    try:
        report = await _stages(begun, status)
    except BaseException as error:
        words = str(error) if isinstance(error, SpbError) else f"stopped by {type(error).__name__}"
        LOG.exception("the run failed")
        status.set("failed", message=words)
        raise
    report = _timed(report, time.monotonic() - began)
    LOG.info("ended: %s", report.to_dict())
    status.set(report.end, message=report.message)
    return report


async def _stages(begun: _Begun, status: Status) -> RunReport:
    config, options = begun.config, begun.options
    begun.files.config.write_text(config.text, "utf-8")
    collector = _recovered(begun)
    journal = Journal(begun.files.path)
    session = Session(
        config,
        options,
        run_id=begun.run_id,
        models=begun.models,
        journal=journal,
        collector=collector,
        answered=Answered(),
        budget=_budget(begun, collector.study),
        status=status,
    )
    try:
        with _signals(session):
            batching = _batching(begun, session)
            unanswered = await _each_stage(begun, session, status, batching)
    finally:
        await journal.close()
        await begun.models.aclose()
    collector.change_runs(collector.runs.ended)
    report = _report(begun, session, unanswered)
    return replace(report, with_provider=batching.calls_under_way) if batching else report


def _batching(begun: _Begun, session: Session) -> Batching | None:
    """Return what makes the calls in batches, where the configuration says so."""
    if begun.config.mode == "live":
        return None
    return Batching(session, BatchRecords(begun.files.path), begun.models.batches())


def _budget(begun: _Begun, study: StudyFiles) -> Budget:
    """Return what may be spent: a shard a share of what is left, as it sees nothing of the others'."""
    cap = cap_of(begun.config, begun.options)
    before = spent(study.table("runs").to_pylist(), begun.run_id)
    if cap is None or begun.options.shard is None:
        return Budget(cap, before)
    return Budget(before + max(cap - before, 0.0) / begun.options.shard.count, before)


async def _each_stage(begun: _Begun, session: Session, status: Status, batching: Batching | None) -> int:
    """Plan and make one stage after the other; return how many responses the judgments lacked."""
    unanswered = 0
    steps = list(steps_of(begun.config))
    for number, (stage, config) in enumerate(steps):
        if session.over:
            break
        if begun.options.step not in (None, number):
            continue
        status.set("running", stage="planning")
        study = StudyFiles(begun.study.location)
        plan = await asyncio.to_thread(make_plan, config, study, stage, run_id=begun.run_id)
        study = await asyncio.to_thread(with_planned, begun.store, study, plan)
        if begun.options.shard is not None:
            plan = plan.shard(begun.options.shard.number, begun.options.shard.count)
        session.answered = await asyncio.to_thread(Answered.of_run, study, begun.run_id)
        status.counts.total += len(plan)
        unanswered = plan.unanswered
        left_over = batching is not None and batching.begin(number, len(steps) - 1)
        if not len(plan) and not left_over:
            continue
        status.set(stage="judgments" if stage == "judgments" else "responses")
        await asyncio.to_thread(begun.models.tell, study)
        try:
            await (batching or session).make(plan)
        except BaseException:
            with suppress(SpbError):  # the first error is the one to tell
                await session.settle()
            raise
    return unanswered


def _recovered(begun: _Begun) -> Collector:
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


def _left_journals(begun: _Begun) -> Iterator[Any]:
    folder = runs_folder(begun.store, begun.config.study)
    if begun.options.shard is not None:  # other shards are at work in the other folders
        yield from journal_files(begun.files.path)
        return
    for run_path in sorted(path for path in folder.iterdir() if path.is_dir()):
        yield from journal_files(run_path)
        for shard_path in sorted(run_path.glob("shard-*")):
            yield from journal_files(shard_path)


def _collector(begun: _Begun, run_id: str) -> Collector:
    rows = RunRows(begun.config, run_id)
    rows.use(begun.ways.used)
    return Collector(begun.study, rows, lambda: collecting(begun.store, begun.config.study))


@contextmanager
def _signals(session: Session) -> Iterator[None]:
    """Let SIGINT and SIGTERM end the run in good order."""
    loop = asyncio.get_running_loop()
    taken = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, session.interrupt)
            taken.append(number)
        except (ValueError, RuntimeError):  # not the main thread: whoever runs it there stops it otherwise
            continue
    try:
        yield
    finally:
        for number in taken:
            loop.remove_signal_handler(number)


@contextmanager
def _logged(files: RunFolder) -> Iterator[None]:
    """Write what the runner logs into the run's log."""
    handler = logging.FileHandler(files.log, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        handler.close()


def _report(begun: _Begun, session: Session, unanswered: int) -> RunReport:
    counts = session.status.counts
    end: End = "done"
    if session.interrupted:
        end = "interrupted"
    elif session.out_of_budget:
        end = "budget"
    elif counts.answered < counts.total or unanswered:
        end = "errors"
    return RunReport(
        run_id=begun.run_id,
        end=end,
        planned=counts.total,
        **{name: counts.by_status[name] for name in ("ok", "unparsed", "refused", "error")},
        already_done=counts.already_done,
        calls=counts.calls,
        prompt_tokens=counts.prompt_tokens,
        completion_tokens=counts.completion_tokens,
        cost_usd=counts.cost_usd,
        seconds=0.0,
        errors=dict(counts.errors),
        given_up=dict(session.given_up),
        unanswered=unanswered,
        abandoned=session.abandoned,
        spent=session.budget.spent,
        cap=session.budget.cap,
    )


def _timed(report: RunReport, seconds: float) -> RunReport:
    return replace(report, seconds=round(seconds, 3))
