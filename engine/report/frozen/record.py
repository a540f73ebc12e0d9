"""The folder of a frozen study: what lies where, and the careful reading of one from anybody.

`VERSION` rises when a field is removed or changes its meaning, not when one is added.
"""

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import pydantic

from engine.bounded_files import WRITTEN_BY_HAND, bytes_of
from engine.errors import BadInputError, UsageError
from engine.plain_words import mistake_words, system_words

VERSION = 1
RECORD_FILE = "freeze.json"
STUDY_FOLDER = "study"
NUMBERS_FOLDER = "numbers"
VERDICTS_FILE = f"{NUMBERS_FOLDER}/verdicts.parquet"
LARGEST_NUMBERS = 1 << 28
"""Size limit, in bytes, of the numbers of one measure."""

AGAIN = "get the whole folder again, or freeze the study anew"

FilePath = Annotated[
    str,
    pydantic.StringConstraints(
        pattern=r"^(README\.txt|methods\.txt|references\.bib"
        r"|study/(study\.json|[a-z_]{1,40}\.parquet|judgments/[^/\\\x00-\x1f]{1,200}\.parquet)"
        r"|numbers/[a-z0-9][a-z0-9-]{0,80}\.(json|parquet))$"
    ),
]
"""A path that no folder's file can lead out of."""

Name = Annotated[str, pydantic.StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,80}$")]
Sum = Annotated[str, pydantic.StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Checked = TypeVar("Checked", bound=pydantic.BaseModel)


class FrozenFile(pydantic.BaseModel):
    """A file of the folder: its path within it, its size in bytes, and its SHA-256."""

    path: FilePath
    size: int = pydantic.Field(ge=0)
    sha256: Sum


class FrozenMeasure(pydantic.BaseModel):
    """A measure: how many rows it had, or why none, and the command that prints them."""

    measure: Name
    rows: int = pydantic.Field(ge=0)
    reason: str | None = None
    command: str

    @property
    def file(self) -> str:
        """The path of its numbers within the folder."""
        return f"{NUMBERS_FOLDER}/{self.measure}.json"


class FrozenRecord(pydantic.BaseModel):
    """The content of `freeze.json`."""

    version: int
    study: str
    title: str
    date: str
    resamples: int = pydantic.Field(ge=0, le=100_000)
    seed: int = pydantic.Field(ge=0, le=2**32 - 1)
    software: dict[str, str]
    measures: list[FrozenMeasure] = pydantic.Field(max_length=1000)
    files: list[FrozenFile] = pydantic.Field(max_length=100_000)

    def text(self) -> str:
        return self.model_dump_json(indent=1, exclude_none=True) + "\n"


class FrozenNumbers(pydantic.BaseModel):
    """The numbers of one measure, as they were."""

    measure: Name
    filters: dict[str, pydantic.JsonValue] = {}
    left_out: dict[str, int] = {}
    rows: list[dict[str, pydantic.JsonValue]]

    def text(self) -> str:
        return self.model_dump_json(indent=1) + "\n"


class _Version(pydantic.BaseModel):
    version: int = 0
    software: dict[str, Any] = {}


def read_record(folder: Path) -> FrozenRecord:
    """Return what a folder says of itself; an error for no frozen study, a broken or a later one."""
    if not folder.is_dir():
        raise UsageError(f"{str(folder)!r} is not a folder; {_frozen_beside(folder)}")
    check_plain(folder)
    place = folder / RECORD_FILE
    if not place.exists():
        raise UsageError(
            f"{str(folder)!r} is not a frozen study (it has no {RECORD_FILE}); {_frozen_beside(folder)}"
        )
    content = _content(place, WRITTEN_BY_HAND)
    stated = _parsed(_Version, content, place)
    if stated.version != VERSION:
        by = stated.software.get("spb-explorer")
        remedy = f"install spb-explorer {by}" if isinstance(by, str) and _is_version(by) else AGAIN
        raise BadInputError(
            f"{place}: version is {stated.version!r}, and this program reads {VERSION}; {remedy}"
        )
    return _parsed(FrozenRecord, content, place)


def _frozen_beside(folder: Path) -> str:
    """Return what to give in place of a folder: the one that `spb freeze` writes beside it by default."""
    for beside in (frozen_folder(str(folder)), frozen_folder(folder.name)):
        if (beside / RECORD_FILE).is_file():
            return f"give the one that `spb freeze` wrote: {shlex.join(['spb', 'reproduce', str(beside)])}"
    return "give the one that `spb freeze` wrote"


def frozen_folder(study: str) -> Path:
    """Return the folder that a study is frozen in where none is named."""
    return Path(f"{study}-frozen")


def read_frozen_numbers(folder: Path, measure: FrozenMeasure) -> FrozenNumbers:
    """Return the numbers of a measure as they were."""
    place = folder / measure.file
    return _parsed(FrozenNumbers, _content(place, LARGEST_NUMBERS), place)


def check_plain(folder: Path) -> None:
    """Raise BadInputError for a link or a device in a folder: each file lies in it and is a plain one."""
    for place in _entries(folder):
        mode = place.lstat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            kind = "a link" if stat.S_ISLNK(mode) else "no plain file"
            raise BadInputError(f"{str(place)!r} is {kind}, which no frozen study has; {AGAIN}")


def sha256_of(place: Path) -> str:
    """Return the SHA-256 of a file; BadInputError if it is missing or cannot be read."""
    with _readable(place), place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _entries(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        yield from (Path(parent, name) for name in (*folders, *files))


def _content(place: Path, limit: int) -> bytes:
    with _readable(place):
        return bytes_of(place, limit)


@contextmanager
def _readable(place: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise BadInputError(f"{str(place)!r} is missing; {AGAIN}") from error
    except OSError as error:
        raise BadInputError(f"{str(place)!r} cannot be read: {system_words(error)}; {AGAIN}") from error


def _parsed(form: type[Checked], content: bytes, place: Path) -> Checked:
    try:
        return form.model_validate_json(content)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the file"
        raise BadInputError(f"{place}: {field}: {mistake_words(first)}; {AGAIN}") from error


def _is_version(text: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+){1,3}[a-z0-9.+-]{0,20}", text) is not None
