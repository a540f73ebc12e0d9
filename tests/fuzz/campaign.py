"""Many inputs in a separate process; if one hangs or kills it, the process restarts after that input."""

import multiprocessing
import resource
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from multiprocessing.connection import Connection
from pathlib import Path

from .every import READERS
from .trying import LONGEST_S, Finding, Input, inputs_of, tried

Inputs = Callable[[int], Input | None]
"""The inputs of a reader by number, None beyond the last one."""

_SLICE_S = 3.0
"""Seconds that one reader is at work before the next one is."""

_PATIENCE_S = 8 * LONGEST_S
"""Seconds after which a process that says nothing is ended: code outside Python cannot be interrupted."""

_MOST_MEMORY = 8 << 30
"""Bytes of addresses that the process may have."""


@dataclass
class Tried:
    """The result of a campaign: inputs and seconds by reader, findings by likeness, memory in bytes."""

    on_new: Callable[[Finding], None]
    inputs: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    findings: dict[tuple[str, str, str], list[Finding]] = field(default_factory=dict)
    memory: list[int] = field(default_factory=list)

    def add(self, finding: Finding) -> None:
        """Record a finding with those like it; the first of them is reported at once."""
        alike = self.findings.setdefault((finding.reader, finding.kind, finding.place), [])
        alike.append(finding)
        if len(alike) == 1:
            self.on_new(finding)


@dataclass
class _Done:
    """What the process reports after each slice: the number of inputs, the seconds, and its memory."""

    reader: str
    inputs: int
    seconds: float
    memory: int


_Report = Finding | _Done | tuple[str, int] | None
"""What the process sends: a finding, the end of a slice, the number of the next input, None at the end."""


def run(
    readers: Iterable[str],
    seconds: float,
    make_inputs: Callable[[Sequence[Input]], Inputs],
    on_new: Callable[[Finding], None],
) -> Tried:
    """Try the inputs that `make_inputs` makes of each reader's corpus, for `seconds` or until the last.

    `on_new` receives each finding unlike any before.
    """
    names, result = list(readers), Tried(on_new)
    until = time.monotonic() + seconds
    numbers: Counter[str] = Counter(dict.fromkeys(names, -1))
    turns = cycle(names)
    while time.monotonic() < until:
        ours, theirs = multiprocessing.get_context("fork").Pipe()
        process = multiprocessing.get_context("fork").Process(
            target=_work, args=(theirs, turns, numbers, until, make_inputs)
        )
        process.start()
        theirs.close()
        for message in _heard(ours):
            if isinstance(message, Finding):
                result.add(message)
            elif message is None:
                until = time.monotonic()
            elif isinstance(message, _Done):
                result.inputs[message.reader] += message.inputs
                result.seconds[message.reader] += message.seconds
                result.memory.append(message.memory)
            else:
                reader, numbers[reader] = message
        if time.monotonic() < until:
            process.kill()
            process.join()
            place = f"exit {process.exitcode}"
            result.add(Finding(reader, f"#{numbers[reader]}", "hung or died", place, "see its input"))
        process.join()
    return result


def _heard(connection: Connection) -> Iterator[_Report]:
    """Yield the process's reports, until it ends or is silent for too long."""
    while connection.poll(_PATIENCE_S):
        try:
            yield connection.recv()
        except EOFError:
            return


def _work(
    connection: Connection,
    turns: Iterable[str],
    numbers: Counter[str],
    until: float,
    make_inputs: Callable[[Sequence[Input]], Inputs],
) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    left = {name: make_inputs(inputs_of(READERS[name])) for name in numbers}
    with tempfile.TemporaryDirectory(prefix="spb-fuzz-") as folder:
        for name in turns:
            if name not in left:
                continue
            began, first = time.monotonic(), numbers[name]
            while time.monotonic() - began < _SLICE_S and time.monotonic() < until:
                connection.send((name, numbers[name] + 1))
                given = left[name](numbers[name] + 1)
                if given is None:
                    del left[name]
                    break
                numbers[name] += 1
                if finding := tried(given, Path(folder) / "one"):
                    connection.send(finding)
            spent = time.monotonic() - began
            connection.send(_Done(name, numbers[name] - first, spent, _memory()))
            if not left:
                connection.send(None)
            if not left or time.monotonic() >= until:
                return


def _memory() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()
