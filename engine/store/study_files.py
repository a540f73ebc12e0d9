"""The files of one study, read-only, and the content of its `study.json`."""

import errno
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, TypeVar

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pydantic

from engine import paradigms, schema
from engine.errors import (
    BadInputError,
    DamagedStudyError,
    StoreError,
    StudyChangedError,
    UsageError,
    unknown,
)
from engine.plain_words import mistake_words, system_words
from engine.store.arrow_types import UNREADABLE
from engine.store.checksums import Footer, read_footer
from engine.store.location import Location, locate
from engine.store.parquet import Where, batches, columns_of, greatest, groups, open_parquet, read
from engine.wording import IMPORT, NameInMemory

_Part = Annotated[str, pydantic.StringConstraints(pattern=r"^judgments/[^/\\\x00-\x1f]{1,200}\.parquet$")]
"""A file in the study's folder `judgments`."""

_TableName = Annotated[str, pydantic.StringConstraints(pattern=r"^[a-z_]{1,50}$")]


class Committee(pydantic.BaseModel):
    """Judges whose majority serves as a reference, and which of their verdicts count (null: of all runs)."""

    model_config = pydantic.ConfigDict(extra="forbid")

    members: list[str] = pydantic.Field(min_length=1)
    paradigm: paradigms.Paradigm | None = None
    variant: str | None = None
    runs: list[str] | None = None


class Pin(pydantic.BaseModel):
    """A pinned view of the explorer: the page, the query keys of its address, a title and a note."""

    model_config = pydantic.ConfigDict(extra="forbid")

    id: str = pydantic.Field(pattern=r"^[0-9a-f]{8}$")
    page: str
    view: dict[str, list[str]] = {}
    title: str
    note: str = ""


class ImportRecord(pydantic.BaseModel):
    """A file or folder that was imported: what to cite of it, and how its rows were read.

    `columns` are those of a table, and `options` the entries of a mapping file that reads it. `names` are the
    models' names in the study by those in the file, where they differ. Of a study that an earlier version
    wrote nothing but the name and what to cite is known. `path` is the file as a command named it, from the
    folder in which it was given.
    """

    file: str
    path: str | None = None
    run: str | None = None
    format: str | None = None
    columns: list[str] = []
    options: dict[str, Any] = {}
    names: dict[str, str] = {}
    source: str | None = None
    licence: str | None = None


class StudyInfo(pydantic.BaseModel):
    """The content of `study.json`.

    `parts` lists the files of `judgments/` in use; None (in a folder made by hand) means all of them.
    `tables` lists the other tables, so that a lost one is noticed; None in studies of earlier versions.
    `slices` are saved filters, as texts, by name; `stories` are ordered lists of pinned views, by name.
    `imports` are the files that were imported, in this order; `truth` is what a simulation planted.
    `label_selections` says how the items of a task of labels were selected. Fields unknown to this version
    are preserved.
    """

    model_config = pydantic.ConfigDict(extra="allow", ser_json_inf_nan="constants")

    name: str = ""
    title: str | None = None
    dataset: str | None = None
    provenance: schema.Provenance = "imported"
    committees: dict[str, Committee] = {}
    slices: dict[str, dict[str, str | list[str]]] = {}
    stories: dict[str, list[Pin]] = {}
    created_at: str | None = None
    schema_version: int = pydantic.Field(schema.SCHEMA_VERSION, ge=1)
    licence: str | None = None
    source: str | None = None
    notes: str | None = None
    imports: list[ImportRecord] | None = None
    truth: Any = None
    label_selections: dict[str, str] = {}
    parts: list[_Part] | None = None
    tables: list[_TableName] | None = None

    def __repr_args__(self) -> "Iterator[tuple[str | None, Any]]":
        """Yield what a reader of a notebook wants: the fields that are filled, without a planted truth."""
        for name, value in super().__repr_args__():
            if name not in ("imports", "truth", "parts", "tables") and value not in (None, {}, ()):
                yield name, value

    def to_json(self) -> str:
        """Return the text of `study.json`, ending in a newline."""
        return self.model_dump_json(indent=2, exclude_none=True) + "\n"


def parse_info(text: str | bytes, place: str) -> StudyInfo:
    """Parse the `study.json` at `place`; BadInputError for an invalid field or a later schema version."""
    try:
        info = StudyInfo.model_validate_json(text)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            damaged = f"{place} is damaged: it is not JSON"
            raise BadInputError(f"{damaged}; {RESTORE}") from error
        field = ".".join(str(part) for part in first["loc"]) or "the file"
        problem = f"{field} is {str(first['input'])[:200]!r}: {mistake_words(first)}"
        raise BadInputError(f"{place}: {problem}; correct it or leave it out") from error
    if info.schema_version > schema.SCHEMA_VERSION:
        limit = f"this program reads up to {schema.SCHEMA_VERSION}; install a newer version"
        raise BadInputError(f"{place}: schema_version is {info.schema_version!r}, {limit}")
    return info


def _read_info(place: Location) -> StudyInfo:
    """Return the parsed `study.json`.

    One on S3 that is replaced between the two requests of a read comes with the length of the old one: it is
    read again if it cannot be parsed.
    """
    for _ in range(0 if place.is_local else _READS - 1):
        with suppress(BadInputError, StoreError):
            return parse_info(place.read(), place.label)
    return parse_info(place.read(), place.label)


_READS = 5
RESTORE = "restore it from a copy, or import the study again"
INFO_FILE = "study.json"
Value = TypeVar("Value")


class StudyFiles:
    """One study: its `study.json`, and its tables, read on request.

    `is_packed`: what is packed from it may lie beside it, and be read there.
    """

    is_packed = True

    def __init__(self, location: Location) -> None:
        if not location.child(INFO_FILE).exists():
            remedy = "give the folder of a study, or import one with "
            raise UsageError(f"there is no study in {location.label!r} (no {INFO_FILE}); {remedy}", IMPORT)
        name = location.name
        self.name = NameInMemory(name) if location.in_memory else name
        self.location, self.path = location, location.label
        self.info: StudyInfo = _read_info(location.child(INFO_FILE))
        self._has_read = False  # any rows
        self._refuse_lost()

    @classmethod
    def at(cls, path: str | Path) -> "StudyFiles":
        """Open the study in a folder such as `results/NAME`, or at an `s3://` URL."""
        return cls(locate(path))

    def has(self, name: str) -> bool:
        """Return whether the study has a file of the table."""
        return bool(self.parts()) if name == "judgments" else self._file(name).exists()

    def _refuse_lost(self) -> None:
        """Raise DamagedStudyError if a listed table has no file, also in `study.json` read again."""
        while lost := self._lost_tables():
            before, self.info = self.info, _read_info(self.location.child(INFO_FILE))
            if self.info == before:
                raise self._lost(lost[0], ", which study.json lists")

    def _lost_tables(self) -> list[str]:
        if not self.info.tables:
            return []
        present = {info.base_name for info in self.location.listing()}
        return [name for name in self.info.tables if f"{name}.parquet" not in present]

    def _lost(self, table: str, why: str) -> DamagedStudyError:
        problem = f"the file {table}.parquet{why}, is missing"
        return DamagedStudyError(f"{self.path}: {problem}; {RESTORE}")

    def table(self, name: str, columns: Sequence[str] | None = None, where: Where | None = None) -> pa.Table:
        """Return a table in stored form, defaults filled in; `columns` and `where` work as in `judgments`."""
        if name not in schema.TABLES:
            raise unknown("table", name, schema.TABLES)
        if name == "judgments":
            return self.judgments(schema.JUDGMENTS.names if columns is None else columns, where)
        table = schema.TABLES[name]
        table_schema = columns_of(table, columns)
        file = self._file(name)
        if not file.exists():
            StudyFiles(self.location)  # raises if the whole study is gone
            if table.compulsory:
                raise self._lost(name, ", which every study has")
            return pa.Table.from_batches([], table_schema)

        def rows() -> pa.Table:
            with _open_table(file, table) as parquet:
                return read(parquet, table, table_schema, where or {})

        return self._reopening(rows)

    def judgments(self, columns: Sequence[str], where: Where | None = None) -> pa.Table:
        """Return the named columns of the judgments that match `where`, in the order of the parts.

        `where` maps columns to their accepted values (None among them accepts absent values); row groups that
        cannot contain them are not read. Text columns are dictionary-encoded (int32), with one dictionary per
        column for all parts.
        """
        table_schema = columns_of(schema.JUDGMENTS, columns)
        empty = pa.Table.from_batches([], table_schema)
        tables = self._read_parts(lambda part: read(part, schema.JUDGMENTS, table_schema, where or {}))
        return pa.concat_tables([empty, *tables]).unify_dictionaries()

    def judgment_batches(
        self,
        rows: int = 1 << 19,
        *,
        columns: Sequence[str] | None = None,
        parts: Sequence[str] | None = None,
        where: Where | None = None,
    ) -> Iterator[pa.Table]:
        """Yield what `judgments` returns, by default all columns and parts, reading `rows` rows at a time."""
        table_schema = columns_of(schema.JUDGMENTS, columns)
        for part in self.parts() if parts is None else parts:
            place = self.location.child(part)
            with self.unless_replaced(), _open_table(place, schema.JUDGMENTS) as parquet:
                yield from batches(parquet, schema.JUDGMENTS, table_schema, where or {}, rows)

    def row_groups(self, where: Where) -> int:
        """Return how many row groups are read for the judgments that match `where`."""
        return sum(self._read_parts(lambda part: len(groups(part.metadata, schema.JUDGMENTS, where))))

    def judgment_count(self) -> int:
        """Return the number of judgments, from the files' metadata."""
        return sum(self._read_parts(lambda part: part.metadata.num_rows))

    def greatest(self, column: str) -> int | float | None:
        """Return the greatest value of a numeric column of the judgments, None if there is none."""
        values = self._read_parts(lambda part: greatest(part, schema.JUDGMENTS, column))
        return max((value for value in values if value is not None), default=None)

    def parts(self) -> list[str]:
        """Return the files of `judgments/` in use, as paths relative to the study's folder, in order."""
        if self.info.parts is not None:
            return list(self.info.parts)
        listing = self.location.child("judgments").listing()
        return sorted(f"judgments/{info.base_name}" for info in listing if info.extension == "parquet")

    def files(self) -> list[pafs.FileInfo]:
        """Return the files that make up the study: `study.json`, the tables, the parts in use."""
        tables = [f"{name}.parquet" for name in schema.TABLES if name != "judgments"]
        paths = [self.location.child(name).path for name in (INFO_FILE, *tables, *self.parts())]
        infos = self.location.filesystem.get_file_info(paths)
        return [info for info in infos if info.type == pafs.FileType.File]

    def files_by_name(self) -> dict[str, pafs.FileInfo]:
        """Return `files` by their paths relative to the study's folder."""
        start = len(self.location.path.rstrip("/")) + 1
        return {info.path[start:]: info for info in self.files()}

    def unprotected(self) -> list[str]:
        """Return the Parquet files without checksums, which earlier versions and other programs wrote."""
        return [name for name in self._parquet_files() if not footer_at(self.location.child(name)).protected]

    def refuse_damaged(self) -> None:
        """Verify all checksums to the last byte; DamagedStudyError that names each file that is damaged."""
        damaged = []
        for name in self._parquet_files():
            try:
                footer_at(self.location.child(name), whole=True)
            except DamagedStudyError as error:
                damaged.append(f"{name}: {_damage(error.__cause__)}")
        if damaged:
            files = "1 file is" if len(damaged) == 1 else f"{len(damaged)} files are"
            raise DamagedStudyError(f"{self.path}: {files} damaged ({'; '.join(damaged)}); {RESTORE}")

    def _parquet_files(self) -> list[str]:
        names = [f"{name}.parquet" for name in schema.TABLES if name != "judgments" and self.has(name)]
        return [*names, *self.parts()]

    def stamp(self, *, slices: bool = True) -> str:
        """Return a text that changes with any file, but for saved slices and pins if not `slices`."""
        current = StudyFiles(self.location)
        files = [info for info in current.files() if slices or info.base_name != INFO_FILE]
        facts = [f"{info.path}\0{info.size}\0{info.mtime_ns}" for info in files]
        if not slices:
            facts.append(current.info.model_copy(update={"slices": {}, "stories": {}}).to_json())
        return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def _read_parts(self, reader: Callable[[pq.ParquetFile], Value]) -> list[Value]:
        def values() -> list[Value]:
            read_values = []
            for part in self.parts():
                with _open_table(self.location.child(part), schema.JUDGMENTS) as parquet:
                    read_values.append(reader(parquet))
            return read_values

        return self._reopening(values)

    def _reopening(self, reader: Callable[[], Value]) -> Value:
        """Return what is read; as often as the study was replaced since it was opened, reopen it.

        On S3 it is read again once in any case. StudyChangedError if rows of it were read before, to which
        the new ones may not fit.
        """
        again = not self.location.is_local
        while True:
            try:
                value = reader()
            except StoreError:
                info = StudyFiles(self.location).info
                is_replaced = info.parts != self.info.parts
                if is_replaced and self._has_read:
                    raise self._replaced() from None
                if not (is_replaced or again):
                    raise
                self.info, again = info, False
            else:
                self._has_read = True
                return value

    @contextmanager
    def unless_replaced(self) -> Iterator[None]:
        """Turn the error of a file that is gone into a StudyChangedError, if the study was replaced."""
        try:
            yield
        except StoreError:
            if StudyFiles(self.location).info.parts != self.info.parts:
                raise self._replaced() from None
            raise

    def _replaced(self) -> StudyChangedError:
        return StudyChangedError(f"the study {self.path!r} was replaced while it was read; open it again")

    def _file(self, name: str) -> Location:
        return self.location.child(f"{name}.parquet")


def footer_at(place: Location, *, whole: bool = False) -> Footer:
    """Return the footer of a file; DamagedStudyError if a checksum, of the `whole` file, does not fit."""
    with _readable(place), place.filesystem.open_input_file(place.path) as file:
        return read_footer(file, whole=whole)


@contextmanager
def _open_table(place: Location, table: schema.TableSchema) -> Iterator[pq.ParquetFile]:
    """Open a file of the table; StoreError if it cannot be read, now or within the block."""
    with _readable(place), open_parquet(place, table) as parquet:
        yield parquet


@contextmanager
def _readable(place: Location) -> Iterator[None]:
    """Turn what pyarrow raises for a broken file into a DamagedStudyError that names it.

    StoreError if the system does not let it be read.
    """
    try:
        yield
    except UNREADABLE as error:
        problem = f"{place.label}: cannot be read: "
        if isinstance(error, OSError) and error.errno not in (None, errno.ENOENT):
            raise StoreError(problem, system_words(error), "; check the path and its permissions") from error
        remedy = "`spb study check` names all that is damaged"
        raise DamagedStudyError(f"{problem}{_damage(error)}; {RESTORE}; {remedy}") from error


def _damage(error: BaseException | None) -> str:
    return "it is missing" if isinstance(error, FileNotFoundError) else str(error)
