"""Turns a frame of judgments from any library into a study in memory, for `engine.from_frame`."""

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any, TypedDict

import pyarrow as pa
import pyarrow.fs as pafs
from pyarrow.interchange import from_dataframe

from engine.errors import BadInputError, SpbError, UsageError
from engine.importers import table
from engine.importers.families import NONE
from engine.importers.pipeline import MappingReport, reading
from engine.importers.questions import OpenQuestionsError
from engine.importers.reading.format import ImportOptions
from engine.importers.reading.rows import ImportStats, Row
from engine.importers.reading.tables import value_key
from engine.paradigms import PAIR_PARADIGMS
from engine.phrases import quantity
from engine.store import Store
from engine.store.location import Location
from engine.store.study_files import StudyFiles


class MemoryStore(Store):
    """Studies in memory, measured once and never on disk; read and written as in any other store."""

    def __init__(self) -> None:
        self.root = "memory"
        self.location = Location(pafs.PyFileSystem(_Files()), "memory", "memory")


class _Files(pafs.FileSystemHandler):  # type: ignore[misc]  # pyarrow has no types
    """Files by path. Folders are implied by the paths; there are no empty ones."""

    def __init__(self) -> None:
        self.contents: dict[str, pa.Buffer] = {}
        self.changes: dict[str, int] = {}

    def get_type_name(self) -> str:
        return "memory"

    def normalize_path(self, path: str) -> str:
        return path.strip("/")

    def get_file_info(self, paths: list[str]) -> list[pafs.FileInfo]:
        return [self._info(path) for path in paths]

    def _info(self, path: str) -> pafs.FileInfo:
        if (content := self.contents.get(path)) is not None:
            return pafs.FileInfo(path, pafs.FileType.File, size=content.size, mtime_ns=self.changes[path])
        folder = any(name.startswith(f"{path}/") for name in self.contents)
        return pafs.FileInfo(path, pafs.FileType.Directory if folder else pafs.FileType.NotFound)

    def get_file_info_selector(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        folder = f"{selector.base_dir.strip('/')}/"
        within = [name.removeprefix(folder).split("/") for name in self.contents if name.startswith(folder)]
        depths = range(1, max(map(len, within), default=0) + 1) if selector.recursive else (1,)
        names = dict.fromkeys("/".join(parts[:n]) for parts in within for n in depths if len(parts) >= n)
        return [self._info(folder + name) for name in names]

    def open_input_file(self, path: str) -> pa.NativeFile:
        if path not in self.contents:
            raise FileNotFoundError(path)
        return pa.BufferReader(self.contents[path])

    open_input_stream = open_input_file

    def open_output_stream(self, path: str, metadata: object) -> pa.NativeFile:  # noqa: ARG002 - as others
        return pa.PythonFile(_Sink(self, path), mode="w")

    def delete_file(self, path: str) -> None:
        del self.contents[path]

    def create_dir(self, path: str, recursive: bool) -> None:
        """Do nothing: a folder exists once it has a file."""

    def _refuse(self, *_: object) -> Any:
        raise NotImplementedError

    delete_dir = delete_dir_contents = delete_root_dir_contents = move = copy_file = _refuse
    open_append_stream = _refuse


class _Sink(io.BytesIO):
    """A file being written, which exists once it is closed."""

    def __init__(self, files: _Files, path: str) -> None:
        super().__init__()
        self._files, self._path = files, path

    def close(self) -> None:
        if not self.closed:
            self._files.contents[self._path] = pa.py_buffer(self.getvalue())
            self._files.changes[self._path] = self._files.changes.get(self._path, 0) + 1
        super().close()


_ROWS = 4096
_KINDS = "a pandas or Polars frame, an Arrow table, or another frame with __arrow_c_stream__ or __dataframe__"
_EXPECTED = (
    "a judgment in each row: judge, generator, question, and met, score or choice; "
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
    status: str
    explanation: str
    raw: str
    scale: str | float
    instance_id: str
    prompt: str
    category: str
    theme: str
    language: str
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
    values: Mapping[str, Mapping[Any, str]],
    judges: Sequence[str],
    families: Mapping[str, str],
    strict: bool,
    name: str,
    rows: str | None = None,
    guess: bool = True,
) -> StudyFiles:
    """Return the frame as a study in memory; see `engine.from_frame`.

    The rows go through the table reader and the store's checks, like those of a file. In error messages, the
    options of `spb import table` become arguments of `from_frame`.
    """
    numbers = {key: value for key, value in columns.items() if not isinstance(value, str)}
    options = ImportOptions(
        map={key: value for key, value in columns.items() if isinstance(value, str)},
        set={key: str(value) for key, value in {**constants, **numbers}.items()},
        value={name: {value_key(old): new for old, new in words.items()} for name, words in values.items()},
        judges=(judges,) if isinstance(judges, str) else tuple(judges),
        rows=rows,
        no_guess=not guess,
    )

    def reader(path: Path, options: ImportOptions, tally: ImportStats) -> table.ImportedTable:
        return table.ImportedTable(path, options, tally, frame_rows(frame, path.name))

    form = replace(table.FORMAT, title="Frame of judgments", reader=reader, expected=_EXPECTED)
    store = MemoryStore()
    corrections = NONE.edit(families, {})
    try:
        with reading(form, name, options, corrections=corrections, strict=strict, on_disk=False) as content:
            content.write(store, name)
    except OpenQuestionsError as error:
        questions = [replace(question, text=_in_arguments(question.text)) for question in error.questions]
        raise OpenQuestionsError(questions, error.options, _call(error.options)) from None
    except SpbError as error:
        raise type(error)(_in_arguments(str(error))) from None
    files = store.open(name)
    _warn(content.report, families, in_no_order="first" not in constants and _in_no_order(files))
    return files


def _in_no_order(files: StudyFiles) -> bool:
    """Return whether there are pairs, and none says which response was shown first."""
    first = files.judgments(("first",), {"paradigm": PAIR_PARADIGMS})["first"]
    return len(first) > 0 and set(first.unique().to_pylist()) == {"unknown"}


def frame_rows(frame: Any, name: str) -> Iterator[Row]:
    """Yield the rows of a frame; None, NaN and the like are missing values."""
    if hasattr(frame, "iloc"):
        batches = _pandas_rows(frame)
    elif hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__dataframe__"):
        batches = _arrow_rows(frame, name)
    else:
        raise UsageError(f"from_frame takes {_KINDS}; this is {type(frame).__name__!r}")
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
    """Return a value as a file would hold it: a NumPy number as Python's, a date as text."""
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value


# ------------------------------------------------------------------------------
# Messages: errors that name our arguments, and a warning if rows are left out.


_FLAGS = (
    (re.compile(r"--set (\w+)=([^\s,;)]+)"), lambda m: f"set={{{m[1]!r}: {m[2]!r}}}"),
    (re.compile(r"--map (\w+)=(FIELD)?"), lambda m: f"{m[1]}={m[2] or ''}"),
    (re.compile(r"--value (\w+):(\S.*?)=(\w+)((?:,[^\s=]+=\w+)*)(?![\w=])"), lambda m: _meanings(m)),
    (re.compile(r" *,? *or leave out --strict to import the others"), lambda _: ", or leave out strict"),
    (re.compile(r", or --judge NAME"), lambda _: ", or set={'judge': NAME}"),
    (re.compile(r" ?\(--judge NAME names one\)"), lambda _: " (set={'judge': NAME} names one)"),
    (re.compile(r"--rows (\S+?)(?=[\s.,;)]|$)"), lambda m: f"rows={m[1]!r}"),
    (re.compile(r"--(map|set|value|judges|rows) ?(?=\S)"), lambda m: "" if m[1] == "map" else m[1] + " "),
)


def _meanings(match: "re.Match[str]") -> str:
    pairs = [(match[2], match[3]), *(part.split("=") for part in match[4].split(",") if part)]
    items = ", ".join(f"{old!r}: {new!r}" for old, new in pairs)
    return f"value={{{match[1]!r}: {{{items}}}}}"


def _call(options: ImportOptions) -> str:
    """Return the call of `from_frame` with these options."""
    arguments = [f"{name}={field!r}" for name, field in options.map.items()]
    constants = {
        **({"judge": options.judge} if options.judge else {}),
        **{name: text for name, text in options.set.items() if name != "scale"},
    }
    arguments += [f"scale={options.set['scale']}"] if "scale" in options.set else []
    arguments += [f"set={constants}"] if constants else []
    arguments += (
        [f"value={ {name: dict(words) for name, words in options.value.items()} }"] if options.value else []
    )
    arguments += [f"judges={list(options.judges)}"] if options.judges else []
    arguments += [f"rows={options.rows!r}"] if options.rows else []
    arguments += ["guess=False"] if options.no_guess else []
    return f"engine.from_frame({', '.join(['frame', *arguments])})"


def _in_arguments(text: str) -> str:
    """Return a text with the command's options replaced by the arguments of `from_frame`."""
    for pattern, argument in _FLAGS:
        text = pattern.sub(argument, text)
    return text


_WARNED = ("look like people", "not stored", "guessed", "people gave", "are taken for", "may each be")
"""Parts of the notes that a frame's user is warned of."""


_NO_ORDER = (
    "no pair says which response was shown first, so whether judges favour themselves cannot be measured; "
    "name the column that does (first='COLUMN', with the values generator and opponent)"
)


def _warn(report: MappingReport, families: Mapping[str, str], *, in_no_order: bool) -> None:
    """Warn about rows left out, repeated verdicts, values not stored, and families open or of no model."""
    notes = [f"{reason}: {out.count:,} of {report.rows_read:,} rows left out ({out.examples[0]})"
            for reason, out in report.left_out.items()]  # fmt: skip
    if report.is_unreadable:
        notes.append("no verdict could be read")
    if in_no_order:
        notes.append(_NO_ORDER)
    elif report.repeats:
        notes.append(f"{quantity(report.repeats, 'judgment')} repeated, counted as further trials")
    notes += [note for note in report.notes if any(words in note for words in _WARNED)]
    if report.questions:
        notes.append("families to decide (give families={'MODEL': 'FAMILY'}): " + "; ".join(report.questions))
    absent = set(families) - {row.model for row in report.models}
    if absent:
        notes.append(f"families names models that are not in the frame: {', '.join(sorted(absent))}")
    if notes:
        warnings.warn("from_frame: " + _in_arguments("; ".join(notes)), UserWarning, stacklevel=4)
