"""Between Arrow columns and NumPy arrays, without pandas."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.stats import Floats, Ints

Objects = NDArray[np.object_]


def encode(column: pa.ChunkedArray, names: pa.Array) -> Ints:
    """Return the position of each value among `names`, -1 for null and for other values."""
    values = column.combine_chunks()
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.nulls(0, column.type)
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    codes = pc.index_in(values.dictionary.cast(pa.string()), names.cast(pa.string()))
    place = np.append(integers(codes, -1), -1)
    return place[integers(values.indices, -1)]


def numbers(column: pa.Array | pa.ChunkedArray) -> Floats:
    """Return a number or truth column, NaN for null."""
    return _dense(column, pa.float64(), np.nan)


def integers(values: pa.Array | pa.ChunkedArray, missing: int) -> Ints:
    """Return whole numbers, `missing` for null."""
    return _dense(values, pa.int64(), missing)


def _dense(values: pa.Array | pa.ChunkedArray, kind: pa.DataType, missing: float) -> NDArray[Any]:
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.nulls(0, values.type)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    present = np.from_dlpack(values.drop_null().cast(kind))
    if values.null_count == 0:
        return present
    dense = np.full(len(values), missing, dtype=present.dtype)
    dense[np.from_dlpack(values.is_valid().cast(pa.int8())) == 1] = present
    return dense


def integer_array(values: Ints) -> pa.Array:
    flat = np.ascontiguousarray(values, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(flat), [None, pa.py_buffer(flat)])


def objects(table: pa.Table, name: str) -> Objects:
    """Return a column as Python objects, None for null."""
    values = np.empty(len(table), dtype=object)
    values[:] = table.column(name).to_pylist()
    return values
