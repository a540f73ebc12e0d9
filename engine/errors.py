"""Every error a user can cause, each with the place, the value and the remedy.

The command line prints the message without a traceback and exits with `exit_code`;
notebooks catch `SpbError` or one of its kinds.
"""

from collections.abc import Iterable


class SpbError(Exception):
    """The base of all errors this project raises on purpose."""

    exit_code = 1


class UsageError(SpbError):
    """Something was asked for that does not exist or does not go together."""

    exit_code = 2


class StudyChangedError(UsageError):
    """Another program changed the study between reading and writing; nothing was written."""


class BadInputError(SpbError):
    """Data from outside cannot be taken as they are; nothing was written."""

    exit_code = 2


class StoreError(SpbError):
    """A store cannot be read or written."""


def unknown(kind: str, value: object, choices: Iterable[str]) -> UsageError:
    """Return the error for a name that is not among the choices.

    `kind` says what was named (`judge`, `measure`); the choices are listed as they come.
    """
    listed = ", ".join(choices) or "(there are none)"
    return UsageError(f"unknown {kind} {value!r}; choose from: {listed}")


def bad_row(table: str, row: int | None, problem: str, remedy: str) -> BadInputError:
    """Return the error for one row of an input table; rows are counted from 1 without the header."""
    place = table if row is None else f"{table}, row {row}"
    return BadInputError(f"{place}: {problem}; {remedy}")
