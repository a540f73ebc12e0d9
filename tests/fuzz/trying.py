"""One input of a reader, made from a seed, and its outcome."""

import hashlib
import random
import resource
import shutil
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType, TracebackType

from engine.errors import SpbError

from .mutating import mutated
from .readers import Reader
from .samples import Files, corpus_of, only_file, write

LONGEST_S = 5.0
"""Seconds of the processor that no input may take."""

LONGEST_WAIT_S = 60.0
"""Seconds that no input may take, waiting counted: a busy machine takes several."""

LARGEST_GROWTH = 300 << 20
"""Bytes by which no input may raise the most memory that was in use."""

LONGEST_MESSAGE = 4_000
"""Characters of an error's message."""


class TooSlowError(BaseException):
    """Raised wherever the code is when the time is over; no reader catches it."""


@dataclass(frozen=True)
class Finding:
    """An unacceptable outcome of an input: `place` is the innermost line of the project's own code."""

    reader: str
    entry: str
    kind: str
    place: str
    details: str


@dataclass(frozen=True)
class Input:
    """An input: its reader, the corpus entry it came from, and its files."""

    reader: Reader
    entry: str
    files: Files


def inputs_of(reader: Reader) -> list[Input]:
    """Prepare the reader and return the entries of its corpus unchanged."""
    reader.prepare()
    return [Input(reader, name, files) for name, files in corpus_of(reader.corpus).items()]


def by_chance(corpus: Sequence[Input], seed: int) -> Callable[[int], Input]:
    """Return the inputs of `input_at` by number."""
    return partial(input_at, corpus, seed)


def input_at(corpus: Sequence[Input], seed: int, number: int) -> Input:
    """Return the input of that number: first a reader's corpus unchanged, then with seeded changes."""
    if number < len(corpus):
        return corpus[number]
    reader = corpus[0].reader
    digest = hashlib.blake2b(f"{seed} {reader.name} {number}".encode(), digest_size=8).digest()
    rng = random.Random(digest)
    chosen = rng.choice(corpus)
    files = mutated(chosen.files, rng, [each.files for each in corpus])
    return Input(reader, f"{chosen.entry} #{number}", files)


def read(given: Input, folder: Path) -> None:
    """Read an input in a new folder; raises the same errors as its reader."""
    inside, scratch = folder / "in", folder / "out"
    inside.mkdir(parents=True)
    scratch.mkdir()
    write(given.files, inside)
    given.reader.read(inside if given.reader.folder else only_file(inside), scratch)


def tried(given: Input, folder: Path) -> Finding | None:
    """Read an input in a new folder; return what is wrong with the outcome.

    An error of the project is acceptable if its message is text that a terminal can show.
    """
    before, began = _most_memory(), time.monotonic()
    fault: tuple[str, str, str] | None = None
    try:
        with _time_limit():
            read(given, folder)
    except SpbError as error:
        problem = _unfit(str(error))
        if problem:
            fault = (problem, _place(error.__traceback__), repr(str(error)[:300]))
    except TooSlowError as error:
        fault = (
            "slow",
            _place(error.__traceback__),
            f"more than {LONGEST_S:g} s of work or {LONGEST_WAIT_S:g} s",
        )
    except (Exception, SystemExit) as error:
        details = "".join(traceback.format_exception(error)[-3:])[-1500:]
        fault = (type(error).__name__, _place(error.__traceback__), details)
    grown, took = _most_memory() - before, time.monotonic() - began
    if fault is None and grown > LARGEST_GROWTH:
        fault = ("memory", given.reader.name, f"{grown >> 20} MB more, {took:.1f} s")
    shutil.rmtree(folder, ignore_errors=True)
    return None if fault is None else Finding(given.reader.name, given.entry, *fault)


def _unfit(message: str) -> str | None:
    if not message.strip() or len(message) > LONGEST_MESSAGE:
        return "message is empty or too long"
    return None if message.replace("\n", "").isprintable() else "message is not printable"


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@contextmanager
def _time_limit() -> Iterator[None]:
    def over(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    old = [signal.signal(number, over) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_WAIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGPROF, old[0])
        signal.signal(signal.SIGALRM, old[1])


def _place(trace: TracebackType | None) -> str:
    """Return file and line of the innermost frame of the project's own code, else of the innermost."""
    frames = traceback.extract_tb(trace)
    own = [frame for frame in frames if "/engine/" in frame.filename or "/explorer/" in frame.filename]
    frame = (own or frames)[-1]
    return f"{'/'.join(Path(frame.filename).parts[-3:])}:{frame.lineno}"
