"""`spb pack`: what opens a large study quickly, made ahead of its first opening."""

from typing import Annotated

import typer

from engine.cli.options import StoreOption, StudyOption, say


def pack(
    study: StudyOption,
    store: StoreOption = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="tcp://HOST:PORT",
            help="Let the Dask cluster there read shards of instances.",
        ),
    ] = None,
) -> None:
    """Pack a study's rubric verdicts ahead, so that its first opening takes as little as every other."""
    from engine.ahead import pack_ahead
    from engine.store import Store

    kept = 0
    for one in pack_ahead(Store(store).open(study), cluster):
        kept += 1
        what = f"{one.selection.paradigm} ({one.selection.variant}, transform {one.selection.transform})"
        say(f"{what}: {one.verdicts:,} verdicts of {one.judges} judges on {one.generators} generators")
    if kept == 0:
        say(
            f"nothing is kept of {study!r}: it is small or has no rubric verdicts, and opens quickly as it is"
        )
