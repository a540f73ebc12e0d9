"""The arguments of `engine.from_frame` and `engine.import_file`, as the options of an import.

One of another kind than expected is answered by what it takes.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from engine.errors import UsageError, quoted
from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.value_maps import by_key, spelling_of
from engine.importers.tables.asking.score_questions import MISSING
from engine.values import parse_float, python_value, true_or_false

_NUMBERS = ("scale", "points")
"""Columns that a number fills in every row."""


def import_options(
    columns: Mapping[str, object],
    *,
    constants: object,
    values: object,
    judges: object,
    criteria: object,
    rows: object,
    guess: object,
    spelling: OptionSpelling,
    frame: object = None,
    leave_out: object = (),
    whole_ids: object = False,
) -> ImportOptions:
    """Return arguments as the options of an import of a file or `frame`, said as `spelling` does."""
    return ImportOptions(
        map=column_names(columns, frame),
        set=constants_of(constants, columns),
        value=meanings(values),
        judges=listed_columns("judges", judges, frame),
        criteria=listed_columns("criteria", criteria, frame),
        leave_out=listed_columns("leave_out", leave_out, frame),
        rows=list_path(rows),
        no_guess=not true_or_false("guess", guess),
        whole_ids=true_or_false("whole_ids", whole_ids),
        spelling=spelling,
    )


def column_names(columns: Mapping[str, object], frame: object) -> dict[str, str]:
    """Return the frame's column for each of ours, without those that a number fills."""
    names = {}
    for name, column in columns.items():
        expected = f"the name of a column of the frame, such as {name}='COLUMN'"
        if name in _NUMBERS:
            if parse_float(column) is not None:
                continue
            expected = f"a number, such as {name}=10, or {expected}"
        names[name] = _column(name, column, frame, expected)
    return names


def constants_of(given: object, columns: Mapping[str, object]) -> dict[str, str]:
    """Return the values of `set`, and the numbers among columns, as texts."""
    example = "a dict, such as set={'judge': 'gpt-4o'}"
    values = {
        _text("set", name, example): python_value(value)
        for name, value in _mapping("set", given, example).items()
    }
    for name, value in values.items():
        if not isinstance(value, str | int | float):
            raise _unlike(f"set[{name!r}]", value, "a text or a number")
    numbers = {name: columns[name] for name in _NUMBERS if not isinstance(columns.get(name, ""), str)}
    return {name: _word(python_value(value)) for name, value in {**values, **numbers}.items()}


def meanings(given: object) -> dict[str, dict[str, str]]:
    """Return the meanings of values by column; a value that means None is no verdict."""
    example = "a dict for each column, such as value={'met': {'ok': 'yes', 'not ok': 'no'}}"
    columns = {}
    for name, words in _mapping("value", given, example).items():
        words = _mapping(f"value[{name!r}]", words, example)
        spelled: dict[str, str] = {}
        for old, new in ((python_value(old), python_value(new)) for old, new in words.items()):
            if new is not None and not isinstance(new, str | int | float):
                raise _unlike(f"value[{name!r}][{old!r}]", new, "a word, such as 'yes'")
            if spelled.setdefault(spelling_of(old), _word(new)) != _word(new):
                raise UsageError(f"value[{name!r}] gives {spelling_of(old)!r} two meanings; keep one")
        columns[_text("value", name, example)] = by_key(spelled)
    return columns


def listed_columns(name: str, given: object, frame: object) -> tuple[str, ...]:
    """Return the columns of `judges`, `criteria` or `leave_out`; one may be given alone."""
    examples = {"judges": ["gpt-4o", "claude-3-opus"], "criteria": ["clear", "concise"]}
    expected = f"a list of columns, such as {name}={examples.get(name, ['notes'])}"
    if isinstance(given, str):
        return (given,)
    names = given.tolist() if hasattr(given, "tolist") else given  # of an array or an index
    if not isinstance(names, Sequence | Set):
        raise _unlike(name, given, expected)
    return tuple(_column(name, each, frame, expected) for each in names)


def families_of(given: object) -> dict[str, str]:
    """Return the family of each model that `families` names."""
    example = "a dict of models and families, such as families={'my-model': 'Llama'}"
    models = _mapping("families", given, example)
    families = {}
    for model, family in models.items():
        name, expected = f"families[{model!r}]", "a family, such as 'Llama'"
        if not (stripped := _text(name, family, expected).strip()):
            raise _unlike(name, family, expected)
        families[_text("families", model, example)] = stripped
    return families


def list_path(given: object) -> str | None:
    """Return the path of `rows`."""
    return None if given is None else _text("rows", given, "the column of lists, such as rows='judgments'")


def study_name(given: object) -> str:
    return _text("name", given, "a text, such as name='mine'")


def _mapping(name: str, given: object, expected: str) -> Mapping[Any, Any]:
    if not isinstance(given, Mapping):
        raise _unlike(name, given, expected)
    return given


def _text(name: str, given: object, expected: str) -> str:
    if not isinstance(given, str):
        raise _unlike(name, given, expected)
    return given


def _column(name: str, given: object, frame: object, expected: str) -> str:
    """Return the name of a column, a number as text if the frame has a column of that name."""
    given = python_value(given)
    is_number = isinstance(given, int) and not isinstance(given, bool)
    is_column = is_number and any(given == each for each in getattr(frame, "columns", ()))
    return str(given) if is_column else _text(name, given, expected)


def _word(value: object) -> str:
    return MISSING if value is None else str(value)


def _unlike(name: str, given: object, expected: str) -> UsageError:
    return UsageError(f"{name} is {quoted(given)}, of type {type(given).__name__!r}; give {expected}")
