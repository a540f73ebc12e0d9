"""The exchange folder: a study as Parquet, CSV or JSON Lines, one file for each table."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from engine import schema
from engine.errors import BadInputError, UsageError, bad_row
from engine.importers.reading.format import WholeFormat
from engine.importers.reading.json_rows import LONGEST_ROW, lines
from engine.store import Mode, Store
from engine.store.arrow_types import UNREADABLE
from engine.store.batches import BATCH_ROWS, Batch, ExchangeTable
from engine.store.conversion import is_textual
from engine.store.parquet import whole_batches
from engine.store.study_files import INFO_FILE, StudyInfo, parse_info
from engine.store.writer import WriteReport, write_sources

SUFFIXES = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_JSON_ROWS = 1 << 16
_MOST_OTHERS = 100  # names of JSON values that no column holds, of which a row may have any number
_CSV_BLOCK = 1 << 24  # bytes; no row may be longer
_WRONG_WIDTH = re.compile(
    r"(?:Row #(?P<row>\d+): )?Expected (?P<expected>\d+) columns, got (?P<found>\d+): (?P<text>.*)", re.S
)


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file of a table; `label` names it in messages if the table has several files."""

    table: schema.TableSchema
    path: Path
    label: str | None

    def error(self, problem: str, remedy: str, row: int | None = None) -> BadInputError:
        return bad_row(self.table.name, row, problem, remedy, self.label)


def open_source(form: str, files: Sequence[TableFile]) -> ExchangeTable:
    """Return the source of a table's files, all in `form`; BadInputError for an unreadable header."""
    table = files[0].table
    if form == "jsonl":
        others: dict[str, None] = {}  # filled as the rows are read
        return ExchangeTable(
            table, (batch for file in files for batch in _json_batches(file, others)), ignored=others.keys()
        )
    header, batches = _READERS[form]
    names: list[str] = []
    for file in files:
        for name, count in Counter(header(file)).items():
            if count > 1:
                raise file.error(f"the column {name!r} is there more than once", "keep one of them")
            names.append(name)
    columns = [name for name in table.names if name in names]
    ignored = tuple(dict.fromkeys(name for name in names if name not in table.names))
    return ExchangeTable(
        table,
        (batch for file in files for batch in batches(file, columns)),
        columns,
        ignored,
        blank_is_absent=form == "csv",
    )


def _too_long(file: TableFile) -> BadInputError:
    problem = f"a line of {file.path.name!r} has more than {LONGEST_ROW:,} letters"
    return file.error(problem, "write each row on a line of its own")


def _parquet_header(file: TableFile) -> list[str]:
    with _parquet(file) as parquet:
        return list(parquet.schema_arrow.names)


def _parquet_batches(file: TableFile, columns: Sequence[str]) -> Iterator[Batch]:
    """Yield the rows; ArrowInvalid if a code is not in its dictionary, which Arrow does not check."""
    first = 1
    with _parquet(file) as parquet:
        present = [name for name in parquet.schema_arrow.names if name in columns]
        for rows in whole_batches(parquet, BATCH_ROWS, present):
            for name, column in zip(rows.schema.names, rows.columns, strict=True):
                if not pa.types.is_dictionary(column.type):
                    continue
                least, greatest = pc.min_max(column.indices).as_py().values()
                if greatest is not None and not 0 <= least <= greatest < len(column.dictionary):
                    raise pa.ArrowInvalid(f"a code of {name} is out of bounds")
            yield Batch(file.table, rows, first, file.label)
            first += rows.num_rows


@contextmanager
def _parquet(file: TableFile) -> Iterator[pq.ParquetFile]:
    try:
        # Dictionaries keep a long text that a million rows share in memory once.
        text = [
            f.name for f in pq.read_schema(file.path) if f.name in file.table.names and is_textual(f.type)
        ]
        with pq.ParquetFile(file.path, read_dictionary=text, page_checksum_verification=True) as parquet:
            yield parquet
    except UNREADABLE as error:
        raise file.error(
            f"{file.path.name!r} is not a complete Parquet file ({str(error).splitlines()[0]})",
            "copy or export it again",
        ) from error


def _csv_header(file: TableFile) -> list[str]:
    # Bytes further down that are not UTF-8 are reported later, with their row.
    csv.field_size_limit(LONGEST_ROW)
    with file.path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        try:
            names = next(csv.reader(lines(stream, _too_long(file))), None)
        except csv.Error as error:
            problem = f"the header of {file.path.name!r} cannot be read ({error})"
            raise file.error(problem, "write the columns' names into the first line") from error
    if not names:
        raise file.error(f"{file.path.name!r} is empty", "write a header line and rows, or remove it")
    if any("\udc80" <= letter <= "\udcff" for name in names for letter in name):
        raise file.error(f"the header of {file.path.name!r} is not UTF-8", "save it as UTF-8")
    return names


def _csv_batches(file: TableFile, columns: Sequence[str]) -> Iterator[Batch]:
    header = _csv_header(file)
    present = [name for name in header if name in columns]
    first, last_cell = 1, None
    try:
        # Arrow's own file: a thread that reads ahead through Python can outlive it, and hang at the exit.
        with pa.OSFile(str(file.path)) as raw:
            reader = pacsv.open_csv(
                raw,
                pacsv.ReadOptions(use_threads=False, block_size=_CSV_BLOCK),
                pacsv.ParseOptions(newlines_in_values=True),
                pacsv.ConvertOptions(
                    column_types=dict.fromkeys(header, pa.binary()),
                    strings_can_be_null=False,
                    include_columns=list(dict.fromkeys([*present, header[-1]])),
                ),
            )
            for rows in reader:
                if rows.num_rows:
                    last_cell = rows[header[-1]][-1].as_py()
                yield Batch(file.table, rows.select(present), first, file.label)
                first += rows.num_rows
    except pa.ArrowInvalid as error:
        # Recognised by its message: a handler of bad rows prints a traceback for rows that are not UTF-8.
        match = _WRONG_WIDTH.search(str(error))
        if match and match["text"].startswith('"') and match["text"].count('"') == 1:
            raise _endless(file) from error
        if match:
            problem = f"it has {match['found']} cells ({match['text'][:80]!r})"
            remedy = f"the header has {match['expected']}; put cells that hold commas in quotes"
            raise file.error(problem, remedy, int(match["row"] or first + 1) - 1) from error
        if "straddling" in str(error):
            problem = (
                f"a row of {file.path.name!r} has more than {_CSV_BLOCK:,} bytes, or a quote without end"
            )
            raise file.error(problem, 'write quotes in a cell as "", or the table as Parquet') from error
        raise file.error(f"{file.path.name!r} is not CSV ({error})", "save it again as CSV", first) from error
    if last_cell is not None and _ends_within_quotes(file.path, last_cell):
        raise _endless(file)


def _endless(file: TableFile) -> BadInputError:
    return file.error(f"a quoted cell of {file.path.name!r} does not end", 'write quotes in a cell as ""')


def _ends_within_quotes(path: Path, last_cell: bytes) -> bool:
    """Return whether the last cell has a quote before it and none after it, and so all to the file's end."""
    end = b'"' + last_cell.replace(b'"', b'""')
    with path.open("rb") as stream:
        stream.seek(-min(len(end) + 1, path.stat().st_size), io.SEEK_END)
        tail = stream.read()
    return tail[1:] == end and tail[:1] in b",\n\r"


def _json_batches(file: TableFile, others: dict[str, None]) -> Iterator[Batch]:
    """Yield the rows; names of values that no column holds are added to `others`."""
    rows: list[dict[str, Any]] = []
    first = 1
    with file.path.open("rb") as stream:
        for line in lines(stream, _too_long(file)):
            number = first + len(rows)
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                rows.append(row := _json_row(file, line, number))
                if len(others) < _MOST_OTHERS:
                    others |= dict.fromkeys(name for name in row if name not in file.table.names)
            if len(rows) == _JSON_ROWS:
                yield _json_batch(file, rows, first)
                first += len(rows)
                rows = []
    if rows or first == 1:
        yield _json_batch(file, rows, first)


# Numbers stay exactly as written, so that an id of 7.10 does not become 7.1.
_decode: Callable[[str], Any] = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).decode


def _json_row(file: TableFile, line: bytes, number: int) -> dict[str, Any]:
    try:
        row = _decode(line.decode("utf-8").strip())
    except UnicodeDecodeError:
        raise file.error(f"{line[:80]!r} is not UTF-8", "save the file as UTF-8", number) from None
    except (ValueError, RecursionError) as error:
        raise file.error(
            f"{line[:80]!r} is not a JSON object ({error})", "write one complete object on each line", number
        ) from None
    if not isinstance(row, dict):
        raise file.error(f"{line[:80]!r} is not a JSON object", "write one object on each line", number)
    if b"[" in line or line.count(b"{") > 1:
        for name, value in json.loads(line).items():
            if not isinstance(value, (list, dict)):
                continue
            if name in file.table.names and not (file.table.column(name).json or name == "prompt"):
                raise file.error(f"{name} is {value!r}", "write a single value", number)
            row[name] = json.dumps(value, ensure_ascii=False)
    return row


def _json_batch(file: TableFile, rows: list[dict[str, Any]], first: int) -> Batch:
    """Return the declared columns as text; true, false and numbers stay as they are written."""
    present = {name for row in rows for name in row}
    names = [name for name in file.table.names if name in present]
    arrays = []
    for name in names:
        values = [row.get(name) for row in rows]
        values = [str(value).lower() if isinstance(value, bool) else value for value in values]
        try:
            arrays.append(pa.array(values, pa.string()))
        except UnicodeEncodeError:
            bad = next(i for i, v in enumerate(values) if v and any("\ud800" <= c <= "\udfff" for c in v))
            raise file.error(
                f"{name} is {values[bad]!r}, which is not text", "write whole characters", first + bad
            ) from None
    empty = pa.RecordBatch.from_struct_array(pa.nulls(len(rows), pa.struct([])))
    batch = pa.record_batch(arrays, names=names) if names else empty
    return Batch(file.table, batch, first, file.label)


_READERS: dict[str, tuple[Callable[..., list[str]], Callable[..., Iterator[Batch]]]] = {
    "parquet": (_parquet_header, _parquet_batches),
    "csv": (_csv_header, _csv_batches),
}


_FORMATS = "a .parquet, .csv or .jsonl file"


@dataclass(frozen=True, slots=True)
class TidyFolder:
    """What an exchange folder holds: its tables, its study.json, and files that are neither."""

    sources: dict[str, ExchangeTable]
    info: StudyInfo
    name: str
    other_files: tuple[str, ...]


def import_tidy(
    folder: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write the folder as a study, named `name`, else as in study.json, else like the folder."""
    tidy = open_tidy(folder)
    study = tidy.name if name is None else name
    report = write_sources(store, study, tidy.sources, tidy.info, mode=mode, dry_run=dry_run)
    report.ignored_files = tidy.other_files
    return report


def open_tidy(folder: str | Path) -> TidyFolder:
    """Return what is in the folder; BadInputError if a table exists twice or has no supported format."""
    root = Path(folder)
    if not root.is_dir():
        raise UsageError(f"{str(folder)!r} is not a folder; give one that holds `models`, `instances`, ...")
    other_files = []
    entries: dict[str, list[Path]] = {}
    for entry in sorted(root.iterdir()):
        table = entry.name.partition(".")[0]
        if table in schema.TABLES:
            entries.setdefault(table, []).append(entry)
        elif entry.name != INFO_FILE and not entry.name.startswith((".", "_")):
            other_files.append(entry.name)
    sources = {name: _source(schema.TABLES[name], files) for name, files in entries.items()}
    info = StudyInfo()
    if (root / INFO_FILE).is_file():
        info = parse_info((root / INFO_FILE).read_bytes().removeprefix(b"\xef\xbb\xbf"), INFO_FILE)
    for table in info.tables or ():
        if table in schema.TABLES and table not in entries:
            problem = f"the table {table!r}, which {INFO_FILE} lists, is missing"
            raise BadInputError(f"{folder}: {problem}; restore it from a copy")
    name = info.name or root.resolve().name
    return TidyFolder(
        sources, info.model_copy(update={"parts": None, "tables": None}), name, tuple(other_files)
    )


def _source(table: schema.TableSchema, entries: list[Path]) -> ExchangeTable:
    """Return the source of one table, which is one file or one folder of files in one format."""
    if len(entries) > 1:
        names = ", ".join(repr(entry.name) for entry in entries)
        raise BadInputError(f"{table.name}: it exists more than once ({names}); keep one of them")
    entry = entries[0]
    paths = [entry]
    if entry.is_dir():
        paths = sorted(path for path in entry.iterdir() if not path.name.startswith((".", "_")))
        if not paths:
            raise BadInputError(f"{table.name}: the folder {entry.name!r} is empty; put {_FORMATS} into it")
    forms = set()
    for path in paths:
        forms.add(form := SUFFIXES.get(path.suffix.lower(), ""))
        if not form or not path.is_file():
            raise BadInputError(f"{table.name}: {path.name!r} has no supported format; give {_FORMATS}")
    if len(forms) > 1:
        raise BadInputError(
            f"{table.name}: the folder {entry.name!r} holds files in two formats "
            f"({', '.join(sorted(forms))}); keep one format"
        )
    files = [TableFile(table, path, path.name if len(paths) > 1 else None) for path in paths]
    return open_source(forms.pop(), files)


FORMAT = WholeFormat("tidy", "Exchange folder", "", import_tidy)
