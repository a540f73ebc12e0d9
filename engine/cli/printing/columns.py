"""Rows of texts in columns, in blocks where a terminal is too narrow."""

import sys
from collections.abc import Collection, Iterable, Sequence

from engine.cli.output import goes_to_markdown
from engine.cli.printing.markdown_out import print_markdown_table

_GAP = 2  # spaces between two columns


def print_columns(heads: Iterable[str], rows: Iterable[Iterable[str]], *, keys: Collection[str] = ()) -> None:
    """Print rows of texts under their heads.

    No text is cut. If a terminal is too narrow, the columns are printed in several blocks, one below the
    other, each with the columns that name the row: `keys`, else the first.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    names, lines = list(heads), [list(row) for row in rows]
    if not names:
        return
    if goes_to_markdown():
        print_markdown_table(names, lines)
        return
    widths = [max(map(cell_len, column)) for column in zip(names, *lines, strict=True)]
    key_indices = [index for index, name in enumerate(names) if name in keys] or [0]
    room = Console().width if sys.stdout.isatty() else None
    for number, block in enumerate(_blocks(widths, key_indices, room)):
        if number:
            print()
        table = Table(box=None, pad_edge=False, header_style="bold")
        for index in block:
            table.add_column(names[index], no_wrap=True)
        for line in lines:
            table.add_row(*(Text(line[index]) for index in block))
        Console(width=sum(widths[index] + _GAP for index in block), soft_wrap=True).print(table)


def _blocks(widths: Sequence[int], key_indices: list[int], room: int | None) -> list[list[int]]:
    """Return the columns of each block, in order: those in `key_indices`, and others while there is room."""
    blocks = [key_indices]
    for index in (index for index in range(len(widths)) if index not in key_indices):
        columns = sorted([*blocks[-1], index])
        fits = room is None or sum(widths[column] + _GAP for column in columns) - _GAP <= room
        if fits or blocks[-1] == key_indices:
            blocks[-1] = columns
        else:
            blocks.append(sorted([*key_indices, index]))
    return blocks
