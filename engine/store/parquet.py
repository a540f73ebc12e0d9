"""Reading rows of a stored Parquet file, from no more row groups than a filter needs."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine import schema
from engine.errors import unknown
from engine.store.arrow_types import UNREADABLE, constant, stored_schema, text_array
from engine.store.checksums import SMALL, read_footer
from engine.store.location import Location

Value = str | int | bool | None
Where = Mapping[str, Collection[Value]]
"""The accepted values of each filtered column; None among them accepts absent values."""


@contextmanager
def open_parquet(place: Location, table: schema.TableSchema) -> Iterator[pq.ParquetFile]:
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


def _parquet_file(source: pa.NativeFile, table: schema.TableSchema, place: Location) -> pq.ParquetFile:
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


def read(parquet: pq.ParquetFile, table: schema.TableSchema, columns: pa.Schema, where: Where) -> pa.Table:
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
    parquet: pq.ParquetFile, table: schema.TableSchema, columns: pa.Schema, where: Where, rows: int
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


def groups(footer: pq.FileMetaData, table: schema.TableSchema, where: Where) -> list[int]:
    """Return the row groups that may contain a row that matches `where`."""
    return [
        group
        for group in range(footer.num_row_groups)
        if all(_has_value(footer, group, table.column(name), where[name]) is not False for name in where)
    ]


def greatest(parquet: pq.ParquetFile, table: schema.TableSchema, column: str) -> Any:
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


def columns_of(table: schema.TableSchema, columns: Sequence[str] | None) -> pa.Schema:
    """Return the stored schema of the columns, as ordered (None: all); UsageError for an unknown one."""
    full = stored_schema(table)
    for column in columns or ():
        if column not in table.names:
            raise unknown(f"column of {table.name}", column, table.names)
    return full if columns is None else pa.schema([full.field(column) for column in columns])


def _stored_names(parquet: pq.ParquetFile, columns: pa.Schema) -> list[str]:
    return [name for name in parquet.schema_arrow.names if name in columns.names]


def _has_value(
    footer: pq.FileMetaData, group: int, column: schema.ColumnSchema, values: Collection[Value]
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
    parquet: pq.ParquetFile, group: int, table: schema.TableSchema, where: Where
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
    parquet: pq.ParquetFile, group: int, table: schema.TableSchema, columns: pa.Schema
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


def _with_defaults(table: schema.TableSchema, rows: pa.Table, columns: pa.Schema) -> pa.Table:
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
