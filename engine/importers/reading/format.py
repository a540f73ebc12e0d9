"""What a format of another tool is: its words, its fields and their columns, and what reads it."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from engine.errors import BadInputError, UsageError
from engine.importers.foreign.gathered import Found
from engine.importers.foreign.rows import Row, Tally

OptionName = Literal["judge", "generator", "baseline", "map", "set"]

MOST_FILES = 10_000
"""Files of a folder that are read as one import."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user adds to a file: names that it does not hold, and the columns of a table."""

    judge: str | None = None
    generator: str | None = None
    baseline: str | None = None
    map: Mapping[str, str] = field(default_factory=dict)
    set: Mapping[str, str] = field(default_factory=dict)

    def given(self) -> list[str]:
        """Return the names of what was given."""
        return [name for name in ("judge", "generator", "baseline", "map", "set") if getattr(self, name)]


class Reader(Protocol):
    """A file, or a folder of files, being read."""

    def rows(self) -> Iterator[Row]:
        """Yield the rows; those that are none are left to the tally."""
        ...

    def read(self, row: Row) -> Found:
        """Return what a row holds; BadRowError where it cannot be taken."""
        ...


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a foreign row and the columns that it becomes; `note` says how, where that is not plain."""

    name: str
    becomes: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """One format. `expected` is said where a file is not of it; `options` are those that it takes."""

    name: str
    title: str
    source: str
    expected: str
    fields: tuple[Field, ...]
    reader: Callable[[Path, Asked, Tally], Reader]
    options: tuple[OptionName, ...] = ("judge",)
    notes: str | None = None

    def check(self, asked: Asked) -> None:
        """Raise UsageError for an option that means nothing for this format."""
        for name in asked.given():
            if name not in self.options:
                taken = ", ".join(f"--{option}" for option in self.options) or "none of them"
                raise UsageError(f"--{name} means nothing for {self.name!r}; it takes {taken}")


def pairs(option: str, given: Iterable[str]) -> dict[str, str]:
    """Return what an option such as `--map judge=rater,met=ok` says; UsageError where it is no such pair.

    A comma parts pairs where a pair stands on both its sides, so that a value may hold one.
    """
    told: dict[str, str] = {}
    for text in (part for several in given for part in _parts(several)):
        name, sign, value = text.partition("=")
        if not (sign and name.strip() and value.strip()):
            raise UsageError(f"{option} {text!r} is no COLUMN=FIELD; give such as {option} judge=rater")
        if name.strip() in told:
            raise UsageError(f"{option} names {name.strip()!r} twice; keep one of them")
        told[name.strip()] = value.strip()
    return told


def _parts(text: str) -> list[str]:
    parts = text.split(",")
    return parts if all("=" in part for part in parts) else [text]


def instance_of(*texts: str) -> str:
    """Return the id of a question that has none: the same texts have the same id in every file."""
    return "q-" + hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def files_in(path: Path, *suffixes: str, expected: str) -> list[Path]:
    """Return the file, or those of a folder (and folders in it) that end so, sorted.

    BadInputError where there is none, or more than an import reads.
    """
    if path.is_file():
        return [path]
    found = []
    for file in sorted(path.rglob("*")):
        if file.is_file() and file.name.removesuffix(".gz").endswith(suffixes):
            found.append(file)
        if len(found) > MOST_FILES:
            raise BadInputError(f"{str(path)!r} holds more than {MOST_FILES:,} files; import parts of it")
    if not found:
        raise BadInputError(
            f"{str(path)!r} holds no file that ends in {', '.join(suffixes)}; expected {expected}"
        )
    return found
