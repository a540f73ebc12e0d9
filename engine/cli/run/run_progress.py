"""A run's progress on standard error: a bar in a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from engine.cli.output import say
from engine.phrases import dollars

_LINE_EVERY_S = 5.0
_FEWEST_TIMED = 20
"""As many answers must be there before the time that is left is said."""
Show = Callable[[dict[str, Any]], None]


@contextmanager
def run_progress(to_stop: str) -> Iterator[Show]:
    """Yield a function to call with each new status of a run; warnings are printed once, with `to_stop`."""
    if not sys.stderr.isatty():
        yield _with_warnings(_lines(), to_stop)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    words = TextColumn("{task.fields[words]}", markup=False)
    bar = Progress(BarColumn(), words, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=None, words="")

    def show(status: dict[str, Any]) -> None:
        finished = status["done"] + status["error"]
        bar.update(task, completed=finished, total=status["total"] or None, words=status_text(status))

    with bar:
        yield _with_warnings(show, to_stop)


def _with_warnings(show: Show, to_stop: str) -> Show:
    printed: set[str] = set()

    def show_all(status: dict[str, Any]) -> None:
        for subject, words in status.get("warnings", {}).items():
            if subject not in printed and status["finished_at"] is None:
                printed.add(subject)
                say(f"warning: {words}; {to_stop}", caution=True)
        show(status)

    return show_all


def _lines() -> Show:
    """Return a function that prints plain lines: at each change and the end, else every five seconds."""
    last: tuple[object, float] = None, 0.0

    def show(status: dict[str, Any]) -> None:
        nonlocal last
        ended = 0 < status["total"] <= status["done"] + status["error"]
        phase, now = (status["state"], status["stage"], ended), time.monotonic()
        if phase == last[0] and now - last[1] < _LINE_EVERY_S:
            return
        last = phase, now
        if (ended or status["state"] in ("running", "stopping")) and status["stage"] != "planning":
            say(f"{status['stage']}: {status_text(status)}")

    return show


def status_text(status: dict[str, Any]) -> str:
    from engine.collect.dispatch.run_status import cache_words

    parts = [f"{status['done']:,} of {status['total']:,} calls in all", f"{status['rate']:.1f}/s"]
    fresh = status["done"] - status.get("already_done", 0)
    if status["seconds_left"] is not None and fresh >= _FEWEST_TIMED:
        minutes, seconds = divmod(int(status["seconds_left"]), 60)
        parts.append(f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d} left")
    if status["cost_usd"]:
        parts.append(dollars(status["cost_usd"]))
    parts += [f"{kind} {number:,}" for kind, number in status["errors"].items()]
    if status.get("cached"):
        parts.append(cache_words(status["cached"], status["saved_usd"]))
    if status["unparsed"]:
        parts.append(f"unparsed {status['unparsed']:,}")
    parts += status["pace"]
    if status["message"] and not status.get("finished_at"):  # that of a run's end is printed after it
        parts.append(str(status["message"]))
    return ", ".join(parts)
