"""`spb annotations`: tasks for people, made from a study, shared out, watched and written back."""

from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import StoreOption, StudyOption, say

if TYPE_CHECKING:
    from engine.annotations.agreement import Estimate
    from engine.annotations.items import Item

app = typer.Typer(help="Tasks that people label.", no_args_is_help=True, rich_markup_mode=None)

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="The task's name.")]


@app.command("create")
def create(
    task: TaskArgument,
    study: StudyOption,
    kind: Annotated[
        str, typer.Option("--kind", help="equal_pair, preference, clusters or rubric_verdict.")
    ] = "equal_pair",
    selection: Annotated[
        str, typer.Option("--select", help="equal, hard, disagreement or overestimation.")
    ] = "equal",
    number: Annotated[int, typer.Option("--items", help="How many items at most.")] = 100,
    epsilon: Annotated[float, typer.Option("--epsilon", help="The largest difference called equal.")] = 0.25,
    gap: Annotated[float, typer.Option("--gap", help="The least difference of a contrast pair.")] = 2.0,
    cluster: Annotated[int, typer.Option("--cluster", help="Responses of a question in a hard case.")] = 5,
    judge: Annotated[str | None, typer.Option("--judge", help="overestimation: only of this judge.")] = None,
    generator: Annotated[
        str | None, typer.Option("--generator", help="overestimation: only of this generator.")
    ] = None,
    title: Annotated[str, typer.Option("--title", help="What annotators see as its name.")] = "",
    guidelines: Annotated[
        str | None, typer.Option("--guidelines", metavar="FILE", help="A text file with what to look at.")
    ] = None,
    extra: Annotated[
        str | None, typer.Option("--extra", metavar="FILE", help="Practice and gold items (JSON Lines).")
    ] = None,
    overlap: Annotated[
        int | None, typer.Option("--overlap", help="People for each item (else all that are assigned).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the draw.")] = 0,
    store: StoreOption = None,
) -> None:
    """Select items of a study and make a task of them."""
    from engine.annotations.database import open_database
    from engine.annotations.selection import select
    from engine.annotations.tasks import create_task
    from engine.store import Store
    from engine.study import Study

    place = Store(store)
    told = {"select": selection, "epsilon": epsilon, "gap": gap, "cluster": cluster}
    told |= {"judge": judge, "generator": generator}
    items = select(
        Study(place.open(study)),
        selection,
        kind,
        number,
        seed=seed,
        epsilon=epsilon,
        gap=gap,
        cluster=cluster,
        judge=judge,
        generator=generator,
    )
    items += _extra(kind, extra)
    words = "" if guidelines is None else _read(guidelines)
    database = open_database(place)
    try:
        create_task(
            database,
            task,
            study,
            kind,
            items,
            title=title,
            guidelines=words,
            overlap=overlap,
            seed=seed,
            options=told,
        )
    finally:
        database.close()
    say(f"{task}: {len(items):,} items; share them out with: spb annotations assign {task} --to NAMES")


@app.command("assign")
def assign_people(
    task: TaskArgument,
    names: Annotated[list[str], typer.Option("--to", metavar="NAMES", help="The annotators.")],
    overlap: Annotated[int | None, typer.Option("--overlap", help="Raise the people for each item.")] = None,
    store: StoreOption = None,
) -> None:
    """Share a task's items out among annotators; what they have already stays."""
    from engine.annotations.database import open_database
    from engine.annotations.tasks import assign
    from engine.store import Store

    people = [part.strip() for item in names for part in item.split(",") if part.strip()]
    database = open_database(Store(store))
    try:
        given = assign(database, task, people, overlap)
    finally:
        database.close()
    for person, number in given.items():
        say(f"{person}: {number:,} new items")


@app.command("status")
def status(task: TaskArgument, store: StoreOption = None) -> None:
    """Show how far each annotator is, their pace and self-consistency, and how far they agree."""
    from engine.annotations.agreement import agreement, disputes
    from engine.annotations.database import open_database
    from engine.annotations.labelling import progress
    from engine.annotations.tasks import assigned_people
    from engine.store import Store

    database = open_database(Store(store))
    try:
        found = agreement(database, task)
        print("annotator", "done", "of", "skipped", "median_s", "self_agreement", sep="\t")
        for person in assigned_people(database, task):
            far = progress(database, task, person)
            same, seconds = found.itself.get(person), found.seconds.get(person)
            print(person, far.done, far.total, far.skipped, _number(seconds), _number(same), sep="\t")
        split = disputes(database, task)
    finally:
        database.close()
    say(f"Fleiss' kappa {_interval(found.kappa)}; Krippendorff's alpha {_interval(found.alpha)}")
    for (one, two), kappa in found.pairs.items():
        say(f"{one} and {two}: kappa {_interval(kappa)}")
    say(f"{len(split):,} items on which people differ, {sum(each.settled is None for each in split):,} open")


@app.command("export")
def export(task: TaskArgument, store: StoreOption = None) -> None:
    """Write a task's labels into its study, as annotations, references and preferences."""
    from engine.annotations.database import open_database
    from engine.annotations.exchange import export_task
    from engine.annotations.tasks import task_of
    from engine.store import Store

    place = Store(store)
    database = open_database(place)
    try:
        study = task_of(database, task).study
        told = export_task(database, task, place.open(study))
    finally:
        database.close()
    say(
        f"{study}: {told.annotations:,} annotations, {told.references:,} references and "
        f"{told.preferences:,} preferences of the task {task}"
    )


def _extra(kind: str, path: str | None) -> "list[Item]":
    import json

    from engine.annotations.items import items_of_file
    from engine.errors import bad_row

    rows = []
    for number, line in enumerate([] if path is None else _read(path).splitlines(), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError as error:
                raise bad_row(
                    str(path), number, f"the line is not JSON ({error})", "write an object"
                ) from None
            if not isinstance(row, dict):
                raise bad_row(str(path), number, f"the line is {row!r}", "write an object")
            rows.append(row)
    return items_of_file(kind, rows)


def _read(path: str) -> str:
    from pathlib import Path

    from engine.errors import BadInputError

    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path!r} cannot be read: {error}; give a text file in UTF-8") from error


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _interval(found: "Estimate") -> str:
    if found.value is None or found.low is None:
        return _number(found.value)
    return f"{found.value:.2f} [{_number(found.low)}, {_number(found.high)}]"
