"""How far a run is, on standard error: a bar in a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from engine.cli.options import say

_LINE_EVERY_S = 5.0
Show = Callable[[dict[str, Any]], None]


@contextmanager
def run_progress() -> Iterator[Show]:
    """Yield a function that is told a run's status again and again."""
    if not sys.stderr.isatty():
        yield _Lines().show
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    words = TextColumn("{task.fields[words]}", markup=False)
    bar = Progress(BarColumn(), words, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=None, words="")

    def show(status: dict[str, Any]) -> None:
        ended = status["done"] + status["error"]
        bar.update(task, completed=ended, total=status["total"] or None, words=in_words(status))

    with bar:
        yield show


class _Lines:
    """Plain lines: one where something changes, else every five seconds."""

    def __init__(self) -> None:
        self._said = 0.0
        self._at: tuple[str, str] | None = None

    def show(self, status: dict[str, Any]) -> None:
        """Say the status, unless that would be too often."""
        at = (status["state"], status["stage"])
        if at == self._at and time.monotonic() - self._said < _LINE_EVERY_S:
            return
        self._at, self._said = at, time.monotonic()
        if status["state"] in ("running", "stopping") and status["stage"] != "planning":
            say(f"{status['stage']}: {in_words(status)}")


def in_words(status: dict[str, Any]) -> str:
    """Return a status in a line."""
    parts = [f"{status['done']:,} of {status['total']:,}", f"{status['rate']:.1f}/s"]
    if status["seconds_left"] is not None:
        minutes, seconds = divmod(int(status["seconds_left"]), 60)
        parts.append(f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d} left")
    if status["cost_usd"]:
        parts.append(f"${status['cost_usd']:.4f}")
    parts += [f"{kind} {number:,}" for kind, number in status["errors"].items()]
    if status["unparsed"]:
        parts.append(f"unparsed {status['unparsed']:,}")
    if status["message"]:
        parts.append(str(status["message"]))
    return ", ".join(parts)
