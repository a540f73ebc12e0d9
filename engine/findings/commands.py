"""The command that prints the rows behind a claim."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from engine.measures.catalogue import MEASURES
from engine.measures.entry import ROWS
from engine.slices import is_set


def command_of(study: str, measure: str, options: Mapping[str, Any]) -> str:
    """Return `spb measure MEASURE STUDY ...` (or `spb slices STUDY ...`) without a store, for a shell."""
    if measure == "find":
        return command_words(("slices",), study, options)
    entry = MEASURES.get(measure)
    if entry is not None and entry.part_of is not None:
        name, rows = entry.part_of
        return command_words(("measure", name), study, {ROWS: rows, **options})
    return command_words(("measure", measure), study, options)


def command_words(command: Sequence[str], study: str, options: Mapping[str, Any]) -> str:
    """Return `spb COMMAND STUDY ...` without a store, for a shell."""
    place = f"--study={study}" if study.startswith("-") else study
    return shlex.join(["spb", *command, place, *flag_words(options)])


def flag_words(options: Mapping[str, Any]) -> list[str]:
    """Return options as the words of a command; those that are not set are left out."""
    words: list[str] = []
    for name, value in options.items():
        flag, text = f"--{name.replace('_', '-')}", _text(value)
        if value is True:
            words.append(flag)
        elif is_set(value):
            words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return words


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ";".join(f"{name}={_text(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ",".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
