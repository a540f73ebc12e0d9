"""A worker of a run: a process that makes one shard after the other, and ends with its parent."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from engine.collect.configuration.config import Limits, ModelConfig, RunConfig
from engine.collect.run.one_process import run_in_one_process
from engine.collect.run.run_report import RunReport
from engine.collect.run_options import RunOptions
from engine.errors import SpbError
from engine.store import Store
from engine.store.arrow_types import leave_pandas_out

_POLL_S = 0.5


def share_of(config: RunConfig, count: int, minutes: float | None = None) -> RunConfig:
    """Return the configuration of one of `count` processes, which together keep the run's limits."""

    def divide(fields: Limits | ModelConfig, *rates: str) -> dict[str, Any]:
        at_once = fields.concurrency
        values = {name: getattr(fields, name) for name in rates}
        return {
            "concurrency": at_once // count if isinstance(at_once, int) else at_once,
            **{name: value and value / count for name, value in values.items()},
        }

    rates = ("requests_per_minute", "tokens_per_minute")
    models = {name: model.model_copy(update=divide(model, *rates)) for name, model in config.models.items()}
    limits = config.run.model_copy(update={**divide(config.run), "max_minutes": minutes})
    return config.model_copy(update={"models": models, "run": limits})


@dataclass(frozen=True, slots=True)
class ShardTask:
    """A shard to make; `minutes` are left for it, None without a limit. `start` names the command's start."""

    config: RunConfig
    root: str
    options: RunOptions
    minutes: float | None = None
    start: str = ""


def equal_share(cap: float | None, spent: Callable[[], float], count: int) -> float | None:
    """Return what each of `count` shards may spend of what is left of the cap; None without a cap."""
    return None if cap is None else max(cap - spent(), 0.0) / count


def out_of_budget(reports: Mapping[int, RunReport]) -> set[int]:
    """Return the shards whose share of the cap was too small, if another share may help."""
    if not any(report.done for report in reports.values()):
        return set()  # nothing was spent, so that the next shares would be no larger
    return {shard for shard, report in reports.items() if report.end == "budget"}


def _work(connection: Connection) -> None:
    """Make the shards received over the connection; send back statuses and reports."""
    with suppress(OSError):
        os.setsid()  # Ctrl-C in the terminal goes to the parent, which passes it on

    def end_with_parent() -> None:
        if (parent := multiprocessing.parent_process()) is not None:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_with_parent, daemon=True).start()
    leave_pandas_out()

    def send(kind: str, value: object) -> None:
        with suppress(OSError):
            connection.send((kind, value))

    with suppress(EOFError, OSError):
        while True:
            task: ShardTask = connection.recv()
            assert task.options.shard is not None  # noqa: S101 - workers make shards
            try:
                config = share_of(task.config, task.options.shard.count, task.minutes)
                report = run_in_one_process(
                    config, Store(task.root), task.options, show=lambda now: send("status", now)
                )
                send("report", report)
            except SpbError as error:
                send("error", error)


class ShardWorker:
    """A worker process as seen by its parent; `shard` is the one it is making."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, child = context.Pipe()
        self.process: BaseProcess = context.Process(target=_work, args=(child,), daemon=True)
        self.process.start()
        child.close()
        self.shard: int | None = None
        self.awaits_status = True

    def assign(self, shard: int, task: ShardTask) -> None:
        """Give it a shard to make; if it has just died, that is noticed later."""
        self.shard, self.awaits_status = shard, True
        with suppress(OSError):
            self.connection.send(task)

    def interrupt(self) -> None:
        if self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, signal.SIGTERM)

    def close(self) -> None:
        """Let it end, as there is no more work for it."""
        self.connection.close()
        self.process.join(_POLL_S)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join()
