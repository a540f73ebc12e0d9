"""What a command that writes a study says of the tables it wrote."""

from typing import TYPE_CHECKING

from engine import schema
from engine.cli.output import say
from engine.phrases import quantity

if TYPE_CHECKING:
    from engine.store.writer import WriteReport


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
        say(f"warning: {warning}", caution=True)
    say(f"wrote the study {report.study}" if report.study else "dry run: nothing was written")
