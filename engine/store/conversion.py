"""Conversion of columns to stored types, whatever Arrow type they arrive in."""

import json
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pat

from engine import schema
from engine.store.arrow_types import ARROW, CODED_TEXT
from engine.store.batches import Batch

_INTEGER = r"^[+-]?[0-9]+(\.0*)?$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_EXPECTED: dict[schema.Kind, tuple[str, str]] = {
    "text": ("text", "write it as UTF-8 text"),
    "integer": ("a whole number", "write a whole number, or leave the value out"),
    "number": ("a finite number", "write a finite number, or leave the value out"),
    "boolean": ("true or false", "write true, false, 1 or 0, or leave the value out"),
    "time": ("a time", "write a time such as 2025-01-31T12:00:00Z"),
}
"""The expected kind of value, and the remedy for any other."""


class Unconvertible(Exception):  # noqa: N818 - carries a position within this package, never reaches a user
    """A value cannot be converted: its index in the array and what it was."""


def convert(column: schema.ColumnSchema, array: pa.Array, batch: Batch, *, blank: bool) -> pa.Array:
    """Return `array` in the stored type of `column`; text comes back dictionary-encoded (int32).

    `blank`: an empty text is a missing value. Raises BadInputError for the first value that does not fit.
    """
    try:
        if pat.is_null(array.type):
            return pa.nulls(len(array), CODED_TEXT if column.kind == "text" else ARROW[column.kind])
        if column.kind == "text":
            return _texts(array, blank=blank, nested=column.json or column.name == "prompt")
        if is_textual(array.type):
            return _of_distinct(_texts(array, blank=blank), column.kind, _parsed)
        if pat.is_dictionary(array.type):
            return _of_distinct(array, column.kind, _converted)
        return _converted(array, column.kind)
    except Unconvertible as bad:
        (index, value), (noun, remedy) = bad.args, _EXPECTED[column.kind]
        raise batch.error(index, f"{column.name} is {value!r}, which is not {noun}", remedy) from None


def first_true(mask: pa.Array | np.ndarray) -> int | None:
    """Return the index of the first true element, None if there is none; null counts as false."""
    if not isinstance(mask, np.ndarray):
        mask = pc.fill_null(mask, False).to_numpy(zero_copy_only=False)
    index = int(mask.argmax()) if len(mask) else 0
    return index if len(mask) and mask[index] else None


def is_textual(kind: pa.DataType) -> bool:
    """Return whether values of an Arrow type are texts or bytes, dictionary-encoded or not."""
    if pat.is_dictionary(kind):
        kind = kind.value_type
    kinds = pat.is_string, pat.is_large_string, pat.is_string_view, pat.is_binary, pat.is_large_binary
    return any(is_kind(kind) for is_kind in kinds)


def _texts(array: pa.Array, *, blank: bool = False, nested: bool = False) -> pa.DictionaryArray:
    if pat.is_nested(array.type):
        if not nested:
            raise Unconvertible(*_first_present(array))
        texts = [None if v is None else json.dumps(v, ensure_ascii=False) for v in array.to_pylist()]
        array = pa.array(texts, pa.string())
    if pat.is_dictionary(array.type) and array.dictionary.null_count:
        array = array.cast(array.type.value_type)
    if not pat.is_dictionary(array.type):
        array = array.dictionary_encode()
    indices = array.indices.cast(pa.int32())
    values = _plain_texts(array.dictionary, indices)
    if blank and (code := first_true(pc.equal(values, ""))) is not None:
        indices = pc.if_else(pc.equal(indices, code), pa.scalar(None, pa.int32()), indices)
    return pa.DictionaryArray.from_arrays(indices, values)


def _plain_texts(values: pa.Array, indices: pa.Array) -> pa.Array:
    """Return the distinct values as `string`, checked to be UTF-8; whole floats lose their `.0`."""
    try:
        texts = values.cast(pa.string())
        texts.validate(full=True)
        return texts
    except pa.ArrowInvalid:
        for code, value in enumerate(values.cast(pa.large_binary(), safe=False).to_pylist()):
            try:
                value.decode("utf-8")
            except UnicodeDecodeError:
                raise Unconvertible(_row_of(indices, code), value[:80]) from None
        raise
    except pa.ArrowNotImplementedError:
        raise Unconvertible(*_first_present(values)) from None


def _first_present(array: pa.Array) -> tuple[int, object]:
    index = first_true(array.is_valid()) or 0
    return index, array[index].as_py() if len(array) else None


def _row_of(indices: pa.Array, code: int) -> int:
    return first_true(pc.equal(indices, code)) or 0


def _of_distinct(
    array: pa.DictionaryArray, kind: schema.Kind, convert: Callable[[pa.Array, schema.Kind], pa.Array]
) -> pa.Array:
    """Convert each distinct value in use once and return the converted value of every row."""
    codes = pc.unique(array.indices).drop_null()
    try:
        values = convert(array.dictionary.take(codes), kind)
    except Unconvertible as bad:
        index, value = bad.args
        raise Unconvertible(_row_of(array.indices, codes[index].as_py()), value) from None
    return values.take(pc.index_in(array.indices, value_set=codes))


def _require(fits: pa.Array, values: pa.Array) -> None:
    """Raise Unconvertible for the first present value that does not fit."""
    index = first_true(pc.and_(values.is_valid(), pc.invert(pc.fill_null(fits, False))))
    if index is not None:
        raise Unconvertible(index, values[index].as_py())


def _parsed(texts: pa.Array, kind: schema.Kind) -> pa.Array:
    """Return texts as values of a kind; Unconvertible for the first that is none."""
    if kind == "time":
        return _parsed_times(texts)
    trimmed = pc.utf8_trim_whitespace(texts)
    if kind == "boolean":
        words = pc.utf8_lower(trimmed)
        _require(pc.is_in(words, value_set=pa.array(["true", "false", "1", "0"])), texts)
        return pc.is_in(words, value_set=pa.array(["true", "1"]))
    if kind == "number":
        _require(pc.match_substring_regex(trimmed, _NUMBER), texts)
        numbers = trimmed.cast(pa.float64())
        _require(pc.is_finite(numbers), texts)
        return numbers
    _require(pc.match_substring_regex(trimmed, _INTEGER), texts)
    digits = pc.replace_substring_regex(trimmed, r"^\+|\.0*$", "")
    try:
        return digits.cast(pa.int64())
    except pa.ArrowInvalid:
        fits = pa.array([len(text) < 40 and -(2**63) <= int(text) < 2**63 for text in digits.to_pylist()])
        _require(fits, texts)
        raise


def _parsed_times(texts: pa.Array) -> pa.Array:
    times = []
    for index, text in enumerate(texts.to_pylist()):
        scalar = pa.array([text.strip()])
        try:
            time = scalar.cast(ARROW["time"])
        except pa.ArrowInvalid:
            try:
                time = pc.assume_timezone(scalar.cast(pa.timestamp("us")), "UTC")
            except pa.ArrowInvalid:
                raise Unconvertible(index, text) from None
        times.append(time[0])
    return pa.array(times, ARROW["time"])


def _converted(array: pa.Array, kind: schema.Kind) -> pa.Array:
    """Return values other than texts as values of a kind; Unconvertible for the first that is none."""
    if kind == "time" and pat.is_timestamp(array.type):
        times = array if array.type.tz else pc.assume_timezone(array, "UTC")
        return times.cast(ARROW["time"], safe=False)
    if kind == "time" and pat.is_date(array.type):
        return pc.assume_timezone(array.cast(pa.timestamp("us")), "UTC")
    if kind == "boolean" and pat.is_boolean(array.type):
        return array
    if kind == "integer" and pat.is_integer(array.type):
        try:
            return array.cast(pa.int64())
        except pa.ArrowInvalid:
            _require(pc.less(array, pa.scalar(2**63, array.type)), array)
            raise
    is_number = pat.is_integer(array.type) or pat.is_floating(array.type) or pat.is_decimal(array.type)
    if kind == "time" or not is_number:
        raise Unconvertible(*_first_present(array))
    numbers = array.cast(pa.float64(), safe=False)
    _require(pc.is_finite(numbers), array)
    if kind == "boolean":
        _require(pc.is_in(numbers, value_set=pa.array([0.0, 1.0])), array)
    if kind == "integer":
        _require(pc.and_(pc.equal(numbers, pc.trunc(numbers)), pc.less(pc.abs(numbers), 2.0**63)), numbers)
    return numbers.cast(ARROW[kind])
