"""A mapping file: what a user adds to a file, written down once, for files of the same kind (`--map-file`).

TOML with the options' names:

    judge = "gpt-4o"                      # as --judge; generator and baseline likewise
    judges = ["gpt-4o", "claude-3-opus"]  # as --judges
    [map]                                 # as --map
    generator = "model"
    [set]                                 # as --set
    scale = 5
    [value.choice]                        # as --value
    0 = "first"
    1 = "second"
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import BadInputError, UsageError, unknown
from engine.importers.reading.format import ImportOptions
from engine.importers.reading.tables import value_key
from engine.values import WRITTEN_BY_HAND, text_of

_TEXTS = ("judge", "generator", "baseline")
_TABLES = ("map", "set", "value")


def read_options(path: Path) -> ImportOptions:
    """Return what a mapping file says.

    Raises UsageError where it cannot be read, BadInputError that names the entry where it is not of the form.
    """
    try:
        content = tomllib.loads(text_of(path, WRITTEN_BY_HAND))
    except OSError as error:
        raise UsageError(
            f"the mapping file {str(path)!r} cannot be read ({error}); check the path"
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInputError(f"{path.name}: it is not TOML ({error}); correct it") from error
    for name in content:
        if name not in (*_TEXTS, "judges", *_TABLES):
            raise unknown(f"entry of {path.name}", name, (*_TEXTS, "judges", *_TABLES))
    judges = content.get("judges", [])
    if not isinstance(judges, list) or not all(isinstance(name, str) for name in judges):
        raise BadInputError(f"{path.name}: judges is {judges!r}; give a list of columns")
    meanings = _table(path, content, "value")
    return ImportOptions(
        **{name: _text(path, name, content[name]) for name in _TEXTS if name in content},
        map=_texts(path, "map", _table(path, content, "map")),
        set=_texts(path, "set", _table(path, content, "set")),
        value={
            column: {
                value_key(old): new
                for old, new in _texts(path, f"value.{column}", _table(path, meanings, column)).items()
            }
            for column in meanings
        },
        judges=tuple(judges),
    )


def merged(base: ImportOptions, over: ImportOptions) -> ImportOptions:
    """Return both together; where both say something, what `over` says."""
    columns = base.value.keys() | over.value.keys()
    return replace(
        base,
        judge=over.judge or base.judge,
        generator=over.generator or base.generator,
        baseline=over.baseline or base.baseline,
        map={**base.map, **over.map},
        set={**base.set, **over.set},
        value={name: {**base.value.get(name, {}), **over.value.get(name, {})} for name in sorted(columns)},
        judges=over.judges or base.judges,
    )


def arguments(options: ImportOptions) -> list[str]:
    """Return the arguments of `spb import` that say the same."""
    words: list[str] = []
    for name in _TEXTS:
        words += [f"--{name}", value] if (value := getattr(options, name)) else []
    for option in ("map", "set"):
        for name, value in getattr(options, option).items():
            words += [f"--{option}", f"{name}={value}"]
    for column, meanings in options.value.items():
        words += ["--value", f"{column}:" + ",".join(f"{old}={new}" for old, new in meanings.items())]
    return words + (["--judges", ",".join(options.judges)] if options.judges else [])


def _table(path: Path, content: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = content.get(name, {})
    if not isinstance(table, dict):
        raise BadInputError(f"{path.name}: {name} is {table!r}; give a table, such as [{name}]")
    return table


def _texts(path: Path, name: str, table: Mapping[str, Any]) -> dict[str, str]:
    return {key: _text(path, f"{name}.{key}", value) for key, value in table.items()}


def _text(path: Path, name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadInputError(f"{path.name}: {name} is {value!r}; give a text or a number")
    return str(value)
