"""What a command's exit code means: declared once, for the commands and for their page."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from engine.errors import SpbError, UsageError
from engine.plain_words import system_words

DONE, FAILED, USAGE, NO_ANSWER, INTERRUPTED = 0, 1, 2, 3, 130

MEANINGS = {
    DONE: "done, and there is an answer",
    FAILED: "the answer is *fail*, *changed* or *differs*, or the command failed on the way",
    USAGE: "wrong usage or bad input, also a damaged study; nothing was written. Of `gate` and `compare`: "
    "nothing was checked",
    NO_ANSWER: "no answer is possible: too few data, or the study lacks what is needed; the reason is "
    "printed. `measure` with `--format json` exits with 0 instead, and the object has the `reason`. Of "
    "`gate` and `compare`: nothing fails or changed, but a judge is inconclusive. `audit` "
    "exits with this code, and writes its files, also if the rule applies to no judge; `gate` then exits "
    "with 2",
    INTERRUPTED: "interrupted",
}
"""The meanings of the codes of every command, but for `spb run`, which has its own."""

OF_RUN = {
    0: "every planned call has an answer",
    1: "an error",
    2: "wrong usage, or a damaged study; nothing was called",
    3: "some calls are unanswered",
    4: "stopped by the spending cap",
    5: "no answer could be read",
    6: "another run is at work",
    7: "out of time (`max_minutes`)",
    130: "interrupted",
}
"""The meanings of the codes of `spb run` and `spb run watch`."""


def exit_code_rows() -> list[dict[str, object]]:
    """Return a row for each code: what it means of every command, and of `spb run`."""
    codes = sorted({*MEANINGS, *OF_RUN})
    return [{"code": code, "meaning": MEANINGS.get(code), "of_run": OF_RUN.get(code)} for code in codes]


class NoAnswerError(SpbError):
    """There is nothing to answer with; the message says why."""

    exit_code = NO_ANSWER


Command = TypeVar("Command", bound=Callable[..., Any])
_CHECKING: set[Callable[..., Any]] = set()


def checking(command: Command) -> Command:
    """Declare a command of which 1 is an answer, so that every error of it exits with 2."""
    _CHECKING.add(command)
    return command


@contextmanager
def errors_of(command: Callable[..., Any]) -> Iterator[None]:
    """Let every error of a command exit with 2 if 1 would be an answer."""
    try:
        yield
    except (SpbError, OSError) as error:
        if command not in _CHECKING or isinstance(error, UsageError):
            raise
        if not isinstance(error, OSError):
            raise UsageError(str(error)) from error
        if error.filename is None:
            raise
        problem = f"{error.filename}: {system_words(error)}"
        raise UsageError(f"{problem}; check the path and its permissions") from error
