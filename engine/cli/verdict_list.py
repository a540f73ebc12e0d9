"""`spb study verdicts`: the verdicts behind a number, one by one, with their texts."""

import inspect
from typing import Annotated, Any

import typer

from engine.cli.exit_codes import NO_ANSWER
from engine.cli.options import open_study, parameter
from engine.cli.output import say
from engine.cli.rows import RowFormatOption, Rows, print_rows
from engine.cli.slice_flags import given_flags, slice_parameters
from engine.explore.verdict_kinds import VerdictKind

KindOption = Annotated[
    VerdictKind | None,
    typer.Option(
        "--kind",
        help="Verdicts to list: what the reference failed and the judge passed, the reverse, both, all that "
        "the reference failed, or all (default: failed, or all without a reference).",
    ),
]
LimitOption = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Most verdicts to list.")]


def verdicts(**options: Any) -> None:
    """List the verdicts behind a number.

    They are those of any slice; `--judge J --generators J` selects a judge's verdicts on its own answers.
    JSON and CSV have the texts of question and answer too; `spb study grid` shows every judge's verdict on
    one question.
    """
    from engine.arrays.text_names import texts_of
    from engine.explore import judgment_page
    from engine.saved_slices import apply_saved_slices
    from engine.slices import Slice
    from engine.views.verdicts import COLUMNS, quantity_listed
    from engine.words.short_titles import ROW_KINDS

    study_name, store, kind, limit, form = (
        options.pop(name) for name in ("study", "store", "kind", "limit", "format")
    )
    study = open_study(store, study_name)
    spec = Slice.of(**apply_saved_slices(study.info, given_flags(options, study)))
    kind = kind or ("failed" if study.has_truth else "all")
    listing = judgment_page.rows(study, spec, kind, limit=limit)
    sentences = [f"{ROW_KINDS[kind]}: {quantity_listed(listing, kind, None)}."]
    if not listing.rows:
        sentences = [f"There is nothing to list: {listing.reason or 'no verdict of this kind'}."]
    questions, answers = texts_of(study, {str(row["instance_id"]) for row in listing.rows})
    rows = [
        {
            **row,
            "question": questions.get(row["instance_id"]),
            "answer": answers.get((row["instance_id"], row["generator"], "none")),
        }
        for row in listing.rows
    ]
    columns = {name: head for name, head in COLUMNS.items() if any(row.get(name) is not None for row in rows)}
    facts = {"study": study.name, "kind": kind, "total": listing.total}
    print_rows(Rows(rows, columns, sentences, facts), form)
    if len(rows) < listing.total:
        say(f"the first {len(rows):,} of {listing.total:,} are listed; --limit {listing.total} lists all")
    if not rows:
        raise typer.Exit(NO_ANSWER)


verdicts.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        *slice_parameters(),
        parameter("kind", KindOption, None),
        parameter("limit", LimitOption, 20),
        parameter("format", RowFormatOption, "table"),
    ]
)
