"""`spb import FORMAT PATH`: a study from files in an outside format."""

from typing import Annotated

import typer

from engine.cli.options import (
    AppendOption,
    DryRunOption,
    NewStudyOption,
    ReplaceOption,
    StoreOption,
    say_report,
    write_mode,
)


def import_study(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="tidy: a folder in the exchange format. prometheus, hanna, pandalm: a file of them.",
        ),
    ],
    path: Annotated[str, typer.Argument(metavar="PATH", help="The folder or file to read.")],
    study: NewStudyOption = None,
    store: StoreOption = None,
    append: AppendOption = False,
    replace: ReplaceOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Check a study in an outside format and write it into the store, whole or not at all."""
    from engine.errors import unknown
    from engine.importers import FORMATS
    from engine.store import Store

    mode = write_mode(append=append, replace=replace)
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    say_report(FORMATS[form]()(path, Store(store), study, mode=mode, dry_run=dry_run))
