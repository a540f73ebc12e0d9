"""What a command answers with, printed as a table, JSON or CSV: sentences first, then rows."""

import csv
import io
import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import typer

from engine.cli.output import goes_to_file, goes_to_markdown, say
from engine.cli.printing.fitting_columns import print_folded
from engine.cli.printing.markdown_out import print_markdown_text
from engine.errors import printable
from engine.values import without_formula

Row = Mapping[str, Any]
RowFormat = Literal["table", "json", "csv"]
RowFormatOption = Annotated[RowFormat, typer.Option("--format", help="Output format.")]
TextFormatOption = Annotated[
    Literal["table", "json", "csv", "text"],
    typer.Option("--format", metavar="table|json|csv", help="Output format; text is a table."),
]

_DASH = "–"
_MOST_WIDTH = 100


@dataclass(frozen=True)
class Rows:
    """Rows of a command's answer, the sentences that say what they come to, and facts about all of them.

    `columns` are the fields that a table shows, each under its head; JSON and CSV have every field. `cells`
    are the words of a table where they differ from the values.
    """

    rows: Sequence[Row]
    columns: Mapping[str, str]
    sentences: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    cells: Sequence[Row] | None = None

    def json(self) -> str:
        """Return one object: the facts, then the rows."""
        return json.dumps({**self.facts, "rows": list(map(dict, self.rows))}, ensure_ascii=False, default=str)

    def csv(self) -> str:
        """Return the rows with a head line; a list is written as JSON, null as an empty cell."""
        names = list(dict.fromkeys(name for row in self.rows for name in row)) or list(self.columns)
        text = io.StringIO()
        writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            writer.writerow({name: _csv_cell(value) for name, value in row.items()})
        return text.getvalue()


def print_rows(answer: Rows, form: str) -> None:
    """Print an answer to standard output."""
    if form == "json":
        say(answer.json(), result=True)
    elif form == "csv":
        print(answer.csv(), end="")
    else:
        print_sentences(answer.sentences)
        if answer.rows:
            if answer.sentences:
                print()
            cells = answer.rows if answer.cells is None else answer.cells
            lines = [[_cell(row.get(name)) for name in answer.columns] for row in cells]
            print_folded(list(answer.columns.values()), lines)


def print_done(form: str, *rows: Row, names: Sequence[str] = (), **facts: object) -> None:
    """Print what a command has done, as rows for programs; people read its messages, on standard error.

    `names` are the columns where there may be no row.
    """
    if form != "table" or goes_to_file():
        every = dict.fromkeys([*names, *(name for row in rows for name in row)])
        columns = {name: name.replace("_", " ").capitalize() for name in every}
        sentences = () if rows else ("There was nothing to do.",)
        print_rows(Rows(rows, columns, sentences, facts), form)


def print_sentences(sentences: Iterable[str], indent: str = "") -> None:
    """Print sentences, wrapped, to standard output."""
    for sentence in sentences:
        if goes_to_markdown():
            print_markdown_text(sentence)
            continue
        text = textwrap.fill(
            " ".join(printable(sentence, keep="\n").split()),
            _room(),
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        say(text, result=True)


def _room() -> int:
    from rich.console import Console

    return max(20, min(Console().width, _MOST_WIDTH))


def _cell(value: Any) -> str:
    if value is None:
        return _DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return printable(str(value))


def _csv_cell(value: Any) -> Any:
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False)
    return without_formula(value)
