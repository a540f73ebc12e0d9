"""The rubrics of a study that programs decide, and their checks."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from engine.checkers.registry import Check, make_check
from engine.errors import BadInputError, SpbError
from engine.store import StudyFiles

_COLUMNS = ("instance_id", "rubric_id", "checker", "checker_kwargs")


@dataclass(frozen=True, slots=True)
class Program:
    """A checker with its arguments, as rubrics name it: an id, and JSON (None: no arguments)."""

    checker: str
    kwargs: str | None

    def check(self) -> Check:
        """Make the check; raises as `make_check` does, and BadInputError where the JSON is no object."""
        try:
            given = json.loads(self.kwargs) if self.kwargs and self.kwargs.strip() else {}
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise BadInputError(
                f"checker {self.checker!r}: checker_kwargs is {self.kwargs!r}; "
                'give a JSON object, as {"num_words": 300}'
            )
        return make_check(self.checker, given)


@dataclass(frozen=True, slots=True)
class Programs:
    """What the programs of a study are asked: each once, and for each instance the rubrics they decide.

    `asked` has (rubric id, place in `programs`) by instance.
    """

    programs: list[Program]
    asked: dict[str, list[tuple[str, int]]]


def programs_of(files: StudyFiles) -> Programs:
    """Return the programs of a study's rubrics.

    Every check is made once, so that a rubric with an unknown checker or bad arguments is refused here,
    by an error that names it.
    """
    table = files.table("rubrics", _COLUMNS)
    rows = table.filter(pc.is_valid(table["checker"]))
    places: dict[Program, int] = {}
    asked: dict[str, list[tuple[str, int]]] = {}
    for instance, rubric, checker, kwargs in _rows(rows):
        program = Program(str(checker), kwargs)
        if program not in places:
            _try(program, instance, rubric)
            places[program] = len(places)
        asked.setdefault(str(instance), []).append((str(rubric), places[program]))
    return Programs(list(places), asked)


def _rows(table: pa.Table) -> Iterable[tuple[str | None, ...]]:
    return zip(*(table[name].to_pylist() for name in _COLUMNS), strict=True)


def _try(program: Program, instance: str | None, rubric: str | None) -> None:
    try:
        program.check()
    except SpbError as error:
        raise type(error)(f"rubrics: rubric {rubric!r} of instance {instance!r}: {error}") from error
