"""A configuration that `spb try` writes, anew only as long as nobody has edited it."""

import hashlib
import os
import re
from pathlib import Path

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.errors import UsageError
from engine.store import Store
from engine.store.publish import replace_file

_MARK = re.compile(r"# Written by `spb try`; once edited it stays as it is \(([0-9a-f]{12})\)\.\n")


def study_name(file: Path) -> str:
    """Return a study's name after a file of questions."""
    words = re.sub(r"[^\w.-]+", "-", file.name.partition(".")[0]).strip("-.")
    return words[:100] or "questions"


def configuration_path(store: Store, study: str) -> Path:
    """Return where the configuration is written: beside the store, or in this folder if that is elsewhere."""
    folder = Path.cwd() if "://" in store.root else Path(os.path.expanduser(store.root)).absolute().parent
    return folder / f"{study}.toml"


def check_configuration(path: Path) -> None:
    """Raise UsageError if there is a file that was not written by `write_configuration`, or was edited."""
    if not os.path.lexists(path):
        return
    try:
        text = text_of(path, WRITTEN_BY_HAND)
    except (OSError, ValueError):
        text = ""
    match = _MARK.match(text)
    if match is None or match[1] != _sum(text[match.end() :]):
        raise UsageError(
            f"{str(path)!r} is there already and holds something else, or was edited: run it with "
            "`spb run`, or give --config another file"
        )


def write_configuration(path: Path, text: str) -> None:
    """Write a configuration; UsageError like `check_configuration`."""
    check_configuration(path)
    text = _with_comments(text)
    replace_file(
        path, f"# Written by `spb try`; once edited it stays as it is ({_sum(text)}).\n{text}".encode()
    )


_COMMENTS = {
    "study": "the study that is written",
    "data": "the questions; which column is what stands in [columns], where their names do not say it",
    "generators": "which of the models below answer",
    "judges": "which of them judge",
    "paradigms": "pairwise: two answers side by side; single_rubric: one criterion at a time",
    "max_usd": "spending cap, in US dollars",
    "model": "as litellm knows it",
    "family": "models of one maker and line, such as GPT",
}
"""What the keys of a configuration are; a key's first line of a file has its comment above it."""


def _with_comments(text: str) -> str:
    """Return the text with each key explained where it stands first."""
    lines, left = [], dict(_COMMENTS)
    for line in text.splitlines():
        comment = left.pop(line.partition(" = ")[0], None) if " = " in line else None
        lines += [line] if comment is None else [f"# {comment}", line]
    return "\n".join(lines) + "\n"


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
