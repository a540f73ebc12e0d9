"""`spb annotations`: tasks for people, made from a study, shared out, watched and written back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import StoreOption, StudyOption, say

if TYPE_CHECKING:
    from engine.annotations.agreement import Estimate, Share
    from engine.annotations.database import Database
    from engine.annotations.exchange import Exported
    from engine.annotations.items import Item
    from engine.store import Store

app = typer.Typer(help="Tasks that people label.", no_args_is_help=True, rich_markup_mode=None)

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="The task's name.")]
_Selection = Annotated[
    str, typer.Option("--select", help="equal, hard, disagreement, overestimation or scores.")
]
_Kind = Annotated[
    str, typer.Option("--kind", help="equal_pair, preference, clusters, rubric_verdict or score.")
]
_Number = Annotated[int, typer.Option("--items", help="How many items at most.")]
_Epsilon = Annotated[float, typer.Option("--epsilon", help="The largest difference called equal.")]
_Gap = Annotated[float, typer.Option("--gap", help="The least difference of a contrast pair.")]
_Cluster = Annotated[int, typer.Option("--cluster", help="Responses of a question in a hard case.")]
_Judge = Annotated[str | None, typer.Option("--judge", help="overestimation: only of this judge.")]
_Generator = Annotated[
    str | None, typer.Option("--generator", help="overestimation: only of this generator.")
]
_Title = Annotated[str, typer.Option("--title", help="What annotators see as its name.")]
_Guidelines = Annotated[
    str | None, typer.Option("--guidelines", metavar="FILE", help="A text file with what to look at.")
]
_Extra = Annotated[
    str | None, typer.Option("--extra", metavar="FILE", help="Practice and gold items (JSON Lines).")
]
_Overlap = Annotated[
    int | None, typer.Option("--overlap", help="People for each item (else all that are assigned).")
]
_Seed = Annotated[int, typer.Option("--seed", help="The seed of the draw.")]


@app.command("create")
def create(
    task: TaskArgument,
    study: StudyOption,
    selection: _Selection = "equal",
    kind: _Kind = "",
    number: _Number = 100,
    epsilon: _Epsilon = 0.25,
    gap: _Gap = 2.0,
    cluster: _Cluster = 5,
    judge: _Judge = None,
    generator: _Generator = None,
    title: _Title = "",
    guidelines: _Guidelines = None,
    extra: _Extra = None,
    overlap: _Overlap = None,
    seed: _Seed = 0,
    store: StoreOption = None,
) -> None:
    """Select items of a study and make a task of them."""
    from engine.annotations.selection import Wanted, select
    from engine.annotations.tasks import create_task
    from engine.study import Study

    wanted = Wanted(selection, kind, number, seed, epsilon, gap, cluster, judge=judge, generator=generator)
    words = "" if guidelines is None else _text(guidelines)
    with _labels(store) as (place, database):
        items = select(Study(place.open(study)), wanted)
        items += _extra_items(wanted.kind, extra)
        create_task(
            database,
            task,
            study,
            wanted.kind,
            items,
            title=title,
            guidelines=words,
            overlap=overlap,
            seed=seed,
            options=wanted.told(),
        )
    say(f"{task}: {len(items):,} items; share them out with: spb annotations assign {task} --to NAMES")


@app.command("assign")
def assign_people(
    task: TaskArgument,
    names: Annotated[list[str], typer.Option("--to", metavar="NAMES", help="The annotators.")],
    overlap: Annotated[int | None, typer.Option("--overlap", help="Raise the people for each item.")] = None,
    store: StoreOption = None,
) -> None:
    """Share a task's items out among annotators; what they have already stays."""
    from engine.annotations.tasks import assign, lacking

    people = [part.strip() for item in names for part in item.split(",") if part.strip()]
    with _labels(store) as (_, database):
        given = assign(database, task, people, overlap)
        short = lacking(database, task)
    for person, number in given.items():
        say(f"{person}: {number:,} new items")
    if short:
        say(f"{short:,} items have fewer people than the task's overlap; assign more people")


@app.command("status")
def status(task: TaskArgument, store: StoreOption = None) -> None:
    """Show how far each annotator is, their pace and self-consistency, and how far they agree."""
    from engine.annotations.agreement import Share, agreement
    from engine.annotations.counted import reports
    from engine.annotations.decisions import disputes
    from engine.annotations.labelling import progress
    from engine.annotations.tasks import assigned_people

    with _labels(store) as (_, database):
        found, split = agreement(database, task), disputes(database, task)
        harmful = sum(report.harmful for report in reports(database, task))
        print("annotator", "done", "of", "skipped", "median_s", "self_agreement", "gold", sep="\t")
        for person in assigned_people(database, task):
            far, seconds = progress(database, task, person), found.seconds.get(person)
            shares = (found.itself.get(person, Share(0, 0)), found.gold.get(person, Share(0, 0)))
            print(person, far.done, far.total, far.skipped, _number(seconds), *map(_share, shares), sep="\t")
    say(f"Fleiss' kappa {_interval(found.kappa)}; Krippendorff's alpha {_interval(found.alpha)}")
    for (one, two), kappa in found.pairs.items():
        say(f"{one} and {two}: kappa {_interval(kappa)}")
    say(f"{len(split):,} items on which people differ, {sum(not each.settled for each in split):,} open")
    if harmful:
        say(f"{harmful:,} reports of harmful content")


@app.command("close")
def close(
    task: TaskArgument,
    reopen: Annotated[bool, typer.Option("--reopen", help="Take labels again.")] = False,
    store: StoreOption = None,
) -> None:
    """Take no more labels for a task."""
    from engine.annotations.tasks import close_task

    with _labels(store) as (_, database):
        close_task(database, task, closed=not reopen)
    say(f"{task} is {'open' if reopen else 'closed'}")


@app.command("export")
def export(
    task: TaskArgument,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FILE", help="Into a .csv, .jsonl or .parquet file instead.")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Write a task's labels into its study, as annotations, references and preferences."""
    from engine.annotations.exchange import annotation_rows, export_task
    from engine.annotations.incoming import write_labels
    from engine.annotations.tasks import task_of

    with _labels(store) as (place, database):
        study = task_of(database, task).study
        if to is not None:
            rows = annotation_rows(database, task)
            write_labels(rows, to)
            say(f"{to}: {len(rows):,} labels of the task {task}")
            return
        told = export_task(database, task, place.open(study))
    say(f"{study}: {_written(told)} of the task {task}")


@app.command("import")
def import_labels(
    path: Annotated[str, typer.Argument(metavar="FILE", help="Labels in the columns of `annotations`.")],
    study: StudyOption,
    store: StoreOption = None,
) -> None:
    """Join labels of a file or folder to a study; those of the same person, item and round are replaced."""
    from engine.annotations.incoming import import_labels as join
    from engine.store import Store

    told = join(Store(store).open(study), path)
    say(f"{study}: {_written(told)} of {path}")


@contextmanager
def _labels(store: str | None) -> "Iterator[tuple[Store, Database]]":
    """Open a store and its annotation database; the latter is closed at the end."""
    from engine.annotations.database import open_database
    from engine.store import Store

    place = Store(store)
    database = open_database(place)
    try:
        yield place, database
    finally:
        database.close()


def _extra_items(kind: str, path: str | None) -> "list[Item]":
    from engine.annotations.items import items_of_lines

    return [] if path is None else items_of_lines(kind, _text(path), path)


def _text(path: str) -> str:
    from engine.errors import BadInputError
    from engine.text_files import text_of

    try:
        return text_of(path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path!r} cannot be read: {error}; give a text file in UTF-8") from error


def _written(told: "Exported") -> str:
    counts = f"{told.annotations:,} annotations, {told.references:,} references"
    return f"{counts} and {told.preferences:,} preferences"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _share(found: "Share") -> str:
    return "–" if found.value is None else f"{found.value:.2f} ({found.right}/{found.of})"


def _interval(found: "Estimate") -> str:
    if found.value is None or found.low is None:
        return _number(found.value)
    return f"{found.value:.2f} [{_number(found.low)}, {_number(found.high)}]"
