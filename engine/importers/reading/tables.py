"""Any table as rows: text with detected delimiter and encoding, workbooks, Feather; nested values.

Guesses are noted in the report, so that a wrong one can be seen. Nothing is read beyond the limits of the
import: text is streamed, unpacked bytes are counted.
"""

import codecs
import csv
import io
import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from engine.errors import BadInputError, UsageError
from engine.importers.reading.headers import check_distinct, header_of
from engine.importers.reading.json_rows import (
    LONGEST_ROW,
    allowance,
    json_lines,
    json_rows,
    lines,
    open_bounded,
)
from engine.importers.reading.parquet_rows import Nested, parquet_rows, whole_parquet
from engine.importers.reading.rows import BadRowError, ImportStats, Row, refuse
from engine.importers.reading.workbooks import workbook_rows

DELIMITERS = (",", ";", "\t", "|")
SUFFIXES = (
    *(".csv", ".tsv", ".tab", ".txt", ".parquet", ".jsonl", ".ndjson", ".json"),
    *(".xlsx", ".xlsm", ".feather", ".arrow"),
)
"""Suffixes of the files that `table_rows` reads; all but the last four may be gzipped."""

_SAMPLE = 1 << 18
_SAMPLED_ROWS = 200
_NESTED_ROWS = 512
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LIKELY = ["cp1252", "latin_1", "cp1250", "cp1251", "shift_jis", "gb18030", "big5", "euc_kr", "koi8_r"]
"""Encodings to try if a file is neither UTF-8 nor UTF-16."""

_WESTERN = ("cp1252", "latin_1", "cp1250")
_COHERENT = 0.2


def table_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the rows of a table, in the form of its suffix; BadInputError for an unknown suffix."""
    suffix = "." + path.name.lower().removesuffix(".gz").rpartition(".")[2]
    reader = _READERS.get(suffix)
    if reader is None:
        raise refuse(path.name, f"the ending {suffix!r} does not show its format", expected)
    yield from reader(path, tally, expected)


# ---- text


def encoding_of(sample: bytes) -> tuple[str, bool]:
    """Return the encoding of a sample of text, and whether that is certain.

    A byte order mark decides; then UTF-8 if it is valid; then UTF-16 without a mark, by its zeros; then the
    best guess of charset-normalizer, which for a short text may be a relative of the true encoding. A guess
    is Western unless the language says otherwise: a few accents fit several encodings equally well.
    """
    for mark, name in _BOMS:
        if sample.startswith(mark):
            return name, True
    with suppress(UnicodeDecodeError):
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        if sample.count(0) <= len(sample) // 8:
            return "utf-8", True
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) > len(sample) // 8:
        return ("utf-16-le" if odd > even else "utf-16-be"), True
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_LIKELY, preemptive_behaviour=False).best()
    if best is not None and best.encoding not in _WESTERN and best.coherence >= _COHERENT:
        return best.encoding, False
    with suppress(UnicodeDecodeError):
        sample.decode("cp1252")
        return "cp1252", False
    return ("latin_1" if best is None else best.encoding), False


def delimiter_of(text: str, *, is_whole: bool = True, has_tabs: bool = False) -> str:
    """Return the delimiter of a table's first rows: the one that gives most rows the width of the header.

    Ties go to more columns, then to the earlier of `DELIMITERS` (tabs if `has_tabs`). A table of one column
    gives the first of these.
    """
    if not is_whole:
        text = text[: text.rfind("\n") + 1] or text
    order = ("\t", *(mark for mark in DELIMITERS if mark != "\t")) if has_tabs else DELIMITERS
    return max(order, key=lambda mark: (_fit(text, mark), -order.index(mark)))


def _fit(text: str, delimiter: str) -> tuple[float, int]:
    """Return the share of rows that are as wide as the header, and that width; 0 for a single column."""
    widths: list[int] = []
    with suppress(csv.Error):
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if cells:
                widths.append(len(cells))
            if len(widths) > _SAMPLED_ROWS:
                break
    if not widths or widths[0] == 1:
        return 0.0, 0
    return sum(width == widths[0] for width in widths) / len(widths), widths[0]


def text_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the rows of a text table with a header; its first quarter megabyte shows encoding and delimiter.

    Empty cells are left out. Names of columns are stripped.
    """
    csv.field_size_limit(LONGEST_ROW)
    with open_bounded(path) as raw:
        sample = raw.read(_SAMPLE)
    encoding, certain = encoding_of(sample)
    if not certain:
        tally.note(f"{path.name} is not UTF-8; reading it as {encoding}")
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(sample)
    has_tabs = path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab"))
    delimiter = delimiter_of(text, is_whole=len(sample) < _SAMPLE, has_tabs=has_tabs)
    if delimiter != ",":
        tally.note(f"{path.name}: its cells are separated by {_NAMES[delimiter]}")
    with open_bounded(path) as raw:
        errors = "surrogateescape" if encoding in ("utf-8", "utf-8-sig") else "strict"
        stream = io.TextIOWrapper(raw, encoding, errors=errors, newline="")
        too_long = refuse(path.name, f"a line has more than {LONGEST_ROW:,} letters", expected)
        rows = _whole_rows(lines(stream, too_long), delimiter, path, expected)
        try:
            header = header_of(next(rows, None), path, expected)
            for number, cells in enumerate(rows, start=1):
                if len(cells) == len(header):
                    if values := {n: c for n, c in zip(header, cells, strict=True) if c.strip()}:
                        yield Row(path.name, number, values)
                elif any(cell.strip() for cell in cells):
                    bad = BadRowError(f"not {len(header)} cells, as the header has", len(cells))
                    tally.skip(path.name, number, bad)
        except csv.Error as error:
            raise refuse(path.name, f"it is not a table of text ({error})", expected) from error
        except UnicodeError as error:
            raise refuse(path.name, f"it is not {encoding} throughout ({error})", expected) from error


def _whole_rows(texts: Iterable[str], delimiter: str, path: Path, expected: str) -> Iterator[list[str]]:
    """Yield the cells of each row; BadInputError for a quote that does not end and swallows what follows."""
    end = f"end-{secrets.token_hex(8)}"  # an extra last line, to see whether a quote swallowed it
    reader = csv.reader(chain(texts, [end]), delimiter=delimiter)
    line = 1
    for cells in reader:
        if cells == [end]:
            return
        if cells and cells[-1].endswith(end):
            problem = f'the row that begins in line {line:,} has a quote that does not end; write it as ""'
            raise refuse(path.name, problem, expected)
        yield cells
        line = reader.line_num + 1


_INDEX = re.compile(r"column \d+|Unnamed: \d+|index|level_\d+|__index_level_\d+__")


def is_index(name: str) -> bool:
    """Return whether a column has no name of its own, as the index that pandas writes beside a frame."""
    return _INDEX.fullmatch(name) is not None


# ---- Feather


def feather_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:  # noqa: ARG001 - as others
    """Yield the rows of a Feather or Arrow file, in the file or the stream format, with lists and objects."""
    if allowance().limits.memory is not None:  # sent to a server: the unpacked size cannot be limited
        raise BadInputError(f"{path.name!r}: Arrow files are not supported; save the table as Parquet")
    try:
        with pa.memory_map(str(path)) as source:
            is_file = source.read(6) == b"ARROW1"
            source.seek(0)
            if is_file:
                reader = ipc.open_file(source)
                batches = map(reader.get_batch, range(reader.num_record_batches))
            else:
                batches = reader = ipc.open_stream(source)
            check_distinct(reader.schema.names, path, expected)
            yield from _batch_rows(path.name, batches)
    except (pa.ArrowException, OSError) as error:
        problem = str(error).splitlines()[0][:120]
        raise refuse(path.name, f"it is not a complete Arrow file ({problem})", expected) from error


def _batch_rows(name: str, batches: Iterable[Any]) -> Iterator[Row]:
    first = 1
    for batch in batches:
        allowance().take(name, batch.nbytes)
        yield from (Row(name, number, values) for number, values in enumerate(batch.to_pylist(), first))
        first += batch.num_rows


def nested_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the rows of a table of any form, with lists and objects if its form has them.

    `parquet_rows` leaves nested columns out, since their unpacked size is not known in advance. Here this is
    so only for files sent to a server; one's own files are read whole. Raises BadInputError if the file is
    broken or exceeds the allowance of the import.
    """
    if not path.name.lower().endswith(".parquet"):
        yield from table_rows(path, tally, expected)
        return
    if allowance().limits.memory is not None:
        tally.note(
            f"{path.name}: columns of lists and objects are not supported; save the table as JSON Lines"
        )
        yield from parquet_rows(path, tally, expected)
        return
    with whole_parquet(path, expected), pq.ParquetFile(path, page_checksum_verification=True) as parquet:
        allowance().check_rows(path.name, parquet.metadata.num_rows)
        check_distinct(parquet.schema_arrow.names, path, expected)
        yield from _batch_rows(path.name, parquet.iter_batches(_NESTED_ROWS))


_READERS: dict[str, Callable[[Path, ImportStats, str], Iterator[Row]]] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), text_rows),
    ".parquet": parquet_rows,
    **dict.fromkeys((".jsonl", ".ndjson"), json_lines),
    ".json": json_rows,
    **dict.fromkeys((".xlsx", ".xlsm"), workbook_rows),
    **dict.fromkeys((".feather", ".arrow"), feather_rows),
}


# ---- columns: inexact names, paths into objects, mapped values


_STEP = re.compile(r"[^.\[\]]+|\[-?\d+\]|\[:-1\]")


@lru_cache(1024)
def _steps(path: str) -> tuple[str, ...]:
    return tuple(_STEP.findall(path))


def column_in(name: str, names: Iterable[str]) -> str | None:
    """Return the column with a name, which may differ in case, blanks and hyphens; None if there is none."""
    columns = list(names)
    if name in columns:
        return name
    matches = [column for column in columns if _lookup_key(column) == _lookup_key(name)]
    if len(matches) > 1:
        raise UsageError(f"{name!r} may mean any of {', '.join(map(repr, matches))}; name it exactly")
    return matches[0] if matches else None


def _lookup_key(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def value_at(values: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path such as `scores.judge` or `judges[0].name`; None if there is none.

    A column of exactly that name comes first. `[-1]` is a list's last member, `[:-1]` all others. JSON
    objects and lists in texts along the path are decoded.
    """
    if path in values:
        return values[path]
    steps = _steps(path)
    if len(steps) < 2:
        return None
    prefixes = (".".join(steps[:n]) for n in range(len(steps), 0, -1))
    name = next((prefix for prefix in prefixes if prefix in values), None)
    if name is None:
        return None
    value: Any = values[name]
    for step in steps[name.count(".") + 1 :]:
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            allowance().check_values("a cell", value)
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
            value = _member_at(value, step.strip("[]"))
        else:
            return None
    return None if isinstance(value, Nested) else value


def _member_at(members: Sequence[Any], place: str) -> Any:
    """Return the member of a list at a place, counted from the end if it is below 0; None if it has none."""
    if place == ":-1":
        return members[:-1]
    if not place.removeprefix("-").isdecimal():
        return None
    number = int(place)
    return members[number] if -len(members) <= number < len(members) else None


def first_part(path: str) -> str:
    """Return the column of a path: `scores` for `scores.judge`."""
    steps = _steps(path)
    return steps[0] if steps else path


def value_maps(option: str, texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the maps of `--value choice:0=first,1=second`; UsageError if malformed or contradictory.

    A value may hold `=`, since its meaning follows the last one, and commas if it is in double quotes.
    """
    maps: dict[str, dict[str, str]] = {}
    for text in texts:
        column, colon, rest = text.partition(":")
        parts = next(csv.reader([rest.replace(', "', ',"')]), [])
        meanings = [part.rpartition("=") for part in parts]
        if not (
            colon and column.strip() and meanings and all(sign and new.strip() for _, sign, new in meanings)
        ):
            raise UsageError(
                f"{option} {text!r} is not COLUMN:VALUE=MEANING; write for example {option} choice:0=a,1=b, "
                'and a value that holds a comma in double quotes: choice:"yes, a"=a'
            )
        column_map = maps.setdefault(column.strip(), {})
        for old, _, new in meanings:
            if new.strip() == "?":
                raise UsageError(
                    f"{option} {text!r} leaves {old.strip()!r} open; write its meaning in place of the ?"
                )
            if column_map.setdefault(value_key(old), new.strip()) != new.strip():
                raise UsageError(f"{option} {text!r} gives {old.strip()!r} two meanings; keep one")
    return maps


def value_text(column: str, meanings: Mapping[str, str]) -> str:
    """Return the text of `--value` for the meanings of a column's values."""

    def quoted(part: str) -> str:
        return '"' + part.replace('"', '""') + '"' if set(part) & set(',"\n') else part

    return f"{column}:" + ",".join(f"{quoted(old)}={new}" for old, new in meanings.items())


def meaning_of(value: Any, meanings: Mapping[str, str] | None) -> Any:
    """Return the meaning of a value by its map, else the value itself. 1, 1.0 and `1` are one value."""
    return value if meanings is None or value is None else meanings.get(value_key(value), value)


def value_key(value: Any) -> str:
    """Return the key of a value in a map: case folded, stripped, whole numbers without decimals."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value).strip().casefold()
    return text.removesuffix(".0") if re.fullmatch(r"-?\d+\.0", text) else text


def judge_columns(option: str, text: str) -> tuple[str, ...]:
    """Return the judges' columns in `--judges col1,col2`, for a wide table; UsageError for none."""
    columns = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not columns:
        raise UsageError(
            f"{option} {text!r} names no column; write for example {option} gpt-4o,claude-3-opus"
        )
    return columns


def melt(row: Row, judges: Sequence[str], verdict: str) -> Iterator[Row]:
    """Yield a row of a wide table as one row for each judge whose cell is filled.

    The judges' columns are replaced by the judge's name as `judge` and the cell as the field `verdict`.
    """
    values = {name: value for name, value in row.values.items() if name not in judges}
    for judge in judges:
        value = row.values.get(judge)
        if value is not None:
            yield Row(row.file, row.number, {**values, "judge": judge, verdict: value})
