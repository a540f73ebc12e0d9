"""Rows of a stored Parquet file, and which of its row groups have to be read for them.

A file's footer holds the least and greatest value of each column in each row group: what cannot hold what is
asked for is not read. On S3 what is read is fetched by byte range.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine import schema
from engine.errors import unknown
from engine.store.locations import Location
from engine.store.types import constant, stored_schema, text_array, text_columns

Value = str | int | bool | None
Where = Mapping[str, Collection[Value]]
"""Columns and the values of each that are let through; None among them lets absent values through."""


def open_parquet(place: Location, table: schema.Table) -> pq.ParquetFile:
    """Open a file of the table; texts of judgments come back dictionary-encoded, as they are stored.

    Raises what pyarrow raises of a broken file, also where a column stands in it twice.
    """
    footer = pq.read_metadata(place.path, filesystem=place.filesystem)
    columns = footer.schema.to_arrow_schema()
    if repeated := [name for name, times in Counter(columns.names).items() if times > 1]:
        raise pa.ArrowInvalid(f"the column {repeated[0]!r} stands in it twice")
    coded = text_columns(columns, table) if table.name == "judgments" else None
    return pq.ParquetFile(
        place.path,
        filesystem=place.filesystem,
        metadata=footer,
        read_dictionary=coded,
        pre_buffer=not place.is_local,  # neighbouring ranges in one request
    )


def read(parquet: pq.ParquetFile, table: schema.Table, wanted: pa.Schema, where: Where) -> pa.Table:
    """Return the columns `wanted` of the rows that fulfil `where`.

    Of a row group in which no row does, no more columns are read than it takes to see that.
    """
    if not where:
        whole = _whole(parquet.read(_present(parquet, wanted)), parquet.metadata.num_rows)
        return _completed(table, whole, wanted)
    found = [pa.Table.from_batches([], wanted)]
    for group in groups(parquet.metadata, table, where):
        kept, known = _fulfilling(parquet, group, table, where)
        if kept is False:
            continue
        other = pa.schema([field for field in wanted if field.name not in known])
        known |= _columns(parquet, group, table, other)
        rows = pa.table([known[name] for name in wanted.names], schema=wanted)
        found.append(rows if kept is True else rows.filter(kept))
    return pa.concat_tables(found)


def batches(
    parquet: pq.ParquetFile, table: schema.Table, wanted: pa.Schema, where: Where, rows: int
) -> Iterator[pa.Table]:
    """Yield the columns `wanted` of the rows that fulfil `where`, out of `rows` rows at a time."""
    chosen = groups(parquet.metadata, table, where)
    undecided = {
        name: values
        for name, values in where.items()
        if not all(_holds(parquet.metadata, group, table.column(name), values) for group in chosen)
    }
    needed = columns_of(table, list(dict.fromkeys([*wanted.names, *undecided])))
    for batch in whole_batches(parquet, rows, _present(parquet, needed), chosen):
        found = _completed(table, pa.Table.from_batches([batch]), needed)
        yield (found.filter(_marks(found, undecided)) if undecided else found).select(wanted.names)


def whole_batches(
    parquet: pq.ParquetFile, rows: int, columns: Sequence[str], chosen: Sequence[int] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the columns of the chosen row groups (None: all), `rows` rows at a time.

    Raises ArrowInvalid where fewer rows came than the footer tells of: where a column breaks off pyarrow
    ends without a word.
    """
    chosen = range(parquet.num_row_groups) if chosen is None else chosen
    missing = sum(parquet.metadata.row_group(group).num_rows for group in chosen)
    for batch in parquet.iter_batches(rows, row_groups=list(chosen), columns=list(columns)):
        missing -= batch.num_rows
        yield batch
    _complain(missing)


def _whole(found: pa.Table, rows: int) -> pa.Table:
    """Return what was read; ArrowInvalid where it has fewer rows than the footer tells of."""
    _complain(rows - found.num_rows)
    return found


def _complain(missing: int) -> None:
    if missing:
        raise pa.ArrowInvalid(f"{missing:,} of its rows are missing")


def groups(footer: pq.FileMetaData, table: schema.Table, where: Where) -> list[int]:
    """Return the row groups that may hold a row that fulfils `where`."""
    return [
        group
        for group in range(footer.num_row_groups)
        if all(_holds(footer, group, table.column(name), where[name]) is not False for name in where)
    ]


def greatest(parquet: pq.ParquetFile, table: schema.Table, column: str) -> Any:
    """Return the greatest value of a column of numbers, None where all are absent and it has no default.

    The column is read only where the footer does not tell.
    """
    footer, default = parquet.metadata, table.column(column).default
    names = list(footer.schema.names)
    if column not in names:
        return default
    place, found = names.index(column), []
    for group in (footer.row_group(number) for number in range(footer.num_row_groups)):
        ends = bounds(group, place)
        if ends is None or (default is not None and group.column(place).statistics.null_count != 0):
            rows = read(parquet, table, columns_of(table, [column]), {})
            return pc.max(rows[column]).as_py()
        found.append(ends[1])
    return max(found, default=None)


def bounds(group: pq.RowGroupMetaData, place: int) -> tuple[Any, Any] | None:
    """Return the least and greatest value of a row group's column, None where the footer does not say."""
    statistics = group.column(place).statistics
    if statistics is None or not statistics.has_min_max:
        return None
    return statistics.min, statistics.max


def columns_of(table: schema.Table, columns: Sequence[str] | None) -> pa.Schema:
    """Return the stored schema of the columns asked for (None: all), in the order asked.

    Raises UsageError for a column that is not declared.
    """
    full = stored_schema(table)
    if columns is None:
        return full
    for column in columns:
        if column not in table.names:
            raise unknown(f"column of {table.name}", column, table.names)
    return pa.schema([full.field(column) for column in columns])


def _present(parquet: pq.ParquetFile, wanted: pa.Schema) -> list[str]:
    return [name for name in parquet.schema_arrow.names if name in wanted.names]


def _holds(
    footer: pq.FileMetaData, group: int, column: schema.Column, values: Collection[Value]
) -> bool | None:
    """Return whether a row group holds one of a column's values in every row, in none, or (None) in some.

    An absent value is the column's default. None too where the footer does not say.
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
    sought: list[Any] = [str(v) if column.kind == "text" else v for v in values if v is not None]
    if least == greatest and least in sought and (absent == 0 or absent_fits):
        return True
    if absent_fits and absent != 0:
        return None
    return None if any(not isinstance(v, type(least)) or least <= v <= greatest for v in sought) else False


def _fulfilling(
    parquet: pq.ParquetFile, group: int, table: schema.Table, where: Where
) -> tuple[pa.Array | bool, dict[str, pa.ChunkedArray]]:
    """Return which rows of a row group fulfil `where` (or all, or none) and the columns read for that."""
    known: dict[str, pa.ChunkedArray] = {}
    kept: pa.Array | bool = True
    for name in _shortest_first(parquet, group, where):
        if _holds(parquet.metadata, group, table.column(name), where[name]):
            continue
        known |= _columns(parquet, group, table, columns_of(table, [name]))
        marks = _among(known[name].combine_chunks(), where[name])
        kept = marks if kept is True else pc.and_(kept, marks)
        if not pc.any(kept).as_py():
            return False, known
    return kept, known


def _shortest_first(parquet: pq.ParquetFile, group: int, where: Where) -> list[str]:
    """Return the columns of `where` by the bytes they take in a row group; those that it lacks take none."""
    footer = parquet.metadata.row_group(group)
    columns = (footer.column(place) for place in range(footer.num_columns))
    sizes = {column.path_in_schema: column.total_uncompressed_size for column in columns}
    return sorted(where, key=lambda name: sizes.get(name, 0))


def _columns(
    parquet: pq.ParquetFile, group: int, table: schema.Table, wanted: pa.Schema
) -> dict[str, pa.ChunkedArray]:
    """Read columns of one row group."""
    found = parquet.read_row_groups([group], _present(parquet, wanted))
    rows = _completed(table, _whole(found, parquet.metadata.row_group(group).num_rows), wanted)
    return dict(zip(wanted.names, rows.columns, strict=True))


def _marks(rows: pa.Table, where: Where) -> pa.Array:
    """Return which rows fulfil `where`."""
    marks = [_among(rows[name].combine_chunks(), values) for name, values in where.items()]
    return reduce(pc.and_, marks)


def _among(array: pa.Array, values: Collection[Value]) -> pa.Array:
    """Return where a column holds one of the values."""
    if not pa.types.is_dictionary(array.type):
        return pc.is_in(array, value_set=_allowed(values, array.type))
    hits = pc.is_in(array.dictionary, value_set=_allowed(values, array.type)).take(array.indices)
    absent = array.indices.is_null()
    return pc.or_kleene(hits, absent) if None in values else pc.and_kleene(hits, pc.invert(absent))


def _allowed(values: Collection[Value], kind: pa.DataType) -> pa.Array:
    """Return the values that a filter lets through, as an array of the column's plain type."""
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
        return text_array([None if value is None else str(value) for value in values])
    return pa.array(list(values), kind)


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
