"""The command that prints the rows behind a claim."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from engine.slices import is_set


def command_of(study: str, measure: str, options: Mapping[str, Any]) -> str:
    """Return `spb measure MEASURE STUDY ...` (or `spb slices STUDY ...`) without a store, for a shell."""
    return command_words(("slices",) if measure == "find" else ("measure", measure), study, options)


def command_words(command: Sequence[str], study: str, options: Mapping[str, Any]) -> str:
    """Return `spb COMMAND STUDY ...` without a store, for a shell."""
    words = ["spb", *command, f"--study={study}" if study.startswith("-") else study]
    for name, value in options.items():
        flag, text = f"--{name.replace('_', '-')}", _text(value)
        if value is True:
            words.append(flag)
        elif is_set(value):
            words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return shlex.join(words)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ";".join(f"{name}={_text(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ",".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
