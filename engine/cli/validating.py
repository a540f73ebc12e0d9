"""`spb validate`: the integrity of a stored study."""

from engine.cli.options import StoreOption, StudyOption, say


def validate(study: StudyOption, store: StoreOption = None) -> None:
    """Check every row of a stored study as an import would."""
    from engine.store import Store
    from engine.store.validate import validate_study

    for table in validate_study(Store(store).open(study)):
        say(f"{table.name}: {table.rows:,} rows")
    say(f"the study {study!r} is sound")
