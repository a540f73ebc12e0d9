"""A run from its lock to its report."""

import asyncio
import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from engine.config import RunConfig
from engine.errors import SpbError
from engine.judges import Models
from engine.plan import make_plan
from engine.runner.answered import Answered
from engine.runner.batch_records import BatchRecords
from engine.runner.batching import Batching
from engine.runner.begun import Begun, budget_of, cap_of, check, recovered, settled
from engine.runner.calling import Asks
from engine.runner.folders import RunFolder
from engine.runner.guard import alone
from engine.runner.journal import Journal
from engine.runner.options import RunOptions
from engine.runner.planned import with_planned
from engine.runner.report import End, RunReport
from engine.runner.session import Session
from engine.runner.stages import steps_of
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
    check(config, options, models)
    with alone(store, config.study, options):
        begun = settled(config, store, options, models)
        with _logged(begun.files):
            return asyncio.run(_whole(begun, show))


def begin(config: RunConfig, store: Store, options: RunOptions) -> str:
    """Make the study and the run's rows where they are not there yet, and return the run_id; calls nobody.

    Raises as `run` does.
    """
    models = Models(config.models, batch=config.mode == "batch")
    check(config, options, models)
    with alone(store, config.study, options):
        begun = settled(config, store, options, models)
        recovered(begun)
        return begun.run_id


async def _whole(begun: Begun, show: Show | None) -> RunReport:
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


async def _stages(begun: Begun, status: Status) -> RunReport:
    config, options = begun.config, begun.options
    begun.files.config.write_text(config.text, "utf-8")
    collector = recovered(begun)
    journal = Journal(begun.files.path)
    session = Session(
        config,
        options,
        run_id=begun.run_id,
        models=begun.models,
        journal=journal,
        collector=collector,
        answered=Answered(),
        budget=budget_of(begun, collector.study),
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


def _batching(begun: Begun, session: Session) -> Batching | None:
    """Return what makes the calls in batches, where the configuration says so."""
    if begun.config.mode == "live":
        return None
    return Batching(session, BatchRecords(begun.files.path), begun.models.batches())


async def _each_stage(begun: Begun, session: Session, status: Status, batching: Batching | None) -> int:
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


def _report(begun: Begun, session: Session, unanswered: int) -> RunReport:
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
