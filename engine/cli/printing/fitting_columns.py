"""The columns of a view, as many as there is room for."""

import math
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.cli.output import goes_to_markdown
from engine.cli.printing.columns import print_columns
from engine.cli.printing.markdown_out import print_markdown_table, print_markdown_text

if TYPE_CHECKING:
    from engine.measures.entry import Field
    from engine.measures.result import Result
    from engine.words.row_cells import Row


_GAP = 2
"""Spaces between two columns."""

_EASY = 14
"""Letters at which a line of words is easy to read."""

_LONGEST_WORD = 12
"""Letters of a word that is not broken, beside the first column's."""

_NAME = 16
"""Letters down to which a name is broken, after a hyphen or a stroke, where a column has no room else."""

_PIECES = re.compile(r"[^-/]*[-/]+|[^-/]+")
"""What a long word is broken into: each piece ends with its hyphen or stroke."""

_SHORT = 9
"""Letters of a head that are not broken."""

DASH = "–"
"""What stands for an undefined number; the reasons stand below the table."""

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def print_wrapped(text: str, room: int) -> None:
    safe = on_one_line(text)
    if goes_to_markdown():
        print_markdown_text(safe)
        return
    print(textwrap.fill(safe, max(room, 20), break_long_words=False, break_on_hyphens=False))


@dataclass(frozen=True)
class _Column:
    """A column of texts: if they are of words, lines may be broken down to `least` letters.

    Where there is little room, one that `is_empty` is left out before any that has a value. One of names
    may be broken further, down to `least_of_name`.
    """

    name: str
    head: str
    cells: tuple[str, ...]
    of_words: bool
    least: int
    most: int
    is_empty: bool = False
    least_of_name: int | None = None

    @property
    def easy(self) -> int:
        """The width at which it is easy to read."""
        return max(self.least, min(self.most, _EASY))

    def narrow(self) -> "_Column":
        """Return the column with its names broken."""
        return self if self.least_of_name is None else replace(self, least=self.least_of_name)

    def stacked(self, *, whole_head: bool = False) -> "_Column":
        """Return the column with intervals below their numbers, and its head in one line if it is whole."""
        if self.of_words:
            return self
        cells = tuple(cell.replace(" [", "\n[") for cell in self.cells)
        heads = [self.head] if whole_head or len(self.head) <= _SHORT else self.head.split()
        width = max(map(len, (*heads, *(line for cell in cells for line in cell.splitlines()))))
        return replace(self, cells=cells, least=width, most=width)


def print_columns_that_fit(
    result: "Result",
    fields: Sequence[str],
    room: int,
    *,
    always: Collection[str] = (),
    deciding: Collection[str] = (),
    sentences: Sequence[str] = (),
) -> tuple[int, list[str]]:
    """Print the first columns for which there is room; return how many they are, and the heads of the others.

    A column in which there is nothing is left out, unless it is one of `always`. For the `deciding` ones
    room is made before others. Reasons that are in the `sentences` above the table are not repeated below.
    """
    every = list(_columns(result, fields, room, always))
    columns = every if goes_to_markdown() else _that_fit(every, room, deciding)
    _print_in_width(columns, room)
    for line in _undefined(result, fields, columns, sentences):
        print_wrapped(line, room)
    names = {each.name for each in columns}
    return len(columns), [each.head for each in every if each.name not in names]


def print_folded(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print rows of words, with lines broken within a column where the width does not suffice."""
    from rich.cells import cell_len
    from rich.console import Console

    columns: list[_Column] = []
    for head, cells in zip(heads, zip(*lines, strict=True), strict=True):
        texts = (head, *map(on_one_line, cells))
        least = max(cell_len(word) for text in texts for word in text.split() or [""])
        of_name = None if columns else _least_broken(texts)
        least = min(least, _LONGEST_WORD) if columns else least
        columns.append(
            _Column(head, head, texts[1:], True, least, max(map(cell_len, texts)), least_of_name=of_name)
        )
    room = Console().width
    if _total([each.easy for each in columns]) > room:
        columns = [each.narrow() for each in columns]
    if not goes_to_markdown() and _total([each.least for each in columns]) > room:
        print_columns(heads, lines)
    else:
        _print_in_width(columns, room)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _print_in_width(columns: Sequence[_Column], room: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if goes_to_markdown():
        print_markdown_table(
            [each.head for each in columns], zip(*(each.cells for each in columns), strict=True)
        )
        return
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    widths = _widths(columns, room)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column.head, width=width, overflow="fold")
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, map(_breakable, cells, widths)))
    console = Console(width=room + _GAP, highlight=False)
    with console.capture() as text:
        console.print(table)
    print("\n".join(line.rstrip() for line in text.get().splitlines()))


def _breakable(text: str, width: int) -> str:
    """Return a text in which a word wider than its column may be broken after a hyphen or a stroke."""
    lines = ([_parts(word, width) for word in line.split(" ")] for line in text.split("\n"))
    return "\n".join(map(" ".join, lines))


def _least_broken(texts: Iterable[str]) -> int:
    """Return the width down to which names are broken: that of the longest piece, but not below `_NAME`."""
    words = [word for text in texts for word in text.split()]
    pieces = max((len(piece) for word in words for piece in _PIECES.findall(word)), default=0)
    return min(max(_NAME, pieces), max(map(len, words), default=1))


def _parts(word: str, width: int) -> str:
    if len(word) <= width:
        return word
    parts = [""]
    for piece in _PIECES.findall(word):
        if parts[-1] and len(parts[-1] + piece) > width:
            parts.append("")
        parts[-1] += piece
    return " ".join(parts)


def _that_fit(every: Sequence[_Column], room: int, deciding: Collection[str]) -> list[_Column]:
    """Return the columns that fit, with names broken where more do so.

    Where a deciding one still does not, or where the room that it leaves to words makes the table
    shorter, intervals stand below their numbers.
    """
    narrow = [each.narrow() for each in every]
    most = max(_first_that_fit(every, room), _first_that_fit(narrow, room), key=len)
    shown, present = ({each.name for each in columns} for columns in (most, every))
    if (present - shown).intersection(deciding):
        return _first_that_fit([each.stacked() for each in narrow], room)
    stacked = [each.stacked(whole_head=len(each.head) <= each.least) for each in most]
    return min(most, stacked, key=lambda columns: _lines_of(columns, room))


def _lines_of(columns: Sequence[_Column], room: int) -> int:
    """Return how many lines the rows of these columns take."""
    lines = (
        [_wrapped(cell, width) for cell in column.cells]
        for column, width in zip(columns, _widths(columns, room), strict=True)
    )
    return sum(map(max, zip(*lines, strict=True)))


def _wrapped(cell: str, width: int) -> int:
    """Return how many lines a cell takes in a column of that width."""
    return sum(max(len(textwrap.wrap(line, width)), 1) for line in cell.split("\n"))


def _first_that_fit(every: Sequence[_Column], room: int) -> list[_Column]:
    """Return the first columns that fit: a number only where words beside it stay easy to read."""
    fitting = list[_Column]()
    for column in sorted(every, key=lambda each: each.is_empty):
        widths = [each.least if column.of_words else each.easy for each in fitting]
        if _total([*widths, column.least]) <= room:
            fitting.append(column)
    return [column for column in every if column in fitting]


def _columns(
    result: "Result", fields: Sequence[str], room: int, always: Collection[str]
) -> Iterator[_Column]:
    """Yield the columns in order: the slice, what names a row, and the fields of which there is anything."""
    from rich.cells import cell_len

    from engine.words.row_cells import declared_fields, heading

    declared = declared_fields(result)
    counts = {field.name for field in result.measure.fields if field.kind == "count"}
    names = [
        name
        for name in fields
        if name in always
        or any(row[name] if name in counts else row[name] is not None for row in result.rows)
    ]
    keys = [name for name in result.measure.keys if name in names and _differs(result, name)]
    names = [*result.group_columns, *dict.fromkeys([*keys, *names])]
    for name in names:
        field = declared.get(name)
        head = heading(name, result)
        marks = _marks(_why_undefined(result, name))
        cells = tuple(_short_cell(row, name, field, result.names, marks) for row in result.rows)
        of_words = field is None or field.kind in ("text", "list")
        most = max(map(cell_len, (head, *cells)))
        parts = [head, *cells] if of_words else [head]
        least = max(cell_len(word) for part in parts for word in part.split() or [""])
        if cell_len(head) <= _SHORT:
            least = max(least, cell_len(head))
        if not of_words:
            least = max(least, *map(cell_len, cells))
        is_empty = all(row[name] is None for row in result.rows)
        most = max(most if of_words else least, 1)
        of_name = _least_broken((head, *cells)) if of_words and name in keys else None
        yield _Column(name, head, cells, of_words, min(least, room // 2), most, is_empty, of_name)


def _differs(result: "Result", name: str) -> bool:
    """Return whether a field names rows apart, or is the only one that names them."""
    return name == result.measure.keys[0] or len({str(row[name]) for row in result.rows}) > 1


def _widths(columns: Sequence[_Column], room: int) -> list[int]:
    """Return the width of each column: its least, and for words more while there is room.

    Each letter goes to the column whose words take most lines, so that long reasons have more than names.
    """
    widths = [column.least for column in columns]
    letters = [[max(map(len, cell.split("\n"))) for cell in column.cells] for column in columns]

    def lines(index: int) -> float:
        return sum(math.ceil(each / widths[index]) for each in letters[index]) + 1 / widths[index]

    for _ in range(room - sum(widths) - _GAP * (len(columns) - 1)):
        short = [index for index, column in enumerate(columns) if widths[index] < column.most]
        if not short:
            break
        widths[max(short, key=lines)] += 1
    return widths


def _short_cell(
    row: "Row", name: str, field: "Field | None", names: Mapping[str, str], marks: Mapping[str, str]
) -> str:
    """Return a cell in the words of pages; for an undefined number a dash with the mark of its reason."""
    from engine.words.row_cells import cell

    if field is None:  # a column grouped by
        return "(no value)" if row[name] is None else on_one_line(names.get(row[name], str(row[name])))
    if row[name] is None and name != "judge":
        return "" if field.kind == "text" else f"{DASH}{marks.get(row['reasons'].get(name, ''), '')}"
    ends = (row.get(f"{name}_low"), row.get(f"{name}_high"))  # of some numbers, fields of their own
    return on_one_line(cell(row, replace(field, interval=None not in ends)))


def _undefined(
    result: "Result", fields: Sequence[str], columns: Sequence[_Column], sentences: Sequence[str]
) -> Iterator[str]:
    """Yield why some numbers of the columns that are printed are undefined, each reason once.

    Of the headline number also where no row has one, so that its column is not printed.
    """
    from engine.phrases import join_names
    from engine.words.row_cells import declared_fields
    from engine.words.short_titles import field_title

    declared, heads = declared_fields(result), {column.head for column in columns}
    columns_by_reason: dict[str, list[str]] = {}
    for name in fields:
        why = _why_undefined(result, name)
        reasons = "; ".join(f"{mark} {why[code]}".strip() for code, mark in _marks(why).items())
        if reasons and declared[name].kind not in ("text", "list"):
            columns_by_reason.setdefault(reasons, []).append(field_title(result.measure, name))
    headline = field_title(result.measure, result.measure.headline)
    for reasons, names in columns_by_reason.items():
        printed = [name for name in names if name in heads]
        if any(reasons in sentence for sentence in sentences):
            continue
        if printed:
            yield f"{DASH} in {join_names(printed)}: {reasons}."
        elif headline in names and not result.has_values(result.measure.headline):
            yield f"{headline} is not shown: {reasons}."


def _why_undefined(result: "Result", name: str) -> dict[str, str]:
    """Return the codes and the words of why a field's numbers are undefined, in the order of the rows."""
    from engine.measures.undefined_reasons import meaning

    codes = dict.fromkeys(row["reasons"].get(name) for row in result.rows if row[name] is None)
    return {code: meaning(code) for code in codes if code}


def _marks(why: Mapping[str, str]) -> dict[str, str]:
    """Return the mark of each reason of a column, a raised number; of a single one none."""
    if len(why) < 2:
        return dict.fromkeys(why, "")
    return {code: str(number).translate(_RAISED) for number, code in enumerate(why, 1)}


def on_one_line(text: str) -> str:
    """Return a name that is safe to print: line breaks and control characters become spaces."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
