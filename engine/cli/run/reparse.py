"""`spb run reparse` reads the stored answers of judges anew."""

import json
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.options import StoreOption, StudyArgument, next_command
from engine.cli.output import say
from engine.cli.printing.rows import Rows, TextFormatOption, print_rows
from engine.errors import UsageError
from engine.plain_words import system_words


def reparse(
    study: StudyArgument,
    run: Annotated[
        str | None, typer.Option(metavar="ID", help="Run whose answers are read (default: all runs).")
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT|FILE",
            help="Form of answers that are not in that of the shipped templates: its words with a slot for "
            "the value, such as 'Verdict: {{criteria_met}}'; other answers are read as usual. Slots: "
            "criteria_met, outcome, score, relevance, accuracy, depth, logic, clarity.",
        ),
    ] = None,
    keep_old: Annotated[
        bool,
        typer.Option(
            "--keep-old", help="Leave the old run in the study beside the new one; choose one with --run."
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would change, write nothing.")
    ] = False,
    store: StoreOption = None,
    form: TextFormatOption = "table",
) -> None:
    """Read the stored answers of judges anew, without calling a model.

    Each run whose verdicts change gets a new id. Its old verdicts are kept in withdrawn.jsonl, in the run's
    folder.
    """
    from engine.collect.paradigms.answers.user_forms import AnswerForm
    from engine.collect.rows.reparse import reparse as read_anew
    from engine.collect.rows.reparse import report_words
    from engine.store import Store

    answer_form = None if template is None else AnswerForm(_text_of(template))
    report = read_anew(Store(store), study, run_id=run, form=answer_form, keep_old=keep_old, dry_run=dry_run)
    if form == "json":
        print(json.dumps({"study": study, "dry_run": dry_run, **report.to_dict()}))
    else:
        names = ("judge", "paradigm", "variant", "before", "after")
        rows = [
            {name: getattr(change, name) for name in names} | {"verdicts": count}
            for change, count in report.changes.most_common()
        ]
        sentences = () if rows else ("No verdict changes.",)
        print_rows(Rows(rows, {name: name for name in (*names, "verdicts")}, sentences), form)
    for words in report_words(report):
        say(words)
    if dry_run:
        say("nothing was written")
        return
    for old, new in report.runs.items():
        show = next_command(store, "judges", study, "--run", new)
        say(
            f"the run {old} is now {new}"
            if not keep_old
            else f"{old} was read anew as {new}; see it with `{show}`"
        )


def _text_of(template: str) -> str:
    """Return a form given as text, or as the path of a file."""
    if "{{" in template:
        return template
    try:
        return Path(template).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = system_words(error)
        raise UsageError(
            f"--template {template!r} cannot be read: {why}; give a file, or words with a slot such as "
            "'Verdict: {{criteria_met}}'"
        ) from error
