"""Options that several commands take, and how reports are printed."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from engine.store.store import Mode
    from engine.store.writer import WriteReport

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Where studies are: a folder or s3:// URL (else SPB_STORE, else ./results).",
    ),
]
StudyOption = Annotated[str, typer.Option("--study", metavar="NAME", help="The study's name in the store.")]
NewStudyOption = Annotated[
    str | None,
    typer.Option("--study", metavar="NAME", help="The study's name in the store (else that of the source)."),
]
AppendOption = Annotated[bool, typer.Option("--append", help="Add to the study of that name.")]
ReplaceOption = Annotated[bool, typer.Option("--replace", help="Put this in the place of the study.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Check everything, write nothing.")]


def say(text: str, *, found: bool = False) -> None:
    """Print a message for the user: to standard output where it was asked for, else to standard error.

    Control characters in names are shown escaped.
    """
    from engine.errors import printable

    print(printable(text, keep="\n"), file=sys.stdout if found else sys.stderr)


def write_mode(*, append: bool, replace: bool) -> "Mode":
    """Return the mode that the two flags ask for; UsageError where both are given."""
    from engine.errors import UsageError

    if append and replace:
        raise UsageError("--append and --replace exclude each other; give one of them")
    return "append" if append else "replace" if replace else "new"


def say_report(report: "WriteReport") -> None:
    """Print what an import read, which columns took their defaults, and the study it wrote."""
    from engine import schema

    for table in report.tables:
        declared = schema.TABLES[table.name]
        line = f"{table.name}: {table.rows:,} rows"
        if table.known:
            line += f" ({table.known:,} of them already in the study)"
        defaults = [
            f"{name}={declared.column(name).default}" + ("" if rows == table.rows else f" in {rows:,} rows")
            for name, rows in table.defaults.items()
        ]
        line += "; default " + ", ".join(defaults) if defaults else ""
        line += "; columns not stored: " + ", ".join(map(repr, table.ignored)) if table.ignored else ""
        say(line)
    if report.ignored_files:
        say("files that are no table: " + ", ".join(map(repr, report.ignored_files)))
    for warning in report.warnings:
        say(f"warning: {warning}")
    say(f"wrote the study {report.study}" if report.study else "dry run: nothing was written")
