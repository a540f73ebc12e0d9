"""Turns a frame of judgments from any library into a study in memory, for `engine.from_frame`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import pyarrow as pa
from pyarrow.interchange import from_dataframe

from engine.errors import BadInputError, UsageError
from engine.importers import frame_arguments
from engine.importers.frame_words import ARGUMENTS, call_on_frame, warn_of_report, written_arguments
from engine.importers.import_options import ImportOptions
from engine.importers.memory_store import MemoryStore
from engine.importers.model_names.corrections import NONE
from engine.importers.pipeline import reading
from engine.importers.reading.rows import ImportStats, Row
from engine.importers.tables import table
from engine.importers.tables.asking.questions import OpenQuestionsError
from engine.paradigms import PAIR_PARADIGMS
from engine.store.study_files import StudyFiles
from engine.values import python_value, true_or_false

_ROWS = 4096
_KINDS = "a pandas or Polars frame, an Arrow table, or another frame with __arrow_c_stream__ or __dataframe__"
_NAME = "frame"
_EXPECTED = (
    "a judgment in each row: judge, model, question, and met, score or choice; "
    "name its columns, such as judge='rater'"
)


class FrameColumns(TypedDict, total=False):
    """The frame's column for each of ours; columns that are not given are looked up by our names."""

    judge: str
    generator: str
    opponent: str
    first: str
    choice: str
    met: str
    score: str
    p_generator: str
    paradigm: str
    variant: str
    run_id: str
    status: str
    explanation: str
    raw: str
    scale: str | float
    instance_id: str
    prompt: str
    category: str
    theme: str
    language: str
    segment: str
    reference_answer: str
    rubric_id: str
    criterion: str
    points: str | float
    axis: str
    response: str
    opponent_response: str
    reference_met: str
    reference_score: str
    reference_source: str
    preference: str
    annotator: str


def study_of_frame(
    frame: object,
    columns: FrameColumns,
    *,
    constants: Mapping[str, object],
    values: Mapping[str, Mapping[Any, str | float | None]],
    judges: Sequence[str],
    criteria: Sequence[str],
    families: Mapping[str, str],
    strict: bool,
    name: str = _NAME,
    rows: str | None = None,
    guess: bool = True,
) -> StudyFiles:
    """Return the frame as a study in memory; see `engine.from_frame`.

    The rows go through the table reader and the store's checks, like those of a file.
    """
    families, name = frame_arguments.families_of(families), frame_arguments.study_name(name)
    options = frame_arguments.import_options(
        columns,
        frame=frame,
        constants=constants,
        values=values,
        judges=judges,
        criteria=criteria,
        rows=rows,
        guess=guess,
        spelling=ARGUMENTS,
    )
    strict = true_or_false("strict", strict)

    def reader(path: Path, options: ImportOptions, tally: ImportStats) -> table.ImportedTable:
        return table.ImportedTable(path, options, tally, frame_rows(frame, path.name))

    form = replace(table.FORMAT, title="Frame of judgments", reader=reader, expected=_EXPECTED)
    store = MemoryStore()
    corrections = NONE.edit(families, {})
    further = {"families": dict(families), "strict": strict, "name": name if name != _NAME else None}
    drop = "columns=" if hasattr(frame, "iloc") else ""
    call = partial(call_on_frame, drop=drop, last=written_arguments(further))
    with (
        questions_in_python(call),
        reading(form, name, options, corrections=corrections, strict=strict, on_disk=False) as content,
    ):
        content.write(store, name)
    files = store.open(name)
    in_no_order = "first" not in constants and is_in_no_order(files)
    warn_of_report("from_frame", content.report, families, in_no_order=in_no_order)
    return files


@contextmanager
def questions_in_python(call: Callable[..., str]) -> Iterator[None]:
    """End the error of a table that leaves questions open with the `call` that has all that is known."""
    try:
        yield
    except OpenQuestionsError as error:
        write = call if error.file is None else partial(call, first=repr(error.file))
        raise OpenQuestionsError(
            error.questions, error.options, write, likely=error.likely, guesses=error.guesses
        ) from None


def is_in_no_order(files: StudyFiles) -> bool:
    """Return whether there are pairs, and none says which response was shown first."""
    first = files.judgments(("first",), {"paradigm": PAIR_PARADIGMS})["first"]
    return len(first) > 0 and set(first.unique().to_pylist()) == {"unknown"}


def frame_rows(frame: Any, name: str) -> Iterator[Row]:
    """Yield the rows of a frame; None, NaN and the like are missing values."""
    if isinstance(frame, type):
        raise UsageError(
            f"from_frame takes {_KINDS}; this is the class {frame.__name__!r}, not a frame of it"
        )
    if hasattr(frame, "iloc") and not hasattr(frame, "columns"):
        raise UsageError(
            f"from_frame takes {_KINDS}; this is {type(frame).__name__!r}, one column: give the whole frame, "
            "or its to_frame()"
        )
    if hasattr(frame, "iloc"):
        batches = _pandas_rows(frame)
    elif hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__dataframe__"):
        batches = _arrow_rows(frame, name)
    else:
        collected = "; give its collect()" if callable(getattr(frame, "collect", None)) else ""
        raise UsageError(f"from_frame takes {_KINDS}; this is {type(frame).__name__!r}{collected}")
    for number, values in enumerate(batches, start=1):
        yield Row(name, number, {key: _plain(value) for key, value in values.items()})


def _pandas_rows(frame: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a pandas frame, with its named index levels as columns."""
    levels = [level for level in frame.index.names if level is not None and level not in frame.columns]
    if levels:
        frame = frame.reset_index(level=levels)
    frame = frame.set_axis([str(column) for column in frame.columns], axis="columns")
    duplicate = next(iter(frame.columns[frame.columns.duplicated()]), None)
    if duplicate is not None:
        raise BadInputError(f"the frame has two columns {duplicate!r}; rename one of them, or leave it out")
    for start in range(0, len(frame), _ROWS):
        part = frame.iloc[start : start + _ROWS].astype(object)
        yield from part.where(part.notna(), None).to_dict("records")


def _arrow_rows(frame: Any, name: str) -> Iterator[dict[str, Any]]:
    try:
        has_stream = hasattr(frame, "__arrow_c_stream__")
        reader = pa.RecordBatchReader.from_stream(frame) if has_stream else from_dataframe(frame).to_batches()
        for batch in reader:
            yield from batch.to_pylist()
    except (pa.ArrowException, NotImplementedError, TypeError, ValueError) as error:
        raise BadInputError(
            f"{name!r}: the frame cannot be read ({error}); give each column one type, or a pandas frame"
        ) from error


def _plain(value: Any) -> Any:
    """Return a value as a file would hold it: a NumPy number as Python's, a date or bytes as text."""
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    if isinstance(value, Decimal):
        return float(value)
    return python_value(value)
