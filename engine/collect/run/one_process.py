"""A run in one process, from its lock to its report, or its stop."""

import asyncio
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial

from engine.collect.client.model_client import Models
from engine.collect.configuration.config import RunConfig
from engine.collect.database.answer_cache import open_cache
from engine.collect.database.batch_records import BatchRecords
from engine.collect.database.calls_under_way import CallsUnderWay
from engine.collect.database.exchanges import ExchangeLog
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import RunDatabase
from engine.collect.dispatch.batch_stage import Batching
from engine.collect.dispatch.calling import Session
from engine.collect.dispatch.run_status import Counts, Show, Status
from engine.collect.locks.study_locks import run_lock
from engine.collect.plan import stages, store_plan
from engine.collect.plan.checked_responses import check_collected
from engine.collect.plan.planning import make_plan, remarks_on
from engine.collect.rows.completed_calls import CompletedCalls
from engine.collect.rows.shared_lists import share_answers
from engine.collect.run.prepared_run import (
    SHARE,
    PreparedRun,
    check,
    facts_of,
    prepare_run,
    recover_calls,
    spending_of,
    withdraw_calls,
    withdrawn_calls,
)
from engine.collect.run.run_report import End, RunReport
from engine.collect.run.shortcomings import has_no_verdict, unread_judges
from engine.collect.run_log import LOG, logging_to
from engine.collect.run_options import RunOptions
from engine.errors import SpbError
from engine.explore.answering_models import notes_on
from engine.store import Store
from engine.store.publish import replace_file
from engine.store.study_files import StudyFiles

Missing = Mapping[tuple[str, str | None], int]
"""The numbers of missing responses by model and shortfall (None: not collected)."""


def run_in_one_process(
    config: RunConfig,
    store: Store,
    options: RunOptions,
    *,
    show: Show | None = None,
    models: Models | None = None,
) -> RunReport:
    """Make the calls of a run, or of its shard, in this process; see `engine.collect.run.start.run`."""
    at_once = options.concurrency or config.run.concurrency
    if models is None:
        models = Models(
            config.models,
            timeout_s=config.run.timeout_s,
            retries=config.run.retries,
            retry_on=config.run.retry_on,
            batch=config.mode == "batch",
            ceiling=None if at_once == "auto" else at_once,
        )
    check(config, options, models)
    with run_lock(store, config.study, options):
        job = prepare_run(config, store, options, models)
        with logging_to(job.files.path):
            return asyncio.run(_run_to_end(job, show))


def begin(config: RunConfig, store: Store, options: RunOptions) -> str:
    """Create the study and the run's rows if they do not exist, and return the run_id; makes no calls."""
    models = Models(config.models, batch=config.mode == "batch")
    check(config, options, models)
    with run_lock(store, config.study, options):
        job = prepare_run(config, store, options, models)
        recover_calls(job)
        return job.run_id


async def _run_to_end(job: PreparedRun, show: Show | None) -> RunReport:
    """Make all stages and return the report; the status shows the end, even if it is an error."""
    began = time.monotonic()
    status = Status(job.files.status, facts_of(job.config, job.store, job.options, job.run_id), show)
    status.set("starting")
    if status.message:
        LOG.warning(status.message)
    try:
        report = await _run_session(job, status)
    except BaseException as error:
        words = str(error) if isinstance(error, SpbError) else f"stopped by {type(error).__name__}"
        LOG.exception("the run failed")
        status.set("failed", message=words)
        raise
    report = replace(report, seconds=round(time.monotonic() - began, 3))
    LOG.info("ended: %s", report.to_dict())
    status.notes = report.notes
    status.set(report.end, message=report.message)
    return report


async def _run_session(job: PreparedRun, status: Status) -> RunReport:
    config, options = job.config, job.options
    with ExitStack() as files:
        if (cache := open_cache(config, options)) is not None:
            files.enter_context(closing(cache))
        replace_file(job.files.config, config.text.encode())
        collector, damage_notes = recover_calls(job)
        collector.runs.begin_start()
        withdraw_calls(job, collector)
        database = files.enter_context(closing(RunDatabase(job.files.path, reserve=True)))
        session = Session(
            config=config,
            options=options,
            run_id=job.run_id,
            models=job.models,
            recorded=RecordedCalls(database),
            under_way=CallsUnderWay(database),
            collector=collector,
            completed=CompletedCalls(),
            spending=spending_of(job, collector.study),
            status=status,
            cache=cache,
            exchanges=ExchangeLog(database) if config.run.keep_raw or options.keep_raw else None,
            redo_keys=withdrawn_calls(job.run_files) if cache else frozenset(),
        )
        batching = None
        try:
            with _end_on_signals(session):
                if config.mode == "batch":
                    batching = Batching(session, BatchRecords(database), job.models.batches())
                missing = await _run_stages(job, session, status, batching)
        finally:
            await job.models.aclose()
    if job.options.shard is None and config.gold_judges:
        from engine.collect.plan.gold_outcomes import (
            write_gold_outcomes,  # which needs the measures' libraries
        )

        await asyncio.to_thread(write_gold_outcomes, job.store, job.study, config)
    collector.change_runs(collector.runs.set_end)
    if not session.abandoned:  # the next start adds the cost of abandoned calls
        (job.files.path / SHARE).unlink(missing_ok=True)
    unreachable = list(getattr(job.models, "unreachable", {}).values())
    report = _report(job, session, missing, batching.calls_under_way if batching else 0)
    notes = [
        *job.notes,
        *damage_notes,
        *getattr(job.models, "notes", ()),
        *(words for words in unreachable if words not in dict(report.error_words)),
        *run_notes(job.store, config, job.run_id, whole=options.shard is None),
    ]
    report = replace(report, notes=notes)
    return with_unread_judges(report, StudyFiles(job.study.location)) if options.shard is None else report


async def _run_stages(
    job: PreparedRun, session: Session, status: Status, batching: Batching | None
) -> Missing:
    """Plan and make the stages in order; return the responses missing for the judgments."""
    missing: Missing = {}
    judged_earlier = 0  # calls of an earlier step that the plan of this one names again
    steps = list(stages.steps_of(job.config))
    for number, (stage, config) in enumerate(steps):
        if session.is_over:
            break
        if job.options.step not in (None, number):
            continue
        status.set("running", stage="planning")
        if stage == "judgments" and config.checker is not None:
            await asyncio.to_thread(check_collected, job.store, job.study, config.checker)
        study = StudyFiles(job.study.location)
        plan = await asyncio.to_thread(make_plan, config, study, stage, run_id=job.run_id)
        study = await asyncio.to_thread(store_plan.store_plan, job.store, study, plan)
        plan = plan.shard(job.options.shard)
        session.completed = await asyncio.to_thread(CompletedCalls.of_run, study, job.run_id)
        status.counts.total += len(plan) - judged_earlier
        status.counts.later = 0
        if len(plan) and job.options.step is None:
            count = partial(stages.calls_after, job.config, study, number, job.options)
            status.counts.later = await asyncio.to_thread(count)
        missing = plan.missing
        left_over = batching is not None and batching.begin(number, len(steps) - 1)
        if not len(plan) and not left_over:
            continue
        status.set(stage="judgments" if stage == "judgments" else "responses")
        await asyncio.to_thread(job.models.inform_simulated, study)
        try:
            await (batching or session).make(plan)
        except BaseException:
            with suppress(SpbError):  # the first error is reported
                await session.collect_all()
            raise
        if stage == "judgments":
            judged_earlier, session.counted_paradigms = len(plan), frozenset(config.paradigms)
            await asyncio.to_thread(share_answers, plan, config, session.collector)
    return missing


_active: list[tuple[asyncio.AbstractEventLoop, Session]] = []
"""The sessions that are active in this process: a worker of a cluster may have several."""


def interrupt_active(run_id: str, *, hurry: bool) -> None:
    """End this process's sessions of a run in good order, from any thread; see `Session.interrupt`."""

    def interrupt(session: Session) -> None:
        if hurry or not session.interrupted:
            session.interrupt()

    for loop, session in _active.copy():  # which another thread may change
        if session.run_id == run_id:
            with suppress(RuntimeError):  # it has just ended
                loop.call_soon_threadsafe(interrupt, session)


@contextmanager
def _end_on_signals(session: Session) -> Iterator[None]:
    """End the run in good order on SIGINT, SIGTERM, `interrupt_active` or after `max_minutes`."""
    loop, minutes = asyncio.get_running_loop(), session.config.run.max_minutes
    with ExitStack() as stack:
        entry = (loop, session)
        _active.append(entry)
        stack.callback(_active.remove, entry)
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(ValueError, RuntimeError):  # not the main thread: its caller handles signals
                loop.add_signal_handler(number, session.interrupt)
                stack.callback(loop.remove_signal_handler, number)
        if minutes is not None:
            stack.callback(loop.call_later(minutes * 60, session.end_in_time).cancel)
        yield


def run_notes(store: Store, config: RunConfig, run_id: str, *, whole: bool = True) -> list[str]:
    """Return sentences on models that another one answered for or that changed; on the `whole` run, its gaps.

    Other shards may write the study meanwhile, so that one of them reads no more of it than it must.
    """
    study = store.open(config.study)
    remarks = remarks_on(config, study) if whole else []
    return [*notes_on(study.table("runs").to_pylist(), run_id), *remarks]


def with_unread_judges(report: RunReport, study: StudyFiles) -> RunReport:
    """Return the report with the judges most of whose answers could not be read, and a note on each.

    Where no answer has a verdict, the report's end says so of all judges.
    """
    judges = unread_judges(study, report.run_id)
    notes = [] if report.end == "unread" else [each.words for each in judges]
    return replace(report, unread_judges=judges, notes=[*notes, *report.notes])


def is_unread(config: RunConfig, study: StudyFiles, run_id: str, counts: Counts) -> bool:
    """Return whether every answer is unparsed or refused: those of judges, also of earlier starts, if any."""
    if config.judges or config.quality_judges:
        return has_no_verdict(study, run_id)
    return counts.unparsed + counts.refused > 0 and not counts.ok


def _report(job: PreparedRun, session: Session, missing: Missing, with_provider: int) -> RunReport:
    counts = session.status.counts
    ends: dict[End, object] = {
        "interrupted": session.interrupted,
        "budget": session.out_of_budget,
        "time": session.out_of_time,
        "errors": counts.answered < counts.total or missing,
        "unread": is_unread(job.config, StudyFiles(job.study.location), job.run_id, counts),
    }
    return RunReport(
        **vars(counts),
        run_id=job.run_id,
        end=next((end for end, applies in ends.items() if applies), "done"),
        given_up=dict(session.given_up),
        missing=missing,
        abandoned=session.abandoned,
        spent=session.spending.spent,
        spent_before=round(session.spending.before - job.config.run.trial_usd, 9),
        trial_usd=job.config.run.trial_usd,
        assumed=session.spending.assumed,
        assumed_usd=session.spending.assumed_usd,
        cap=session.spending.cap,
        with_provider=with_provider,
    )
