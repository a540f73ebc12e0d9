"""Small makers of Arrow columns and tables, shared by the simulated studies."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine import __version__

Codes = npt.NDArray[np.int32]

STATUS_NAMES = ("ok", "unparsed", "refused")


def coded(codes: npt.NDArray[np.integer], values: Sequence[str]) -> pa.DictionaryArray:
    """Return a dictionary-encoded text column; a code below 0 is null."""
    return pa.DictionaryArray.from_arrays(
        pa.array(codes.astype(np.int32), mask=codes < 0), pa.array(values, pa.string())
    )


def constant(value: str, size: int) -> pa.DictionaryArray:
    """Return a text column of one value."""
    return coded(np.zeros(size, dtype=np.int32), [value])


def numbers(values: npt.NDArray[np.float64]) -> pa.Array:
    """Return a column of numbers, NaN as null."""
    return pa.array(values, mask=np.isnan(values))


def draw_status(
    shape: int | tuple[int, ...], unparsed: float, refused: float, rng: np.random.Generator
) -> Codes:
    """Draw places in `STATUS_NAMES`; what an answer would have said has no part in it."""
    uniform = rng.random(shape)
    codes = np.zeros(uniform.shape, dtype=np.int32)
    codes[uniform < unparsed + refused] = 2
    codes[uniform < unparsed] = 1
    return codes


def call_ids(prefix: str, calls: npt.NDArray[np.integer]) -> pa.DictionaryArray:
    """Return the names of calls by their number, which is from 0 and without a gap."""
    count = int(calls.max(initial=-1)) + 1
    return coded(calls, [f"{prefix}-{number}" for number in range(count)])


def first_of_call(calls: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Return which rows are the first of their call, where a call's rows stand together."""
    return np.asarray(np.diff(calls, prepend=-1) != 0)


def table_of(columns: Mapping[str, pa.Array], schema: pa.Schema) -> pa.Table:
    """Return the columns as a table of a schema; those that are missing are null."""
    size = len(next(iter(columns.values())))
    arrays = [columns.get(field.name, pa.nulls(size, field.type)) for field in schema]
    return pa.table([array.cast(field.type) for array, field in zip(arrays, schema, strict=True)], schema)


def runs_table(run_id: str, seed: int, asked: Iterable[tuple[str, str, str]]) -> pa.Table:
    """Return the table of runs, a row for each (judge, paradigm, variant) that was asked."""
    rows = [
        {
            "run_id": run_id,
            "model": judge,
            "role": "judge",
            "paradigm": paradigm,
            "variant": variant,
            "provenance": "simulated",
            "seed": seed,
            "software": f"spb-explorer {__version__}",
        }
        for judge, paradigm, variant in asked
    ]
    return pa.Table.from_pylist(rows)
