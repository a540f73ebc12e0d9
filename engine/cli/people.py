"""The commands about people: `spb annotations` for their tasks, `spb annotators` for themselves."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import StoreOption, StudyOption, say, split_names

if TYPE_CHECKING:
    from engine.annotations.agreement import Estimate, Share
    from engine.annotations.database import Database
    from engine.annotations.exchange import Exported
    from engine.store import Store


# ------------------------------------------------------------------------------
# `spb annotations`: tasks for people, made from a study, shared out, watched and written back.


annotations_app = typer.Typer(help="Tasks that people label.", no_args_is_help=True, rich_markup_mode=None)

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


@annotations_app.command("create")
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
    from engine.annotations.sampling import Wanted, select
    from engine.annotations.tasks import create_task, items_of_lines
    from engine.study import Study

    wanted = Wanted(selection, kind, number, seed, epsilon, gap, cluster, judge=judge, generator=generator)
    words = "" if guidelines is None else _text(guidelines)
    with _labels(store) as (place, database):
        items = select(Study(place.open(study)), wanted)
        items += [] if extra is None else items_of_lines(wanted.kind, _text(extra), extra)
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
            options=wanted.settings(),
        )
    say(f"{task}: {len(items):,} items; share them out with: spb annotations assign {task} --to NAMES")


@annotations_app.command("assign")
def assign_people(
    task: TaskArgument,
    names: Annotated[list[str], typer.Option("--to", metavar="NAMES", help="The annotators.")],
    overlap: Annotated[int | None, typer.Option("--overlap", help="Raise the people for each item.")] = None,
    store: StoreOption = None,
) -> None:
    """Share a task's items out among annotators; what they have already stays."""
    from engine.annotations.tasks import assign, lacking

    with _labels(store) as (_, database):
        given = assign(database, task, split_names(names), overlap)
        short = lacking(database, task)
    for person, number in given.items():
        say(f"{person}: {number:,} new items")
    if short:
        say(f"{short:,} items have fewer people than the task's overlap; assign more people")


@annotations_app.command("status")
def status(task: TaskArgument, store: StoreOption = None) -> None:
    """Show how far each annotator is, their pace and self-consistency, and how far they agree."""
    from engine.annotations.adjudication import disputes
    from engine.annotations.agreement import Share, agreement
    from engine.annotations.labels import progress, reports
    from engine.annotations.tasks import assigned_people

    with _labels(store) as (_, database):
        results, split = agreement(database, task), disputes(database, task)
        harmful = sum(report.harmful for report in reports(database, task))
        print("annotator", "done", "of", "skipped", "median_s", "self_agreement", "gold", sep="\t")
        for person in assigned_people(database, task):
            far, seconds = progress(database, task, person), results.seconds.get(person)
            shares = (results.itself.get(person, Share(0, 0)), results.gold.get(person, Share(0, 0)))
            print(person, far.done, far.total, far.skipped, _number(seconds), *map(_share, shares), sep="\t")
    say(f"Fleiss' kappa {_interval(results.kappa)}; Krippendorff's alpha {_interval(results.alpha)}")
    for (one, two), kappa in results.pairs.items():
        say(f"{one} and {two}: kappa {_interval(kappa)}")
    say(f"{len(split):,} items on which people differ, {sum(not each.settled for each in split):,} open")
    if harmful:
        say(f"{harmful:,} reports of harmful content")


@annotations_app.command("close")
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


@annotations_app.command("export")
def export(
    task: TaskArgument,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FILE", help="Into a .csv, .jsonl or .parquet file instead.")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Write a task's labels into its study, as annotations, references and preferences."""
    from engine.annotations.exchange import annotation_rows, export_task, write_labels
    from engine.annotations.tasks import task_of

    with _labels(store) as (place, database):
        study = task_of(database, task).study
        if to is not None:
            rows = annotation_rows(database, task)
            write_labels(rows, to)
            say(f"{to}: {len(rows):,} labels of the task {task}")
            return
        exported = export_task(database, task, place.open(study))
    say(f"{study}: {_written(exported)} of the task {task}")


@annotations_app.command("import")
def import_labels(
    path: Annotated[str, typer.Argument(metavar="FILE", help="Labels in the columns of `annotations`.")],
    study: StudyOption,
    store: StoreOption = None,
) -> None:
    """Join labels of a file or folder to a study; those of the same person, item and round are replaced."""
    from engine.annotations.exchange import import_labels as join
    from engine.store import Store

    exported = join(Store(store).open(study), path)
    say(f"{study}: {_written(exported)} of {path}")


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


def _text(path: str) -> str:
    from engine.errors import BadInputError
    from engine.values import text_of

    try:
        return text_of(path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path!r} cannot be read: {error}; give a text file in UTF-8") from error


def _written(exported: "Exported") -> str:
    counts = f"{exported.annotations:,} annotations, {exported.references:,} references"
    return f"{counts} and {exported.preferences:,} preferences"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _share(share: "Share") -> str:
    return "–" if share.value is None else f"{share.value:.2f} ({share.right}/{share.of})"


def _interval(estimate: "Estimate") -> str:
    from engine.words import with_interval

    return with_interval(estimate.value, estimate.low, estimate.high)


# ------------------------------------------------------------------------------
# `spb annotators`: who labels.


annotators_app = typer.Typer(help="The people who label.", no_args_is_help=True, rich_markup_mode=None)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The name that labels are kept under.")]
AddressOption = Annotated[
    str | None,
    typer.Option("--address", metavar="URL", help="Where the explorer is opened (else SPB_ADDRESS)."),
]
EmailOption = Annotated[
    str | None, typer.Option("--email", help="The e-mail of their login, where the explorer has one.")
]


@annotators_app.command("add")
def add(
    name: NameArgument,
    role: Annotated[str, typer.Option("--role", help="annotator or coordinator.")] = "annotator",
    email: EmailOption = None,
    address: AddressOption = None,
    store: StoreOption = None,
) -> None:
    """Add a person and print their personal link, once: its token is stored as a hash."""
    from engine.annotations.people import add_person, link

    link(address, "")  # a wrong address is refused before anybody is added
    with _labels(store) as (_, database):
        token = add_person(database, name, role, email)
    _give(name, link(address, token))


@annotators_app.command("renew")
def renew(name: NameArgument, address: AddressOption = None, store: StoreOption = None) -> None:
    """Give somebody a new link and print it; the old one opens nothing any more."""
    from engine.annotations.people import link, renew_token

    link(address, "")
    with _labels(store) as (_, database):
        token = renew_token(database, name)
    _give(name, link(address, token))


@annotators_app.command("end")
def end(name: NameArgument, store: StoreOption = None) -> None:
    """Let somebody's link and login open nothing any more; their labels stay."""
    from engine.annotations.people import end_link

    with _labels(store) as (_, database):
        end_link(database, name)
    say(f"{name}: the link and the login have ended; a new link comes with: spb annotators renew {name}")


@annotators_app.command("rename")
def rename(
    name: NameArgument,
    new: Annotated[str, typer.Argument(metavar="NEW", help="The name from now on.")],
    store: StoreOption = None,
) -> None:
    """Give somebody another name, with all they labelled; their link goes on working."""
    from engine.annotations.people import rename_person

    with _labels(store) as (_, database):
        rename_person(database, name, new)
    say(f"{name} is {new} now; export their tasks anew where a study holds their labels")


@annotators_app.command("email")
def email(
    name: NameArgument,
    email: Annotated[str | None, typer.Argument(metavar="EMAIL", help="None given: no login.")] = None,
    store: StoreOption = None,
) -> None:
    """Set the e-mail of somebody's login, or take it away."""
    from engine.annotations.people import set_email

    with _labels(store) as (_, database):
        set_email(database, name, email)
    say(f"{name}: {'no login' if email is None else 'logs in as ' + email}")


@annotators_app.command("list")
def list_people(store: StoreOption = None) -> None:
    """List the people: name, role, whether their link works, e-mail, when they were added."""
    from engine.annotations.people import people

    with _labels(store) as (_, database):
        everyone = people(database)
    for person in everyone:
        print(person.name, person.role, person.link, person.email or "-", person.created_at, sep="\t")


def _give(name: str, link: str) -> None:
    print(link)
    say(f"the personal link of {name}: whoever has it is {name}; it cannot be shown again")
