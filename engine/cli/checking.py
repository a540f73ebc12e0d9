"""`spb check`: the programs of a study's rubrics, run over its responses."""

from typing import Annotated

import typer

from engine.cli.options import StoreOption, StudyOption, say


def check(
    study: StudyOption,
    store: StoreOption = None,
    processes: Annotated[
        int | None,
        typer.Option(
            min=1, help="Processes to use; as many as there are processors where there is much to do."
        ),
    ] = None,
) -> None:
    """Run the programmatic checkers and write references with the sources program and program:loose.

    Each line counts a checker's verdicts: met, not met, met loosely, and those it could not reach.
    """
    from engine.checkers.running import check_study
    from engine.store import Store

    report = check_study(Store(store).open(study), processes=processes)
    print("checker", "met", "not_met", "met_loosely", "undecided", sep="\t")
    for checker, tally in report.by_checker.items():
        print(checker, tally.met, tally.not_met, tally.met_loosely, tally.undecided, sep="\t")
    say(f"{report.verdicts:,} verdicts on {report.responses:,} responses, strict and loose")
    if report.missing:
        say(f"{report.missing:,} responses are missing and have no verdict")
    if report.textless:
        say(f"{report.textless:,} responses are there without a text; what was known of them stays")
    for checker, problem in report.problems.items():
        say(f"warning: {checker} could not decide {report.by_checker[checker].undecided:,}; first {problem}")
