"""Stored tables as pandas frames, for those who want the verdicts themselves."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from engine import schema
from engine.errors import UsageError, unknown
from engine.store.study_files import StudyFiles

if TYPE_CHECKING:
    import pandas as pd

_ALSO = {"run": "run_id"}
"""What commands and measures call a column, by its stored name."""

Selected = Mapping[str, str | bool | Sequence[str]]
"""The accepted values of columns."""

JUDGMENT_COLUMNS = (
    *("judge", "generator", "opponent", "instance_id", "rubric_id"),
    *("paradigm", "first", "met", "score", "choice", "status", "run_id"),
)
"""The columns of a judgment to read; those that are empty throughout are left out."""

RESPONSE_COLUMNS = ("instance_id", "generator", "transform", "text", "finish_reason", "completion_tokens")


def stored_frame(
    files: StudyFiles,
    name: str,
    columns: Sequence[str],
    where: Selected,
    *,
    full: bool = False,
) -> "pd.DataFrame":
    """Return the rows of a table that match `where`: the columns that hold anything, or with `full` all.

    Whole numbers and yes-or-no columns are of pandas' nullable types: what is missing stays missing.
    """
    import pandas as pd

    where = _by_stored_names(where)
    names = schema.TABLES[name].names
    accepted = _accepted(name, where)
    table = files.table(name, names if full else tuple(dict.fromkeys((*columns, *where))), accepted)
    for column, values in accepted.items():
        _check_values(files, name, column, set(values) - set(table[column].unique().to_pylist()))
    if not full:
        table = table.select(
            [each for each in columns if table[each].null_count < len(table) or not len(table)]
        )
    plain = pa.table({each: _plain(table[each]) for each in table.column_names})
    kinds = {pa.bool_(): pd.BooleanDtype(), pa.int64(): pd.Int64Dtype(), pa.int32(): pd.Int32Dtype()}
    frame: pd.DataFrame = plain.to_pandas(types_mapper=kinds.get)
    return frame


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def _by_stored_names(where: Selected) -> Selected:
    for also, stored in _ALSO.items():
        if also in where and stored in where:
            raise UsageError(f"both {also}= and {stored}= are given; give one of them")
    return {_ALSO.get(column, column): value for column, value in where.items()}


def _accepted(name: str, where: Selected) -> dict[str, tuple[str | bool, ...]]:
    """Return the accepted values of each column; UsageError for a column that rows are not selected by."""
    texts = [each.name for each in schema.TABLES[name].columns if each.kind in ("text", "boolean")]
    for column in where:
        if column not in texts:
            raise unknown(f"column of {name}", column, texts)
    return {
        column: (value,) if isinstance(value, str | bool) else tuple(value) for column, value in where.items()
    }


def _check_values(files: StudyFiles, name: str, column: str, absent: set[str | bool]) -> None:
    """Raise UsageError, which names the values of the column, if one of these is not among them."""
    if not absent:
        return
    values = [
        value for value in files.table(name, (column,))[column].unique().to_pylist() if value is not None
    ]
    for value in sorted(absent - set(values), key=str):
        raise unknown(column, str(value), [str(each) for each in values])
