"""A mapping file: a user's options, written down once for all files of the same kind (`--map-file`)."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.errors import BadInputError, UsageError, unknown
from engine.importers.reading.format import ImportOptions, OptionName, flag_of
from engine.importers.reading.value_maps import value_key, value_text
from engine.plain_words import system_words

_TEXTS = ("judge", "generator", "baseline", "rows")
_LISTS = ("judges", "not")
_SWITCHES: tuple[OptionName, ...] = ("no_guess", "whole_ids")
_TABLES = ("map", "set", "value")


def read_options(path: Path) -> ImportOptions:
    """Return the options in a mapping file: TOML with the options' names.

        judge = "gpt-4o"                      # as --judge; generator and baseline likewise
        judges = ["gpt-4o", "claude-3-opus"]  # as --judge-columns
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
    try:
        content = tomllib.loads(text_of(path, WRITTEN_BY_HAND))
    except OSError as error:
        raise UsageError(
            f"the mapping file {str(path)!r} cannot be read ({system_words(error)}); check the path"
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInputError(f"{path.name}: it is not TOML ({error}); correct it") from error
    for name in content:
        if name not in (entries := (*_TEXTS, *_LISTS, *_SWITCHES, *_TABLES)):
            raise unknown(f"entry of {path.name}", name, entries)
    lists = {name: content.get(name, []) for name in _LISTS}
    for name, names in lists.items():
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            raise BadInputError(f"{path.name}: {name} is {names!r}; give a list of columns")
    columns = _table(path, content, "value")
    meanings = {column: _texts(path, columns, column, "value.").items() for column in columns}
    return ImportOptions(
        **_entries(_TEXTS, content, lambda name, value: _text(path, name, value)),
        map=_texts(path, content, "map"),
        set=_texts(path, content, "set"),
        value={column: {value_key(old): new for old, new in words} for column, words in meanings.items()},
        judges=tuple(lists["judges"]),
        leave_out=tuple(lists["not"]),
        **_entries(_SWITCHES, content, lambda name, value: _switch(path, name, value)),
    )


def _entries(
    names: Iterable[str], content: Mapping[str, Any], parse: Callable[[str, object], str | bool]
) -> dict[str, Any]:
    return {name: parse(name, content[name]) for name in names if name in content}


def merge_options(base: ImportOptions, over: ImportOptions) -> ImportOptions:
    """Return both together; `over` wins if both set an option."""
    columns = base.value.keys() | over.value.keys()
    return ImportOptions(
        **{
            name: getattr(over, name) or getattr(base, name)
            for name in (*_TEXTS, "judges", "leave_out", *_SWITCHES)
        },
        map={**base.map, **over.map},
        set={**base.set, **over.set},
        value={name: {**base.value.get(name, {}), **over.value.get(name, {})} for name in sorted(columns)},
    )


def arguments(options: ImportOptions) -> list[str]:
    """Return the equivalent arguments of `spb import`."""
    words: list[str] = []
    for name in _TEXTS:
        words += [f"--{name}", value] if (value := getattr(options, name)) else []
    for option in ("map", "set"):
        for name, value in getattr(options, option).items():
            words += [f"--{option}", f"{name}={value}"]
    for column, meanings in options.value.items():
        words += ["--value", value_text(column, meanings)]
    words += ["--judge-columns", ",".join(options.judges)] if options.judges else []
    words += [word for name in options.leave_out for word in ("--not", name)]
    return words + [flag_of(name) for name in _SWITCHES if getattr(options, name)]


def _table(path: Path, content: Mapping[str, Any], name: str, prefix: str = "") -> dict[str, Any]:
    table = content.get(name, {})
    if not isinstance(table, dict):
        place = f"{prefix}{name}"
        raise BadInputError(f"{path.name}: {place} is {table!r}; give a table, such as [{place}]")
    return table


def _texts(path: Path, content: Mapping[str, Any], name: str, prefix: str = "") -> dict[str, str]:
    table = _table(path, content, name, prefix)
    return {key: _text(path, f"{prefix}{name}.{key}", value) for key, value in table.items()}


def _switch(path: Path, name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise BadInputError(f"{path.name}: {name} is {value!r}; give true or false")
    return value


def _text(path: Path, name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadInputError(f"{path.name}: {name} is {value!r}; give a text or a number")
    return str(value)
