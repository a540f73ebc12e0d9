"""`spb label`: labelling tasks, created from a study, listed, assigned and closed."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from engine.bounded_files import text_of
from engine.cli.exit_codes import NoAnswerError
from engine.cli.former import is_former
from engine.cli.label.label_database import open_labels
from engine.cli.options import StoreOption, StudyArgument, next_command, only_judge, split_names
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, print_done, print_rows
from engine.errors import BadInputError, UsageError
from engine.phrases import join_names, quantity
from engine.plain_words import system_words

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="Name of the task.")]
_Selection = Annotated[
    str | None,
    typer.Option(
        "--select",
        help="How items are selected: equal, hard, disagreement, overestimation, scores or random (default: "
        "the first of these of which the study has items).",
    ),
]
_Kind = Annotated[
    str,
    typer.Option(help="What labellers are asked: equal_pair, preference, clusters, rubric_verdict or score."),
]
_Number = Annotated[int, typer.Option("--items", help="Largest number of items.")]
_Epsilon = Annotated[float, typer.Option(help="Largest quality difference, of 10, that counts as equal.")]
_Gap = Annotated[float, typer.Option(help="Smallest quality difference, of 10, of a contrast pair.")]
_Cluster = Annotated[int, typer.Option(help="Answers per question in a hard case.")]
_Judge = Annotated[
    list[str] | None, typer.Option("--judge", help="For overestimation: only verdicts of this judge.")
]
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


def create(
    task: TaskArgument,
    study: StudyArgument,
    selection: _Selection = None,
    kind: _Kind = "",
    number: _Number = 100,
    epsilon: _Epsilon = 0.25,
    gap: _Gap = 2.0,
    cluster: _Cluster = 5,
    judges: _Judge = None,
    generator: _Generator = None,
    title: _Title = "",
    guidelines: _Guidelines = None,
    extra: _Extra = None,
    overlap: _Overlap = None,
    seed: _Seed = 0,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Create a task from selected items of a study.

    People label answers, which all runs share; where verdicts select the items, all runs count together.
    """
    from engine.annotations.items import items_of_lines
    from engine.annotations.people import people
    from engine.annotations.sampling import Sampling, select, select_first
    from engine.annotations.tasks import create_task
    from engine.arrays.slicing.resolve import NoDataError
    from engine.store import Store
    from engine.study import Study
    from engine.words.labelled_cases import BY_VERDICTS

    judge = only_judge(judges)
    words = "" if guidelines is None else _text(guidelines)
    sampled = Study(Store(store).open(study))

    def planned(name: str) -> Sampling:
        return Sampling(name, kind, number, seed, epsilon, gap, cluster, judge=judge, generator=generator)

    try:
        if selection is None:
            plan, items = select_first(sampled, planned, kind)
        else:
            plan = planned(selection)
            items = select(sampled, plan)
    except NoDataError as error:
        raise NoAnswerError(str(error)) from None
    n_selected = len(items)
    items += [] if extra is None else items_of_lines(plan.kind, _text(extra), extra)
    with open_labels(store) as (_, database):
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
    fewer = f" ({number:,} wanted; the study has no more for {plan.selection})" if n_selected < number else ""
    how = "at random" if plan.selection == "random" else f"by {plan.selection}"
    say(f"{task}: {quantity(len(items), 'item')}, selected {how}{fewer}")
    if plan.selection in BY_VERDICTS:
        say(
            f"items selected by {plan.selection} are no random sample: how often judges and people agree on "
            "them is not how often they agree on all, for which there is --select random"
        )
    for words in _ways_to_label(task, study, store, team):
        say(words)
    print_done(format, {"task": task, "study": study, "kind": plan.kind, "items": len(items)})


def _ways_to_label(task: str, study: str, store: str | None, team: Sequence[str]) -> Iterator[str]:
    """Yield how a new task is given to people, `team` if there are any, or labelled in a file."""
    if team:
        assigning = next_command(store, "label", "assign", task, "--people", ",".join(team))
        yield f"assign them to all people with: {assigning}"
    else:
        assigning = next_command(store, "label", "assign", task, "--people", "ann,bo")
        yield f"label them yourself on the page Annotate: {next_command(store, 'open', study)}"
        yield f"or assign them to others, such as ann and bo: {assigning}"
    filling = next_command(store, "label", "template", task, "--out", "labels.csv")
    yield f"or label them in a file: {filling}"


def list_tasks(store: StoreOption = None, format: RowFormatOption = "table") -> None:  # noqa: A002
    """List the tasks of a store, oldest first."""
    from engine.annotations.progress import progress
    from engine.annotations.tasks import assigned_people, count_items, tasks

    rows, cells = [], []
    with open_labels(store) as (_, database):
        for task in tasks(database):
            people = assigned_people(database, task.name)
            work = [progress(database, task.name, person) for person in people]
            row: dict[str, Any] = {"task": task.name, "study": task.study, "kind": task.kind}
            row |= {"items": count_items(database, task.name), "annotators": people}
            row |= {"done": sum(each.done for each in work), "of": sum(each.total for each in work)}
            row |= {"state": "closed" if task.closed else "open"}
            rows.append(row)
            once = {"done": sum(each.items_done for each in work), "of": sum(each.items for each in work)}
            cells.append(row | once)
    names = ("task", "study", "kind", "items", "annotators", "done", "of", "state")
    heads = ("Task", "Study", "Kind", "Items", "Labellers", "Done", "Of", "State")
    adding = next_command(store, "label", "new", "first50", "STUDY")
    sentences = () if rows else (f"There are no tasks in this store yet; create one with: {adding}",)
    answer = Rows(rows, dict(zip(names, heads, strict=True)), sentences, cells=None if is_former() else cells)
    print_rows(answer, format)


def assign_people(
    task: TaskArgument,
    names: Annotated[
        list[str], typer.Option("--people", "--to", metavar="NAMES", help="Labellers to assign.")
    ],
    overlap: Annotated[int | None, typer.Option(help="Raise the number of labellers per item.")] = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Assign a task's items to labellers; earlier assignments stay.

    On your own computer, where nobody has a link or a login, those who are new are added.
    """
    from engine.annotations.people import has_accounts, people
    from engine.annotations.tasks import assign, count_understaffed, task_of

    with open_labels(store) as (_, database):
        roster = {person.name for person in people(database)}
        annotators = [name for text in names for name in ([text] if text in roster else split_names([text]))]
        for name in set(annotators) - roster:
            if ";" in name:
                commas = ",".join(part.strip() for part in name.split(";") if part.strip())
                raise UsageError(f"--people {name!r} is one name; separate names by commas: {commas}")
        new_items = assign(database, task, annotators, overlap, add=not has_accounts(database))
        understaffed, is_closed = count_understaffed(database, task), task_of(database, task).closed
    added = [person for person in new_items if person not in roster]
    if added:
        say(f"added {join_names(added)}")
    for person, number in new_items.items():
        say(f"{person}: {quantity(number, 'new item')}")
    if is_closed:
        opening = next_command(store, "label", "close", task, "--reopen")
        say(f"{task} is closed and takes no labels; open it with: {opening}", caution=True)
    if understaffed:
        say(f"{quantity(understaffed, 'item')} with fewer labellers than the task's overlap; assign more")
    if added:
        file = f"{added[0].replace(' ', '_')}.csv"
        filling = next_command(store, "label", "template", task, "--people", added[0], "--out", file)
        linking = next_command(store, "label", "people", "renew", added[0])
        say(f"each labels in a file of their own: {filling}")
        say(f"or on the page Annotate, with a personal link: {linking}")
    rows = [{"annotator": person, "new_items": number} for person, number in new_items.items()]
    print_done(format, *rows, task=task, understaffed=understaffed, added=added)


def close(
    task: TaskArgument,
    reopen: Annotated[bool, typer.Option("--reopen", help="Accept labels again.")] = False,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Close a task: it accepts no more labels."""
    from engine.annotations.tasks import close_task

    with open_labels(store) as (_, database):
        close_task(database, task, closed=not reopen)
    say(f"{task} is {'open' if reopen else 'closed'}")
    print_done(format, {"task": task, "closed": not reopen})


def _text(path: str) -> str:
    try:
        return text_of(path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(
            f"{path!r} cannot be read: {system_words(error)}; give a UTF-8 text file"
        ) from error
