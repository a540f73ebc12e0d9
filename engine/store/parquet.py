"""Parquet files on disk or S3: Arrow types, and reading only the row groups that a filter needs."""

import os
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from engine import schema
from engine.errors import StoreError, UsageError, bad_row, unknown
from engine.store.checksums import SMALL, read_footer

# ------------------------------------------------------------------------------
# Locations of studies: names, folders and their file systems.


LONGEST_NAME = 200  # bytes; the longer name of its temporary folder must stay within a file system's 255


@dataclass(frozen=True, slots=True)
class Location:
    """A folder on a file system; `label` is how the user wrote it."""

    filesystem: pafs.FileSystem
    path: str
    label: str

    @property
    def is_local(self) -> bool:
        return isinstance(self.filesystem, pafs.LocalFileSystem)

    @property
    def in_memory(self) -> bool:
        """Whether it vanishes when the program ends."""
        return isinstance(self.filesystem, pafs.PyFileSystem)

    @property
    def name(self) -> str:
        return self.path.rstrip("/").rpartition("/")[2]

    def child(self, name: str) -> "Location":
        return Location(self.filesystem, f"{self.path}/{name}", f"{self.label.rstrip('/')}/{name}")

    def exists(self) -> bool:
        with self._store_errors("accessed"):
            return bool(self.filesystem.get_file_info(self.path).type != pafs.FileType.NotFound)

    def read(self) -> bytes:
        with self._store_errors("read"), self.filesystem.open_input_stream(self.path) as stream:
            return bytes(stream.read())

    def listing(self, *, recursive: bool = False) -> list[pafs.FileInfo]:
        """Return the entries of the folder, none if it does not exist."""
        selector = pafs.FileSelector(self.path, allow_not_found=True, recursive=recursive)
        with self._store_errors("listed"):
            return list(self.filesystem.get_file_info(selector))

    @contextmanager
    def _store_errors(self, action: str) -> Iterator[None]:
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            raise StoreError(
                f"{self.label}: cannot be {action}: {error}; check the path and its permissions"
            ) from error


def locate(place: str | Path) -> Location:
    """Return the location of a local path or an `s3://` URL; UsageError for any other kind of URL."""
    text = os.fspath(place)
    if "\0" in text or not text:
        raise UsageError(f"the path {text!r} names no folder; give a local path or an s3:// URL")
    if text.startswith("s3://"):
        try:
            filesystem, path = pafs.FileSystem.from_uri(text)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise UsageError(
                f"the address {text!r} cannot be used: {error}; write s3://BUCKET/FOLDER"
            ) from error
        return Location(filesystem, path.rstrip("/"), text)
    if "://" in text:
        raise UsageError(f"the address {text!r} has an unknown scheme; give a local path or an s3:// URL")
    absolute = Path(os.path.expanduser(text)).absolute()
    return Location(pafs.LocalFileSystem(), absolute.as_posix(), text)


def check_name(name: str, kind: str = "study name") -> str:
    """Return a name; UsageError, which says its `kind`, unless it is a plain, visible file name."""
    problem = None
    if not name:
        problem = "is empty"
    elif name.startswith("."):
        problem = "begins with a dot"
    elif "/" in name or "\\" in name:
        problem = "holds a path separator"
    elif not name.isprintable() or name != name.strip():
        problem = "holds a control character or begins or ends with a space"
    elif len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
        problem = f"is longer than {LONGEST_NAME} bytes"
    if problem:
        raise UsageError(f"the {kind} {name!r} {problem}; choose a plain name such as 'my-study'")
    return name


_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)


def is_portable(name: str) -> bool:
    """Return whether every system can hold a file of this name, in its one spelling (Unicode's NFC)."""
    on_windows = not (_NOT_ON_WINDOWS.search(name) or _DEVICES.fullmatch(name) or name.endswith("."))
    return on_windows and composed(name) == name


def composed(name: str) -> str:
    """Return a name with its accents composed: `é` may be one character, or an `e` and an accent."""
    return unicodedata.normalize("NFC", name)


def check_new_name(name: str, kind: str = "study name") -> str:
    """Return the name of something new, its accents composed; UsageError if Windows cannot hold it."""
    name = composed(check_name(name, kind))
    if not is_portable(name):
        problem = "cannot be the name of a file on Windows"
        raise UsageError(f"the {kind} {name!r} {problem}; choose a plain name such as 'my-study'")
    return name


# ------------------------------------------------------------------------------
# The Arrow types of declared columns.


ARROW: dict[schema.Kind, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
}
EXCHANGE: dict[schema.Kind, pa.DataType] = {**ARROW, "time": pa.string()}
"""The types of rows to be stored: times are texts, as in imported files."""

CODED_TEXT = pa.dictionary(pa.int32(), pa.string())

UNREADABLE: tuple[type[Exception], ...] = (OSError, pa.ArrowException, UnicodeDecodeError)
"""What pyarrow raises for a broken file; UnicodeDecodeError for a column name that is not UTF-8."""


def stored_schema(table: schema.Table) -> pa.Schema:
    """Return the Arrow schema of a stored table, all columns in order; texts of judgments are CODED_TEXT."""
    types = {**ARROW, "text": CODED_TEXT} if table.name == "judgments" else ARROW
    return pa.schema([(column.name, types[column.kind]) for column in table.columns])


def exchange_array(table: str, column: schema.Column, values: Sequence[object]) -> pa.Array:
    """Return a column's values in exchange form; BadInputError for the first of the wrong type."""
    kind = EXCHANGE[column.kind]
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError):
        for row, value in enumerate(values, start=1):
            try:
                pa.scalar(value, kind)
            except (pa.ArrowException, UnicodeEncodeError, OverflowError):
                type_name = "text" if column.kind == "time" else column.kind
                remedy = f"{column.name} is {column.meaning}; correct it in the file"
                problem = f"{column.name} is {value!r}, which is not of type {type_name}"
                raise bad_row(table, row, problem, remedy) from None
        raise


def constant(value: object, length: int, kind: pa.DataType) -> pa.Array:
    """Return an array of `length` times `value` (None: null) in the Arrow type `kind`."""
    if value is None:
        return pa.nulls(length, kind)
    if pa.types.is_dictionary(kind):
        zeros = pa.Array.from_buffers(pa.int32(), length, [None, pa.py_buffer(bytes(4 * length))])
        return pa.DictionaryArray.from_arrays(zeros, text_array([str(value)]))
    if pa.types.is_string(kind):
        return pa.repeat(text_array([str(value)])[0], length)
    return pa.repeat(pa.scalar(value, kind), length)


def text_array(values: Sequence[str | None]) -> pa.Array:
    """Return the values as `string`, built from buffers, since `pa.array` would import pandas."""
    encoded = [(value or "").encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    present = np.packbits(np.array([value is not None for value in values], dtype=bool), bitorder="little")
    buffers = [pa.py_buffer(present), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


def plain_texts(table: pa.Table) -> pa.Table:
    """Return a table with its dictionary-encoded columns as plain text."""
    coded = pa.types.is_dictionary
    types = [(each.name, pa.string() if coded(each.type) else each.type) for each in table.schema]
    return table.cast(pa.schema(types))


class _NoPandas:
    """An import finder that hides pandas; pyarrow cannot bear None in `sys.modules`."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        del path, target
        if name == "pandas":
            raise ModuleNotFoundError(name)


def leave_pandas_out() -> None:
    """Keep pyarrow from importing pandas (a second or more), as it does for any array of Python objects.

    For processes that make no data frames; asking pyarrow for a frame still imports pandas.
    """
    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([])  # pyarrow looks for pandas once
    finally:
        sys.meta_path.remove(finder)


# ------------------------------------------------------------------------------
# Reading rows of a stored Parquet file, from no more row groups than needed.


Value = str | int | bool | None
Where = Mapping[str, Collection[Value]]
"""The accepted values of each filtered column; None among them accepts absent values."""


@contextmanager
def open_parquet(place: Location, table: schema.Table) -> Iterator[pq.ParquetFile]:
    """Open a file of the table, texts of judgments dictionary-encoded; pyarrow's errors if it is broken.

    It is opened once: one that is replaced meanwhile, as by a run, is read to its end as it was. Its
    checksums, if it has any, are verified: the footer's now (of a small local file all of it), a page's when
    it is read.
    """
    with place.filesystem.open_input_file(place.path) as source:
        try:
            parquet = _parquet_file(source, table, place)
        except UNREADABLE:
            raise
        except Exception as error:  # of any kind, since anything can be wrong with a footer
            raise pa.ArrowInvalid(f"its footer cannot be read ({error})") from error
        with parquet:
            yield parquet


def _parquet_file(source: pa.NativeFile, table: schema.Table, place: Location) -> pq.ParquetFile:
    footer = read_footer(source, whole=place.is_local and source.size() <= SMALL).metadata
    columns = footer.schema.to_arrow_schema()
    if duplicates := [name for name, times in Counter(columns.names).items() if times > 1]:
        raise pa.ArrowInvalid(f"it has the column {duplicates[0]!r} twice")
    texts = None
    if table.name == "judgments":
        kinds = {f.name: f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in columns}
        names = [each.name for each in table.columns if each.kind == "text" and each.name in kinds]
        texts = [n for n in names if pa.types.is_string(kinds[n]) or pa.types.is_large_string(kinds[n])]
    return pq.ParquetFile(
        source,
        metadata=footer,
        read_dictionary=texts,
        page_checksum_verification=True,
        pre_buffer=not place.is_local,  # neighbouring ranges in one request
    )


def read(parquet: pq.ParquetFile, table: schema.Table, columns: pa.Schema, where: Where) -> pa.Table:
    """Return the `columns` of the rows that match `where`.

    For a row group without matches, no more columns are read than needed to find that out.
    """
    if not where:
        rows = parquet.read(_stored_names(parquet, columns))
        _check_whole(parquet.metadata.num_rows - rows.num_rows)
        return _with_defaults(table, rows, columns)
    tables = [pa.Table.from_batches([], columns)]
    for group in groups(parquet.metadata, table, where):
        marks, arrays = _matching_rows(parquet, group, table, where)
        if marks is False:
            continue
        missing = pa.schema([field for field in columns if field.name not in arrays])
        arrays |= _columns(parquet, group, table, missing)
        rows = pa.table([arrays[name] for name in columns.names], schema=columns)
        tables.append(rows if marks is True else rows.filter(marks))
    return pa.concat_tables(tables)


def batches(
    parquet: pq.ParquetFile, table: schema.Table, columns: pa.Schema, where: Where, rows: int
) -> Iterator[pa.Table]:
    """Yield the `columns` of the rows that match `where`, scanning `rows` rows at a time."""
    row_groups = groups(parquet.metadata, table, where)
    filters = {
        name: values
        for name, values in where.items()
        if not all(_has_value(parquet.metadata, group, table.column(name), values) for group in row_groups)
    }
    scanned = columns_of(table, list(dict.fromkeys([*columns.names, *filters])))
    for batch in whole_batches(parquet, rows, _stored_names(parquet, scanned), row_groups):
        part = _with_defaults(table, pa.Table.from_batches([batch]), scanned)
        marks = [_is_among(part[name].combine_chunks(), values) for name, values in filters.items()]
        yield (part.filter(reduce(pc.and_, marks)) if marks else part).select(columns.names)


def whole_batches(
    parquet: pq.ParquetFile, rows: int, columns: Sequence[str], row_groups: Sequence[int] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the columns of the chosen row groups (None: all), `rows` rows at a time.

    ArrowInvalid if there are fewer than the footer states: pyarrow silently stops at a truncated column.
    """
    row_groups = range(parquet.num_row_groups) if row_groups is None else row_groups
    missing = sum(parquet.metadata.row_group(group).num_rows for group in row_groups)
    for batch in parquet.iter_batches(rows, row_groups=list(row_groups), columns=list(columns)):
        missing -= batch.num_rows
        yield batch
    _check_whole(missing)


def _check_whole(missing: int) -> None:
    if missing:
        raise pa.ArrowInvalid(f"{missing:,} of its rows are missing")


def groups(footer: pq.FileMetaData, table: schema.Table, where: Where) -> list[int]:
    """Return the row groups that may contain a row that matches `where`."""
    return [
        group
        for group in range(footer.num_row_groups)
        if all(_has_value(footer, group, table.column(name), where[name]) is not False for name in where)
    ]


def greatest(parquet: pq.ParquetFile, table: schema.Table, column: str) -> Any:
    """Return the greatest value of a numeric column, or its default; read only if the footer lacks it."""
    footer, default = parquet.metadata, table.column(column).default
    names = list(footer.schema.names)
    if column not in names:
        return default
    place, values = names.index(column), []
    for group in (footer.row_group(number) for number in range(footer.num_row_groups)):
        ends = bounds(group, place)
        if ends is None or (default is not None and group.column(place).statistics.null_count != 0):
            rows = read(parquet, table, columns_of(table, [column]), {})
            return pc.max(rows[column]).as_py()
        values.append(ends[1])
    return max(values, default=None)


def bounds(group: pq.RowGroupMetaData, place: int) -> tuple[Any, Any] | None:
    """Return the least and greatest value of a row group's column, None if the footer does not state them."""
    statistics = group.column(place).statistics
    return (statistics.min, statistics.max) if statistics is not None and statistics.has_min_max else None


def columns_of(table: schema.Table, columns: Sequence[str] | None) -> pa.Schema:
    """Return the stored schema of the columns, as ordered (None: all); UsageError for an unknown one."""
    full = stored_schema(table)
    for column in columns or ():
        if column not in table.names:
            raise unknown(f"column of {table.name}", column, table.names)
    return full if columns is None else pa.schema([full.field(column) for column in columns])


def _stored_names(parquet: pq.ParquetFile, columns: pa.Schema) -> list[str]:
    return [name for name in parquet.schema_arrow.names if name in columns.names]


def _has_value(
    footer: pq.FileMetaData, group: int, column: schema.Column, values: Collection[Value]
) -> bool | None:
    """Return True if every row of a row group has one of the values, False if none has, None if some may.

    An absent value counts as the column's default. Without statistics in the footer the result is None.
    """
    absent_fits = column.default in values
    names = list(footer.schema.names)
    if column.name not in names:
        return absent_fits
    place = names.index(column.name)
    ends = bounds(footer.row_group(group), place)
    if ends is None:
        return None
    least, greatest = ends
    absent = footer.row_group(group).column(place).statistics.null_count  # None: not known
    targets: list[Any] = [str(v) if column.kind == "text" else v for v in values if v is not None]
    if least == greatest and least in targets and (absent == 0 or absent_fits):
        return True
    if absent_fits and absent != 0:
        return None
    return None if any(not isinstance(v, type(least)) or least <= v <= greatest for v in targets) else False


def _matching_rows(
    parquet: pq.ParquetFile, group: int, table: schema.Table, where: Where
) -> tuple[pa.Array | bool, dict[str, pa.ChunkedArray]]:
    """Return which rows of a row group match `where` (True: all, False: none), and the columns read."""
    arrays: dict[str, pa.ChunkedArray] = {}
    matches: pa.Array | bool = True
    footer = parquet.metadata.row_group(group)
    columns = (footer.column(place) for place in range(footer.num_columns))
    sizes = {column.path_in_schema: column.total_uncompressed_size for column in columns}
    for name in sorted(where, key=lambda name: sizes.get(name, 0)):  # smallest column first
        if _has_value(parquet.metadata, group, table.column(name), where[name]):
            continue
        arrays |= _columns(parquet, group, table, columns_of(table, [name]))
        marks = _is_among(arrays[name].combine_chunks(), where[name])
        matches = marks if matches is True else pc.and_(matches, marks)
        if not pc.any(matches).as_py():
            return False, arrays
    return matches, arrays


def _columns(
    parquet: pq.ParquetFile, group: int, table: schema.Table, columns: pa.Schema
) -> dict[str, pa.ChunkedArray]:
    part = parquet.read_row_groups([group], _stored_names(parquet, columns))
    _check_whole(parquet.metadata.row_group(group).num_rows - part.num_rows)
    rows = _with_defaults(table, part, columns)
    return dict(zip(columns.names, rows.columns, strict=True))


def _is_among(array: pa.Array, values: Collection[Value]) -> pa.Array:
    is_coded = pa.types.is_dictionary(array.type)
    if is_coded or pa.types.is_string(array.type):
        value_set = text_array([None if value is None else str(value) for value in values])
    else:
        value_set = pa.array(list(values), array.type)
    if not is_coded:
        return pc.is_in(array, value_set=value_set)
    hits = pc.is_in(array.dictionary, value_set=value_set).take(array.indices)
    absent = array.indices.is_null()
    return pc.or_kleene(hits, absent) if None in values else pc.and_kleene(hits, pc.invert(absent))


def _with_defaults(table: schema.Table, rows: pa.Table, columns: pa.Schema) -> pa.Table:
    """Return `rows` with the columns and types of `columns`, gaps filled with the columns' defaults."""
    arrays = []
    for field in columns:
        default = table.column(field.name).default
        if field.name not in rows.column_names:
            arrays.append(pa.chunked_array([constant(default, rows.num_rows, field.type)]))
            continue
        array = rows[field.name]
        if default is not None and array.null_count:
            plain = array.cast(pa.string()) if pa.types.is_dictionary(field.type) else array
            array = pc.fill_null(plain, default)
            array = array.dictionary_encode() if pa.types.is_dictionary(field.type) else array
        arrays.append(array if array.type == field.type else array.cast(field.type))
    return pa.table(arrays, schema=columns)
