"""`spb judges`: what a study concludes on its judges, in six columns."""

from typing import Annotated

import typer

from engine.cli.exit_codes import NO_ANSWER
from engine.cli.options import StoreOption, StudyArgument, open_study, split_names
from engine.cli.result_tables import print_result
from engine.cli.rows import RowFormatOption

COLUMNS = ("judge", "conclusion", "own_given", "own_expected", "n_own", "reason")


def judges(
    study: StudyArgument,
    judge: Annotated[
        list[str] | None, typer.Option("--judge", metavar="NAMES", help="Only these judges (default: all).")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Print every column of the table, under its name in JSON and CSV.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print what the numbers are based on, too.")
    ] = False,
    format: RowFormatOption = "table",  # noqa: A002
    store: StoreOption = None,
) -> None:
    """Say whether the judges favour their own answers.

    First the conclusion, then a row for each judge: the conclusion on it, how many of 100 own cases it
    passed, how many were expected from judges of other families, the number of own cases, and what the
    conclusion rests on. `spb measure scorecard` computes the same for a slice.
    """
    from engine.measures.catalogue import find

    names = {"judges": split_names(judge)} if judge else {}
    result = open_study(store, study).result(find("scorecard"), **names)
    print_result(result, format, every=every, verbose=verbose, fields=COLUMNS)
    if not result.rows:
        raise typer.Exit(NO_ANSWER)
