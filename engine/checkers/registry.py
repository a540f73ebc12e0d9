"""From a checker's id and its arguments to a check.

Another package adds a checker through the entry point group `spb.checkers`: the entry point's name is the
id, its object a function that takes the arguments by name and returns a check. It is loaded when a rubric
names it.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

import pydantic

from engine.checkers.text import SENTENCES, Check, criterion
from engine.errors import BadInputError, UsageError, unknown

Maker = Callable[..., Check]
"""Makes a check from the arguments of `checker_kwargs`."""

ENTRY_POINTS = "spb.checkers"

SHIPPED: tuple[str, ...] = tuple(SENTENCES)
"""The instruction types of IFEval. `group:name` is the function `name` of `ifeval`."""


def available() -> list[str]:
    """Return the ids of all checkers, the shipped ones first."""
    return [*SHIPPED, *(name for name in _added() if name not in SHIPPED)]


_checked = pydantic.validate_call(config=pydantic.ConfigDict(arbitrary_types_allowed=True))


def make_check(checker: str, kwargs: Mapping[str, object]) -> Check:
    """Return the check of that id with these arguments; a null argument is as one left out.

    Raises UsageError for an unknown id and for an entry point that cannot be loaded, BadInputError that
    names the checker, the argument and what it should be where the arguments do not fit.
    """
    maker = _maker(checker)
    given = {name: value for name, value in kwargs.items() if value is not None}
    try:
        inspect.signature(maker).bind(**given)
        check: Check = _checked(maker)(**given)
    except pydantic.ValidationError as error:
        raise BadInputError(f"checker {checker!r}: {_problem(error)}") from error
    except (TypeError, ValueError) as error:
        takes = str(inspect.signature(maker)).partition(" -> ")[0]
        raise BadInputError(f"checker {checker!r}: {error}; it takes {takes}, given {given!r}") from error
    if not callable(check):
        raise UsageError(f"checker {checker!r} made {check!r}; its function must return a function of a text")
    return check


def rubric_columns(checker: str, kwargs: Mapping[str, object]) -> dict[str, str]:
    """Return the columns of a rubric that a shipped checker decides; raises as `make_check` does."""
    given = {name: value for name, value in kwargs.items() if value is not None}
    make_check(checker, given)
    return {
        "criterion": criterion(checker, given),
        "axis": checker.partition(":")[0],
        "checker": checker,
        "checker_kwargs": json.dumps(given, ensure_ascii=False),
    }


def _problem(error: pydantic.ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    name = ".".join(map(str, problem["loc"]))
    return f"argument {name} is {problem['input']!r}; {problem['msg'][:1].lower()}{problem['msg'][1:]}"


@cache
def _maker(checker: str) -> Maker:
    added = _added().get(checker)
    if checker in SHIPPED:
        if added is not None:
            raise UsageError(
                f"checker {checker!r} is shipped, and the entry point {added.value!r} has the same name; "
                "give yours another name"
            )
        name = checker.partition(":")[2]
        shipped: Maker = getattr(import_module("engine.checkers.ifeval"), name)
        return shipped
    if added is None:
        raise unknown("checker", checker, available())
    try:
        loaded: Maker = added.load()
    except Exception as error:
        raise UsageError(f"checker {checker!r}: {added.value!r} cannot be loaded: {error}") from error
    if not callable(loaded):
        raise UsageError(f"checker {checker!r}: {added.value!r} is {loaded!r}; give a function")
    return loaded


@cache
def _added() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}
