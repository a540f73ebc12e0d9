"""Shared parts of the commands: options, progress, and printing of tables and reports."""

import inspect
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine import schema
from engine.cli.output import say
from engine.errors import UsageError
from engine.phrases import quantity

if TYPE_CHECKING:
    from engine.store import Mode
    from engine.store.writer import WriteReport
    from engine.study import Study


@dataclass(frozen=True)
class StudyPlace:
    """Marks a command's parameter `study`: `engine.cli.command` makes it an argument, and answers --study."""

    kind: Literal["stored", "any", "new"]
    """A study of the store; one of it, or none; or one that is to be written."""


StudyArgument = Annotated[str, StudyPlace("stored")]
AnyStudyArgument = Annotated[str | None, StudyPlace("any")]
NewStudyArgument = Annotated[str, StudyPlace("new")]

StoreOption = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Folder or s3:// URL of the studies (default: SPB_STORE, else ./results)."
    ),
]
NewStudyOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name of the study in the store (default: the source's name)."),
]
AppendOption = Annotated[bool, typer.Option("--append", help="Add to an existing study of that name.")]
ReplaceOption = Annotated[bool, typer.Option("--replace", help="Replace an existing study of that name.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
Format = Literal["text", "json"]
FormOption = Annotated[Format, typer.Option("--format", help="Output format.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Check everything, write nothing.")]


def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def split_names(values: Iterable[str]) -> list[str]:
    """Return the items of a list given with commas, repeated flags, or both."""
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def open_study(store: str | None, study: str) -> "Study":
    from engine.store import Store
    from engine.study import Study

    return Study(Store(store).open(study))


def next_command(store: str | None, *words: str) -> str:
    """Return a command to go on with in the store of this one: `spb run watch ID --store PATH`."""
    return shlex.join(["spb", *words, *(["--store", store] if store else [])])


def time_text(seconds: float) -> str:
    """Return a time in seconds since 1970 as ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def write_mode(*, append: bool, replace: bool) -> "Mode":
    """Return the mode that the two flags request; UsageError if both are given."""
    if append and replace:
        raise UsageError("--append and --replace cannot be combined; give one of them")
    return "append" if append else "replace" if replace else "new"


def say_report(report: "WriteReport") -> None:
    """Print what an import read, which columns took their defaults, and the study that it wrote."""
    for table in report.tables:
        table_schema = schema.TABLES[table.name]
        line = f"{table.name}: {quantity(table.rows, 'row')}"
        if table.unchanged:
            line += f" ({table.unchanged:,} of them already in the study)"
        defaults = []
        for name, rows in table.defaults.items():
            part = "" if rows == table.rows else f" in {quantity(rows, 'row')}"
            defaults.append(f"{name}={table_schema.column(name).default}{part}")
        line += "; default " + ", ".join(defaults) if defaults else ""
        line += "; columns not stored: " + ", ".join(map(repr, table.ignored)) if table.ignored else ""
        say(line)
    if report.ignored_files:
        say("files ignored, because they are not tables: " + ", ".join(map(repr, report.ignored_files)))
    for warning in report.warnings:
        say(f"warning: {warning}")
    say(f"wrote the study {report.study}" if report.study else "dry run: nothing was written")


# ------------------------------------------------------------------------------
# A progress bar on standard error while something is downloaded.


@contextmanager
def download_progress() -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function to call with the bytes so far and the total bytes (None: unknown)."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

    bar = Progress(BarColumn(), DownloadColumn(), TransferSpeedColumn(), console=Console(stderr=True))
    task = bar.add_task("download", total=None, visible=False)
    with bar:
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)


# ------------------------------------------------------------------------------
# Rows of texts in columns.


_GAP = 2  # spaces between two columns


def print_columns(
    heads: Iterable[str], rows: Iterable[Iterable[str]], *, right: bool = False, keys: Collection[str] = ()
) -> None:
    """Print rows of texts under their heads; with `right`, all columns but the first are right-aligned.

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
    widths = [max(map(cell_len, column)) for column in zip(names, *lines, strict=True)]
    key_indices = [index for index, name in enumerate(names) if name in keys] or [0]
    room = Console().width if sys.stdout.isatty() else None
    for number, block in enumerate(_blocks(widths, key_indices, room)):
        if number:
            print()
        table = Table(box=None, pad_edge=False, header_style="bold")
        for index in block:
            table.add_column(names[index], justify="right" if right and index else "left", no_wrap=True)
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
