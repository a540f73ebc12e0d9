"""`spb report`: a study's findings and pinned views as one file to be sent."""

from typing import Annotated

import typer

from engine.cli.options import StoreOption, StudyOption, say


def report(
    study: StudyOption,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The file to write.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="html|markdown",
            help="The file's format (else markdown where it ends in .md, else html).",
            show_default=False,
        ),
    ] = None,
    story: Annotated[
        str, typer.Option("--story", metavar="NAME", help="The story whose pinned views are printed.")
    ] = "main",
    date: Annotated[
        str | None,
        typer.Option(
            "--date", metavar="YYYY-MM-DD", help="The date to print (else today's).", show_default=False
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the file where there is one.")] = False,
    store: StoreOption = None,
) -> None:
    """Write a study's findings and pinned views into one file that can be sent.

    The HTML holds its charts and scripts and asks no server for anything; the Markdown has tables in their
    place. Both say how numbers are made, where they come from, and which commands print them again.
    """
    from pathlib import Path

    from engine.errors import StoreError, UsageError, unknown
    from engine.report import FORMS, written
    from engine.store import Store
    from engine.study import Study

    path = Path(out)
    chosen = form or ("markdown" if path.suffix in (".md", ".markdown") else "html")
    if chosen not in FORMS:
        raise unknown("format", chosen, FORMS)
    if path.is_dir() or (path.exists() and not force):
        raise UsageError(f"{out!r} is there already; give another --out, or --force to write over a file")
    made = written(Study(Store(store).open(study)), chosen, story=story, date=date)
    try:
        path.write_bytes(made)
    except OSError as error:
        raise StoreError(f"{out!r} cannot be written: {error}; give another --out") from error
    say(f"wrote {out}: {len(made):,} bytes")
