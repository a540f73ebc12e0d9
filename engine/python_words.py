"""Messages that name options as flags, `--by`, said to somebody who writes Python: `by=`."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from engine.errors import SpbError
from engine.slices import FLAGS

_FLAG = re.compile(r"--([a-z][a-z-]*)(?: ([a-z_]+))?")
_COMMAND = re.compile(r"(`spb [^`]*`)")
_GROUPING = re.compile(r"`spb measure (\S+) \S+ --by (\S+)`")
_SLICES = re.compile(r"`spb slices \S+`")


def in_python(text: str) -> str:
    """Return a message with options as arguments: `choose --level rubric` is `choose level="rubric"`.

    Commands in backticks stay as they are, except those on a study that one call answers as well.
    """
    parts = _COMMAND.split(_SLICES.sub("`study.slices()`", _GROUPING.sub(_call, text)))
    return "".join(part if part.startswith("`spb ") else _FLAG.sub(_argument, part) for part in parts)


@contextmanager
def python_words() -> Iterator[None]:
    """Let errors of this project name options as arguments."""
    try:
        yield
    except SpbError as error:
        error.args = tuple(in_python(each) if isinstance(each, str) else each for each in error.args)
        raise


def _call(command: re.Match[str]) -> str:
    measure, columns = command[1], command[2].split(",")
    by = json.dumps(columns if len(columns) > 1 else columns[0])
    return f'`study.measure("{measure}", by={by})`'


def _argument(flag: re.Match[str]) -> str:
    name, word = flag[1].replace("-", "_"), flag[2]
    if word is None:
        return f"{name}="
    return f'{name}="{word}"' if word in _values().get(name, ()) else f"{name}= {word}"


@cache
def _values() -> dict[str, set[str]]:
    """Return the values that each option may take, over all measures."""
    from engine.measures.catalogue import MEASURES

    values: dict[str, set[str]] = {}
    for option in (*FLAGS, *(option for measure in MEASURES.values() for option in measure.options)):
        values.setdefault(option.name, set()).update(map(str, option.choices))
    return values
