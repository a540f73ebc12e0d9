"""The Arrow types that declared columns are stored in."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from engine import schema
from engine.errors import BadInputError, bad_row

ARROW: dict[schema.Kind, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
}
EXCHANGE: dict[schema.Kind, pa.DataType] = {**ARROW, "time": pa.string()}
"""The types of rows on their way into a store: times are texts, as an import reads them."""

CODED_TEXT = pa.dictionary(pa.int32(), pa.string())

UNREADABLE: tuple[type[Exception], ...] = (OSError, pa.ArrowException, UnicodeDecodeError)
"""What pyarrow raises of a broken file; the last of a column's name that is no text."""


def stored_type(table: str, column: schema.Column) -> pa.DataType:
    """Return the Arrow type of a stored column; text in judgments is dictionary-encoded."""
    if table == "judgments" and column.kind == "text":
        return CODED_TEXT
    return ARROW[column.kind]


def stored_schema(table: schema.Table) -> pa.Schema:
    """Return the Arrow schema of a stored table, all declared columns in order."""
    return pa.schema([(column.name, stored_type(table.name, column)) for column in table.columns])


def exchange_array(table: str, column: schema.Column, values: Sequence[object]) -> pa.Array:
    """Return a column's values in exchange form; BadInputError that names the first of another kind."""
    kind = EXCHANGE[column.kind]
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError):
        for row, value in enumerate(values, start=1):
            if not _fits(value, kind):
                raise _of_another_kind(table, column, row, value) from None
        raise


def _fits(value: object, kind: pa.DataType) -> bool:
    try:
        pa.scalar(value, kind)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError):
        return False
    return True


def _of_another_kind(table: str, column: schema.Column, row: int, value: object) -> BadInputError:
    wanted = "text" if column.kind == "time" else column.kind
    remedy = f"{column.name} is {column.meaning}; correct it in the file"
    return bad_row(table, row, f"{column.name} is {value!r}, which is no {wanted}", remedy)


def text_columns(found: pa.Schema, table: schema.Table) -> list[str]:
    """Return the declared text columns of a file that can be read dictionary-encoded."""
    names = []
    for field in found:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            names.append(field.name)
    return [name for name in names if name in table.names and table.column(name).kind == "text"]


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
    """Return the values as `string`, put together from buffers.

    `pa.array` on Python objects imports pandas, which takes longer than reading most studies.
    """
    encoded = [(value or "").encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    present = np.packbits(np.array([value is not None for value in values], dtype=bool), bitorder="little")
    buffers = [pa.py_buffer(present), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)
