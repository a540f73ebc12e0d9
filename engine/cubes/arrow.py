"""Between Arrow columns and NumPy arrays, without pandas.

`pa.array`, `pa.scalar` and `pc.fill_null` on Python objects import pandas where it is installed, which
takes longer than a whole measure does.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.store.types import text_array

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Objects = NDArray[np.object_]

__all__ = ["encode", "integer_array", "integers", "numbers", "objects", "text_array"]


def encode(column: pa.ChunkedArray, names: pa.Array) -> Ints:
    """Return the position of each value among `names`, -1 for null and for what is not there."""
    merged = column.combine_chunks()
    if isinstance(merged, pa.ChunkedArray):
        merged = pa.concat_arrays(merged.chunks) if merged.num_chunks else pa.nulls(0, column.type)
    if not pa.types.is_dictionary(merged.type):
        merged = merged.dictionary_encode()
    found = pc.index_in(merged.dictionary.cast(pa.string()), names.cast(pa.string()))
    place = np.append(integers(found, -1), -1)
    return place[integers(merged.indices, -1)]


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
    known = np.from_dlpack(values.drop_null().cast(kind))
    if values.null_count == 0:
        return known
    dense = np.full(len(values), missing, dtype=known.dtype)
    dense[np.from_dlpack(values.is_valid().cast(pa.int8())) == 1] = known
    return dense


def integer_array(values: Ints) -> pa.Array:
    """Return the numbers as an Arrow array."""
    flat = np.ascontiguousarray(values, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(flat), [None, pa.py_buffer(flat)])


def objects(table: pa.Table, name: str) -> Objects:
    """Return a column as Python objects, None for null."""
    values = np.empty(len(table), dtype=object)
    values[:] = table.column(name).to_pylist()
    return values
