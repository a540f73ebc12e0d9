"""Batches in exchange form brought into stored form: types, defaults, and the values a column may take."""

import json
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.errors import BadInputError, bad_row
from engine.store.convert import convert, first_true
from engine.store.sources import Batch, Source
from engine.store.types import ARROW, CODED_TEXT, constant


@dataclass(slots=True)
class Defaults:
    """How many rows took the default of each column."""

    rows: Counter[str] = field(default_factory=Counter)


def check_columns(source: Source) -> None:
    """Raise BadInputError where a column that must be there is not."""
    if source.columns is None:
        return
    for column in source.table.columns:
        if column.required and column.name not in source.columns:
            raise missing_column(source.table, column)


def missing_column(table: schema.Table, column: schema.Column) -> BadInputError:
    """Return the error for a column that a table lacks."""
    return bad_row(
        table.name,
        None,
        f"the column {column.name!r} is missing",
        f"add it ({column.meaning}); the table needs "
        + ", ".join(repr(c.name) for c in table.columns if c.required),
    )


def stored_form(source: Source, batch: Batch, defaults: Defaults) -> dict[str, pa.Array]:
    """Return the batch's columns in stored types, by name; text is dictionary-encoded.

    Columns that the whole table lacks and that have no default are left out. Raises BadInputError for the
    first value that its column cannot hold.
    """
    table = source.table
    result: dict[str, pa.Array] = {}
    for column in table.columns:
        if column.name in batch.rows.schema.names:
            given = batch.rows.column(column.name)
            array = convert(table.name, column, given, batch, blank=source.blank_is_absent)
        elif column.required and source.columns is None and batch.first == 1:
            raise missing_column(table, column)
        elif column.required or column.default is not None or source.columns is None:
            kind = CODED_TEXT if column.kind == "text" else ARROW[column.kind]
            array = constant(None, batch.rows.num_rows, kind)
        else:
            continue
        if column.required:
            _check_filled(table, column, array, batch)
        elif column.default is not None and array.null_count:
            defaults.rows[column.name] += array.null_count
            array = _filled(array, column.default)
        check_values(table, column, array, batch)
        result[column.name] = array
    _measure_criteria(table, result)
    return result


def check_values(table: schema.Table, column: schema.Column, array: pa.Array, batch: Batch) -> None:
    """Raise BadInputError for the first value that the column's declaration does not allow."""
    if column.choices or column.pattern or column.json:
        _check_texts(table, column, array, batch)
    if column.low is None and column.high is None:
        return
    low = -np.inf if column.low is None else column.low
    high = np.inf if column.high is None else column.high
    numbers = array.cast(pa.float64(), safe=False)  # Arrow refuses to compare whole numbers beyond 2**53
    outside = first_true(pc.or_(pc.less(numbers, low), pc.greater(numbers, high)))
    if outside is not None:
        limits = " and ".join(
            f"{word} {limit:g}"
            for word, limit in (("at least", column.low), ("at most", column.high))
            if limit is not None
        )
        problem = f"{column.name} is {array[outside].as_py()!r}, which is out of range"
        raise batch.error(table.name, outside, problem, f"it must be {limits}")


def _check_filled(table: schema.Table, column: schema.Column, array: pa.Array, batch: Batch) -> None:
    empty = first_true(array.is_null()) if array.null_count else None
    if empty is None and column.kind == "text":
        code = first_true(pc.equal(array.dictionary, ""))
        empty = None if code is None else first_true(pc.equal(array.indices, code))
    if empty is not None:
        problem = f"{column.name} is {array[empty].as_py()!r}, but every row must have one"
        raise batch.error(table.name, empty, problem, f"fill it in ({column.meaning}) or drop the row")


def _check_texts(table: schema.Table, column: schema.Column, array: pa.Array, batch: Batch) -> None:
    """Check each distinct text once."""
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
        problem = f"{column.name} is {array[bad].as_py()!r}, which is unknown"
        problem = f"{column.name} is {array[bad].as_py()!r}, which is not JSON" if column.json else problem
        raise batch.error(table.name, bad, problem, remedy)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _filled(array: pa.Array, default: object) -> pa.Array:
    """Return the array with its nulls replaced by the default."""
    if array.null_count == len(array):
        return constant(default, len(array), array.type)
    if not pa.types.is_dictionary(array.type):
        return pc.fill_null(array, default)
    values = pa.concat_arrays([array.dictionary, pa.array([default], pa.string())])
    indices = pc.fill_null(array.indices, len(values) - 1)
    return pa.DictionaryArray.from_arrays(indices, values)


def _measure_criteria(table: schema.Table, columns: dict[str, pa.Array]) -> None:
    """Set the length of each rubric whose criterion is there; others keep the length they came with."""
    if table.name != "rubrics" or "criterion" not in columns:
        return
    criterion = columns["criterion"]
    measured = pc.utf8_length(criterion.dictionary).cast(pa.int64()).take(criterion.indices)
    columns["length"] = pc.coalesce(measured, columns["length"]) if "length" in columns else measured
