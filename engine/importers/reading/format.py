"""A format of another tool: what `spb import` knows of it, and the base of its readers."""

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from engine.errors import UsageError
from engine.importers.import_options import OPTIONS, ImportOptions
from engine.importers.option_spelling import with_options
from engine.importers.reading.files import files_in
from engine.importers.reading.json_rows import json_rows
from engine.importers.reading.rows import ImportStats, Row
from engine.importers.reading.study_builder import StudyBuilder, StudyRows
from engine.store import Mode, Store
from engine.store.writer import WriteReport


class Reader(Protocol):
    """Reads a file, or a folder of files."""

    def rows(self) -> Iterator[Row]:
        """Yield the rows; unreadable ones are counted in the tally."""
        ...

    def read(self, row: Row) -> StudyRows:
        """Return the content of a row; BadRowError if it cannot be imported."""
        ...


@runtime_checkable
class Finishing(Protocol):
    """A reader that has something to add once all rows are read."""

    def finish(self, builder: StudyBuilder) -> None: ...


class FileReader:
    """Base of the readers of formats: goes through the files, and leaves reading a row to the subclass.

    `suffixes` are those of the files in a folder, `expected` describes a file of the format, and `rows_in`
    yields the rows of a file. `judge_missing` is the error if --judge is required but missing.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".json", ".jsonl")
    expected: ClassVar[str]
    judge_missing: ClassVar[str | None] = None
    rows_in = staticmethod(json_rows)

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        if self.judge_missing is not None and options.judge is None:
            raise UsageError(with_options(self.judge_missing, options.spelling))
        self.files = files_in(path, *self.suffixes, expected=self.expected)
        self.options, self.tally = options, tally

    def rows(self) -> Iterator[Row]:
        for file in self.files:
            yield from self.file_rows(file)

    def file_rows(self, file: Path) -> Iterator[Row]:
        yield from self.rows_in(file, self.tally, self.expected)

    def read(self, row: Row) -> StudyRows:
        raise NotImplementedError

    def leaves_out(self, name: str) -> bool:
        """Return whether the user does not want this metric, score or scorer (`--not NAME`)."""
        if name not in self.options.leave_out:
            return False
        self.tally.note(f"{name!r} is left out, as --not says")
        self.tally.left_out_names.add(name)
        return True

    @classmethod
    def as_format(
        cls,
        name: str,
        title: str,
        source: str,
        *fields: "ImportedField",
        options: tuple[str, ...] = ("judge",),
        notes: str | None = None,
        signs: "Signs" = (),
        object_signs: "Signs" = (),
        is_other: Callable[[Mapping[str, Any]], bool] | None = None,
    ) -> "Format":
        return Format(
            name, title, source, cls.expected, fields, cls, options, notes, signs, object_signs, is_other
        )


Signs = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ImportedField:
    """A field of an outside row and the columns that it becomes; `note` says how, if that is not obvious."""

    name: str
    becomes: str
    note: str = ""


Field = ImportedField
"""The name that formats of other packages import."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format. `expected` is for the error if a file is not of it; `options` are those that it takes.

    `signs` are groups of fields, such as `("run.id", "grades")`, that only rows of this format have,
    `object_signs` those of a file that is one object, and `member_signs` those of the members of one. Any one
    group is enough to detect the format, unless `is_other` says of a row that it is not of it.
    """

    name: str
    title: str
    source: str
    expected: str
    fields: tuple[ImportedField, ...]
    reader: Callable[[Path, ImportOptions, ImportStats], Reader]
    options: tuple[str, ...] = ("judge",)
    notes: str | None = None
    signs: Signs = ()
    object_signs: Signs = ()
    is_other: Callable[[Mapping[str, Any]], bool] | None = None
    member_signs: Signs = ()
    licence: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for an option that no command has."""
        if unknown_ones := set(self.options) - OPTIONS.keys():
            raise ValueError(f"{self.name}: no such options: {sorted(unknown_ones)}")

    def check(self, options: ImportOptions) -> None:
        for name in options.option_names():
            if name not in self.options:
                own = ", ".join(map(options.flag, self.options)) or "none of them"
                raise UsageError(f"{options.flag(name)} does not apply to {self.name!r}, which takes {own}")


class Importer(Protocol):
    """Reads the file or folder at `path` and writes it as a study; on BadInputError nothing is written."""

    def __call__(
        self,
        path: str,
        store: Store,
        /,
        name: str | None = None,
        *,
        mode: Mode = "new",
        dry_run: bool = False,
    ) -> WriteReport: ...


@dataclass(frozen=True, slots=True)
class WholeFormat:
    """A format whose files are refused for one bad row; `importer` reads a file and writes the study."""

    name: str
    title: str
    source: str
    importer: Importer
    signs: Signs = ()
    object_signs: Signs = ()


def pairs(option: str, texts: Iterable[str]) -> dict[str, str]:
    """Return the pairs of an option such as `--map judge=rater,met=ok`; UsageError for a malformed one.

    Commas separate pairs only if every part is a pair, so that a value may contain one.
    """
    values: dict[str, str] = {}
    for text in texts:
        parts = text.split(",")
        for pair in parts if all("=" in part for part in parts) else [text]:
            name, _, value = map(str.strip, pair.partition("="))
            if not (name and value):
                form, example = (
                    ("COLUMN=VALUE", "judge=gpt-4o") if option == "--set" else ("COLUMN=FIELD", "judge=rater")
                )
                raise UsageError(f"{option} {pair!r} is not {form}; write for example {option} {example}")
            if name in values:
                raise UsageError(
                    f"{option} gives {name} twice, {values[name]!r} and {value!r}; keep one of them, such as "
                    f"{option} {shlex.quote(f'{name}={values[name]}')}"
                )
            values[name] = value
    return values


MADE_ID = re.compile("q-[0-9a-f]{12}")


def instance_of(*texts: str) -> str:
    """Return an id for a question without one: the same texts get the same id in every file.

    `MADE_ID` matches such ids.
    """
    return "q-" + hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def prompt_of(turns: Sequence[Mapping[str, Any]]) -> str:
    """Return the turns of a conversation as a prompt: a single turn as text, several as JSON."""
    content = turns[0].get("content")
    return content if len(turns) == 1 and isinstance(content, str) else json.dumps(turns, ensure_ascii=False)
