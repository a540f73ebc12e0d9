"""From a checker's id and its arguments to a check."""

import inspect
import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

import pydantic

from engine.checkers import verifiers
from engine.checkers.counts import Check
from engine.checkers.instruction_rules import RULES
from engine.checkers.verifiers import VERIFIERS
from engine.errors import BadInputError, UsageError, unknown
from engine.plain_words import mistake_words

Maker = Callable[..., Check]
"""Makes a check from the arguments of `checker_kwargs`."""

ENTRY_POINTS = "spb.checkers"
"""The group of entry points by which another package adds a checker.

The entry point's name is the id, its object a function that takes the arguments by name and returns a check.
It is loaded when a rubric names it.
"""

SHIPPED: tuple[str, ...] = tuple(RULES)
"""The instruction types that programs check, IFEval's first."""

FACTS = ("reference_answer", "prompt")
"""What a checker may take of its instance, as arguments of these names."""


def checker_ids() -> list[str]:
    shipped = (*SHIPPED, *VERIFIERS)
    return [*shipped, *(name for name in _plugins() if name not in shipped)]


def facts_taken(checker: str) -> tuple[str, ...]:
    """Return which facts of the instance a checker takes as arguments."""
    return tuple(name for name in FACTS if name in inspect.signature(maker_of(checker)).parameters)


_validated = pydantic.validate_call(config=pydantic.ConfigDict(arbitrary_types_allowed=True))


def make_check(checker: str, kwargs: Mapping[str, object]) -> Check:
    """Return the check of that id; errors name the checker and the argument. Null arguments are dropped."""
    maker = maker_of(checker)
    arguments = {name: value for name, value in kwargs.items() if value is not None}
    try:
        inspect.signature(maker).bind(**arguments)
        check: Check = _validated(maker)(**arguments)
    except pydantic.ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name, remedy = ".".join(map(str, problem["loc"])), mistake_words(problem)
        raise BadInputError(
            f"checker {checker!r}: argument {name} is {problem['input']!r}; {remedy}"
        ) from error
    except (TypeError, ValueError) as error:
        names = ", ".join(inspect.signature(maker).parameters) or "no arguments"
        raise BadInputError(f"checker {checker!r}: {error}; it takes {names}, given {arguments!r}") from error
    if not callable(check):
        raise UsageError(f"checker {checker!r} made {check!r}; its function must return a function of a text")
    return check


def rubric_columns(checker: str, kwargs: Mapping[str, object]) -> dict[str, str]:
    """Return the columns of a rubric with a shipped checker; raises the same errors as `make_check`."""
    arguments = {name: value for name, value in kwargs.items() if value is not None}
    make_check(checker, arguments)
    return {
        "criterion": RULES[checker].sentence(**arguments),
        "axis": checker.partition(":")[0],
        "checker": checker,
        "checker_kwargs": json.dumps(arguments, ensure_ascii=False),
    }


@cache
def maker_of(checker: str) -> Maker:
    """Return what makes the checks of that id; UsageError if it is unknown or cannot be loaded."""
    plugin = _plugins().get(checker)
    if checker in SHIPPED or checker in VERIFIERS:
        if plugin is not None:
            raise UsageError(
                f"checker {checker!r} is shipped, and the entry point {plugin.value!r} has the same name; "
                "give yours another name"
            )
        function: Maker = RULES[checker].make if checker in RULES else getattr(verifiers, checker)
        return function
    if plugin is None:
        raise unknown("checker", checker, checker_ids())
    try:
        function = plugin.load()
    except Exception as error:
        raise UsageError(f"checker {checker!r}: {plugin.value!r} cannot be loaded: {error}") from error
    if not callable(function):
        raise UsageError(f"checker {checker!r}: {plugin.value!r} is {function!r}; give a function")
    return function


@cache
def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}
