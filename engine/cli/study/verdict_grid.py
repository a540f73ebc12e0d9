"""`spb study grid`: every judge's verdict on each answer to a question."""

import inspect
import json
import sys
import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.measure.slice_flags import FormatOption, given_flags, slice_parameters
from engine.cli.options import open_study, parameter
from engine.cli.output import say
from engine.cli.printing.columns import print_columns
from engine.errors import printable

if TYPE_CHECKING:
    from engine.study import Study

QuestionArgument = Annotated[str, typer.Argument(metavar="QUESTION", help="instance_id of the question.")]
ResponseOption = Annotated[
    str | None,
    typer.Option("--response", metavar="MODEL", help="Show only this model's answer (default: every one)."),
]


TextsOption = Annotated[
    bool, typer.Option("--texts", help="Print the question and the answers too, each whole.")
]


def grid(question: str, **options: Any) -> None:
    """Show every judge's verdict on each answer to a question.

    A row for each answer and criterion, or pair of answers, and a column for each judge. What gave no verdict
    is shown with its status, and own answers are marked.
    """
    import pandas as pd

    from engine.charts.export import csv_of
    from engine.saved_slices import apply_saved_slices
    from engine.views.grid import GridKeys, answer

    study_name, store, response, with_texts, form = (
        options.pop(name) for name in ("study", "store", "response", "texts", "format")
    )
    study = open_study(store, study_name)
    filters = apply_saved_slices(study.info, given_flags(options, study))
    shown = answer(study, GridKeys(filters, question, response or ""))
    table = shown.table
    texts = _texts(study, question, response) if with_texts else {}
    if form == "json":
        records = [] if table is None else list(table.records)
        facts = {"study": study.name, "question": question, "rows": records}
        print(json.dumps(facts | ({"texts": texts} if with_texts else {}), ensure_ascii=False))
    elif form == "csv" and table is not None:
        typer.echo(csv_of(pd.DataFrame(list(table.records))), nl=False)
    elif table is not None:
        for sentence in shown.sentences:
            say(textwrap.fill(sentence, 100, break_long_words=False, break_on_hyphens=False), result=True)
        print()
        keys = [
            head for head, name in zip(table.heads, table.names, strict=True) if not name.startswith("by ")
        ]
        print_columns(table.heads, [map(printable, row) for row in table.rows], keys=keys)
        sys.stdout.flush()
        if table.n_more:
            say(f"{table.n_more:,} more rows; --format json or csv prints all, with whole criteria")
        for head, text in texts.items():
            say(f"\n-- {head}\n{text}", result=True)
        if with_texts and not texts:
            say(f"the study has no text of question {question!r}, nor of its answers")
    for warning in shown.warnings:
        say(warning, caution=True)


def _texts(study: "Study", question: str, response: str | None) -> dict[str, str]:
    """Return the stored texts of the question and of the answers to it, by what each is."""
    from engine.arrays.text_names import texts_of  # which imports NumPy

    questions, answers = texts_of(study, [question])
    texts = {"question": questions[question]} if question in questions else {}
    for (_, author, transform), text in answers.items():
        if response in (None, author):
            texts[f"answer of {author}{'' if transform == 'none' else f', {transform}'}"] = text
    return texts


grid.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        inspect.Parameter("question", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=QuestionArgument),
        *slice_parameters(),
        parameter("response", ResponseOption, None),
        parameter("texts", TextsOption, False),
        parameter("format", FormatOption, "table"),
    ]
)
