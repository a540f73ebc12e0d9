"""`spb migrate`: studies and labels of an older version, rewritten as the current one."""

from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import StoreOption, say

if TYPE_CHECKING:
    from engine.store import Store


def migrate(
    study: Annotated[
        str | None,
        typer.Argument(metavar="STUDY", help="The study (else all of the store, and its labels)."),
    ] = None,
    store: StoreOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, write nothing.")
    ] = False,
) -> None:
    """Rewrite studies of an older schema version as the current one, each whole or not at all.

    Without a study, all of the store and the database of its labels. One that a newer version of the program
    wrote is refused before anything is changed.
    """
    from engine.store import Store
    from engine.store.migrate import migrate_study, migrations_of

    place = Store(store)
    found = [place.open(name) for name in ([study] if study is not None else place.studies())]
    older = [files for files in found if migrations_of(files)]
    labels = study is None and _labels(place, dry_run=dry_run)
    done = "would be" if dry_run else "was"
    for files in older:
        version = files.info.schema_version
        steps = migrations_of(files) if dry_run else migrate_study(files)
        say(f"{files.name}: version {version} {done} rewritten: {'; '.join(step.words for step in steps)}")
    current = len(found) - len(older)
    if current:
        say(f"{current:,} of {len(found):,} studies are of the current version")
    if not older and not labels:
        say("there is nothing to do")


def _labels(store: "Store", *, dry_run: bool) -> bool:
    """Bring the labels of a store to the current version; return whether they were of an older one."""
    from engine.annotations.database import open_database, stored_version
    from engine.annotations.tables import SCHEMA_VERSION

    version = stored_version(store)
    if version is None or version == SCHEMA_VERSION:
        return False
    if not dry_run or version > SCHEMA_VERSION:  # a newer one is refused by who opens it
        open_database(store).close()
    say(f"labels: version {version} {'would be' if dry_run else 'was'} brought to {SCHEMA_VERSION}")
    return True
