"""`spb export`: a study's tables as CSV or Parquet."""

from typing import Annotated

import typer

from engine.cli.options import StoreOption, StudyOption, say


def export(
    study: StudyOption,
    to: Annotated[
        str, typer.Option("--to", metavar="DIR", help="The folder to make; it must not exist or be empty.")
    ],
    form: Annotated[str, typer.Option("--format", metavar="csv|parquet", help="The files' format.")] = "csv",
    store: StoreOption = None,
) -> None:
    """Write a study's tables as an exchange folder that `spb import tidy` reads."""
    from engine.store import Store
    from engine.store.export import export_study

    for name, rows in export_study(Store(store).open(study), to, form).items():
        say(f"{name}: {rows:,} rows")
    say(f"wrote {to}")
