"""`spb judges`: what a study concludes on its judges, in six columns."""

from typing import Annotated

import typer

from engine.cli.exit_codes import NO_ANSWER
from engine.cli.options import (
    JudgesOption,
    RunsOption,
    StoreOption,
    StudyArgument,
    next_command,
    open_study,
    split_names,
)
from engine.cli.output import say
from engine.cli.pictures import Picture, write_picture
from engine.cli.result_tables import print_result
from engine.cli.rows import RowFormatOption, print_sentences
from engine.phrases import join_names

COLUMNS = ("judge", "conclusion", "own_given", "own_expected", "n_own", "reason")


def judges(
    study: StudyArgument,
    judge: JudgesOption = None,
    run: RunsOption = None,
    every: Annotated[
        bool, typer.Option("--all", help="Print every column of the table, under its name in JSON and CSV.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print what the numbers are based on, too.")
    ] = False,
    format: RowFormatOption = "table",  # noqa: A002
    store: StoreOption = None,
    picture: Picture | None = None,
) -> None:
    """Say whether the judges favour their own answers.

    First the conclusion, then a row for each judge: the conclusion on it, how many of 100 own cases it
    passed, how many were expected from judges of other families, the number of own cases, and what the
    conclusion rests on. `spb measure scorecard` computes the same for a slice; `spb measure which-judge` says
    which judge to use, and for what.
    """
    from engine.measures.catalogue import find
    from engine.measures.deciding_source import other_sources
    from engine.words.based_on import left_out, runs_together
    from engine.words.plain_names import paradigm_name

    one_study = open_study(store, study, run)
    given = {"judges": names} if (names := split_names(judge or [])) else {}
    if picture is not None:
        write_picture(one_study, find("scorecard"), given, picture)
        return
    result = one_study.result(find("scorecard"), **given)
    print_result(result, format, every=every, verbose=verbose, fields=COLUMNS)
    remarks = [left_out(result.left_out)] if any(result.left_out.values()) else []
    if format == "table" and (remarks := [*remarks, *runs_together(one_study, result)]):
        print()
        print_sentences([" ".join(remarks)])
    if not result.rows:
        raise typer.Exit(NO_ANSWER)
    decided = result.filters.get("paradigm")
    others = other_sources(one_study, decided) if decided is not None else []
    if others and format == "table":
        command = next_command(store, "measure", "scorecard", study, "--paradigm", others[0])
        rest = f"These conclusions rest on {paradigm_name(decided)} judgments"
        also = join_names(list(map(paradigm_name, others)))
        print()
        print_sentences([f"{rest}; the study also has {also}:"])
        say(f"  {command}", result=True)
