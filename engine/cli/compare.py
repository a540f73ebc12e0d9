"""`spb compare`: whether judges have changed between two runs, for pipelines."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.former import is_former
from engine.cli.gate import exit_code_2, print_lines, print_results
from engine.cli.given_once import OneValueCommand
from engine.cli.options import StoreOption, next_command, open_study
from engine.cli.output import say
from engine.cli.rows import RowFormatOption
from engine.cli.study_place import study_of
from engine.errors import UsageError
from engine.phrases import join_names, part_of, quantity, sentence_case

if TYPE_CHECKING:
    from engine.explore.gate import GateStatus
    from engine.explore.run_changes import RunChanges, StrictnessChange
    from engine.study import Study


_WORDS = "[STUDY] BEFORE AFTER"


class CommandClass(OneValueCommand):
    """The command whose help lists what can be compared; the catalogue is loaded for that alone."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Write the words as they are typed, and not as a list of them."""
        return [*super().collect_usage_pieces(ctx)[:-1], _WORDS]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, then the measures with the question that each answers."""
        from engine.explore.run_changes import comparable_measures

        super().format_options(ctx, formatter)
        with formatter.section("What --measure can compare"):
            formatter.write_dl([(name, each.question) for name, each in comparable_measures().items()])


_Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar=_WORDS,
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
            metavar="NAME",
            help="What is compared (default: self-preference, by hspp or outside, the one that tests more "
            "judges; hspp if both test as many). strictness: the share of criteria that a judge passes, or "
            "its mean score; accuracy: how often it agrees with the reference. All are listed below.",
        ),
    ] = None,
    look: Annotated[int, typer.Option(min=1, help="Number of this look, from 1.")] = 1,
    looks: Annotated[int, typer.Option(min=1, help="Number of looks planned.")] = 1,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Say whether judges changed between two runs.

    No change shown does not mean that there is none: the interval says how large it may be. Each change
    has its interval. With --look and --looks, alpha is spent over the looks, so that repeated comparisons
    raise false alarms in 5% of cases overall.

    Exit code 1: a judge has changed in what is compared, self-preference or the measure named; 3: a change
    cannot be tested, or nothing can; 2: not compared, for the error printed; else 0. Without --measure it is
    also said whether a judge's strictness or accuracy has changed; only `--measure strictness` and `--measure
    accuracy` exit with 1 for that.
    """
    from engine.explore.gate import EXIT_CODES, overall
    from engine.explore.run_changes import changes, strictness_changes
    from engine.words.run_changes import changes_words

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
    if is_former() and format == "table":
        print_lines(changed.results)
        say(_compared(changed, before, after))
        sys.exit(EXIT_CODES[status])
    facts: dict[str, object] = {
        "study": study,
        "before": before,
        "after": after,
        "measure": changed.measure.name,
        "number": changed.measure.headline,
        "status": _CHANGES[status],
        "rules": list(dict.fromkeys(result.rule for result in changed.results)),
        "reason": changed.reason,
    }
    what = "self-preference" if measure is None else changed.measure.name
    status_words = _CHANGE_WORDS.get(status, _CHANGES[status])
    other_words: list[str] = []
    spent = ("--look", str(look), "--looks", str(looks)) if looks > 1 else ()
    of_strictness = next_command(store, "compare", study, before, after, "--measure", "strictness", *spent)
    if measure is None and changed.results:
        stricter = strictness_changes(judged, before, after, look=look, looks=looks)
        accuracy = changes(judged, "accuracy", before, after, look=look, looks=looks).changed
        facts["strictness"] = [asdict(each) for each in stricter]
        facts["accuracy"] = [asdict(each) for each in accuracy]
        names = [name for name, some in (("strictness", stricter), ("accuracy", accuracy)) if some]
        if names and status in _BUT_CHANGED:
            status_words += f"{_BUT_CHANGED[status]}, but {join_names(names)} changed"
        if stricter:
            other_words.append(_strictness_words(stricter, before, after))
        if accuracy:
            other_words.append(changes_words(accuracy, before, after))
        if stricter:
            other_words.append(f"{_NOT_IN_EXIT_CODE} {of_strictness}")
    sentences = [f"{status_words.upper()}: {_counts(changed, what)}", *other_words]
    sentences.append(f"{_compared(changed, before, after)}.")
    if changed.n_in_both < changed.n_questions:
        shared = sentence_case(part_of(changed.n_in_both, changed.n_questions, "question"))
        verb = "is" if changed.n_in_both < 2 else "are"
        sentences.append(f"{shared} {verb} in both runs: what differs may be the other questions.")
    if status == "PASS":
        sentences.append(
            "This does not show that nothing changed: each interval says how large a change may be."
        )
    sentences += explained_intervals(changed, looks)
    if measure is None and changed.results and not other_words:
        sentences.append(f"To compare how strict they are: {of_strictness}")
    print_results(
        changed.results,
        format,
        facts,
        sentences,
        words=_CHANGES,
        shown=_CHANGE_WORDS,
        null=changed.null,
        of_shares=changed.of_shares,
    )
    sys.exit(EXIT_CODES[status])


_CHANGES: "dict[GateStatus, str]" = {"PASS": "unchanged", "FAIL": "changed", "INCONCLUSIVE": "inconclusive"}
_CHANGE_WORDS: "dict[GateStatus, str]" = {"PASS": "no change shown"}
"""What people read where the code would claim more than a test shows."""


_BUT_CHANGED: "dict[GateStatus, str]" = {"PASS": " in self-preference", "INCONCLUSIVE": ""}
"""What the result says of where only another number is shown to have changed."""


_NOT_IN_EXIT_CODE = "The exit code is of self-preference alone. For one of strictness, as in a pipeline:"


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


def _compared(changed: "RunChanges", before: str, after: str) -> str:
    """Return what was compared, in words, and on which scale a change is given; or why nothing was."""
    measure = changed.measure
    if changed.reason is not None:
        return f"Nothing can be tested by {measure.name}: {changed.reason}"
    number = next(field.meaning for field in measure.fields if field.name == measure.headline)
    if measure.compared_as == "ratio":
        scale = f"{after} divided by {before}; 1 is no change"
    else:
        unit = ", in points of 100" if changed.of_shares else ""
        scale = f"{after} minus {before}{unit}; 0 is no change"
    return f"Compared is {measure.name} ({measure.question} {sentence_case(number)}), as {scale}"


def changed_judges(study: "Study", runs: Sequence[str], store: str | None) -> list[str]:
    """Say which judges changed in strictness or accuracy from the first of these runs to the last, if any."""
    from engine.words.run_changes import changed_between

    if len(runs) < 2:
        return []
    before, after = runs[0], runs[-1]
    words = changed_between(study, before, after)
    command = next_command(store, "compare", study.name, before, after)
    return [f"{words} To compare the runs: {command}"] if words else []


def _strictness_words(changed: "list[StrictnessChange]", before: str, after: str) -> str:
    """Return which judges became stricter or more lenient, with what they gave the same answers."""
    from engine.words.written_numbers import number

    parts = [
        f"{each.judge} became {'stricter' if each.after < each.before else 'more lenient'} "
        f"({'it passed' if each.of_criteria else 'its mean score was'} {number(each.before, 'percent')} in "
        f"run {before} and {number(each.after, 'percent')} in run {after}, of "
        f"{'the criteria of ' if each.of_criteria else ''}the same {quantity(each.n, 'answer')})"
        for each in changed
    ]
    return f"How strict judges are did change: {join_names(parts, _MOST_NAMED)}."


_MOST_NAMED = 3
"""Most judges whose strictness is written out; the rest are counted."""


def explained_intervals(changed: "RunChanges", looks: int) -> list[str]:
    """Say why no change is shown of judges whose interval leaves out no change: p is adjusted."""
    null = changed.null
    apart = [
        each.judge
        for each in changed.results
        if each.status == "PASS" and each.low is not None and each.high is not None
        if not each.low <= null <= each.high
    ]
    n_tested = sum(each.is_checked for each in changed.results)
    adjusted = [f"the {n_tested:,} tests"] if n_tested > 1 else []
    adjusted += [f"the {looks:,} looks"] if looks > 1 else []
    if not apart or not adjusted:
        return []
    is_one = len(apart) == 1
    whose = f"{'interval' if is_one else 'intervals'} of {join_names(apart, _MOST_NAMED)}"
    sentence = (
        f"The {whose} {'excludes' if is_one else 'exclude'} {null:g}, yet no change is shown: p-values are "
        f"adjusted for {join_names(adjusted)}, intervals are not."
    )
    return [sentence]


def _counts(changed: "RunChanges", what: str) -> str:
    """Return how many judges changed in what is compared, and in how many rows where a judge has several."""
    rows = changed.results
    if not rows:
        return "no judge can be tested."
    verb = "shows" if changed.n_changed < 2 else "show"
    text = f"{part_of(changed.n_changed, changed.n_judges, 'judge')} {verb} a change in {what}"
    if len(rows) > changed.n_judges:
        n_rows = sum(row.status == "FAIL" for row in rows)
        each = join_names(["judge", *changed.beside])
        text += f" ({n_rows:,} of {len(rows):,} rows, one for each {each})"
    if changed.n_untested:
        text += f"; {changed.n_untested:,} cannot be tested"
    return f"{text}."
