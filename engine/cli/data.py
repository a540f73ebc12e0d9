"""`spb data`: published studies and data sets to download."""

import sys
from typing import Annotated

import typer

from engine.cli.options import (
    NewStudyOption,
    ReplaceOption,
    StoreOption,
    say_report,
    write_mode,
)
from engine.cli.output import say

datasets_app = typer.Typer(
    help="Download data sets and published studies.", no_args_is_help=True, rich_markup_mode=None
)


@datasets_app.command("list")
def list_datasets() -> None:
    """List data sets and studies to fetch, with licence, size, address, checksum and measures.

    A terminal shows the main facts; a pipe or file gets all of them, separated by tabs: name, title, licence,
    size, address, SHA-256, format, measures.
    """
    from engine.importers.datasets import catalogue

    for entry in catalogue().values():
        if sys.stdout.isatty():
            facts = f"{entry.name}: {entry.title} ({entry.size}; licence: {entry.licence})"
            say(f"{facts}\n    {entry.measures or 'questions for a run'}", result=True)
            continue
        unpinned = "not pinned: the checksum of the download is shown"
        checksum = entry.sha256 or ("each file by Git's sum at one commit" if entry.listing else unpinned)
        details = (entry.format or "", entry.measures or "questions for a run")
        print(entry.name, entry.title, entry.licence, entry.size, entry.url, checksum, *details, sep="\t")


@datasets_app.command("fetch")
def fetch_dataset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name from `spb datasets list`.")],
    origin: Annotated[
        str | None,
        typer.Option("--from", metavar="URL-or-path", help="Take the file from this URL or path instead."),
    ] = None,
    study: NewStudyOption = None,
    store: StoreOption = None,
    replace: ReplaceOption = False,
) -> None:
    """Download a data set or a published study, verify its checksum and write it into the store."""
    from engine.cli.options import download_progress
    from engine.importers.datasets import fetch
    from engine.store import Store

    mode = write_mode(append=False, replace=replace)
    with download_progress() as progress:
        report = fetch(name, Store(store), study, origin=origin, mode=mode, progress=progress)
    say_report(report)
