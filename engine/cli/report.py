"""`spb report`: a study for readers, or a card of one judge; and `spb study show`, one judgment."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine import schema
from engine.cli.endings import check_format_of
from engine.cli.options import (
    ForceOption,
    RunsOption,
    StoreOption,
    StudyArgument,
    next_command,
    only_judge,
    open_study,
    time_text,
)
from engine.cli.output import check_new_file, say, say_undrawn, write_file
from engine.cli.printing.rows import Rows, TextFormatOption, print_rows
from engine.errors import UsageError, unknown

if TYPE_CHECKING:
    from engine.report import Form


def report(
    study: StudyArgument,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File to write; its ending is the format: .html or .md, of a card also .svg or .png.",
        ),
    ] = None,
    judges: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAME", help="Draw the conclusion on this judge alone, as a card."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="html|md|svg|png",
            help="File format (default: by the ending of --out, else html; of a card svg).",
        ),
    ] = None,
    run: RunsOption = None,
    story: Annotated[
        str, typer.Option(metavar="NAME", help="Story whose pinned views are included.")
    ] = "main",
    date: Annotated[
        str | None,
        typer.Option(metavar="YYYY-MM-DD", help="Date to print (default: today's; of a card the study's)."),
    ] = None,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Write a report of a study into one file, or one judge's card.

    A report has the findings and the pinned views. The HTML file includes its charts and scripts and needs no
    network; the Markdown file has tables instead. Both explain how the numbers are computed, their sources,
    and the commands that reproduce them. A card, for a README or a model card, is printed without --out, to
    a terminal with --format md alone; the same study gives the same bytes.
    """
    from engine.report import written
    from engine.report.report_texts import iso_date

    if date is not None:
        iso_date(date)
    judge = only_judge(judges)
    if judge is not None:
        card(study, judge, "md" if form == "markdown" else form, out, date, run, force, store)
        return
    _refuse_picture(study, out, form, store)
    if out is None:
        open_study(store, study, run)  # an unknown study is said first
        raise UsageError("no file is named; give one, such as --out report.html")
    file_format = _format_of(out, form)
    check_new_file(out, force=force)
    content = written(open_study(store, study, run), file_format, story=story, date=date)
    write_file(Path(out), content)
    say(f"wrote {out}: {len(content):,} bytes")
    if file_format == "html":
        say_undrawn(f"{out} has no charts")


def _refuse_picture(study: str, out: str | None, form: str | None, store: str | None) -> None:
    """Raise UsageError, with the command that has one, for a report as a picture or PDF."""
    picture = form or ("" if out is None else Path(out).suffix.removeprefix(".").lower())
    if picture in ("png", "svg"):
        remedy = "add --judge NAME, or write .html or .md"
        raise UsageError(f"a picture ({picture}) is of one judge, not of a study; {remedy}")
    if picture == "pdf":
        board = next_command(store, "judges", study, "--out", out or "judges.pdf")
        raise UsageError(
            "a report is not written as PDF; write .html, and print it to a PDF in a browser, or write the "
            f"board of judges: `{board}`"
        )


def _format_of(out: str, form: str | None) -> "Form":
    """Return the format of a report's file, by its ending unless one is given; UsageError for none."""
    from engine.report import FORMS
    from engine.report.saving import ENDINGS

    ending = Path(out).suffix.lower()
    file_format = _FORMS.get(form or "", form) or ENDINGS.get(ending, "html")
    if form is None and ending not in (*ENDINGS, ""):
        raise UsageError(f"--out {out!r} ends in neither .html nor .md; choose another, or give --format")
    if file_format not in FORMS:
        raise unknown("format", file_format, FORMS)
    if form is not None:
        check_format_of(out, form)
    return file_format


_FORMS = {"md": "markdown", "htm": "html"}
"""Further names of a report's formats."""


def card(
    study: StudyArgument,
    judge: Annotated[str, typer.Option(metavar="NAME", help="Judge to make the card for.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="svg|png|md|html",
            help="Format of the card (default: by the ending of --out, else svg).",
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="File to write (default: print to standard output).")
    ] = None,
    date: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="Date to print (default: the study's).")
    ] = None,
    run: RunsOption = None,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Draw the conclusion on one judge as a picture or a page.

    For a README or a model card. A picture (SVG, PNG) or a page (Markdown, HTML): the conclusion, what was
    given and expected of 100 own cases and of its family's, with intervals, n, caveats, study and date. The
    same study gives the same bytes.
    """
    from engine.report.card import CARD_FORMS, card_of, in_form

    ending = Path(out).suffix.removeprefix(".").lower() if out else "svg"
    if form is None and not ending:
        raise UsageError(f"--out {out!r} has no ending; give one of .{', .'.join(CARD_FORMS)}, or --format")
    card_format = form or ending
    if card_format not in CARD_FORMS:
        raise unknown("format", card_format, CARD_FORMS)
    if out is not None:
        check_format_of(out, card_format)
        check_new_file(out, force=force)
    if out is None and card_format != "md" and sys.stdout.isatty():
        remedy = f"give a file, such as --out card.{card_format}, or --format md"
        raise UsageError(f"a terminal cannot show {card_format.upper()}; {remedy}")
    content = in_form(card_of(open_study(store, study, run), judge, date), card_format)
    if out is None:
        typer.echo(content, nl=False)
        return
    write_file(Path(out), content)
    say(f"wrote {out}: {len(content):,} bytes")


def show(
    judgment: Annotated[str, typer.Argument(metavar="CALL_ID", help="call_id of the judgment.")],
    study: StudyArgument,
    store: StoreOption = None,
    run: Annotated[
        str | None, typer.Option(metavar="RUN", help="Show only the judgment of this run.")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Show the raw requests and answers (stored with --keep-raw).")
    ] = False,
    form: TextFormatOption = "table",
) -> None:
    """Show one stored judgment."""
    from engine.collect.database.exchanges import exchanges_of
    from engine.collect.run_folder import run_path
    from engine.store import Store

    study_store = Store(store)
    where = {"call_id": (judgment,)} | ({} if run is None else {"run_id": (run,)})
    judgments = study_store.open(study).judgments(schema.JUDGMENTS.names, where).to_pylist()
    rows = [{name: value for name, value in row.items() if value is not None} for row in judgments]
    if not rows:
        place = f"the study {study!r}" + ("" if run is None else f", run {run!r}")
        calls = study_store.open(study).table("judgments", ("call_id",))["call_id"]
        remedy = "use a call_id from its table"
        if calls.null_count == len(calls):
            of_question = next_command(store, "study", "grid", study, "QUESTION", "--texts")
            remedy = f"its judgments have none; write: {of_question}"
        raise UsageError(f"{place} has no judgment with call_id {judgment!r}; {remedy}")
    runs = list(dict.fromkeys(row["run_id"] for row in rows))
    stored = ((each, exchanges_of(run_path(study_store, study, each), judgment)) for each in runs)
    exchanges = [(each, exchange) for each, of_run in stored for exchange in of_run]
    if form == "json":
        facts = {"judgments": rows}
        if raw:
            facts["exchanges"] = [{"run_id": each, **asdict(exchange)} for each, exchange in exchanges]
        print(json.dumps(facts, default=str))
        return
    if form == "csv":
        print_rows(Rows(rows, {}), form)
        return
    for row in rows:
        say("\n".join(f"{name}: {value}" for name, value in row.items()) + "\n", result=True)
    if not raw:
        return
    for each, exchange in exchanges:
        status = "" if exchange.status is None else f", status {exchange.status}"
        say(f"-- {each}, {time_text(exchange.at)}, {exchange.address}{status}", result=True)
        say(f"{exchange.request}\n-- answer\n{exchange.answer}\n", result=True)
    if not exchanges:
        remedy = "use --keep-raw, and run `spb study show` on the machine that ran the judges"
        say(f"its requests were not stored; {remedy}")
