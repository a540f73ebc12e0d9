"""The line of a terminal that prints the rows behind a claim."""

import shlex
from collections.abc import Mapping
from typing import Any


def command_of(study: str, measure: str, options: Mapping[str, Any]) -> str:
    """Return `spb metrics MEASURE --study NAME ...` (of the finder `spb find ...`), quoted for a shell.

    The store is left out: the line is for the folder in which the store is, or for one that SPB_STORE names.
    """
    words = ["spb", "find"] if measure == "find" else ["spb", "metrics", measure]
    for name, value in {"study": study, **options}.items():
        if value in (None, (), [], False):
            continue
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(flag)
            continue
        text = _text(value)
        words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return shlex.join(words)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ";".join(f"{name}={_text(told)}" for name, told in value.items())
    if isinstance(value, list | tuple):
        return ",".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
