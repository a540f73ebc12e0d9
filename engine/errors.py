"""Errors that a user can cause. Each names the place, the value and the remedy.

The command line prints the message without a traceback and exits with `exit_code`;
notebooks catch `SpbError` or one of its kinds.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches

from engine.wording import Sentence, Wording, in_python

_LONGEST_QUOTED = 80  # characters of a value that is no text
LONGEST_MESSAGE = 2000  # longest message shown, in characters, since it may quote values of any length


class SpbError(Exception):
    """The base of all errors this project raises on purpose.

    The parts make the message; options among them are said as flags, or in Python as arguments. In it, keys
    in addresses are hidden, control characters are escaped, and a long one is cut in the middle.
    """

    exit_code = 1

    def __init__(self, *parts: str | Wording) -> None:
        super().__init__(Sentence(*parts))

    @property
    def message(self) -> Sentence:
        message: Sentence = self.args[0].each(lambda text: printable(without_keys(text), keep="\n"))
        if len(message) <= LONGEST_MESSAGE:
            return message
        half = LONGEST_MESSAGE // 2
        left_out = f"[... {len(message) - 2 * half:,} characters left out ...]"
        return Sentence(message[:half], left_out, message[-half:])

    def __str__(self) -> str:
        return str(self.message)


@contextmanager
def python_words() -> Iterator[None]:
    """Let errors of this project name options as arguments."""
    try:
        yield
    except SpbError as error:
        error.args = (Sentence(in_python(error.args[0])),)
        raise


class UsageError(SpbError):
    """A request for something that does not exist, or a combination that is not allowed."""

    exit_code = 2


class StudyChangedError(UsageError):
    """Another program changed the study between reading and writing; nothing was written."""


class BadInputError(SpbError):
    """Data from outside are invalid; nothing was written."""

    exit_code = 2


class StoreError(SpbError):
    """A store cannot be read or written."""


class DamagedStudyError(StoreError):
    """A file of a study is missing or broken, or contradicts another one."""

    exit_code = 2


def quoted(value: object) -> str:
    """Return a value as a message quotes it: by its type if it is long or has several lines, like a frame."""
    text = repr(value)
    is_short = isinstance(value, str) or (len(text) <= _LONGEST_QUOTED and "\n" not in text)
    return text if is_short else f"a {type(value).__name__}"


_MOST_NAMED = 10
"""How many studies or runs of a store an error names."""


def names_of_store(names: Sequence[str], whole: str | Wording) -> Sentence:
    """Return the names of a store's studies or runs: of many the first, and what lists the `whole`."""
    if len(names) <= _MOST_NAMED:
        return Sentence(", ".join(names))
    first, others = ", ".join(names[:_MOST_NAMED]), len(names) - _MOST_NAMED
    return Sentence(f"{first} and {others:,} more (", whole, ")")


def unknown(
    kind: str,
    value: object,
    choices: Iterable[str],
    hint: str = "",
    *,
    likeness: float = 0.8,
    whole: str | Wording = "",
) -> UsageError:
    """Return the error for a name that is not among the choices.

    `kind` says what was named (`judge`, `measure`), `hint` what it was perhaps meant for, which is said of
    itself where the name is as alike to a choice as `likeness` (0 to 1), but for its case. The choices are
    listed in the given order; only the first ones if there is a `whole` list elsewhere.
    """
    every = tuple(choices)
    first = f"{hint}; " if hint else f"{_meant(value, every, likeness)} ".lstrip()
    names = names_of_store(every, whole) if whole and every else ", ".join(every) or "(there are none)"
    return UsageError(f"unknown {kind} {quoted(value)}; {first}choose from: ", names)


def meant(value: str, choices: Iterable[str]) -> str:
    """Return `; did you mean 'dog'?` for a name that differs little from a choice, or by its case alone."""
    close = _meant(value, choices, 0.6)
    return f"; {close}" if close else ""


def _meant(value: object, choices: Iterable[str], likeness: float) -> str:
    """Ask whether a choice is meant; never one of another number, which is another model, run or version."""
    if not isinstance(value, str):
        return ""
    number = _numbers(value)
    names = {name.casefold(): name for name in choices if _numbers(name) == number}
    close = get_close_matches(value.casefold(), names, 1, likeness)
    return f"did you mean {names[close[0]]!r}?" if close else ""


def nearest(name: str, choices: Iterable[str], words: Mapping[str, str] | None = None) -> str | None:
    """Return the choice that a name was perhaps meant for: its meaning in `words`, else one spelt like it."""
    plain = name.strip().casefold().replace("-", "_").replace(" ", "_")
    close = get_close_matches(plain, choices, 1)
    return (words or {}).get(plain) or (close[0] if close else None)


def bad_row(table: str, row: int | None, problem: str, remedy: str, file: str | None = None) -> BadInputError:
    """Return the error for one row of an input table; rows are counted from 1 without the header.

    `file` is named if the table has several.
    """
    place = (table if file is None else f"{table} ({file})") + ("" if row is None else f", row {row}")
    return BadInputError(f"{place}: {problem}; ", remedy)


def uncomputed(error: Exception) -> str:
    """Return why a part of a whole could not be computed, so that the other parts are shown without it.

    A user's mistake says so itself; any other error is this program's, and the log has its traceback.
    """
    if isinstance(error, SpbError):
        return str(error)
    logging.getLogger(__name__).error("a part could not be computed", exc_info=error)
    words = " ".join(str(error).split())
    return f"it could not be computed ({printable(type(error).__name__ + (f': {words}' if words else ''))})"


def _numbers(name: str) -> list[str]:
    return re.findall(r"\d+", name)


_KEYS = re.compile(r"(?<=s3://)[^\s@:]+:[^\s@]+@")


def without_keys(text: str) -> str:
    """Return a text with the keys in addresses such as `s3://KEY:SECRET@BUCKET/FOLDER` hidden."""
    return _KEYS.sub("***@", text) if "s3://" in text else text


def printable(text: str, keep: str = "") -> str:
    """Return a text with unprintable characters, which a terminal might act on, escaped as in Python.

    Line ends are escaped too, unless `keep` names them.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in keep else letter.encode("unicode_escape").decode()
        for letter in text
    )
