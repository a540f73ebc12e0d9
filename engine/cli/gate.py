"""`spb gate`: judges checked against a rule, for pipelines."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.exit_codes import checking
from engine.cli.former import is_former
from engine.cli.options import (
    JudgesOption,
    RunsOption,
    StoreOption,
    StudyArgument,
    open_study,
    refuse_together,
    split_names,
)
from engine.cli.output import goes_to_markdown, say, write_file
from engine.cli.printing.rows import RowFormatOption, Rows, print_rows
from engine.conclusions import ALIKE, NOT_SHOWN
from engine.slices import Repeats

if TYPE_CHECKING:
    from engine.explore.gate import GateResult, GateStatus


MaxExcessOption = Annotated[
    float | None,
    typer.Option(
        metavar="CASES",
        help="Own cases of 100 that may be passed beyond those expected (default rule: 10).",
    ),
]
MaxRatioOption = Annotated[
    float | None,
    typer.Option(metavar="ODDS", help="Largest odds on own cases that pass; not for scores or pairs."),
]
RequireOption = Annotated[
    str | None,
    typer.Option(
        metavar="CONCLUSION",
        help=f"Conclusion to require. {ALIKE}: any difference is too small to matter. {NOT_SHOWN}: that, or "
        "no difference is shown where a large one would be, or the judge is harder on its own answers.",
    ),
]
ParadigmOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Only judgments of this paradigm (default: the first that decides)."),
]
VariantOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Only judgments of this variant (default: default, or the first)."),
]
RepeatsOption = Annotated[Repeats, typer.Option(help="How repeats of one judgment are combined.")]
IndependentOption = Annotated[
    bool,
    typer.Option("--independent", help="Fail a judge that judges its own family; needs no verdicts."),
]


def check_one_rule(
    max_excess: float | None, max_ratio: float | None, require: str | None, *, independent: bool
) -> bool:
    """Return whether a rule is given; UsageError, naming the options, for more than one."""
    rules = {"max_excess": max_excess, "max_ratio": max_ratio, "require": require}
    refuse_together(**rules, independent=independent)
    return independent or any(value is not None for value in rules.values())


@checking
def check_judge(
    study: StudyArgument,
    store: StoreOption = None,
    judge: JudgesOption = None,
    group: Annotated[
        bool,
        typer.Option(
            "--group", help="Check all judges together, as one; with --judge, these one by one too."
        ),
    ] = False,
    run: RunsOption = None,
    paradigm: ParadigmOption = None,
    variant: VariantOption = None,
    repeats: RepeatsOption = "majority",
    max_excess: MaxExcessOption = None,
    max_ratio: MaxRatioOption = None,
    require: RequireOption = None,
    independent: IndependentOption = False,
    junit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a JUnit XML report; an inconclusive judge is skipped in it, so that it is green at "
            "exit code 3.",
        ),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a summary for a pull request.")
    ] = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Check judges for self-preference: pass, fail, inconclusive.

    With --max-excess a judge passes if its whole 95% interval is below the bound. Else it fails if the
    scorecard concludes that it favours itself or overrates its own answers, and is inconclusive if not. So a
    judge that is shown to overrate its own answers fails though its number is below the bound, if its
    interval reaches above. The interval is the plain one, not adjusted for the number of judges as that of
    `spb judges` is.

    Exit code 0: all judges pass; 1: a judge fails; 3: no judge fails, but one is inconclusive; 2: not
    checked, for the error printed, also if the rule applies to no judge.
    """
    from engine.explore.gate import EXIT_CODES
    from engine.report.gate_report import gate_report
    from engine.report.gate_results import gate_junit, gate_markdown, totals

    check_one_rule(max_excess, max_ratio, require, independent=independent)
    for note in _notes_on_rule(max_excess, require):
        say(note)
    reads_runs = markdown is not None or (format != "csv" and not is_former())
    runs = split_names(run or [])
    checked = gate_report(
        open_study(store, study),
        split_names(judge or []),
        group=group,
        max_excess=max_excess,
        max_ratio=max_ratio,
        require=require,
        independent=independent,
        runs=runs,
        paradigm=paradigm,
        variant=variant,
        repeats=repeats,
        of_runs=reads_runs,  # which takes the deciding number again
    )
    results, status = checked.results, checked.status
    # Before the verdict is printed, which one that cannot be written would contradict by its exit code.
    if junit is not None:
        write_file(junit, gate_junit(study, results), "choose another file")
    if markdown is not None:
        write_file(markdown, gate_markdown(study, results, checked.remarks).encode(), "choose another file")
    if is_former() and format == "table":
        print_lines(results)
    elif goes_to_markdown() and format == "table":
        print(gate_markdown(study, results, checked.remarks))
    else:
        filters: dict[str, Any] = {} if independent else {"run": runs, "repeats": repeats}
        filters |= {name: each for name, each in (("paradigm", paradigm), ("variant", variant)) if each}
        facts: dict[str, object] = {"study": study, "status": status, "rules": list(checked.rules)}
        facts |= {"filters": filters, "remarks": list(checked.remarks)}
        facts["newest_run"] = None if checked.newest is None else checked.newest.facts()
        print_results(results, format, facts, checked.sentences)
    if is_former() and format == "table":
        say(f"{status} ({totals(results)})")
    sys.exit(EXIT_CODES[status])


def _notes_on_rule(max_excess: float | None, require: str | None) -> Iterator[str]:
    """Yield what to know of a rule first: that its name is a former one, or its bound hardly a case."""
    from engine.conclusions import current_code
    from engine.explore.gate import FORMER_REQUIREMENT
    from engine.explore.share_of_cases import share_of_cases

    if require == FORMER_REQUIREMENT:
        yield current_code(require)[1] or ""
    if (hint := share_of_cases("max_excess", max_excess)) is not None:
        yield hint


def print_results(
    results: "Sequence[GateResult]",
    format: str,  # noqa: A002
    facts: Mapping[str, object],
    sentences: Sequence[str],
    words: "Mapping[GateStatus, str] | None" = None,
    shown: "Mapping[GateStatus, str] | None" = None,
    null: float | None = None,
    *,
    of_shares: bool = False,
) -> None:
    from engine.report.gate_results import estimate_text

    rows = [
        asdict(result) | {"status": words[result.status] if words else result.status} for result in results
    ]
    if format == "json":  # the rules are among the facts
        rows = [{name: value for name, value in row.items() if name != "rule"} for row in rows]
    cells = [
        row
        | {
            "estimate": estimate_text(result, null, of_shares=of_shares),
            "status": (shown or {}).get(result.status, row["status"]),
        }
        for row, result in zip(rows, results, strict=True)
    ]
    columns = {"judge": "Judge", "status": "Result", "estimate": "Number", "reason": "Reason"}
    print_rows(Rows(rows, columns, sentences, facts, cells), format)


def print_lines(results: "Sequence[GateResult]") -> None:
    from engine.report.gate_results import estimate_text

    for result in results:
        print(result.status, result.judge, estimate_text(result), result.reason, sep="\t")
