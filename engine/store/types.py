"""The Arrow types that declared columns are stored in."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from engine import schema

ARROW: dict[schema.Kind, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
}
CODED_TEXT = pa.dictionary(pa.int32(), pa.string())


def stored_type(table: str, column: schema.Column) -> pa.DataType:
    """Return the Arrow type of a stored column; text in judgments is dictionary-encoded."""
    if table == "judgments" and column.kind == "text":
        return CODED_TEXT
    return ARROW[column.kind]


def stored_schema(table: schema.Table) -> pa.Schema:
    """Return the Arrow schema of a stored table, all declared columns in order."""
    return pa.schema([(column.name, stored_type(table.name, column)) for column in table.columns])


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
