"""A measure's rows in the terminal: the sentences of its view, then the columns that fit, or every column."""

import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.cli.options import print_columns
from engine.cli.output import say
from engine.phrases import full_stop, quantity

if TYPE_CHECKING:
    from engine.measures.entry import Field
    from engine.measures.result import Result
    from engine.words.row_cells import Row

_GAP = 2
"""Spaces between two columns."""

_EASY = 16
"""Letters at which a line of words is easy to read."""

_LONGEST_WORD = 12
"""Letters of a word that is not broken, beside the first column's."""

_SHORT = 9
"""Letters of a head that are not broken."""

_DASH = "–"
"""What stands for an undefined number; the reasons stand below the table."""

_DIGITS = {"share": 3, "difference": 3, "ratio": 2, "points": 2, "number": 3}
_PROBABILITIES = ("p", "p_two_sided", "p_adjusted", "p_tastes", "p_placebo")
_LEAST_P = 0.001
_ENDINGS = ("_p", "_p_adjusted")
_IN_WORDS = ("conclusion", "family_conclusion", "reason", "family_reason", "crosses")


def print_result(
    result: "Result",
    format: str,  # noqa: A002
    *,
    every: bool = False,
    verbose: bool = False,
    fields: Sequence[str] | None = None,
) -> None:
    """Print a result to standard output in a `--format`; the reason for having no rows is never left out.

    A table has the sentences first, then the columns that fit, of `fields` alone if they are given, or with
    `every` all columns. With `verbose`, what it is based on and what was left out go to standard error.
    """
    if format == "json":
        print(result.json())
    elif format == "csv":
        print(result.csv(), end="")
    else:
        print_summary(result, every=every, fields=fields)
        if verbose:
            say_basis(result)
        return
    if result.reason:
        say(result.reason)


def print_summary(result: "Result", *, every: bool = False, fields: Sequence[str] | None = None) -> None:
    """Print the sentences of a result, its rows, and why numbers are undefined."""
    from rich.console import Console

    from engine.views.of_measure import MOST_ROWS
    from engine.views.summaries import summary_of

    room = Console().width
    if not result.rows:
        reason = result.reason or "no judgment of this slice counts"
        _print_wrapped(f"There is nothing to show: {full_stop(reason)}", room)
        return
    summary = summary_of(result)
    for sentence in summary.sentences:
        _print_wrapped(sentence, room)
    if summary.sentences:
        print()
    if every:
        print_every_column(summary.result)
        return
    n_rows, n_columns = len(summary.result.rows), len(result.columns) - 1
    first = summary.result.with_rows(summary.result.rows[:MOST_ROWS])
    n_shown = _print_columns_that_fit(first, summary.fields if fields is None else fields, room)
    sys.stdout.flush()
    if fields is not None:
        n_columns = n_shown
    if n_shown < n_columns or n_rows > MOST_ROWS:
        rows = f"{min(n_rows, MOST_ROWS):,} of {quantity(n_rows, 'row')}"
        say(f"{n_shown} of {quantity(n_columns, 'column')} and {rows} shown; --all prints all")


def say_basis(result: "Result") -> None:
    """Print what a result is based on and what was left out, to standard error."""
    from engine.arrays.left_out import CODES

    say("; ".join(_filter_texts(result.filters)))
    nonzero = {code: number for code, number in result.left_out.items() if number}
    parts = (f"{number:,} {CODES.get(code, code)} ({code})" for code, number in nonzero.items())
    no_counts = "nothing" if result.left_out else result.measure.left_out
    say("left out: " + ("; ".join(parts) or no_counts))


def _print_wrapped(text: str, room: int) -> None:
    safe = _on_one_line(text)
    print(textwrap.fill(safe, max(room, 20), break_long_words=False, break_on_hyphens=False))


# ------------------------------------------------------------------------------
# The columns of a view, as many as there is room for.


@dataclass(frozen=True)
class _Column:
    """A column of texts: if they are of words, lines may be broken down to `least` letters."""

    head: str
    cells: tuple[str, ...]
    of_words: bool
    least: int
    most: int

    @property
    def easy(self) -> int:
        """The width at which it is easy to read."""
        return max(self.least, min(self.most, _EASY))


def _print_columns_that_fit(result: "Result", fields: Sequence[str], room: int) -> int:
    """Print the first columns for which there is room, and return how many they are."""
    columns = _that_fit(_columns(result, fields, room), room)
    _print_in_width(columns, room)
    for line in _undefined(result, fields, columns):
        _print_wrapped(line, room)
    return len(columns)


def print_folded(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print rows of words, with lines broken within a column where the width does not suffice."""
    from rich.cells import cell_len
    from rich.console import Console

    columns: list[_Column] = []
    for head, cells in zip(heads, zip(*lines, strict=True), strict=True):
        texts = (head, *map(_on_one_line, cells))
        least = max(cell_len(word) for text in texts for word in text.split() or [""])
        least = min(least, _LONGEST_WORD) if columns else least
        columns.append(_Column(head, texts[1:], True, least, max(map(cell_len, texts))))
    room = Console().width
    if sum(column.least + _GAP for column in columns) - _GAP > room:
        print_columns(heads, lines)
    else:
        _print_in_width(columns, room)


def _print_in_width(columns: Sequence[_Column], room: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    for column, width in zip(columns, _widths(columns, room), strict=True):
        table.add_column(column.head, width=width, overflow="fold")
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, cells))
    console = Console(width=room + _GAP, highlight=False)
    with console.capture() as text:
        console.print(table)
    print("\n".join(line.rstrip() for line in text.get().splitlines()))


def _that_fit(columns: Iterable[_Column], room: int) -> list[_Column]:
    """Return the first columns that fit: a number only where words beside it stay easy to read."""
    fitting: list[_Column] = []
    for column in columns:
        widths = [each.least if column.of_words else each.easy for each in fitting]
        if sum(widths) + column.least + _GAP * len(fitting) <= room:
            fitting.append(column)
    return fitting


def _columns(result: "Result", fields: Sequence[str], room: int) -> Iterator[_Column]:
    """Yield the columns in order: the slice, what names a row, and the fields of which there is anything."""
    from rich.cells import cell_len

    from engine.words.row_cells import declarations, heading

    declared = declarations(result.measure)
    counts = {field.name for field in result.measure.fields if field.kind == "count"}
    names = [
        name
        for name in fields
        if any(row[name] if name in counts else row[name] is not None for row in result.rows)
    ]
    keys = [name for name in result.measure.keys if name in names and _differs(result, name)]
    names = [*(["slice"] if result.by else []), *dict.fromkeys([*keys, *names])]
    for name in names:
        field = declared.get(name)
        head = heading(name, result.by)
        cells = tuple(_short_cell(row, name, field) for row in result.rows)
        of_words = field is None or field.kind in ("text", "list")
        most = max(map(cell_len, (head, *cells)))
        parts = [head, *cells] if of_words else [head]
        least = max(cell_len(word) for part in parts for word in part.split() or [""])
        least = max(least, min(cell_len(head), _SHORT))
        if not of_words:
            least = max(least, *map(cell_len, cells))
        yield _Column(head, cells, of_words, min(least, room // 2), max(most if of_words else least, 1))


def _differs(result: "Result", name: str) -> bool:
    """Return whether a field names rows apart, or is the only one that names them."""
    return name == result.measure.keys[0] or len({str(row[name]) for row in result.rows}) > 1


def _widths(columns: Sequence[_Column], room: int) -> list[int]:
    """Return the width of each column: its least, and for words more while there is room."""
    widths = [column.least for column in columns]
    for _ in range(room - sum(widths) - _GAP * (len(columns) - 1)):
        short = [index for index, column in enumerate(columns) if widths[index] < column.most]
        if not short:
            break
        widths[min(short, key=widths.__getitem__)] += 1
    return widths


def _short_cell(row: "Row", name: str, field: "Field | None") -> str:
    """Return a cell in the words of pages, with a dash alone where a number is undefined."""
    from engine.words.row_cells import cell

    if field is None:
        return "(no value)" if row[name] is None else _on_one_line(str(row[name]))
    if row[name] is None and name != "judge":
        return "" if field.kind == "text" else _DASH
    ends = (row.get(f"{name}_low"), row.get(f"{name}_high"))  # of some numbers, fields of their own
    return _on_one_line(cell(row, replace(field, interval=None not in ends)))


def _undefined(result: "Result", fields: Sequence[str], columns: Sequence[_Column]) -> Iterator[str]:
    """Yield for each column that is printed why some of its numbers are undefined."""
    from engine.measures.reasons import meaning
    from engine.words.row_cells import declarations
    from engine.words.short_titles import title

    declared, heads = declarations(result.measure), {column.head for column in columns}
    for name in fields:
        field = declared[name]
        if title(name) not in heads or field.kind in ("text", "list"):
            continue
        codes = dict.fromkeys(row["reasons"].get(name) for row in result.rows if row[name] is None)
        if reasons := [meaning(code) for code in codes if code]:
            yield f"{_DASH} in {title(name)}: {'; '.join(reasons)}."


# ------------------------------------------------------------------------------
# Every column, under its name in data.


def print_every_column(result: "Result") -> None:
    """Print all columns that have a value to standard output, in blocks where a terminal is too narrow.

    A number has its 95% interval in brackets and its p-value. An undefined number is a dash; the reasons
    follow.
    """
    from engine.measures.reasons import meaning

    fields = [
        each for each in result.measure.fields if any(row[each.name] is not None for row in result.rows)
    ]
    slices = ["slice"] if result.by else []
    names = [*slices, *(field.name for field in fields)]
    rows = (
        [*(_text(row[name], None) for name in slices), *(_cell(row, field) for field in fields)]
        for row in result.rows
    )
    print_columns(names, rows, keys=("slice", *result.measure.keys))
    fields_of: dict[str, list[str]] = {}
    for field in fields:
        rows_without = [row for row in result.rows if row[field.name] is None and field.kind != "text"]
        codes = dict.fromkeys(row["reasons"].get(field.name) for row in rows_without)
        for code in filter(None, codes):
            fields_of.setdefault(meaning(code), []).append(field.name)
    sys.stdout.flush()
    for reason, names in fields_of.items():
        say(f"{_DASH} ({reason}): {', '.join(names)}")


def _filter_texts(filters: Mapping[str, Any]) -> list[str]:
    """Return the filters in words; of a slice compared with another, only the differences."""
    parts = []
    for name, value in filters.items():
        if name == "against":
            other = {key: text for key, text in value.items() if text != filters.get(key)}
            parts.append("against " + (", ".join(_filter_texts(other)) or "itself"))
        elif value not in (None, (), False):
            parts.append(f"{name} {', '.join(map(str, value)) if isinstance(value, list | tuple) else value}")
    return parts


def _cell(row: "Row", field: "Field") -> str:
    from engine.words.row_cells import cell
    from engine.words.written_numbers import in_brackets

    value = row[field.name]
    if (field.name == "judge") if value is None else (field.name in _IN_WORDS):
        return _on_one_line(cell(row, field))
    text = _text(value, field)
    if field.interval and row[f"{field.name}_low"] is not None:
        text = in_brackets(text, *(_text(row[f"{field.name}_{end}"], field) for end in ("low", "high")))
    if field.null is not None and (p := row[f"{field.name}_p"]) is not None:
        text += f" p<{_LEAST_P:g}" if p < _LEAST_P else f" p={p:.3f}"
    return text


def _text(value: Any, field: "Field | None") -> str:
    if value is None:
        return _DASH
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        return _on_one_line(", ".join(map(str, value)))
    if field is not None and field.kind in _DIGITS and isinstance(value, int | float):
        probability = field.name in _PROBABILITIES or field.name.endswith(_ENDINGS)
        if probability and 0 <= value < _LEAST_P:
            return f"<{_LEAST_P:g}"
        if field.kind == "number" and value == round(value):
            return f"{value:,.0f}"
        return f"{value:.{_DIGITS[field.kind]}f}"
    return f"{value:,}" if isinstance(value, int) else _on_one_line(str(value))


def _on_one_line(text: str) -> str:
    """Return a name that is safe to print: line breaks and control characters become spaces."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
