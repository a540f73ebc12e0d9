"""`spb compare`: whether judges have changed between two runs, for pipelines."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.exit_codes import checking
from engine.cli.former import is_former
from engine.cli.gate import print_lines, print_results
from engine.cli.given_once import OneValueCommand
from engine.cli.options import JudgesOption, StoreOption, next_command, open_study, split_names
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption
from engine.cli.study.study_place import is_study, study_of
from engine.errors import UsageError

if TYPE_CHECKING:
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
_ReferenceOption = Annotated[
    str | None, typer.Option(metavar="SOURCE", help="Source of the verdicts taken as true.")
]
_After = Annotated[str | None, typer.Option("--after", hidden=True, metavar="RUN", help="Later run.")]


@checking
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
    judge: JudgesOption = None,
    reference: _ReferenceOption = None,
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
    from engine.explore.run_changes import beside_self_preference, changes
    from engine.findings.commands import flag_words
    from engine.words import compared_runs

    if look > looks:
        raise UsageError(f"--look {look} is greater than --looks {looks}; give the number of looks planned")
    judged, store, before, after = _named_runs(words or [], before, after, study_option, store)
    filters = {"judges": split_names(judge or ()), "reference": reference}
    filters = {name: value for name, value in filters.items() if value}
    changed = changes(judged, measure, before, after, look=look, looks=looks, filters=filters)
    status = overall(changed.results)
    if is_former() and format == "table":
        print_lines(changed.results)
        say(compared_runs.scale_words(changed, before, after))
        sys.exit(EXIT_CODES[status])
    facts: dict[str, object] = {
        "study": judged.name,
        "before": before,
        "after": after,
        "measure": changed.measure.name,
        "number": changed.measure.headline,
        "filters": filters,
        "status": compared_runs.CODES[status],
        "rules": list(dict.fromkeys(result.rule for result in changed.results)),
        "reason": changed.reason,
    }
    beside = None
    if measure is None and changed.results:
        beside = beside_self_preference(judged, before, after, look=look, looks=looks, filters=filters)
        facts |= asdict(beside)
    spent = ("--look", str(look), "--looks", str(looks)) if looks > 1 else ()
    spent = (*flag_words(filters), *spent)
    of_strictness = next_command(
        store, "compare", judged.name, before, after, "--measure", "strictness", *spent
    )
    print_results(
        changed.results,
        format,
        facts,
        compared_runs.sentences(changed, beside, before, after, looks, of_strictness),
        words=compared_runs.CODES,
        shown=compared_runs.WORDS,
        null=changed.null,
        of_shares=changed.of_shares,
    )
    sys.exit(EXIT_CODES[status])


def _named_runs(
    words: list[str], before: str | None, after: str | None, study_option: str | None, store: str | None
) -> "tuple[Study, str | None, str, str]":
    """Return the study, its store and the two runs; UsageError, with the study's, where one is missing."""
    place, before, after = _runs_of(words, before, after)
    if place is None and study_option is None and before is not None and after is not None:
        place, before, after = _study_before_run(before, after, store)
    study, store = study_of(place, study_option, store)
    judged = open_study(store, study)
    if before is not None and after is not None:
        return judged, store, before, after
    if before is not None and is_study(before, store):
        second, root = study_of(before, None, store)
        raise UsageError(_two_studies(judged, open_study(root, second), store))
    runs = ", ".join(judged.inventory.runs)
    verb = "are" if before is None and after is None else "is"
    missing = " and ".join(name for name, run in (("BEFORE", before), ("AFTER", after)) if run is None)
    raise UsageError(
        f"{missing} {verb} missing: two runs are needed, an earlier and a later one; the study "
        f"{study!r} has: {runs}"
    )


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
    if not is_study(before, store):
        return None, before, after
    name, root = study_of(before, None, store)
    if before in open_study(root, name).inventory.runs:
        return None, before, after
    return before, after, None


def _two_studies(first: "Study", second: "Study", store: str | None) -> str:
    """Say that runs of one study are compared, and the commands that make two studies runs of one."""
    studies, both = (first, second), f"{first.name}-{second.name}"
    runs = [*first.inventory.runs, *second.inventory.runs]
    sources = [[str(each.files.path)] for each in studies]
    options: list[tuple[str, ...]] = [(), ("--append",)]
    if len(runs) != 2 or runs[0] == runs[1]:  # a study's runs keep their names, which must differ
        runs = [first.name, second.name]
        sources = [_file_of(each) for each in studies]
        options = [("--run", first.name), ("--run", second.name, "--append")]
    lines = [
        next_command(store, "import", *source, "--study", both, *more)
        for source, more in zip(sources, options, strict=True)
    ]
    lines.append(next_command(store, "compare", both, *runs))
    head = f"{first.name!r} and {second.name!r} are two studies; to compare them as runs of one:"
    return "\n".join([head, *(f"  {line}" for line in lines)])


def _file_of(study: "Study") -> list[str]:
    """Return a study's file, and how it was read; a name to fill in where it is not one file."""
    from engine.importers.earlier_imports import import_words

    records = study.info.imports or ()
    if len(records) == 1 and records[0].format is not None:
        return import_words(records[0])[1:]
    return [f"FILE_OF_{study.name}"]


def changed_judges(study: "Study", runs: Sequence[str], store: str | None) -> list[str]:
    """Say which judges changed in strictness or accuracy from the first of these runs to the last, if any."""
    from engine.words.run_changes import changed_between

    if len(runs) < 2:
        return []
    before, after = runs[0], runs[-1]
    words = changed_between(study, before, after)
    command = next_command(store, "compare", study.name, before, after)
    return [f"{words} To compare the runs: {command}"] if words else []
