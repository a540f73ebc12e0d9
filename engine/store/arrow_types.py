"""The Arrow types of declared columns, and arrays of them made without pandas."""

import sys
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from engine import schema
from engine.errors import bad_row

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


def stored_schema(table: schema.TableSchema) -> pa.Schema:
    """Return the Arrow schema of a stored table, all columns in order; texts of judgments are CODED_TEXT."""
    types = {**ARROW, "text": CODED_TEXT} if table.name == "judgments" else ARROW
    return pa.schema([(column.name, types[column.kind]) for column in table.columns])


def exchange_array(table: str, column: schema.ColumnSchema, values: Sequence[object]) -> pa.Array:
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
