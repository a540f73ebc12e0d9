"""Conversion of batches to stored form: types, defaults, and checks of allowed values."""

import json
from collections import Counter
from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.errors import bad_row
from engine.phrases import join_names
from engine.store.arrow_types import ARROW, CODED_TEXT, constant
from engine.store.batches import Batch, ExchangeTable
from engine.store.conversion import convert, first_true


def check_columns(table: schema.TableSchema, present: Collection[str]) -> None:
    """Raise BadInputError that names all required columns that a table lacks."""
    required = [column for column in table.columns if column.required]
    missing = [column for column in required if column.name not in present]
    if not missing:
        return
    names = join_names([repr(column.name) for column in missing])
    one = len(missing) == 1
    problem = f"the column {names} is missing" if one else f"the columns {names} are missing"
    meanings = [column.meaning if one else f"{column.name}: {column.meaning}" for column in missing]
    needs = ", ".join(repr(column.name) for column in required)
    remedy = f"add {'it' if one else 'them'} ({'; '.join(meanings)}); the table needs {needs}"
    raise bad_row(table.name, None, problem, remedy)


def stored_form(source: ExchangeTable, batch: Batch, defaults: Counter[str]) -> dict[str, pa.Array]:
    """Return the batch's columns in stored types, by name; text is dictionary-encoded.

    Columns that the whole table lacks and that have no default are left out. `defaults` counts, per column,
    the rows that took its default. Raises BadInputError for the first value that its column cannot hold.
    """
    result: dict[str, pa.Array] = {}
    if source.columns is None and batch.first == 1:
        check_columns(source.table, batch.rows.schema.names)
    for column in source.table.columns:
        if column.name in batch.rows.schema.names:
            values = batch.rows.column(column.name)
            array = convert(column, values, batch, blank=source.blank_is_absent)
        elif column.required or column.default is not None or source.columns is None:
            kind = CODED_TEXT if column.kind == "text" else ARROW[column.kind]
            array = constant(None, batch.rows.num_rows, kind)
        else:
            continue
        if column.required:
            _check_required(column, array, batch)
        elif column.default is not None and array.null_count:
            defaults[column.name] += array.null_count
            array = _fill_nulls(array, column.default)
        check_values(column, array, batch)
        result[column.name] = array
    if source.table.name == "rubrics" and "criterion" in result:  # others keep their given length
        criterion = result["criterion"]
        lengths = pc.utf8_length(criterion.dictionary).cast(pa.int64()).take(criterion.indices)
        result["length"] = pc.coalesce(lengths, result["length"]) if "length" in result else lengths
    return result


def check_values(column: schema.ColumnSchema, array: pa.Array, batch: Batch) -> None:
    """Raise BadInputError for the first value that the column's declaration does not allow."""
    if column.choices or column.pattern or column.json:
        _check_texts(column, array, batch)
    if column.low is None and column.high is None:
        return
    low = -np.inf if column.low is None else column.low
    high = np.inf if column.high is None else column.high
    numbers = array.cast(pa.float64(), safe=False)  # Arrow refuses to compare whole numbers beyond 2**53
    outside = first_true(pc.or_(pc.less(numbers, low), pc.greater(numbers, high)))
    if outside is not None:
        ends = (("at least", column.low), ("at most", column.high))
        limits = " and ".join(f"{word} {limit:g}" for word, limit in ends if limit is not None)
        problem = f"{column.name} is {array[outside].as_py()!r}, which is out of range"
        raise batch.error(outside, problem, f"it must be {limits}")


def _check_required(column: schema.ColumnSchema, array: pa.Array, batch: Batch) -> None:
    empty = first_true(array.is_null()) if array.null_count else None
    if empty is None and column.kind == "text":
        code = first_true(pc.equal(array.dictionary, ""))
        empty = None if code is None else first_true(pc.equal(array.indices, code))
    if empty is not None:
        problem = f"{column.name} is {array[empty].as_py()!r}, but every row needs a value"
        raise batch.error(empty, problem, f"fill it in ({column.meaning}) or drop the row")


def _check_texts(column: schema.ColumnSchema, array: pa.Array, batch: Batch) -> None:
    values = array.dictionary
    if column.json:
        fits = pa.array([_is_json(text) for text in values.to_pylist()], pa.bool_())
        remedy = "write valid JSON, or leave it out"
    else:
        fits = pc.is_in(values, value_set=pa.array(column.choices, pa.string()))
        remedy = "use one of " + ", ".join(repr(choice) for choice in column.choices)
        if column.pattern:
            fits = pc.or_(fits, pc.match_substring_regex(values, f"^(?s:{column.pattern})$"))
            remedy += f", or a text like {column.pattern}"
    if pc.all(fits).as_py() is not False:
        return
    bad = first_true(pc.invert(fits.take(array.indices)))
    if bad is not None:
        fault = "not JSON" if column.json else "unknown"
        problem = f"{column.name} is {array[bad].as_py()!r}, which is {fault}"
        raise batch.error(bad, problem, remedy)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _fill_nulls(array: pa.Array, default: object) -> pa.Array:
    if array.null_count == len(array):
        return constant(default, len(array), array.type)
    if not pa.types.is_dictionary(array.type):
        return pc.fill_null(array, default)
    values = pa.concat_arrays([array.dictionary, pa.array([default], pa.string())])
    indices = pc.fill_null(array.indices, len(values) - 1)
    return pa.DictionaryArray.from_arrays(indices, values)
