"""The declaration of a format of another tool, and the mapping files that users write."""

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, TypeVar, get_args, runtime_checkable

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.errors import BadInputError, UsageError, unknown
from engine.importers.reading.json_rows import json_rows
from engine.importers.reading.rows import ImportStats, Row, StudyBuilder, StudyRows
from engine.importers.reading.tables import value_key, value_text
from engine.plain_words import system_words
from engine.store import Mode, Store
from engine.store.writer import WriteReport

OptionName = Literal[
    "judge",
    "generator",
    "baseline",
    "rows",
    "map",
    "set",
    "value",
    "judges",
    "leave_out",
    "no_guess",
    "whole_ids",
]
_FLAGS: Mapping[OptionName, str] = {"leave_out": "not"}
"""The flags of options that are not named like them."""

MOST_FILES = 10_000  # of a folder in one import


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user adds to a file: names that it lacks, and the meaning of a table's columns and values.

    By our columns, `map` has the file's field, `set` a constant value, and `value` the meanings of values in
    our words. `judges` are the columns of a wide table, one for each judge. `leave_out` are metrics, scores
    or scorers that are not to be read.
    """

    judge: str | None = None
    generator: str | None = None
    baseline: str | None = None
    map: Mapping[str, str] = field(default_factory=dict)
    set: Mapping[str, str] = field(default_factory=dict)
    value: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    rows: str | None = None
    no_guess: bool = False
    whole_ids: bool = False

    def option_names(self) -> list[OptionName]:
        return [name for name in get_args(OptionName) if getattr(self, name)]

    def flags(self) -> list[str]:
        """Return the flags of the options that are given."""
        return [flag_of(name) for name in self.option_names()]


def flag_of(name: OptionName) -> str:
    return "--" + _FLAGS.get(name, name).replace("_", "-")


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
            raise UsageError(self.judge_missing)
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
        options: tuple[OptionName, ...] = ("judge",),
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


@dataclass(frozen=True, slots=True)
class Format:
    """One format. `expected` is for the error if a file is not of it; `options` are those that it takes.

    `signs` are groups of fields, such as `("run.id", "grades")`, that only rows of this format have, and
    `object_signs` those of a file that is one object. Any one group is enough to detect the format, unless
    `is_other` says of a row that it is not of it.
    """

    name: str
    title: str
    source: str
    expected: str
    fields: tuple[ImportedField, ...]
    reader: Callable[[Path, ImportOptions, ImportStats], Reader]
    options: tuple[OptionName, ...] = ("judge",)
    notes: str | None = None
    signs: Signs = ()
    object_signs: Signs = ()
    is_other: Callable[[Mapping[str, Any]], bool] | None = None

    def check(self, options: ImportOptions) -> None:
        for name in options.option_names():
            if name not in self.options:
                flags = ", ".join(map(flag_of, self.options)) or "none of them"
                raise UsageError(f"{flag_of(name)} does not apply to {self.name!r}, which takes {flags}")


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
                raise UsageError(
                    f"{option} {pair!r} is not COLUMN=FIELD; write for example {option} judge=rater"
                )
            if name in values:
                raise UsageError(f"{option} names {name!r} twice; keep one of them")
            values[name] = value
    return values


def instance_of(*texts: str) -> str:
    """Return an id for a question without one: the same texts get the same id in every file."""
    return "q-" + hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def prompt_of(turns: Sequence[Mapping[str, Any]]) -> str:
    """Return the turns of a conversation as a prompt: a single turn as text, several as JSON."""
    content = turns[0].get("content")
    return content if len(turns) == 1 and isinstance(content, str) else json.dumps(turns, ensure_ascii=False)


T = TypeVar("T")


def each_file(
    files: Sequence[Path], content: Callable[[Path], T], tally: ImportStats
) -> Iterator[tuple[Path, T]]:
    """Yield each file with its content; of several files, those of another format are noted and skipped."""
    for file in files:
        try:
            yield file, content(file)
        except BadInputError as error:
            if len(files) == 1:
                raise
            tally.note(f"{file.name} is left out: {error}")


def files_in(path: Path, *suffixes: str, expected: str) -> list[Path]:
    """Return the file, or a folder's files with these suffixes, sorted; BadInputError if none or too many."""
    if path.is_file():
        return [path]
    files = []
    for file in sorted(path.rglob("*")):
        if file.is_file() and file.name.removesuffix(".gz").endswith(suffixes):
            files.append(file)
        if len(files) > MOST_FILES:
            raise BadInputError(f"{str(path)!r} holds more than {MOST_FILES:,} files; import parts of it")
    if not files:
        raise BadInputError(
            f"{str(path)!r} holds no file that ends in {', '.join(suffixes)}; expected {expected}"
        )
    return files


def file_in(path: Path, *suffixes: str, expected: str) -> Path:
    """Return the file, or the only one of a folder with these suffixes; a missing path as it is."""
    if not path.is_dir():
        return path
    files = files_in(path, *suffixes, expected=expected)
    if len(files) > 1:
        names = ", ".join(str(file.relative_to(path)) for file in files[:5])
        raise BadInputError(
            f"{str(path)!r} holds {len(files):,} files that end in {', '.join(suffixes)} ({names}); import "
            "them one by one"
        )
    return files[0]


# ------------------------------------------------------------------------------
# A mapping file: a user's options, written down once for all files of the same kind (`--map-file`).


_TEXTS = ("judge", "generator", "baseline", "rows")
_LISTS = ("judges", "not")
_SWITCHES: tuple[OptionName, ...] = ("no_guess", "whole_ids")
_TABLES = ("map", "set", "value")


def read_options(path: Path) -> ImportOptions:
    """Return the options in a mapping file: TOML with the options' names.

        judge = "gpt-4o"                      # as --judge; generator and baseline likewise
        judges = ["gpt-4o", "claude-3-opus"]  # as --judges
        not = ["latency_s"]                   # as --not
        rows = "comparisons"                  # as --rows
        no_guess = true                       # as --no-guess; whole_ids likewise
        [map]                                 # as --map
        generator = "model"
        [set]                                 # as --set
        scale = 5
        [value.choice]                        # as --value
        0 = "first"
        1 = "second"

    Raises UsageError if it cannot be read, and BadInputError naming an entry that is malformed.
    """
    try:
        content = tomllib.loads(text_of(path, WRITTEN_BY_HAND))
    except OSError as error:
        raise UsageError(
            f"the mapping file {str(path)!r} cannot be read ({system_words(error)}); check the path"
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInputError(f"{path.name}: it is not TOML ({error}); correct it") from error
    for name in content:
        if name not in (entries := (*_TEXTS, *_LISTS, *_SWITCHES, *_TABLES)):
            raise unknown(f"entry of {path.name}", name, entries)
    lists = {name: content.get(name, []) for name in _LISTS}
    for name, names in lists.items():
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            raise BadInputError(f"{path.name}: {name} is {names!r}; give a list of columns")
    columns = _table(path, content, "value")
    meanings = {column: _texts(path, columns, column, "value.").items() for column in columns}
    return ImportOptions(
        **_entries(_TEXTS, content, lambda name, value: _text(path, name, value)),
        map=_texts(path, content, "map"),
        set=_texts(path, content, "set"),
        value={column: {value_key(old): new for old, new in words} for column, words in meanings.items()},
        judges=tuple(lists["judges"]),
        leave_out=tuple(lists["not"]),
        **_entries(_SWITCHES, content, lambda name, value: _switch(path, name, value)),
    )


def _entries(
    names: Iterable[str], content: Mapping[str, Any], parse: Callable[[str, object], str | bool]
) -> dict[str, Any]:
    return {name: parse(name, content[name]) for name in names if name in content}


def merge_options(base: ImportOptions, over: ImportOptions) -> ImportOptions:
    """Return both together; `over` wins if both set an option."""
    columns = base.value.keys() | over.value.keys()
    return ImportOptions(
        **{
            name: getattr(over, name) or getattr(base, name)
            for name in (*_TEXTS, "judges", "leave_out", *_SWITCHES)
        },
        map={**base.map, **over.map},
        set={**base.set, **over.set},
        value={name: {**base.value.get(name, {}), **over.value.get(name, {})} for name in sorted(columns)},
    )


def arguments(options: ImportOptions) -> list[str]:
    """Return the equivalent arguments of `spb import`."""
    words: list[str] = []
    for name in _TEXTS:
        words += [f"--{name}", value] if (value := getattr(options, name)) else []
    for option in ("map", "set"):
        for name, value in getattr(options, option).items():
            words += [f"--{option}", f"{name}={value}"]
    for column, meanings in options.value.items():
        words += ["--value", value_text(column, meanings)]
    words += ["--judges", ",".join(options.judges)] if options.judges else []
    words += [word for name in options.leave_out for word in ("--not", name)]
    return words + [flag_of(name) for name in _SWITCHES if getattr(options, name)]


def _table(path: Path, content: Mapping[str, Any], name: str, prefix: str = "") -> dict[str, Any]:
    table = content.get(name, {})
    if not isinstance(table, dict):
        place = f"{prefix}{name}"
        raise BadInputError(f"{path.name}: {place} is {table!r}; give a table, such as [{place}]")
    return table


def _texts(path: Path, content: Mapping[str, Any], name: str, prefix: str = "") -> dict[str, str]:
    table = _table(path, content, name, prefix)
    return {key: _text(path, f"{prefix}{name}.{key}", value) for key, value in table.items()}


def _switch(path: Path, name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise BadInputError(f"{path.name}: {name} is {value!r}; give true or false")
    return value


def _text(path: Path, name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadInputError(f"{path.name}: {name} is {value!r}; give a text or a number")
    return str(value)
