"""The command that prints the rows behind a claim, or the call that returns those of a study in memory."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from engine.measures.catalogue import MEASURES
from engine.measures.entry import ROWS
from engine.slices import is_set
from engine.wording import NameInMemory


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
    """Return `spb COMMAND STUDY ...` without a store, for a shell; of a study in memory a call in Python."""
    if isinstance(study, NameInMemory):
        return _call(command, options)
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


def _call(command: Sequence[str], options: Mapping[str, Any]) -> str:
    """Return what a command prints as a call of the open study, which is called `study`."""
    if command[0] == "audit":
        return f"engine.audit({_call_of_runs(options)})"
    if command[0] == "measure":
        return f"study.{command[1].replace('-', '_')}({_arguments(options)})"
    if command[0] == "slices":
        return f"study.slices({_arguments(options)})"
    question = {"instance_id": command[2]} if command[:2] == ("study", "grid") else {}
    return f"study.judgments({_arguments({**question, 'run': options.get('run')})})"


def _call_of_runs(options: Mapping[str, Any]) -> str:
    runs = options.get("run")
    return f"study.of_runs({_plain(runs)!r})" if is_set(runs) else "study"


def _arguments(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_plain(value)!r}" for name, value in options.items() if is_set(value))


def _plain(value: Any) -> Any:
    """Return a value as one writes it: names as a list."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items() if is_set(item)}
    if isinstance(value, tuple) and all(isinstance(each, str) for each in value):
        return list(value)
    return value
