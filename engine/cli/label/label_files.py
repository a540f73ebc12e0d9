"""`spb label template`, `import` and `write`: labels to and from a study and files."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.exit_codes import NO_ANSWER
from engine.cli.former import is_former
from engine.cli.label.label_database import open_labels
from engine.cli.label.label_tasks import TaskArgument
from engine.cli.options import (
    StoreOption,
    StudyArgument,
    next_command,
    open_study,
    refuse_together,
    split_names,
)
from engine.cli.output import out_file, say
from engine.cli.printing.rows import RowFormatOption, Rows, print_done, print_rows, print_sentences
from engine.errors import unknown
from engine.phrases import full_stop, join_names, quantity, sentence_case, shortened

if TYPE_CHECKING:
    from engine.annotations.label_files import ImportCounts
    from engine.annotations.label_rows import ExportCounts

_SHOWN_LETTERS = 60
"""How much of a text a table shows; files have all of it."""


def template(
    task: TaskArgument,
    people: Annotated[
        list[str] | None,
        typer.Option(
            "--people", metavar="NAMES", help="Labellers, each with the items assigned to them, else all."
        ),
    ] = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """List a task's items for people to label in a file.

    With `--out labels.csv` each item is a row with its texts, not their authors, and an empty `value`.
    `spb label import` reads the file when it is filled in. For a file of each labeller, name one at a time:
    `--people ana --out ana.csv`.
    """
    from engine.annotations.label_templates import (
        task_items,
        template_rows,
        without_empty_texts,
    )
    from engine.annotations.people import people as roster_of
    from engine.annotations.tasks import assigned_people, task_of

    with open_labels(store) as (_, database):
        study = task_of(database, task).study
        assigned, labellers = assigned_people(database, task), split_names(people or ())
        roster = {person.name for person in roster_of(database)}
        _check_labellers(labellers, assigned, roster, task, store)
        rows = template_rows(database, task, labellers)
        may_be = next(iter(task_items(database, [task]).values())).may_be
    names = [name for name in rows[0] if any(row.get(name) is not None for row in rows)]
    heads = {name: sentence_case(name.replace("_", " ")) for name in names if name not in ("task", "kind")}
    cells = [{name: _shown(row.get(name)) for name in heads} for row in rows]
    sentences = (f"{quantity(len(rows), 'item')} of the task {task}, to be labelled: {may_be}.",)
    lacks_questions = all(row["question"] is None for row in rows)
    rows = without_empty_texts(rows) if format == "csv" else rows
    print_rows(Rows(rows, heads, sentences, {"task": task, "study": study}, cells), format)
    if lacks_questions:
        from engine.importers.earlier_imports import import_again

        say(
            f"the items have no questions to read, as {study} has no texts of them; if a file has, import it "
            f"again and create a new task: {import_again(open_study(store, study).files, 'prompt')}"
        )
    importing = next_command(store, "label", "import", out_file() or "labels.csv", study)
    if format == "csv":
        who = "`annotator` (who labels) and `value`" if not people else "`value`"
        say(f"fill in {who}: {may_be}; leave what is not labelled empty; then: {importing}")
        if not people:
            one = assigned[0] if assigned else "ana"
            naming = next_command(store, "label", "template", task, "--people", one, "--out", f"{one}.csv")
            new = "" if assigned else ", who need not be added before"
            say(f"or write a file for each labeller, such as {one}{new}: {naming}")
    else:
        writing = next_command(store, "label", "template", task, "--out", "labels.csv")
        say(f"write them to a file to be filled in with: {writing}")


def _check_labellers(
    names: Sequence[str], assigned: Sequence[str], roster: Collection[str], task: str, store: str | None
) -> None:
    """Raise UsageError for a name that is neither assigned nor added, where the task has assigned people."""
    for name in names if assigned else ():
        if name not in assigned and name not in roster:
            assigning = next_command(store, "label", "assign", task, "--people", name)
            raise unknown("labeller", name, assigned, f"somebody new is assigned first: {assigning}")


def _shown(value: Any) -> str | None:
    return None if value is None else shortened(" ".join(str(value).split()), _SHOWN_LETTERS)


def export(
    task: TaskArgument,
    to: Annotated[
        str | None,
        typer.Option(
            "--out", "--to", metavar="FILE", help="Write to a .csv, .jsonl or .parquet file instead."
        ),
    ] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the labels out of the study again; the task keeps them.")
    ] = False,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Write a task's labels into its study.

    They become `annotations`, references and preferences. Verdicts and scores count in the reference `human`,
    the majority of all people; what it was without them is then `human:unnamed`.
    """
    from engine.annotations.label_files import write_labels
    from engine.annotations.label_rows import annotation_rows, export_task, withdraw_task
    from engine.annotations.tasks import task_of

    refuse_together(remove=remove, out=to is not None)
    with open_labels(store) as (study_store, database):
        study = task_of(database, task).study
        if remove:
            counts = withdraw_task(task, study_store.open(study))
            say(f"{study}: {counts.words()} of the task {task} taken out; the task still has its labels")
            print_done(format, {"task": task, "study": study, "removed": True} | asdict(counts))
            return
        if to is not None:
            rows = annotation_rows(database, task)
            _check_some(rows, task, format)
            write_labels(rows, to)
            say(f"{to}: {quantity(len(rows), 'label')} of the task {task}")
            print_done(format, {"task": task, "file": to, "annotations": len(rows)})
            return
        _check_some(annotation_rows(database, task), task, format)
        counts = export_task(database, task, study_store.open(study))
    outdated = f"; {_outdated_text(counts)}" if counts.outdated else ""
    new = "" if counts.changed else ", none of them new: the study has them already"
    say(f"{study}: {counts.words()} of the task {task}{new}{outdated}")
    for words in _in_reference(counts, study, store, [task]):
        say(words)
    print_done(format, {"task": task, "study": study} | asdict(counts))


def _check_some(rows: Sequence[object], task: str, format: str) -> None:  # noqa: A002
    """End the command for a task without labels; by its former name it writes none."""
    if rows or is_former():
        return
    reason = f"the task {task!r} has no labels yet; nothing was written"
    if format == "table":
        print_sentences([full_stop(sentence_case(reason))])
    else:
        print_done(format, names=("task", "annotations"), task=task, reason=reason)
    raise typer.Exit(NO_ANSWER)


def import_labels(
    path: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="File or folder of labels: the columns of the table `annotations`, or those of `spb label "
            "template`.",
        ),
    ],
    study: StudyArgument,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the file and say what would be imported, write nothing.")
    ] = False,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Import labels into a study, and into its tasks.

    Labels of the same labeller, item and round are replaced. Those of a task of this store count in its
    progress too. Verdicts and scores count in the reference `human`, the majority of all people; what it was
    without them is then `human:unnamed`.
    """
    from engine.annotations.database import has_database
    from engine.annotations.label_files import import_labels as import_file
    from engine.store import Store

    if has_database(Store(store)):
        with open_labels(store) as (study_store, database):
            counts = import_file(study_store.open(study), path, database, dry_run=dry_run)
    else:
        counts = import_file(Store(store).open(study), path, dry_run=dry_run)
    say(f"{study}: {counts.words()} of {path}")
    for words in counts.cautions:
        say(words, caution=True)
    for words in (*_replaced(counts), *_where_counted(counts, study, store)):
        say(words)
    if dry_run:
        say("dry run: nothing was written")
    else:
        for words in _in_reference(counts, study, store, list(counts.in_tasks)):
            say(words)
    print_done(format, {"study": study, "dry_run": dry_run} | asdict(counts))


def _replaced(counts: "ImportCounts") -> Iterator[str]:
    """Yield what the study had before and labels take the place of."""
    if counts.replaced:
        yield f"in place of {quantity(counts.replaced, 'earlier label')} with another value"
    if counts.overwritten:
        verdicts = quantity(counts.overwritten, "verdict")
        yield f"in place of {verdicts} of the same people from other tasks or imports"


def _where_counted(counts: "ImportCounts", study: str, store: str | None) -> Iterator[str]:
    """Yield where imported labels count, who is new, and what is left out."""
    if counts.unfilled:
        yield f"{quantity(counts.unfilled, 'row')} without a value left out"
    if counts.outdated:
        yield f"{_outdated_text(counts)} of the study"
    if counts.new_people:
        yield f"new labellers: {join_names(counts.new_people)}"
    for task, number in counts.in_tasks.items():
        watching = next_command(store, "label", "status", task)
        yield f"{_counting(number)} in the progress of the task {task}: {watching}"
    if counts.elsewhere:
        alone = f"in the study alone: {next_command(store, 'measure', 'annotators', study)}"
        yield f"{_counting(counts.elsewhere)} {alone} (this store does not have their tasks)"


def _in_reference(
    counts: "ExportCounts", study: str, store: str | None, tasks: Sequence[str]
) -> Iterator[str]:
    """Yield how labels count in the reference, how it is had without them, and what compares both."""
    from engine.annotations.labels_in_reference import people_in_reference
    from engine.store import Store

    people = people_in_reference(Store(store).open(study)) if counts.references else None
    if people is None:
        return
    several = len(people.sources) > 1
    majority = f", now the majority of {join_names(people.sources)}" if several else ""
    left = f"; it leaves {quantity(people.undecided, 'case')} undecided, where they split" if several else ""
    yield f"these labels count in the reference `human`{majority}{left}"
    if people.original is not None:
        alone = next_command(store, "judges", study, "--reference", people.original)
        yield f"the reference without them is {people.original}: {alone}"
    elif several:
        alone = next_command(store, "judges", study, "--reference", people.sources[-1])
        yield f"one person alone is a reference too: {alone}"
    if several or people.original is not None:
        comparing = next_command(store, "measure", "reference-agreement", study)
        yield f"compare them, each person with the others: {comparing}"
    for task in tasks:
        removing = next_command(store, "label", "write", task, "--remove")
        yield f"take the labels of {task} out of the study again: {removing}"


def _counting(labels: int) -> str:
    return f"{quantity(labels, 'label')} {'counts' if labels == 1 else 'count'}"


def _outdated_text(counts: "ExportCounts") -> str:
    return f"{quantity(counts.outdated, 'label')} left out, as the study's texts have changed since"
