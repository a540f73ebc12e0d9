"""A mapping file: a user's options, written down once for all files of the same kind (`--map-file`)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import BadInputError, unknown
from engine.importers.import_options import DECLARED, OPTIONS, ImportOption, ImportOptions, OptionKind
from engine.importers.reading.toml_file import read_toml
from engine.importers.reading.value_maps import by_key, merged_meanings, spelling_of, value_text


def read_options(path: Path) -> ImportOptions:
    """Return the options in a mapping file: TOML with the options' names.

        judge = "gpt-4o"                      # as --judge; generator and baseline likewise
        judges = ["gpt-4o", "claude-3-opus"]  # as --judge-columns
        criteria = ["clear", "concise"]       # as --criterion-columns
        not = ["latency_s"]                   # as --not
        rows = "comparisons"                  # as --rows
        no_guess = true                       # as --no-guess; whole_ids likewise
        [map]                                 # as --map
        generator = "model"
        [set]                                 # as --set
        scale = 5
        [value.choice]                        # as --value
        0 = "first"
        1 = "second"

    Raises UsageError if it cannot be read, and BadInputError naming an entry that is malformed.
    """
    return options_of(read_toml(path, "the mapping file"), path)


def options_of(content: Mapping[str, Any], path: Path) -> ImportOptions:
    """Return the options that the entries of a mapping file make; errors as of `read_options`."""
    options = {option.entry: option for kind in _READERS for option in DECLARED if option.kind == kind}
    for name in content:
        if name not in options:
            raise unknown(f"entry of {path.name}", name, options)
    given = {entry: option for entry, option in options.items() if entry in content}
    return ImportOptions(
        **{option.name: _READERS[option.kind](path, content, entry) for entry, option in given.items()}
    )


def option_entries(options: ImportOptions) -> dict[str, Any]:
    """Return the entries of a mapping file that make these options."""
    values = {OPTIONS[name].entry: getattr(options, name) for name in options.option_names()}
    return {entry: list(value) if isinstance(value, tuple) else value for entry, value in values.items()}


def merge_options(base: ImportOptions, over: ImportOptions) -> ImportOptions:
    """Return both together, in the spelling of `base`; `over` wins if both set an option."""
    return replace(
        base,
        **{
            option.name: _merged(option, getattr(base, option.name), getattr(over, option.name))
            for option in DECLARED
        },
    )


def _merged(option: ImportOption, base: Any, over: Any) -> Any:
    match option.kind:
        case "pairs":
            return {**base, **over}
        case "meanings":
            columns = sorted(base.keys() | over.keys())
            return {name: merged_meanings(base.get(name, {}), over.get(name, {})) for name in columns}
        case _:
            return over or base


def arguments(options: ImportOptions) -> list[str]:
    """Return the equivalent arguments of `spb import`."""
    given = (OPTIONS[name] for name in options.option_names())
    return [word for option in given for word in _words(option, getattr(options, option.name))]


def _words(option: ImportOption, value: Any) -> Iterator[str]:
    """Yield the arguments of one option."""
    flag = option.flags[0]
    match option.kind:
        case "text":
            yield from (flag, value)
        case "pairs":
            yield from (word for name, each in value.items() for word in (flag, f"{name}={each}"))
        case "meanings":
            yield from (word for name, each in value.items() for word in (flag, value_text(name, each)))
        case "columns":
            yield from (flag, ",".join(value))
        case "names":
            yield from (word for name in value for word in (flag, name))
        case "switch":
            yield flag


def _table(path: Path, content: Mapping[str, Any], name: str, prefix: str = "") -> dict[str, Any]:
    table = content.get(name, {})
    if not isinstance(table, dict):
        place = f"{prefix}{name}"
        raise BadInputError(f"{path.name}: {place} is {table!r}; give a table, such as [{place}]")
    return table


def _texts(path: Path, content: Mapping[str, Any], name: str, prefix: str = "") -> dict[str, str]:
    table = _table(path, content, name, prefix)
    return {key: _text(path, f"{prefix}{name}.{key}", value) for key, value in table.items()}


def _meanings(path: Path, content: Mapping[str, Any], name: str) -> dict[str, dict[str, str]]:
    columns = _table(path, content, name)
    return {
        column: by_key(
            {spelling_of(old): new for old, new in _texts(path, columns, column, f"{name}.").items()}
        )
        for column in columns
    }


def _list(path: Path, content: Mapping[str, Any], name: str) -> tuple[str, ...]:
    names = content[name]
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise BadInputError(f"{path.name}: {name} is {names!r}; give a list of columns")
    return tuple(names)


def _switch(path: Path, content: Mapping[str, Any], name: str) -> bool:
    value = content[name]
    if not isinstance(value, bool):
        raise BadInputError(f"{path.name}: {name} is {value!r}; give true or false")
    return value


def _text(path: Path, name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadInputError(f"{path.name}: {name} is {value!r}; give a text or a number")
    return str(value)


_READERS: Mapping[OptionKind, Callable[[Path, Mapping[str, Any], str], Any]] = {
    "text": lambda path, content, name: _text(path, name, content[name]),
    "columns": _list,
    "names": _list,
    "switch": _switch,
    "pairs": _texts,
    "meanings": _meanings,
}
"""How an entry of each kind is read; errors name its place and its value."""
