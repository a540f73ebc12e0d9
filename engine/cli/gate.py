"""`spb gate` and `spb compare`: judges checked against a rule or an earlier run, for pipelines."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.former import is_former
from engine.cli.options import JudgesOption, RunsOption, StoreOption, StudyArgument, open_study, split_names
from engine.cli.output import goes_to_markdown, say, write_file
from engine.cli.rows import RowFormatOption, Rows, print_rows
from engine.cli.study_place import study_of
from engine.errors import SpbError, UsageError

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
    str | None, typer.Option(help="Conclusion to require: no_material_preference or not_shown.")
]
IndependentOption = Annotated[
    bool,
    typer.Option("--independent", help="Fail a judge that judges its own family; needs no verdicts."),
]


def check_one_rule(
    max_excess: float | None, max_ratio: float | None, require: str | None, *, independent: bool
) -> bool:
    """Return whether a rule is given; UsageError, naming the options, for more than one."""
    rules = {"--max-excess": max_excess, "--max-ratio": max_ratio, "--require": require}
    flags = [name for name, value in rules.items() if value is not None]
    flags += ["--independent"] if independent else []
    if len(flags) > 1:
        raise UsageError(f"{' and '.join(flags)} cannot be combined; give one of them")
    return bool(flags)


@contextmanager
def exit_code_2() -> Iterator[None]:
    """Let every error of this project exit with 2, since 1 says that a judge fails or has changed."""
    try:
        yield
    except SpbError as error:
        raise UsageError(str(error)) from error


@exit_code_2()
def check_judge(
    study: StudyArgument,
    store: StoreOption = None,
    judge: JudgesOption = None,
    group: Annotated[
        bool, typer.Option("--group", help="Check all judges together, as one; with --judge, beside these.")
    ] = False,
    run: RunsOption = None,
    max_excess: MaxExcessOption = None,
    max_ratio: MaxRatioOption = None,
    require: RequireOption = None,
    independent: IndependentOption = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a JUnit XML report.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a summary for a pull request.")
    ] = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Check judges for self-preference: pass, fail, inconclusive.

    With --max-excess a judge passes if its whole 95% interval is below the bound. Else it fails if the
    scorecard concludes that it favours or overrates itself, and is inconclusive if not. So a judge that is
    shown to overrate itself fails though its number is below the bound, if its interval reaches above. The
    interval is the plain one, not adjusted for the number of judges as that of `spb judges` is.

    Exit code 0: all judges pass; 1: a judge fails; 3: no judge fails, but one is inconclusive; 2: not
    checked, for the error printed, also if the rule applies to no judge.
    """
    from engine.explore.gate import EXCESS_RULE, EXIT_CODES, FORMER_REQUIREMENT, check_judges, overall
    from engine.report.gate_results import gate_junit, gate_markdown, totals
    from engine.stats.conclusion_rules import current_code

    if require == FORMER_REQUIREMENT:
        say(current_code(require)[1] or "")

    check_one_rule(max_excess, max_ratio, require, independent=independent)
    if max_excess is not None and 0 < max_excess < 1:
        say(
            f"--max-excess {max_excess:g} is {max_excess:g} of 100 own cases; a share of {max_excess:g} is "
            f"--max-excess {100 * max_excess:g}"
        )
    results = check_judges(
        open_study(store, study),
        split_names(judge or []),
        group=group,
        max_excess=max_excess,
        max_ratio=max_ratio,
        require=require,
        independent=independent,
        runs=split_names(run or []),
    )
    status = overall(results)
    if is_former() and format == "table":
        _print_lines(results)
    else:
        rule_texts = list(dict.fromkeys(result.rule for result in results))
        facts = {"study": study, "status": status, "rules": rule_texts}
        by_excess = all(name is None for name in (max_ratio, require)) and not independent
        rule = f"The rule: {'; '.join(rule_texts)}." + (f" {EXCESS_RULE}" if by_excess else "")
        sentences = (f"{status} ({totals(results)}).", rule)
        if goes_to_markdown() and format == "table":
            print(gate_markdown(study, results))
        else:
            _print_results(results, format, facts, sentences)
    if junit is not None:
        write_file(junit, gate_junit(study, results), "choose another file")
    if markdown is not None:
        write_file(markdown, gate_markdown(study, results).encode(), "choose another file")
    if is_former() and format == "table":
        say(f"{status} ({totals(results)})")
    sys.exit(EXIT_CODES[status])


_Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[STUDY] BEFORE AFTER",
        help="Study, as everywhere, and its earlier and its later run.",
        show_default=False,
    ),
]
_StudyOption = Annotated[str | None, typer.Option("--study", hidden=True, help="The study.")]
_Before = Annotated[str | None, typer.Option("--before", hidden=True, metavar="RUN", help="Earlier run.")]
_After = Annotated[str | None, typer.Option("--after", hidden=True, metavar="RUN", help="Later run.")]


@exit_code_2()
def compare_runs(
    words: _Words = None,
    before: _Before = None,
    after: _After = None,
    study_option: _StudyOption = None,
    store: StoreOption = None,
    measure: Annotated[
        str | None,
        typer.Option(
            help="Measure whose number is compared (default: hspp, else outside, which takes all); accuracy "
            "says whether verdicts agree with the references as often. Those that can be compared have a row "
            "for each judge; a wrong name lists them."
        ),
    ] = None,
    look: Annotated[int, typer.Option(min=1, help="Number of this look, from 1.")] = 1,
    looks: Annotated[int, typer.Option(min=1, help="Number of looks planned.")] = 1,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Compare two runs, and say whether each judge is shown to have changed.

    No change shown does not mean that there is none: the interval says how large it may be. Each change
    has its interval. With --look and --looks, alpha is spent over the looks, so that repeated comparisons
    raise false alarms in 5% of cases overall. Exit code 1: a judge has changed; 3: a change cannot be
    tested, or nothing can; 2: not compared, for the error printed; else 0.
    """
    from engine.explore.gate import EXIT_CODES, overall
    from engine.explore.run_changes import changes

    if look > looks:
        raise UsageError(f"--look {look} is greater than --looks {looks}; give the number of looks planned")
    place, before, after = _runs_of(words or [], before, after)
    if place is None and study_option is None and before is not None and after is not None:
        place, before, after = _study_before_run(before, after, store)
    study, store = study_of(place, study_option, store)
    judged = open_study(store, study)
    if before is None or after is None:
        runs = ", ".join(judged.inventory.runs)
        verb = "are" if before is None and after is None else "is"
        missing = " and ".join(name for name, run in (("BEFORE", before), ("AFTER", after)) if run is None)
        raise UsageError(
            f"{missing} {verb} missing: two runs are needed, an earlier and a later one; the study "
            f"{study!r} has: {runs}"
        )
    changed = changes(judged, measure, before, after, look=look, looks=looks)
    status = overall(changed.results)
    if changed.reason is not None:
        what = f"nothing can be tested by {changed.measure}: {changed.reason}"
    else:
        what = f"{_numbers_compared(changed.measure, changed.number)}, from {before} to {after}"
    if is_former() and format == "table":
        _print_lines(changed.results)
        say(what)
        sys.exit(EXIT_CODES[status])
    facts = {
        "study": study,
        "before": before,
        "after": after,
        "measure": changed.measure,
        "number": changed.number,
        "status": _CHANGES[status],
        "reason": changed.reason,
    }
    status_words = _CHANGE_WORDS.get(status, _CHANGES[status])
    sentences = [f"{status_words.upper()}: {_counts(changed.results)}{what}."]
    if status == "PASS":
        sentences.append(
            "This does not show that nothing changed: each interval says how large a change may be."
        )
    if measure is None and changed.results:
        sentences.append(
            "Whether the verdicts agree with the references as often as before is another number: "
            "--measure accuracy."
        )
    _print_results(changed.results, format, facts, sentences, words=_CHANGES, shown=_CHANGE_WORDS)
    sys.exit(EXIT_CODES[status])


_CHANGES: "dict[GateStatus, str]" = {"PASS": "unchanged", "FAIL": "changed", "INCONCLUSIVE": "inconclusive"}
_CHANGE_WORDS: "dict[GateStatus, str]" = {"PASS": "no change shown"}
"""What people read where the code would claim more than a test shows."""


def _runs_of(
    words: list[str], before: str | None, after: str | None
) -> tuple[str | None, str | None, str | None]:
    """Return the study, if it is given by place, and the two runs, if they are given."""
    if before is None and after is None and len(words) >= 2:
        *words, before, after = words
    if len(words) > 1:
        raise UsageError(f"{' '.join(words)!r} is more than a study; write: spb compare STUDY BEFORE AFTER")
    return (words[0] if words else None), before, after


def _study_before_run(
    before: str, after: str, store: str | None
) -> tuple[str | None, str | None, str | None]:
    """Return study and runs anew where the first of two words is a study, so that a run is missing."""
    from engine.store import Store

    if before not in Store(store).studies():
        return None, before, after
    if before in open_study(store, before).inventory.runs:
        return None, before, after
    return before, after, None


def _numbers_compared(measure: str, number: str) -> str:
    """Return which number was compared, and on which scale its change is given."""
    from engine.measures.catalogue import find

    declared = find(measure)
    meaning = next((field.meaning for field in declared.fields if field.name == number), number)
    as_ratio = number.startswith("ratio") if measure == "outside" else declared.compared_as == "ratio"
    scale = "after divided by before; 1 is no change" if as_ratio else "after less before; 0 is no change"
    return f"compared is {number} of {measure} ({meaning}), as {scale}"


def _counts(results: "Sequence[GateResult]") -> str:
    changed = sum(result.status == "FAIL" for result in results)
    open_ones = sum(result.status == "INCONCLUSIVE" for result in results)
    if not results:
        return ""
    return f"of {len(results):,} judges {changed:,} changed, {open_ones:,} cannot be tested; "


def _print_results(
    results: "Sequence[GateResult]",
    format: str,  # noqa: A002
    facts: Mapping[str, object],
    sentences: Sequence[str],
    words: "dict[GateStatus, str] | None" = None,
    shown: "Mapping[GateStatus, str] | None" = None,
) -> None:
    from engine.report.gate_results import estimate_text

    rows = [
        asdict(result) | {"status": words[result.status] if words else result.status} for result in results
    ]
    cells = [
        row | {"estimate": estimate_text(result), "status": (shown or {}).get(result.status, row["status"])}
        for row, result in zip(rows, results, strict=True)
    ]
    columns = {"judge": "Judge", "status": "Result", "estimate": "Number", "reason": "Reason"}
    print_rows(Rows(rows, columns, sentences, facts, cells), format)


def _print_lines(results: "Sequence[GateResult]") -> None:
    from engine.report.gate_results import estimate_text

    for result in results:
        print(result.status, result.judge, estimate_text(result), result.reason, sep="\t")
