"""`spb data`: published studies and data sets to download."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli.former import is_former
from engine.cli.options import (
    NewStudyOption,
    ReplaceOption,
    StoreOption,
    next_command,
    refuse_empty,
    write_mode,
)
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, print_done, print_rows
from engine.cli.write_report import say_report
from engine.errors import UsageError, unknown

datasets_app = typer.Typer(
    help="Download data sets and published studies.", no_args_is_help=True, rich_markup_mode=None
)


@datasets_app.command("list")
def list_datasets(format: RowFormatOption = "table") -> None:  # noqa: A002
    """List data sets and published studies to fetch.

    With what each can measure, its licence and its size. JSON and CSV have all facts: name, title, licence,
    size, address, SHA-256, format and measures.
    """
    from engine.importers.datasets.catalogue import catalogue

    rows = [
        {
            "name": entry.name,
            "title": entry.title,
            "licence": entry.licence,
            "size": entry.size,
            "url": entry.url,
            "sha256": entry.sha256,
            "listing": entry.listing,
            "format": entry.format,
            "measures": entry.measures,
        }
        for entry in catalogue().values()
    ]
    if is_former() and format == "table":
        _print_former_list(rows)
        return
    rows.insert(0, dict.fromkeys(rows[0]) | _DEMONSTRATIONS)
    cells = [row | {"measures": row["measures"] or _QUESTIONS} for row in rows]
    columns = {"name": "Name", "title": "Title", "measures": "What it can measure", "size": "Size"}
    print_rows(Rows(rows, columns, cells=cells), format)


_QUESTIONS = "questions for a run"
_DEMONSTRATIONS = {
    "name": "demonstrations",
    "title": "Four small simulated studies, shipped with this program: nothing is downloaded",
    "licence": "Apache-2.0",
    "size": "1.5 MB",
    "measures": "every measure: verdicts on criteria, orders, pairs, and answers that programs check",
}


def _print_former_list(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the main facts to a terminal, and all of them, separated by tabs, to a pipe or file."""
    for row in rows:
        measures = row["measures"] or _QUESTIONS
        if sys.stdout.isatty():
            facts = f"{row['name']}: {row['title']} ({row['size']}; licence: {row['licence']})"
            say(f"{facts}\n    {measures}", result=True)
            continue
        unpinned = "not pinned: the checksum of the download is shown"
        checksum = row["sha256"] or ("each file by Git's sum at one commit" if row["listing"] else unpinned)
        values = [row[name] for name in ("name", "title", "licence", "size", "url")]
        print(*values, checksum, row["format"] or "", measures, sep="\t")


@datasets_app.command("fetch")
def fetch_dataset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name from `spb data list`.")],
    origin: Annotated[
        str | None,
        typer.Option("--from", metavar="URL-or-path", help="Take the file from this URL or path instead."),
    ] = None,
    study: NewStudyOption = None,
    store: StoreOption = None,
    replace: ReplaceOption = False,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Download a data set or a published study into the store.

    Its checksum is verified. `demonstrations` are the simulated studies that ship with the program, such as
    demo-health.
    """
    from engine.cli.download_progress import download_progress
    from engine.importers.datasets.catalogue import catalogue, demonstrations, fetch
    from engine.store import Store

    refuse_empty(study)
    if name == _DEMONSTRATIONS["name"] or name in demonstrations():
        if study is not None or origin is not None or replace:
            raise UsageError(f"{name!r} ships with this program; leave out --study, --from and --replace")
        _copy_demonstrations(Store(store).root, None if name == _DEMONSTRATIONS["name"] else [name], format)
        return
    if name not in (entries := catalogue()):
        raise unknown("data set", name, (_DEMONSTRATIONS["name"], *entries))
    mode = write_mode(append=False, replace=replace)
    with download_progress() as progress:
        report = fetch(name, Store(store), study, origin=origin, mode=mode, progress=progress)
    say_report(report)
    rows = [{"table": table.name, "rows": table.rows} for table in report.tables]
    print_done(format, *rows, study=report.study)


def _copy_demonstrations(root: str, names: Sequence[str] | None, format: str) -> None:  # noqa: A002
    from engine.importers.datasets.catalogue import copy_demonstrations, demonstrations

    if "://" in root:
        raise UsageError(f"{root!r} is no folder to copy demonstrations into; give one with --store")
    copied = copy_demonstrations(Path(root).expanduser(), names)
    studies = names or demonstrations()
    for name in studies:
        say(f"wrote the study {root}/{name}" if name in copied else f"{root}/{name} is there already")
    say(f"next: {next_command(None if root == 'results' else root, 'judges', (names or ['demo-health'])[0])}")
    print_done(format, *({"study": name, "written": name in copied} for name in studies))
