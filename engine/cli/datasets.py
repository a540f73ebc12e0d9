"""`spb datasets`: published studies and data sets that the user's machine downloads itself."""

from typing import Annotated

import typer

from engine.cli.options import NewStudyOption, ReplaceOption, StoreOption, say_report, write_mode

app = typer.Typer(
    help="Data sets and published studies to download.", no_args_is_help=True, rich_markup_mode=None
)


@app.command("list")
def list_datasets() -> None:
    """List what can be fetched: name, title, licence, size, address, sha256."""
    from engine.datasets import catalogue

    for entry in catalogue().values():
        pinned = entry.sha256 or "not pinned: the sum of the download is shown"
        print(entry.name, entry.title, entry.licence, entry.size, entry.url, pinned, sep="\t")


@app.command("fetch")
def fetch_dataset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name of `spb datasets list`.")],
    origin: Annotated[
        str | None, typer.Option("--from", metavar="URL-or-path", help="Take the file from there instead.")
    ] = None,
    study: NewStudyOption = None,
    store: StoreOption = None,
    replace: ReplaceOption = False,
) -> None:
    """Download a data set or a published study, check its sum and write it into the store."""
    from engine.cli.progress import download_progress
    from engine.datasets import fetch
    from engine.store import Store

    mode = write_mode(append=False, replace=replace)
    with download_progress() as progress:
        report = fetch(name, Store(store), study, origin=origin, mode=mode, progress=progress)
    say_report(report)
