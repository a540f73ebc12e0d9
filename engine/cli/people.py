"""`spb label`: tasks for people, and in `spb label people` their accounts."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from engine.bounded_files import text_of
from engine.cli.former import is_former
from engine.cli.options import StoreOption, StudyArgument, next_command, split_names
from engine.cli.output import say
from engine.cli.rows import RowFormatOption, Rows, print_rows
from engine.errors import BadInputError
from engine.phrases import quantity
from engine.plain_words import system_words

if TYPE_CHECKING:
    from engine.annotations.agreement import Share
    from engine.annotations.database import Database
    from engine.annotations.label_rows import ExportCounts
    from engine.store import Store


# ------------------------------------------------------------------------------
# `spb label`: labelling tasks, created from a study, assigned, watched and exported back.


annotations_app = typer.Typer(help="Manage labelling tasks.", no_args_is_help=True, rich_markup_mode=None)

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="Name of the task.")]
_Selection = Annotated[
    str,
    typer.Option(
        "--select", help="How items are selected: equal, hard, disagreement, overestimation or scores."
    ),
]
_Kind = Annotated[
    str,
    typer.Option(help="What labellers are asked: equal_pair, preference, clusters, rubric_verdict or score."),
]
_Number = Annotated[int, typer.Option("--items", help="Largest number of items.")]
_Epsilon = Annotated[float, typer.Option(help="Largest quality difference that counts as equal.")]
_Gap = Annotated[float, typer.Option(help="Smallest quality difference of a contrast pair.")]
_Cluster = Annotated[int, typer.Option(help="Answers per question in a hard case.")]
_Judge = Annotated[str | None, typer.Option(help="For overestimation: only verdicts of this judge.")]
_Generator = Annotated[str | None, typer.Option(help="For overestimation: only answers of this model.")]
_Title = Annotated[str, typer.Option(help="Title that labellers see.")]
_Guidelines = Annotated[
    str | None, typer.Option(metavar="FILE", help="Text file with guidelines for labellers.")
]
_Extra = Annotated[
    str | None, typer.Option(metavar="FILE", help="JSON Lines file with practice and gold items.")
]
_Overlap = Annotated[int | None, typer.Option(help="Labellers per item (default: all that are assigned).")]
_Seed = Annotated[int, typer.Option(help="Seed of the selection.")]


@annotations_app.command("create")
def create(
    task: TaskArgument,
    study: StudyArgument,
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
    """Create a task from selected items of a study."""
    from engine.annotations.items import items_of_lines
    from engine.annotations.people import people
    from engine.annotations.sampling import Sampling, select
    from engine.annotations.tasks import create_task
    from engine.study import Study

    plan = Sampling(selection, kind, number, seed, epsilon, gap, cluster, judge=judge, generator=generator)
    words = "" if guidelines is None else _text(guidelines)
    with _open_labels(store) as (study_store, database):
        items = select(Study(study_store.open(study)), plan)
        items += [] if extra is None else items_of_lines(plan.kind, _text(extra), extra)
        create_task(
            database,
            task,
            study,
            plan.kind,
            items,
            title=title,
            guidelines=words,
            overlap=overlap,
            seed=seed,
            options=plan.settings(),
        )
        team = [person.name for person in people(database)]
    say(f"{task}: {quantity(len(items), 'item')}")
    if team:
        assigning = next_command(store, "label", "assign", task, "--people", ",".join(team))
        say(f"assign them to all people with: {assigning}")
    else:
        adding = next_command(store, "label", "people", "add", "ann")
        opening = next_command(store, "open", study)
        say(f"label them yourself on the page Annotate: {opening}")
        say(f"or, with a team, add its people first, such as ann: {adding}")


@annotations_app.command("assign")
def assign_people(
    task: TaskArgument,
    names: Annotated[
        list[str], typer.Option("--people", "--to", metavar="NAMES", help="Labellers to assign.")
    ],
    overlap: Annotated[int | None, typer.Option(help="Raise the number of labellers per item.")] = None,
    store: StoreOption = None,
) -> None:
    """Assign a task's items to labellers; earlier assignments stay."""
    from engine.annotations.people import people
    from engine.annotations.tasks import assign, count_understaffed

    with _open_labels(store) as (_, database):
        roster = {person.name for person in people(database)}
        annotators = [name for text in names for name in ([text] if text in roster else split_names([text]))]
        new_items = assign(database, task, annotators, overlap)
        understaffed = count_understaffed(database, task)
    for person, number in new_items.items():
        say(f"{person}: {quantity(number, 'new item')}")
    if understaffed:
        say(f"{quantity(understaffed, 'item')} with fewer labellers than the task's overlap; assign more")


@annotations_app.command("status")
def status(task: TaskArgument, store: StoreOption = None, format: RowFormatOption = "table") -> None:  # noqa: A002
    """Show each labeller's progress, pace and self-consistency, and the agreement between labellers."""
    from engine.annotations.agreement import Share, agreement
    from engine.annotations.counted_labels import reports
    from engine.annotations.disputes import disputes
    from engine.annotations.progress import progress
    from engine.annotations.tasks import assigned_people, task_of
    from engine.words.annotator_words import agreement_of_people, kappa_of_two

    rows = []
    with _open_labels(store) as (_, database):
        kind = task_of(database, task).kind
        results, differences = agreement(database, task), disputes(database, task)
        harmful = sum(report.harmful for report in reports(database, task))
        for person in assigned_people(database, task):
            work = progress(database, task, person)
            facts = {"annotator": person, "done": work.done, "of": work.total, "skipped": work.skipped}
            shares = (results.self_agreement.get(person, Share(0, 0)), results.gold.get(person, Share(0, 0)))
            facts |= {"median_s": results.seconds.get(person)}
            rows.append((facts, shares))
    still_open = sum(not each.settled for each in differences)
    sentences = [
        agreement_of_people(results, kind),
        *(
            f"{first} and {second}: kappa {kappa_of_two(kappa)}"
            for (first, second), kappa in results.pairs.items()
        ),
        f"{quantity(len(differences), 'item')} on which labellers differ, {still_open:,} open",
        *([f"{quantity(harmful, 'report')} of harmful content"] if harmful else []),
    ]
    cells = [
        facts
        | {"median_s": "–" if facts["median_s"] is None else f"{facts['median_s']:.2f}"}
        | {"self_agreement": _share(shares[0]), "gold": _share(shares[1])}
        for facts, shares in rows
    ]
    heads = ("annotator", "done", "of", "skipped", "median_s", "self_agreement", "gold")
    if is_former() and format == "table":
        print(*heads, sep="\t")
        for cell in cells:
            print(*(cell[head] for head in heads), sep="\t")
        for sentence in sentences:
            say(sentence)
        return
    words = ("Labeller", "Done", "Of", "Skipped", "Median seconds", "Agrees with itself", "Gold items")
    data = [facts | {"self_agreement": a.value, "gold": b.value} for facts, (a, b) in rows]
    facts_of_task = {"task": task, "differ": len(differences), "open": still_open, "harmful": harmful}
    answer = Rows(data, dict(zip(heads, words, strict=True)), sentences, facts_of_task, cells)
    print_rows(answer, format)


@annotations_app.command("close")
def close(
    task: TaskArgument,
    reopen: Annotated[bool, typer.Option("--reopen", help="Accept labels again.")] = False,
    store: StoreOption = None,
) -> None:
    """Close a task: it accepts no more labels."""
    from engine.annotations.tasks import close_task

    with _open_labels(store) as (_, database):
        close_task(database, task, closed=not reopen)
    say(f"{task} is {'open' if reopen else 'closed'}")


@annotations_app.command("export")
def export(
    task: TaskArgument,
    to: Annotated[
        str | None,
        typer.Option(
            "--out", "--to", metavar="FILE", help="Write to a .csv, .jsonl or .parquet file instead."
        ),
    ] = None,
    store: StoreOption = None,
) -> None:
    """Write a task's labels into its study, as `annotations`, references and preferences."""
    from engine.annotations.label_files import write_labels
    from engine.annotations.label_rows import annotation_rows, export_task
    from engine.annotations.tasks import task_of

    with _open_labels(store) as (study_store, database):
        study = task_of(database, task).study
        if to is not None:
            rows = annotation_rows(database, task)
            write_labels(rows, to)
            say(f"{to}: {quantity(len(rows), 'label')} of the task {task}")
            return
        counts = export_task(database, task, study_store.open(study))
    why = "left out, as the study's texts have changed since"
    outdated = f"; {quantity(counts.outdated, 'label')} {why}" if counts.outdated else ""
    say(f"{study}: {_count_text(counts)} of the task {task}{outdated}")


@annotations_app.command("import")
def import_labels(
    path: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="File or folder of labels, with the columns of the table `annotations`."
        ),
    ],
    study: StudyArgument,
    store: StoreOption = None,
) -> None:
    """Import labels into a study; labels of the same labeller, item and round are replaced."""
    from engine.annotations.label_files import import_labels as import_file
    from engine.store import Store

    counts = import_file(Store(store).open(study), path)
    say(f"{study}: {_count_text(counts)} of {path}")


@contextmanager
def _open_labels(store: str | None) -> "Iterator[tuple[Store, Database]]":
    """Open a store and its annotation database, which is closed at the end."""
    from engine.annotations.database import open_database
    from engine.store import Store

    study_store = Store(store)
    database = open_database(study_store)
    try:
        yield study_store, database
    finally:
        database.close()


def _text(path: str) -> str:
    try:
        return text_of(path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(
            f"{path!r} cannot be read: {system_words(error)}; give a UTF-8 text file"
        ) from error


def _count_text(counts: "ExportCounts") -> str:
    labels = f"{counts.annotations:,} labels, {counts.references:,} references"
    return f"{labels} and {counts.preferences:,} preferences"


def _share(share: "Share") -> str:
    return "–" if share.value is None else f"{share.value:.2f} ({share.right}/{share.total})"


# ------------------------------------------------------------------------------
# `spb label people`: the people who label.


annotators_app = typer.Typer(help="Manage the people who label.", no_args_is_help=True, rich_markup_mode=None)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name under which labels are stored.")]
AddressOption = Annotated[
    str | None, typer.Option(metavar="URL", help="Address of the explorer (default: SPB_ADDRESS).")
]
EmailOption = Annotated[
    str | None, typer.Option(help="E-mail address of their login, if the explorer has one.")
]


@annotators_app.command("add")
def add(
    name: NameArgument,
    role: Annotated[str, typer.Option(help="Role: labeller or coordinator.")] = "annotator",
    email: EmailOption = None,
    address: AddressOption = None,
    store: StoreOption = None,
) -> None:
    """Add a person and print their personal link; it is shown only once, since only a hash is stored."""
    from engine.annotations.people import add_person, link

    link(address, "")  # a wrong address is refused before the person is added
    with _open_labels(store) as (_, database):
        token = add_person(database, name, role, email)
    _print_link(name, link(address, token))


@annotators_app.command("renew")
def renew(name: NameArgument, address: AddressOption = None, store: StoreOption = None) -> None:
    """Create a new personal link and print it; the old link stops working."""
    from engine.annotations.people import link, renew_token

    link(address, "")
    with _open_labels(store) as (_, database):
        token = renew_token(database, name)
    _print_link(name, link(address, token))


@annotators_app.command("end")
def end(name: NameArgument, store: StoreOption = None) -> None:
    """Revoke a person's link and login; their labels stay."""
    from engine.annotations.people import end_link

    with _open_labels(store) as (_, database):
        end_link(database, name)
    renewing = next_command(store, "label", "people", "renew", name)
    say(f"{name}: link and login no longer work; create a new link with: {renewing}")


@annotators_app.command("rename")
def rename(
    name: NameArgument,
    new: Annotated[str, typer.Argument(metavar="NEW", help="New name.")],
    store: StoreOption = None,
) -> None:
    """Rename a person and their labels; their link keeps working."""
    from engine.annotations.people import rename_person

    with _open_labels(store) as (_, database):
        rename_person(database, name, new)
    say(f"{name} is now called {new}; export their tasks again to studies that have their labels")


@annotators_app.command("email")
def email(
    name: NameArgument,
    email: Annotated[
        str | None, typer.Argument(metavar="EMAIL", help="E-mail address; leave it out to remove the login.")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Set or remove the e-mail address of a person's login."""
    from engine.annotations.people import set_email

    with _open_labels(store) as (_, database):
        set_email(database, name, email)
    say(f"{name}: {'no login' if email is None else 'logs in as ' + email}")


@annotators_app.command("list")
def list_people(store: StoreOption = None, format: RowFormatOption = "table") -> None:  # noqa: A002
    """List the people: name, role, whether their link works, e-mail, when they were added."""
    from engine.annotations.people import people

    with _open_labels(store) as (_, database):
        everyone = people(database)
    if is_former() and format == "table":
        for person in everyone:
            print(person.name, person.role, person.link, person.email or "-", person.created_at, sep="\t")
        return
    rows = [
        {
            "name": person.name,
            "role": person.role,
            "link": person.link,
            "email": person.email,
            "created_at": person.created_at,
        }
        for person in everyone
    ]
    heads = ("Name", "Role", "Link", "E-mail", "Added")
    names = ("name", "role", "link", "email", "created_at")
    adding = next_command(store, "label", "people", "add", "ann")
    nobody = "There are no people yet. On your own computer none is needed"
    sentences = () if rows else (f"{nobody}; for a team add each, such as ann, with: {adding}",)
    print_rows(Rows(rows, dict(zip(names, heads, strict=True)), sentences), format)


def _print_link(name: str, link: str) -> None:
    print(link)
    say(f"this is the personal link of {name}: whoever has it can label as {name}; it is shown only once")
