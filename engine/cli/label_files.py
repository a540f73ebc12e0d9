"""`spb label write` and `import`: labels to and from a study and files."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.exit_codes import NO_ANSWER
from engine.cli.former import is_former
from engine.cli.label_database import open_labels
from engine.cli.label_tasks import TaskArgument
from engine.cli.options import StoreOption, StudyArgument
from engine.cli.output import say
from engine.cli.rows import RowFormatOption, print_done, print_sentences
from engine.phrases import full_stop, quantity, sentence_case

if TYPE_CHECKING:
    from engine.annotations.label_rows import ExportCounts


def export(
    task: TaskArgument,
    to: Annotated[
        str | None,
        typer.Option(
            "--out", "--to", metavar="FILE", help="Write to a .csv, .jsonl or .parquet file instead."
        ),
    ] = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Write a task's labels into its study.

    They become `annotations`, references and preferences.
    """
    from engine.annotations.label_files import write_labels
    from engine.annotations.label_rows import annotation_rows, export_task
    from engine.annotations.tasks import task_of

    with open_labels(store) as (study_store, database):
        study = task_of(database, task).study
        if to is not None:
            rows = annotation_rows(database, task)
            _check_some(rows, task, format)
            write_labels(rows, to)
            say(f"{to}: {quantity(len(rows), 'label')} of the task {task}")
            print_done(format, {"task": task, "file": to, "annotations": len(rows)})
            return
        _check_some(annotation_rows(database, task), task, format)
        counts = export_task(database, task, study_store.open(study))
    why = "left out, as the study's texts have changed since"
    outdated = f"; {quantity(counts.outdated, 'label')} {why}" if counts.outdated else ""
    say(f"{study}: {_count_text(counts)} of the task {task}{outdated}")
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
            metavar="FILE", help="File or folder of labels, with the columns of the table `annotations`."
        ),
    ],
    study: StudyArgument,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Import labels into a study.

    Labels of the same labeller, item and round are replaced.
    """
    from engine.annotations.label_files import import_labels as import_file
    from engine.store import Store

    counts = import_file(Store(store).open(study), path)
    say(f"{study}: {_count_text(counts)} of {path}")
    print_done(format, {"study": study} | asdict(counts))


def _count_text(counts: "ExportCounts") -> str:
    labels = f"{counts.annotations:,} labels, {counts.references:,} references"
    return f"{labels} and {counts.preferences:,} preferences"
