"""`spb reference`: references to measure by, from checkers and from committees of judges."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.cli.former import is_former
from engine.cli.options import RunsOption, StoreOption, StudyArgument, next_command, split_names
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, print_done, print_rows
from engine.phrases import quantity

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.store.study_files import StudyFiles


def committee(
    study: StudyArgument,
    name: Annotated[str, typer.Option(metavar="NAME", help="Name of the committee.")],
    members: Annotated[list[str], typer.Option(metavar="NAMES", help="Judges of the committee.")],
    store: StoreOption = None,
    run: RunsOption = None,
    paradigm: Annotated[
        str | None,
        typer.Option(
            help="Paradigm of their judgments (default: the first paradigm of criteria, else pairwise)."
        ),
    ] = None,
    variant: Annotated[
        str | None,
        typer.Option(help="Prompt template of their judgments (default: `default`; of pairs `forced`)."),
    ] = None,
    transform: Annotated[
        str | None,
        typer.Option(help="Rewriting of the answers in pairs that they compared (default: as written)."),
    ] = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Write the majority of judges as a reference.

    It is that of their verdicts, or of their outcomes on pairs. Its source is `committee:NAME`. Of pairs,
    each member's outcome is written under its own name too, and these are the gold judges of `dbg` and
    `quality-baseline`; the panel counts there only with --gold. Of rewritten answers they count where those
    are read; a model that rewrote them is not among them.
    """
    from engine.annotations.committees import write_committee
    from engine.annotations.gold import PAIRWISE, write_gold
    from engine.arrays.truths.gold_preferences import PLAIN
    from engine.errors import UsageError
    from engine.store import Store

    files, runs = Store(store).open(study), split_names(run or ())
    if paradigm == PAIRWISE or (paradigm is None and _has_pairs_alone(files)):
        gold = write_gold(files, name, split_names(members), variant, transform or PLAIN, runs)
        panel, ties = quantity(gold.panel, "outcome"), quantity(gold.ties, "tie")
        say(f"committee:{name}: {panel}, {ties} among them; {quantity(gold.outcomes, 'outcome')} of members")
        print_done(format, {"source": f"committee:{name}"} | asdict(gold))
        return
    if transform is not None:
        raise UsageError(
            f"transform is {transform!r}, and a committee's verdicts on criteria are on answers as written; "
            "leave it out, or write --paradigm pairwise"
        )
    counts = write_committee(files, name, split_names(members), paradigm, variant or "default", runs)
    verdicts, ties = quantity(counts.decided, "verdict"), quantity(counts.divided, "tie")
    say(f"committee:{name}: {verdicts}, {ties} left undecided")
    print_done(format, {"source": f"committee:{name}"} | asdict(counts))


def vote_of_all(study: "MeasuredStudy", store: str | None) -> str:
    """Return the command by which all judges of a study's criteria vote."""
    from engine.measures.no_reference import voters

    members = ",".join(voters(study))
    voting = ("reference", "committee", study.name, "--name", "majority", "--members", members)
    return f"a committee of all its judges: {next_command(store, *voting)}"


def _has_pairs_alone(files: "StudyFiles") -> bool:
    from engine.annotations.gold import PAIRWISE
    from engine.paradigms import RUBRIC_PARADIGMS
    from engine.study import Study

    paradigms = set(Study(files).inventory.values("paradigm"))
    return PAIRWISE in paradigms and not paradigms & set(RUBRIC_PARADIGMS)


def check(
    study: StudyArgument,
    store: StoreOption = None,
    checker: Annotated[
        Literal["exact", "choice", "boxed"] | None,
        typer.Option(
            help=(
                "Verifier of reference answers, on the criterion `correct` (default: the "
                "criteria's checkers)."
            )
        ),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="Number of processes (default: one per processor for large studies)."),
    ] = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Run the checkers and write their verdicts as references.

    Their sources are `program` and `program:loose`; verifiers have no loose form. Each line counts a
    checker's verdicts: met, not met, met loosely and undecided.
    """
    from engine.checkers.programs import CORRECT
    from engine.checkers.run import check_study
    from engine.store import Store

    report = check_study(Store(store).open(study), checker, processes=processes)
    rows = [
        {
            "checker": name,
            "met": tally.met,
            "not_met": tally.not_met,
            "met_loosely": tally.met_loosely,
            "undecided": tally.undecided,
        }
        for name, tally in report.by_checker.items()
    ]
    if format == "table" and is_former():
        print("checker", "met", "not_met", "met_loosely", "undecided", sep="\t")
        for row in rows:
            print(*row.values(), sep="\t")
    else:
        heads = ("Checker", "Met", "Not met", "Met loosely", "Undecided")
        columns = dict(zip(("checker", "met", "not_met", "met_loosely", "undecided"), heads, strict=True))
        print_rows(Rows(rows, columns, facts={"study": study}), format)
    responses = quantity(report.responses, "answer")
    forms = "strict and loose" if checker is None else f"on the criterion {CORRECT!r}"
    say(f"{quantity(report.verdicts, 'verdict')} on {responses}, {forms}")
    if report.undecidable:
        say(f"{quantity(report.undecidable, 'question')} without a reference answer")
    if report.others:
        say(f"{quantity(report.others, 'question')} left as another program decided {CORRECT!r}")
    if report.missing:
        say(f"no verdict on {quantity(report.missing, 'missing answer')}")
    if report.textless:
        say(f"{quantity(report.textless, 'answer')} without text; earlier verdicts stay")
    for name, problem in report.problems.items():
        undecided = report.by_checker[name].undecided
        say(f"warning: {name} could not decide {undecided:,}; first {problem}", caution=True)
