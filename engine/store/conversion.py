"""Columns in exchange form brought into stored types, whatever Arrow type they arrive in.

Text and texts of numbers are handled through a dictionary: work is done for each distinct value, not for
each row. A value that cannot be converted is named with its row.
"""

import json
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pat

from engine import schema
from engine.store.sources import Batch
from engine.store.types import ARROW, CODED_TEXT

_INTEGER = r"^[+-]?[0-9]+(\.0*)?$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_REMEDIES: dict[schema.Kind, str] = {
    "text": "write it as UTF-8 text",
    "integer": "write a whole number, or leave it out where there is none",
    "number": "write a finite number, or leave it out where there is none",
    "boolean": "write true, false, 1 or 0, or leave it out where there is none",
    "time": "write a time such as 2025-01-31T12:00:00Z",
}
_NOUNS: dict[schema.Kind, str] = {
    "text": "text",
    "integer": "a whole number",
    "number": "a finite number",
    "boolean": "true or false",
    "time": "a time",
}


class Unconvertible(Exception):  # noqa: N818 - carries a position within this package, never reaches a user
    """A value cannot be converted: its index in the array and what it was."""

    def __init__(self, index: int, value: object) -> None:
        super().__init__(index, value)
        self.index = index
        self.value = value


def convert(table: str, column: schema.Column, array: pa.Array, batch: Batch, *, blank: bool) -> pa.Array:
    """Return `array` in the stored type of `column`; text comes back dictionary-encoded (int32).

    `blank`: an empty text is an absent value. Raises BadInputError that names the first value that does
    not fit.
    """
    try:
        if pat.is_null(array.type):
            return pa.nulls(len(array), CODED_TEXT if column.kind == "text" else ARROW[column.kind])
        if column.kind == "text":
            return _texts(array, blank=blank, nested=column.json or column.name == "prompt")
        if is_textual(array.type):
            return _from_texts(_texts(array, blank=blank), _PARSERS[column.kind])
        if pat.is_dictionary(array.type):
            return _from_texts(array, _CONVERTERS[column.kind])
        return _CONVERTERS[column.kind](array)
    except Unconvertible as bad:
        problem = f"{column.name} is {bad.value!r}, which is not {_NOUNS[column.kind]}"
        raise batch.error(table, bad.index, problem, _REMEDIES[column.kind]) from None


def first_true(mask: pa.Array | np.ndarray) -> int | None:
    """Return the index of the first true element, None where there is none; a null counts as false."""
    if not isinstance(mask, np.ndarray):
        mask = pc.fill_null(mask, False).to_numpy(zero_copy_only=False)
    index = int(mask.argmax()) if len(mask) else 0
    return index if len(mask) and mask[index] else None


def is_textual(kind: pa.DataType) -> bool:
    """Return whether values of an Arrow type are texts or bytes, by their numbers or not."""
    if pat.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pat.is_string(kind)
        or pat.is_large_string(kind)
        or pat.is_string_view(kind)
        or pat.is_binary(kind)
        or pat.is_large_binary(kind)
    )


def _texts(array: pa.Array, *, blank: bool = False, nested: bool = False) -> pa.DictionaryArray:
    """Return `array` as dictionary-encoded text."""
    if pat.is_nested(array.type):
        if not nested:
            raise Unconvertible(*_first_present(array))
        dumped = [None if v is None else json.dumps(v, ensure_ascii=False) for v in array.to_pylist()]
        array = pa.array(dumped, pa.string())
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
    """Return the first row that holds the code, 0 where none does."""
    return first_true(pc.equal(indices, code)) or 0


def _from_texts(array: pa.DictionaryArray, parse: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Parse each distinct value that is in use and give every row its own."""
    used = pc.unique(array.indices).drop_null()
    values = array.dictionary.take(used)
    try:
        parsed = parse(values)
    except Unconvertible as bad:
        raise Unconvertible(_row_of(array.indices, used[bad.index].as_py()), bad.value) from None
    return parsed.take(pc.index_in(array.indices, value_set=used))


def _require(fits: pa.Array, values: pa.Array) -> None:
    """Raise Unconvertible for the first present value that does not fit."""
    index = first_true(pc.and_(values.is_valid(), pc.invert(pc.fill_null(fits, False))))
    if index is not None:
        raise Unconvertible(index, values[index].as_py())


def _trimmed(texts: pa.Array) -> pa.Array:
    return pc.utf8_trim_whitespace(texts)


def _parse_integer(texts: pa.Array) -> pa.Array:
    trimmed = _trimmed(texts)
    _require(pc.match_substring_regex(trimmed, _INTEGER), texts)
    digits = pc.replace_substring_regex(trimmed, r"^\+|\.0*$", "")
    try:
        return digits.cast(pa.int64())
    except pa.ArrowInvalid:
        inside = pa.array([len(text) < 40 and -(2**63) <= int(text) < 2**63 for text in digits.to_pylist()])
        _require(inside, texts)
        raise


def _parse_number(texts: pa.Array) -> pa.Array:
    trimmed = _trimmed(texts)
    _require(pc.match_substring_regex(trimmed, _NUMBER), texts)
    numbers = trimmed.cast(pa.float64())
    _require(pc.is_finite(numbers), texts)
    return numbers


def _parse_boolean(texts: pa.Array) -> pa.Array:
    folded = pc.utf8_lower(_trimmed(texts))
    _require(pc.is_in(folded, value_set=pa.array(["true", "false", "1", "0"])), texts)
    return pc.is_in(folded, value_set=pa.array(["true", "1"]))


def _parse_time(texts: pa.Array) -> pa.Array:
    parsed = []
    for index, text in enumerate(texts.to_pylist()):
        scalar = pa.array([text.strip()])
        try:
            zoned = scalar.cast(ARROW["time"])
        except pa.ArrowInvalid:
            try:
                zoned = pc.assume_timezone(scalar.cast(pa.timestamp("us")), "UTC")
            except pa.ArrowInvalid:
                raise Unconvertible(index, text) from None
        parsed.append(zoned[0])
    return pa.array(parsed, ARROW["time"])


def _to_integer(array: pa.Array) -> pa.Array:
    if pat.is_integer(array.type):
        try:
            return array.cast(pa.int64())
        except pa.ArrowInvalid:
            _require(pc.less(array, pa.scalar(2**63, array.type)), array)
            raise
    numbers = _to_number(array)
    _require(pc.and_(pc.equal(numbers, pc.trunc(numbers)), pc.less(pc.abs(numbers), 2.0**63)), numbers)
    return numbers.cast(pa.int64())


def _to_number(array: pa.Array) -> pa.Array:
    if not (pat.is_integer(array.type) or pat.is_floating(array.type) or pat.is_decimal(array.type)):
        raise Unconvertible(*_first_present(array))
    numbers = array.cast(pa.float64(), safe=False)
    _require(pc.is_finite(numbers), array)
    return numbers


def _to_boolean(array: pa.Array) -> pa.Array:
    if pat.is_boolean(array.type):
        return array
    numbers = _to_number(array)
    _require(pc.is_in(numbers, value_set=pa.array([0.0, 1.0])), array)
    return numbers.cast(pa.bool_())


def _to_time(array: pa.Array) -> pa.Array:
    if pat.is_timestamp(array.type):
        zoned = array if array.type.tz else pc.assume_timezone(array, "UTC")
        return zoned.cast(ARROW["time"], safe=False)
    if pat.is_date(array.type):
        return pc.assume_timezone(array.cast(pa.timestamp("us")), "UTC")
    raise Unconvertible(*_first_present(array))


_PARSERS: dict[schema.Kind, Callable[[pa.Array], pa.Array]] = {
    "integer": _parse_integer,
    "number": _parse_number,
    "boolean": _parse_boolean,
    "time": _parse_time,
}
_CONVERTERS: dict[schema.Kind, Callable[[pa.Array], pa.Array]] = {
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "time": _to_time,
}
