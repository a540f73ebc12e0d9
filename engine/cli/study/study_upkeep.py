"""`spb study check`, `upgrade` and `pack`: a stored study's files."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.former import is_former
from engine.cli.options import AnyStudyArgument, StoreOption, StudyArgument
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, print_done, print_rows
from engine.phrases import join_names, quantity
from engine.wording import command_line

if TYPE_CHECKING:
    from engine.store import Store


_MOST_JUDGES = 12
"""Judges whose unparsed judgments are counted one by one, those with the most."""


def validate(
    study: StudyArgument,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Check every row of a stored study, with the checks of an import."""
    from engine.collect.dispatch.run_status import shortfall_words
    from engine.collect.run.shortcomings import shortcomings, unparsed_by_judge
    from engine.store import Store
    from engine.store.writer import validate_study

    files = Store(store).open(study)
    tables = validate_study(files)
    former = is_former() and format == "table"
    if former:
        for table in tables:
            say(f"{table.name}: {quantity(table.rows, 'row')}")
    shortfalls, errors = shortcomings(files)
    if unexplained := shortfalls.pop("", 0):
        say(f"{unexplained:,} judgments are unparsed")
    for words in shortfall_words(shortfalls):
        say(words)
    if of_judges := unparsed_by_judge(files):
        counts = join_names([f"{judge} {number:,}" for judge, number in of_judges], _MOST_JUDGES)
        say(f"unparsed, by judge: {counts}")
    for words, count in errors:
        say(f"{count:,} errors: {words}")
    if unprotected := files.unprotected():
        names = ", ".join(unprotected[:3]) + (", ..." if len(unprotected) > 3 else "")
        number = quantity(len(unprotected), "file")
        remedy = (
            f"damage to them may go unnoticed; `{command_line('study', 'upgrade', study)}` writes them anew"
        )
        say(f"{number} without checksums ({names}): {remedy}")
    if former:
        say(f"the study {study!r} is valid")
        return
    rows = [{"table": table.name, "rows": table.rows} for table in tables]
    facts = {"study": study, "valid": True, "without_checksums": len(unprotected)}
    sentences = (f"The study {study!r} is valid.",)
    print_rows(Rows(rows, {"table": "Table", "rows": "Rows"}, sentences, facts), format)


def migrate(
    study: AnyStudyArgument = None,
    store: StoreOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be rewritten, write nothing.")
    ] = False,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Upgrade studies of an older schema version.

    Files without checksums are written anew. Each is upgraded whole or not at all. Without a study, all
    studies of the store and its labels are upgraded. Studies of a newer version are refused before anything
    changes.
    """
    from engine.store import Store
    from engine.store.migration import migrate_study, migrations_of

    study_store = Store(store)
    studies = [study_store.open(name) for name in ([study] if study is not None else study_store.studies())]
    older = [files for files in studies if migrations_of(files) or files.unprotected()]
    labels = study is None and _labels(study_store, dry_run=dry_run)
    verb = "would be" if dry_run else "was"
    rows = []
    for files in older:
        version = files.info.schema_version
        without = len(files.unprotected())
        steps = migrations_of(files) if dry_run else migrate_study(files)
        changes = [step.summary for step in steps]
        changes += [f"checksums in {quantity(without, 'file')}"] if without else []
        say(f"{files.name}: version {version} {verb} rewritten: {'; '.join(changes)}")
        rows.append({"study": files.name, "version": version, "changes": changes})
    current = len(studies) - len(older)
    if current:
        say(f"up to date: {current:,} of {quantity(len(studies), 'study')}")
    if not older and not labels:
        say("there is nothing to do")
    names = ("study", "version", "changes")
    print_done(format, *rows, names=names, dry_run=dry_run, labels=labels, up_to_date=current)


def _labels(store: "Store", *, dry_run: bool) -> bool:
    """Upgrade the labels of a store to the current version; return whether they were older."""
    from engine.annotations.database import open_database, stored_version
    from engine.annotations.database_tables import SCHEMA_VERSION

    version = stored_version(store)
    if version is None or version == SCHEMA_VERSION:
        return False
    if not dry_run or version > SCHEMA_VERSION:  # opening refuses a newer one
        open_database(store).close()
    say(f"labels: version {version} {'would be' if dry_run else 'was'} rewritten as {SCHEMA_VERSION}")
    return True


def pack(
    study: StudyArgument,
    store: StoreOption = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="tcp://HOST:PORT", help="Let the Dask cluster at this address read shards of questions."
        ),
    ] = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Pack a study's verdicts, so that its first opening is fast."""
    from engine.arrays.bits.verdicts import prebuild_cache
    from engine.store import Store

    rows = []
    for each in prebuild_cache(Store(store).open(study), cluster):
        what = f"{each.selection.paradigm} ({each.selection.variant}, transform {each.selection.transform})"
        who = f"{quantity(each.judges, 'judge')} on {quantity(each.generators, 'model')}"
        say(f"{what}: {quantity(each.verdicts, 'verdict')} of {who}")
        counts = {"judges": each.judges, "generators": each.generators, "verdicts": each.verdicts}
        rows.append(asdict(each.selection) | counts)
    names = ("paradigm", "variant", "transform", "judges", "generators", "verdicts")
    print_done(format, *rows, names=names, study=study)
    if not rows:
        why = "it is small or has no verdicts on criteria, so it opens quickly anyway"
        say(f"nothing to pack in {study!r}: {why}")
