"""A study on disk or on S3, read only."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from engine import schema
from engine.errors import StoreError, UsageError, unknown
from engine.store.info import StudyInfo, parse_info
from engine.store.locations import Location, locate
from engine.store.types import constant, stored_schema, text_array, text_columns

INFO_FILE = "study.json"
Where = Mapping[str, Collection[str | int | bool | None]]


class StudyFiles:
    """One study: its `study.json` and its tables, read when asked for."""

    def __init__(self, location: Location) -> None:
        """Read `study.json` in the folder; UsageError where there is none."""
        if not location.child(INFO_FILE).exists():
            raise UsageError(
                f"there is no study in {location.shown!r} (no {INFO_FILE}); "
                "give a study's folder, or import one with `spb import`"
            )
        self.location = location
        self.name = location.name
        self.path = location.shown
        self.info: StudyInfo = parse_info(location.child(INFO_FILE).read(), location.child(INFO_FILE).shown)

    @classmethod
    def at(cls, path: str | Path) -> "StudyFiles":
        """Open the study in a folder such as `results/NAME`, or at an `s3://` URL."""
        return cls(locate(path))

    def has(self, name: str) -> bool:
        """Return whether the study holds a file of the table."""
        if name == "judgments":
            return bool(self.parts())
        return self._file(name).exists()

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a table in stored form, all declared columns (or those named), defaults filled in.

        A table that the study does not have is an empty one. Raises UsageError for an unknown table or
        column, StoreError for a file that cannot be read.
        """
        if name not in schema.TABLES:
            raise unknown("table", name, schema.TABLES)
        if name == "judgments":
            return self.judgments(schema.JUDGMENTS.names if columns is None else columns)
        wanted = _wanted(schema.TABLES[name], columns)
        file = self._file(name)
        if not file.exists():
            return pa.Table.from_batches([], wanted)
        try:
            with pq.ParquetFile(file.path, filesystem=file.filesystem) as parquet:
                stored = [column for column in parquet.schema_arrow.names if column in wanted.names]
                found = parquet.read(stored)
            return _completed(schema.TABLES[name], found, wanted)
        except (OSError, pa.ArrowException) as error:
            raise _broken(file.shown, error) from error

    def judgments(self, columns: Sequence[str], where: Where | pc.Expression | None = None) -> pa.Table:
        """Return the named columns of the judgments that fulfil `where`, in the order of the parts.

        `where` maps columns to the values that are let through (None among them lets absent values
        through), or is an Arrow expression over the named columns; the latter loads pandas, which takes
        longer than most reads. Text columns are dictionary-encoded (int32), with one dictionary for each
        column over all parts. Raises as `table` does.
        """
        wanted = _wanted(schema.JUDGMENTS, columns)
        asked = where if isinstance(where, Mapping) else {}
        needed = _wanted(schema.JUDGMENTS, [*wanted.names, *(name for name in asked if name not in columns)])
        found = []
        for part in self.parts():
            rows = self._part(part, needed)
            for column, values in asked.items():
                allowed = _allowed(values, rows.schema.field(column).type)
                rows = rows.filter(pc.is_in(rows[column], value_set=allowed))
            found.append(rows.select(wanted.names))
        table = pa.concat_tables(found).unify_dictionaries() if found else pa.Table.from_batches([], wanted)
        return table.filter(where) if isinstance(where, pc.Expression) else table

    def judgment_batches(
        self,
        rows: int = 1 << 19,
        *,
        columns: Sequence[str] | None = None,
        parts: Sequence[str] | None = None,
    ) -> Iterator[pa.Table]:
        """Yield the judgments, at most `rows` rows at a time: all columns and parts, or those named."""
        wanted = _wanted(schema.JUDGMENTS, columns)
        for part in self.parts() if parts is None else parts:
            place = self.location.child(part)
            try:
                with _open_part(place) as parquet:
                    names = [name for name in parquet.schema_arrow.names if name in wanted.names]
                    for batch in parquet.iter_batches(rows, columns=names):
                        yield _completed(schema.JUDGMENTS, pa.Table.from_batches([batch]), wanted)
            except (OSError, pa.ArrowException) as error:
                raise _broken(place.shown, error) from error

    def parts(self) -> list[str]:
        """Return the live files of `judgments/`, as paths from the study's folder, in order."""
        if self.info.parts is not None:
            return list(self.info.parts)
        found = self.location.child("judgments").listing()
        return sorted(f"judgments/{info.base_name}" for info in found if info.extension == "parquet")

    def files(self) -> list[pafs.FileInfo]:
        """Return the files that make up the study: `study.json`, the tables, the live parts."""
        tables = [f"{name}.parquet" for name in schema.TABLES if name != "judgments"]
        paths = [self.location.child(name).path for name in (INFO_FILE, *tables, *self.parts())]
        found = self.location.filesystem.get_file_info(paths)
        return [info for info in found if info.type == pafs.FileType.File]

    def stamp(self, *, slices: bool = True) -> str:
        """Return a text that changes whenever a file of the study changes (path, size or time).

        Without `slices` it stays the same where only slices were saved or views pinned: every number stays
        the same too.
        """
        current = StudyFiles(self.location)
        files = [info for info in current.files() if slices or info.base_name != INFO_FILE]
        facts = [f"{info.path}\0{info.size}\0{info.mtime_ns}" for info in files]
        if not slices:
            facts.append(current.info.model_copy(update={"slices": {}, "stories": {}}).to_json())
        return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def replace_table(self, name: str, table: pa.Table, info: StudyInfo | None = None) -> "StudyFiles":
        """Put `table` (exchange form) in the place of a small table, under the checks of an import.

        The file and `study.json` (`info`, where given) change together. Returns the study as it is then.
        Raises BadInputError for rows that an import would refuse, and then changes nothing.
        """
        from engine.store.writer import replace_table

        replace_table(self, name, table, info)
        return StudyFiles(self.location)

    def change_info(self, change: Callable[[StudyInfo], StudyInfo]) -> "StudyFiles":
        """Put what `change` makes of the information in its place in `study.json`; the tables stay.

        It is read and written with other writers of a local store kept out. Returns the study as it is
        then; raises StoreError where it cannot be written, and then changes nothing.
        """
        from engine.store.publish import change_info

        change_info(self.location, change)
        return StudyFiles(self.location)

    def _file(self, name: str) -> Location:
        return self.location.child(f"{name}.parquet")

    def _part(self, part: str, wanted: pa.Schema) -> pa.Table:
        place = self.location.child(part)
        try:
            with _open_part(place) as parquet:
                names = [name for name in parquet.schema_arrow.names if name in wanted.names]
                return _completed(schema.JUDGMENTS, parquet.read(names), wanted)
        except (OSError, pa.ArrowException) as error:
            raise _broken(place.shown, error) from error


def _open_part(place: Location) -> pq.ParquetFile:
    """Open a part so that text comes back dictionary-encoded, as it is stored."""
    text = text_columns(pq.read_schema(place.path, filesystem=place.filesystem), schema.JUDGMENTS)
    return pq.ParquetFile(place.path, filesystem=place.filesystem, read_dictionary=text)


def _allowed(values: Collection[str | int | bool | None], kind: pa.DataType) -> pa.Array:
    """Return the values that a filter lets through, as an array of the column's plain type."""
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
        return text_array([None if value is None else str(value) for value in values])
    return pa.array(list(values), kind)


def _wanted(table: schema.Table, columns: Sequence[str] | None) -> pa.Schema:
    """Return the stored schema of the columns asked for, in the order asked."""
    full = stored_schema(table)
    if columns is None:
        return full
    for column in columns:
        if column not in table.names:
            raise unknown(f"column of {table.name}", column, table.names)
    return pa.schema([full.field(column) for column in columns])


def _completed(table: schema.Table, found: pa.Table, wanted: pa.Schema) -> pa.Table:
    """Return `found` with the columns and types of `wanted`, absent columns and values by their defaults."""
    arrays = []
    for field in wanted:
        default = table.column(field.name).default
        if field.name not in found.column_names:
            arrays.append(pa.chunked_array([constant(default, found.num_rows, field.type)]))
            continue
        array = found[field.name]
        if default is not None and array.null_count:
            plain = array.cast(pa.string()) if pa.types.is_dictionary(field.type) else array
            array = pc.fill_null(plain, default)
            array = array.dictionary_encode() if pa.types.is_dictionary(field.type) else array
        arrays.append(array if array.type == field.type else array.cast(field.type))
    return pa.table(arrays, schema=wanted)


def _broken(place: str, error: Exception) -> StoreError:
    return StoreError(f"{place}: cannot be read: {error}; check it with `spb validate`, or import it again")
